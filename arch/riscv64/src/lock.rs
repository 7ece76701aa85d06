//! Owns: the one lock of the seam, and how a processor waits for it.
//! Must never know: what it guards.

use taktos_lock::TicketLock;

/// Whoever holds it has interrupts masked. The hand-written paths release it themselves; see `pieces`.
pub(crate) static LOCK: TicketLock = TicketLock::new();

/// Takes the lock. Not nested; called with interrupts masked.
#[inline(always)]
pub(crate) fn lock() {
    LOCK.lock(wait);
}

/// Gives the lock to whoever waits for it longest. Called by the holder.
#[inline(always)]
pub(crate) fn unlock() {
    LOCK.unlock();
}

/// Another processor is wanted: `pause` (Zihintpause, version 2.0), which is a fence of nothing where it is not known.
#[inline(always)]
fn wait() {
    // SAFETY: a hint.
    unsafe { core::arch::asm!(".insn 0x0100000f", options(nomem, nostack, preserves_flags)) }
}
