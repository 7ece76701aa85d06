//! Owns: the access of this guest to the memory and the doorbells of channels.
//! Must never know: the data in them.

use crate::system::{Board, Partition};
use core::cell::UnsafeCell;
use core::ptr::{copy_nonoverlapping, with_exposed_provenance, with_exposed_provenance_mut};
use core::sync::atomic::{AtomicU32, Ordering};
use smccc::{Call, Hvc};
use taktos_abi::vm::{Description, call, layout, ring};
use taktos_arch_aarch64::AArch64;
use taktos_ethercat_workload::FieldBoard;
use taktos_workloads::guest::channel::{ChannelBoard, End};

/// The memory of a channel, mapped at `at`, `bytes` long.
#[derive(Clone, Copy)]
pub struct Shared {
    at: usize,
    bytes: usize,
}

impl Shared {
    /// Returns the address of `length` bytes at `at`.
    ///
    /// # Panics
    /// If they are not all in the channel's memory.
    fn place(self, at: u32, length: usize) -> usize {
        let at = at as usize;
        assert!(
            at <= self.bytes && length <= self.bytes - at,
            "beyond the channel's memory"
        );
        self.at + at
    }

    fn word(&self, at: u32) -> &AtomicU32 {
        assert!(at.is_multiple_of(4));
        // SAFETY: four bytes of the channel's memory, which stays mapped, and aligned; all sides
        // access words as such.
        unsafe { &*with_exposed_provenance(self.place(at, 4)) }
    }
}

impl ring::Memory for Shared {
    fn word(&self, at: u32) -> u32 {
        self.word(at).load(Ordering::SeqCst)
    }

    fn set_word(&self, at: u32, value: u32) {
        self.word(at).store(value, Ordering::SeqCst);
    }

    fn read(&self, at: u32, to: &mut [u8]) {
        let from = with_exposed_provenance(self.place(at, to.len()));
        // SAFETY: within the channel's memory, which no reference leads to. The rings keep the
        // other end from writing there meanwhile; one that breaks their rules changes
        // bytes, of which all values are allowed.
        unsafe { copy_nonoverlapping(from, to.as_mut_ptr(), to.len()) }
    }

    fn write(&self, at: u32, from: &[u8]) {
        let to = with_exposed_provenance_mut(self.place(at, from.len()));
        // SAFETY: as for `read`.
        unsafe { copy_nonoverlapping(from.as_ptr(), to, from.len()) }
    }
}

impl ChannelBoard for Board {
    type Memory = Shared;

    fn channel(channel: usize) -> Option<End<Shared>> {
        if channel >= Description::CHANNELS {
            return None;
        }
        let answer = Hvc::call64(call::CHANNEL, with(channel));
        if answer[0] != call::SUCCESS {
            return None;
        }
        let stride = layout::CHANNEL_MEMORY_STRIDE;
        let at = layout::CHANNEL_MEMORY + channel as u64 * stride;
        let bytes = answer[2].min(stride) as usize;
        let memory = Shared {
            at: at as usize,
            bytes,
        };
        Some(End {
            memory,
            bytes,
            number: usize::from(answer[1] != 0),
        })
    }

    fn ring(channel: usize) {
        // It cannot fail for a channel of this guest, and has no effect for another.
        let _ = Hvc::call64(call::DOORBELL, with(channel));
    }

    fn on_doorbell(channel: usize, handler: fn()) {
        let number = layout::CHANNEL_INTERRUPT + channel as u32;
        AArch64::<Partition>::set_handler(number, handler);
    }
}

/// The memory of a channel from this program to itself: two rings of 4 KiB, and their words.
const LOOP: usize = 16 * 1024;

#[repr(align(64))]
struct Loop(UnsafeCell<[u8; LOOP]>);

// SAFETY: it is reached through `Shared` alone. Its words are accessed atomically there, and the
// rings divide its bytes among their ends.
unsafe impl Sync for Loop {}

static LOOPBACK: Loop = Loop(UnsafeCell::new([0; LOOP]));

impl FieldBoard for Board {
    fn loopback() -> [End<Shared>; 2] {
        let memory = Shared {
            at: LOOPBACK.0.get().expose_provenance(),
            bytes: LOOP,
        };
        [0, 1].map(|number| End {
            memory,
            bytes: LOOP,
            number,
        })
    }

    fn file() -> &'static [u8] {
        crate::bootargs::file()
    }
}

fn with(channel: usize) -> [u64; 17] {
    let mut arguments = [0; 17];
    arguments[0] = channel as u64;
    arguments
}
