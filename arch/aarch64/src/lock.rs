//! Owns: the one lock of the seam, and how a processor waits for it.
//! Must never know: what it guards.

use crate::state::{State, own};
use core::arch::{asm, naked_asm};
use core::sync::atomic::AtomicU32;
use taktos_lock::{HELD, QueuedLock, Word};

/// The lock of the seam. Whoever holds it has interrupts masked. The hand-written paths give it back themselves; see `pieces`.
pub(crate) static LOCK: Lock = Lock::with_words(
    Shared(AtomicU32::new(0)),
    Shared(AtomicU32::new(0)),
    Shared(AtomicU32::new(0)),
);

/// A lock of processors.
pub(crate) type Lock = QueuedLock<Shared>;

/// A word of a lock, by the shortest sequences: an exchange goes one way where it took the word and another where it did not,
/// and the byte is given back by one store.
#[repr(transparent)]
pub struct Shared(AtomicU32);

impl Word for Shared {
    fn zero() -> Self {
        Self(AtomicU32::zero())
    }

    #[inline(always)]
    fn take(&self, held: usize) -> bool {
        // SAFETY: loads and stores the word, as one access that other processors see whole or not at all.
        unsafe {
            asm!(
                "2:",
                "ldaxr {was:w}, [{word}]",
                "cbnz {was:w}, {taken}",
                "stxr {was:w}, {held:w}, [{word}]",
                "cbnz {was:w}, 2b",
                word = in(reg) self.0.as_ptr(),
                held = in(reg) held,
                was = out(reg) _,
                taken = label { return false },
                options(nostack, preserves_flags),
            );
        }
        true
    }

    #[inline(always)]
    fn release(&self) {
        // SAFETY: stores the word's lowest byte, which the caller alone writes. Other processors exchange the whole word: an
        // exchange around a store of one of its bytes is begun anew (Arm ARM, B2.9.2: the store clears their monitors).
        unsafe {
            asm!(
                "stlrb wzr, [{word}]",
                word = in(reg) self.0.as_ptr(),
                options(nostack, preserves_flags),
            );
        }
    }

    #[inline(always)]
    fn succeed(&self) {
        // SAFETY: as for `release`, for the two lowest bytes.
        unsafe {
            asm!(
                "strh {next:w}, [{word}]",
                word = in(reg) self.0.as_ptr(),
                next = in(reg) HELD,
                options(nostack, preserves_flags),
            );
        }
    }

    #[inline(always)]
    fn set_pending(&self) -> u32 {
        self.0.set_pending()
    }

    #[inline(always)]
    fn add(&self, number: u32) -> u32 {
        self.0.add(number)
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

/// What a processor's block has of the lock: where it is, and what to store in it, loaded together.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Handle {
    lock: &'static Lock,
    held: usize,
}

impl Handle {
    /// Of the one lock.
    pub const NEW: Self = Self {
        lock: &LOCK,
        held: HELD as usize,
    };
}

/// The lock as it is held by a processor, until [`unlock`].
#[derive(Clone, Copy)]
pub struct Taken {
    own: &'static State,
    lock: &'static Lock,
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
    let Handle { lock, held } = own.lock;
    lock.lock_by(held, wait);
    Taken { own, lock }
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
        lock = sym lock_out_of_line,
    )
}

extern "C" fn lock_out_of_line() {
    let _ = lock();
}

/// Gives the lock to whoever waits for it longest. Called by the holder, with what taking it gave.
#[inline(always)]
pub(crate) fn unlock(taken: Taken) {
    taken.lock.unlock();
}

/// Another processor is wanted. The hint is no operation on most processors; to wait for an event would need the
/// exclusive monitor armed at each turn, to save power alone.
#[inline(always)]
pub(crate) fn wait() {
    // SAFETY: a hint.
    unsafe { asm!("yield", options(nomem, nostack, preserves_flags)) }
}
