//! Owns: the one lock of the seam, and how a processor waits for it.
//! Must never know: what it guards.

use crate::state::{State, own};
use core::arch::asm;
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
                "lr.w.aq {was}, ({word})",
                "bnez {was}, {taken}",
                "sc.w {was}, {held}, ({word})",
                "bnez {was}, 2b",
                word = in(reg) self.0.as_ptr(),
                held = in(reg) held,
                was = out(reg) _,
                taken = label { return false },
                options(nostack),
            );
        }
        true
    }

    #[inline(always)]
    fn release(&self) {
        // SAFETY: stores the word's lowest byte, which the caller alone writes. Other processors exchange the whole word: an
        // exchange around a store to one of its bytes fails and is begun anew (RISC-V unprivileged ISA, "Zalrsc": a store to
        // the reservation set by another processor).
        unsafe {
            asm!(
                "fence rw, w",
                "sb zero, ({word})",
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
                "sh {next}, ({word})",
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
    let lock = own.lock;
    lock.lock(wait);
    Taken { own, lock }
}

/// Gives the lock to whoever waits for it longest. Called by the holder, with what taking it gave.
#[inline(always)]
pub(crate) fn unlock(taken: Taken) {
    taken.lock.unlock();
}

/// Another processor is wanted: `pause` (Zihintpause, version 2.0), which is a fence of nothing where it is not known.
#[inline(always)]
fn wait() {
    // SAFETY: a hint.
    unsafe { core::arch::asm!(".insn 0x0100000f", options(nomem, nostack, preserves_flags)) }
}
