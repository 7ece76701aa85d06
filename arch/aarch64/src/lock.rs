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

/// Another processor is wanted. The hint is no operation on most processors; to wait for an event would need the
/// exclusive monitor armed at each turn, to save power alone.
#[inline(always)]
pub(crate) fn wait() {
    // SAFETY: a hint.
    unsafe { core::arch::asm!("yield", options(nomem, nostack, preserves_flags)) }
}

// The hand-written release adds to the first word.
const _: () = assert!(taktos_lock::SERVING_OFFSET == 0);
