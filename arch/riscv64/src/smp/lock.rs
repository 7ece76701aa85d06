//! Owns: the one lock of the seam, its words by the shortest sequences, and how a processor waits
//! for it. Must never know: what it guards.

use super::state::{More, State, own};
use core::arch::asm;
use taktos_arch_common::{Exchange, Lock, Port, free_lock};
use taktos_lock::HELD;

/// The lock of the seam. The hand-written paths give it back themselves; see `pieces`.
static LOCK: Lock<Hart> = free_lock();
taktos_arch_common::name_lock!(LOCK);

/// The architecture, as the common part of the ports knows it.
pub enum Hart {}

// SAFETY: each is one access that other processors see whole or not at all. An exchange around a
// store to one of the word's bytes fails and begins again (RISC-V unprivileged ISA, "Zalrsc": a
// store to the reservation set by another processor).
unsafe impl Exchange for Hart {
    #[inline(always)]
    unsafe fn take(word: *mut u32, held: usize) -> bool {
        // SAFETY: loads and stores the word, which the caller has.
        unsafe {
            asm!(
                "2:",
                "lr.w.aq {was}, ({word})",
                "bnez {was}, {taken}",
                "sc.w {was}, {held}, ({word})",
                "bnez {was}, 2b",
                word = in(reg) word,
                held = in(reg) held,
                was = out(reg) _,
                taken = label { return false },
                options(nostack),
            );
        }
        true
    }

    #[inline(always)]
    unsafe fn release(word: *mut u32) {
        // SAFETY: stores the word's lowest byte, which the caller alone writes.
        unsafe {
            asm!(
                "fence rw, w",
                "sb zero, ({word})",
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
                "sh {next}, ({word})",
                word = in(reg) word,
                next = in(reg) HELD,
                options(nostack, preserves_flags),
            );
        }
    }

    /// `pause` (Zihintpause, version 2.0), which is a fence of nothing where it is not known.
    #[inline(always)]
    fn wait() {
        // SAFETY: a hint.
        unsafe { asm!(".insn 0x0100000f", options(nomem, nostack, preserves_flags)) }
    }
}

// SAFETY: of `More` the two cells are the timer's, which takes its own processor's with interrupts
// masked; the others are atomic.
unsafe impl Port for Hart {
    const LOCK: &'static Lock<Self> = &LOCK;
    const LOADS_HELD: bool = false;
    const MOST: usize = 64;
    type More = More;
    const MORE: More = More::NEW;

    #[inline(always)]
    fn own() -> &'static State {
        own()
    }
}
