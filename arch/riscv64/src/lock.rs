//! Owns: the one lock of the seam, and how a processor waits for it.
//! Must never know: what it guards.

use crate::state::{State, own};
use taktos_lock::{Handle, Next, TicketLock};

/// Whoever holds it has interrupts masked. The hand-written paths release it themselves; see `pieces`.
pub(crate) static LOCK: TicketLock = TicketLock::new();

/// The lock as it is held by a processor, until [`unlock`].
#[derive(Clone, Copy)]
pub struct Taken {
    own: &'static State,
    lock: Handle<'static>,
    next: Next,
}

impl Taken {
    /// The block of the processor that holds the lock, and that its holder does not leave.
    #[inline(always)]
    pub(crate) fn own(self) -> &'static State {
        self.own
    }
}

/// Takes the lock. Not nested; called with interrupts masked.
#[inline(always)]
pub(crate) fn lock() -> Taken {
    let own = own();
    let lock = own.lock;
    let next = lock.lock(wait);
    Taken { own, lock, next }
}

/// Gives the lock to whoever waits for it longest. Called by the holder, with what taking it gave.
#[inline(always)]
pub(crate) fn unlock(taken: Taken) {
    taken.lock.unlock_for(taken.next);
}

/// Another processor is wanted: `pause` (Zihintpause, version 2.0), which is a fence of nothing where it is not known.
#[inline(always)]
fn wait() {
    // SAFETY: a hint.
    unsafe { core::arch::asm!(".insn 0x0100000f", options(nomem, nostack, preserves_flags)) }
}
