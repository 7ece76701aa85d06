//! Owns: recursions by the size of their frames, of each of which the lowest word alone is touched:
//! what a guard must not be passed by.

use super::Case;
use core::hint::black_box;
use core::mem::MaybeUninit;
use taktos_kernel::System;

/// Calls itself with `WORDS` words in each frame.
#[inline(never)]
fn descend<const WORDS: usize>(depth: u32) -> u32 {
    let mut room = MaybeUninit::<[u32; WORDS]>::uninit();
    let lowest = black_box(&mut room).as_mut_ptr().cast::<u32>();
    // SAFETY: the first word of the array.
    unsafe { lowest.write_volatile(depth) };
    match depth {
        0 => 0,
        // SAFETY: as above.
        _ => descend::<WORDS>(depth - 1).wrapping_add(unsafe { lowest.read_volatile() }),
    }
}

/// Cases by the bytes of their frames.
macro_rules! frames {
    ($($bytes:literal),*) => {
        [$((concat!("frame-", $bytes), |_| {
            black_box(descend::<{ $bytes / 4 }>(black_box(100_000)));
        })),*]
    };
}

/// The cases, from 16 bytes to 8 KiB.
pub(super) fn cases<S: System>() -> [Case<S>; 14] {
    frames!(
        16, 32, 48, 80, 96, 128, 192, 240, 512, 1024, 2048, 4096, 6144, 8192
    )
}
