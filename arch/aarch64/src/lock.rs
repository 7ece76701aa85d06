//! Owns: the one lock of the seam, and how a processor waits for it.
//! Must never know: what it guards.

use crate::state::{State, own};
use core::arch::asm;
use core::sync::atomic::AtomicU32;
use taktos_lock::{Handle, Next, TicketLock, Word};

/// Whoever holds it has interrupts masked. The hand-written paths release it themselves; see `pieces`.
pub(crate) static LOCK: Lock =
    Lock::with_words(Counter(AtomicU32::new(0)), Counter(AtomicU32::new(0)));

/// The lock of the seam.
pub(crate) type Lock = TicketLock<Counter>;

/// A word of the lock: the loop that draws a number has the next one in a register, too.
#[repr(transparent)]
pub struct Counter(AtomicU32);

impl Word for Counter {
    fn zero() -> Self {
        Self(AtomicU32::zero())
    }

    #[inline(always)]
    fn draw(&self) -> (u32, u32) {
        let (ticket, next);
        // SAFETY: adds one to the word, as one access that other processors see whole or not at all.
        unsafe {
            asm!(
                "2:",
                "ldxr {ticket:w}, [{word}]",
                "add {next:w}, {ticket:w}, #1",
                "stxr {failed:w}, {next:w}, [{word}]",
                "cbnz {failed:w}, 2b",
                word = in(reg) self.0.as_ptr(),
                ticket = out(reg) ticket,
                next = out(reg) next,
                failed = out(reg) _,
                options(nostack, preserves_flags),
            );
        }
        (ticket, next)
    }

    #[inline(always)]
    fn peek(&self) -> u32 {
        self.0.peek()
    }

    #[inline(always)]
    fn acquire(&self) -> u32 {
        self.0.acquire()
    }

    #[inline(always)]
    fn publish(&self, value: u32) {
        self.0.publish(value);
    }
}

/// The lock as it is held by a processor, until [`unlock`].
#[derive(Clone, Copy)]
pub struct Taken {
    own: &'static State,
    lock: Handle<'static, Counter>,
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

/// Another processor is wanted. The hint is no operation on most processors; to wait for an event would need the
/// exclusive monitor armed at each turn, to save power alone.
#[inline(always)]
pub(crate) fn wait() {
    // SAFETY: a hint.
    unsafe { asm!("yield", options(nomem, nostack, preserves_flags)) }
}
