//! Owns: the one lock of the seam, its words by the shortest sequences, and how a processor waits
//! for it. Must never know: what it guards.

use super::state::{State, own};
use core::arch::{asm, naked_asm};
use taktos_arch_common::{Exchange, Lock, Port, free_lock, lock_out_of_line};
use taktos_lock::HELD;

/// The lock of the seam. The hand-written paths give it back themselves; see `pieces`.
static LOCK: Lock<Arm> = free_lock();
taktos_arch_common::name_lock!(LOCK);

/// The architecture, as the common part of the ports knows it.
pub enum Arm {}

// SAFETY: each is one access that other processors see whole or not at all. An exchange around a
// store of one of the word's bytes begins again (Arm ARM, B2.9.2: the store clears their monitors).
unsafe impl Exchange for Arm {
    #[inline(always)]
    unsafe fn take(word: *mut u32, held: usize) -> bool {
        // SAFETY: loads and stores the word, which the caller has.
        unsafe {
            asm!(
                "2:",
                "ldaxr {was:w}, [{word}]",
                "cbnz {was:w}, {taken}",
                "stxr {was:w}, {held:w}, [{word}]",
                "cbnz {was:w}, 2b",
                word = in(reg) word,
                held = in(reg) held,
                was = out(reg) _,
                taken = label { return false },
                options(nostack, preserves_flags),
            );
        }
        true
    }

    #[inline(always)]
    unsafe fn release(word: *mut u32) {
        // SAFETY: stores the word's lowest byte, which the caller alone writes.
        unsafe {
            asm!(
                "stlrb wzr, [{word}]",
                word = in(reg) word,
                options(nostack, preserves_flags),
            );
        }
    }

    #[inline(always)]
    unsafe fn succeed(word: *mut u32) {
        // SAFETY: as for `release`, for the two lowest bytes.
        unsafe {
            asm!(
                "strh {next:w}, [{word}]",
                word = in(reg) word,
                next = in(reg) HELD,
                options(nostack, preserves_flags),
            );
        }
    }

    #[inline(always)]
    fn wait() {
        wait();
    }
}

// SAFETY: there is nothing more.
unsafe impl Port for Arm {
    const LOCK: &'static Lock<Self> = &LOCK;
    /// By one instruction with the lock's address.
    const LOADS_HELD: bool = true;
    const MOST: usize = 16;
    type More = ();
    const MORE: () = ();

    #[inline(always)]
    fn own() -> &'static State {
        own()
    }
}

/// Another processor is wanted. The hint is no operation on most processors; to wait for an event
/// would need the exclusive monitor armed at each turn, to save power alone.
#[inline(always)]
pub(super) fn wait() {
    // SAFETY: a hint.
    unsafe { asm!("yield", options(nomem, nostack, preserves_flags)) }
}

/// Takes the lock for a hand-written path that found it held: x0 to x3 and x8 stay as they are.
#[unsafe(naked)]
pub(crate) extern "C" fn wait_for_lock() {
    naked_asm!(
        "stp x0, x1, [sp, #-48]!",
        "stp x2, x3, [sp, #16]",
        "stp x8, x30, [sp, #32]",
        "bl {lock}",
        "ldp x8, x30, [sp, #32]",
        "ldp x2, x3, [sp, #16]",
        "ldp x0, x1, [sp], #48",
        "ret",
        lock = sym lock_out_of_line::<Arm>,
    )
}
