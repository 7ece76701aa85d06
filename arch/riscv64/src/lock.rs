//! Owns: the lock that processors wait for in the order in which they came.
//! Must never know: what it guards, nor that interrupts must be masked by whoever holds it.

use core::sync::atomic::{AtomicU32, Ordering};

/// A ticket lock (Mellor-Crummey and Scott, 1991, section 2.2): each processor draws a number and waits until that is
/// served. At most one processor a number waits, so whoever asks waits for no more holders than there are other
/// processors, provided that each of them masks interrupts before it draws.
#[repr(C)]
pub(crate) struct TicketLock {
    /// The number that has the lock. Written by its holder alone; the switch's end does so by hand.
    serving: AtomicU32,
    /// The next number to be drawn. Numbers wrap: fewer than 2³² processors wait.
    next: AtomicU32,
}

impl TicketLock {
    pub const fn new() -> Self {
        Self {
            serving: AtomicU32::new(0),
            next: AtomicU32::new(0),
        }
    }

    /// Takes the lock. Not nested; called with interrupts masked.
    #[inline(always)]
    pub fn lock(&self) {
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        while self.serving.load(Ordering::Acquire) != ticket {
            wait();
        }
    }

    /// Gives the lock to whoever drew the next number. Called by the holder.
    #[inline(always)]
    pub fn unlock(&self) {
        let served = self.serving.load(Ordering::Relaxed);
        self.serving
            .store(served.wrapping_add(1), Ordering::Release);
    }
}

/// Another processor is wanted: `pause` (Zihintpause, version 2.0), which is a fence of nothing where it is not known.
#[inline(always)]
fn wait() {
    // SAFETY: a hint.
    unsafe { core::arch::asm!(".insn 0x0100000f", options(nomem, nostack, preserves_flags)) }
}

/// The one lock of the seam: [`Machine::mask`](taktos_machine::Machine::mask).
pub(crate) static LOCK: TicketLock = TicketLock::new();
