//! A recursion with large frames; only the lowest word of each is touched.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;
use core::mem::MaybeUninit;
use taktos::board::Board;
use taktos::{System, Thread, Timeout};

/// The bytes of a frame.
const BYTES: usize = 512;

static MAIN: Thread<Board, 2048> = Thread::new("main").priority(20);
static WORKER: Thread<Board, 2048> = Thread::new("worker").priority(5);

#[taktos::main(MAIN)]
fn first() {
    let _ = WORKER.start(|| taktos::println!("{}", descend(black_box(100_000))));
    let _ = WORKER.join(Timeout::FOREVER);
    Board::exit(0);
}

#[inline(never)]
fn descend(depth: u32) -> u32 {
    let mut room = MaybeUninit::<[u32; BYTES / 4]>::uninit();
    let lowest = black_box(&mut room).as_mut_ptr().cast::<u32>();
    // SAFETY: the first word of the array.
    unsafe { lowest.write_volatile(depth) };
    match depth {
        0 => 0,
        // SAFETY: as above.
        _ => descend(depth - 1).wrapping_add(unsafe { lowest.read_volatile() }),
    }
}
