//! The lock that processors wait for in the order in which they came.
//!
//! The caller passes the action of a processor that waits:
//!
//! ```
//! use taktos_lock::QueuedLock;
//!
//! static LOCK: QueuedLock = QueuedLock::new();
//!
//! LOCK.lock(std::hint::spin_loop);
//! // Access to the data that the lock guards.
//! LOCK.unlock();
//! ```
//!
//! Owns: [`QueuedLock`]. Must never know: the data that it guards, the action of a processor that
//! waits, nor that the holder masks interrupts: that is the machine's part.
//!
//! It has no guard type. A machine takes it at the beginning of a kernel section. Another thread
//! than the one that took it may give it back, if a switch of threads occurs in between; so the
//! proof of holding it is the kernel's `CriticalSection`. The words are laid out for hand-written
//! paths, which give the lock back by one store.
#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::AtomicU32;
#[doc(hidden)]
pub use core::sync::atomic::Ordering;

/// In a lock's first word: a processor holds the lock. It is the word's lowest byte, which its
/// holder alone writes.
pub const HELD: u32 = 1;
/// The next processor waits for the holder: the second byte, which the next processor alone clears.
pub const PENDING: u32 = 0x100;
/// The number that each processor in the queue, after that one, has added to the word.
const QUEUED: u32 = 0x1_0000;

/// A word that processors share: the part of an atomic number that the lock needs, so that the lock
/// can be tested with one that shows every order of events.
pub trait Word {
    /// A word that holds 0.
    fn zero() -> Self;
    /// Makes the word `held`, which is [`HELD`], where it is 0; says whether it did. Then what was
    /// stored before the word was [released](Word::release) is seen from here on. A machine may
    /// have the number at hand.
    fn take(&self, held: usize) -> bool;
    /// Makes the lowest byte, which is [`HELD`] and which the caller alone writes, 0. A processor
    /// that finds it 0 sees all that was stored before.
    fn release(&self);
    /// Makes the lowest byte [`HELD`] and the second one, which is [`PENDING`], 0: the caller alone
    /// writes either. Orders nothing.
    fn succeed(&self);
    /// Sets [`PENDING`], and says what was there. Orders nothing.
    fn set_pending(&self) -> u32;
    /// Adds `number`, wrapping, and says what was there. Orders nothing.
    fn add(&self, number: u32) -> u32;
    /// Returns the value. From here on the caller sees what was stored before the [`Word::publish`]
    /// or release that wrote it.
    fn acquire(&self) -> u32;
    /// Stores `value`; a processor that [`Word::acquire`]s it sees all that was stored before.
    fn publish(&self, value: u32);
}

/// Implements [`Word`] for `$word` by the atomic number that `$number` is of `$self`: for the
/// processor's own, and for one of tests that shows every order of events.
#[doc(hidden)]
#[macro_export]
macro_rules! word {
    ($word:ty, $zero:expr, |$self:ident| $number:expr) => {
        impl $crate::Word for $word {
            fn zero() -> Self {
                $zero
            }

            #[inline(always)]
            fn take(&$self, held: usize) -> bool {
                use $crate::Ordering::{Acquire, Relaxed};
                let taken = $number.compare_exchange(0, held as u32, Acquire, Relaxed);
                taken.is_ok()
            }

            #[inline(always)]
            fn release(&$self) {
                $number.fetch_sub($crate::HELD, $crate::Ordering::Release);
            }

            #[inline(always)]
            fn succeed(&$self) {
                $number.fetch_sub($crate::PENDING - $crate::HELD, $crate::Ordering::Relaxed);
            }

            #[inline(always)]
            fn set_pending(&$self) -> u32 {
                $number.fetch_or($crate::PENDING, $crate::Ordering::Relaxed)
            }

            #[inline(always)]
            fn add(&$self, number: u32) -> u32 {
                $number.fetch_add(number, $crate::Ordering::Relaxed)
            }

            #[inline(always)]
            fn acquire(&$self) -> u32 {
                $number.load($crate::Ordering::Acquire)
            }

            #[inline(always)]
            fn publish(&$self, value: u32) {
                $number.store(value, $crate::Ordering::Release);
            }
        }
    };
}

word!(AtomicU32, Self::new(0), |self| self);

/// A queued spinlock: a word that is 0 while no processor has the lock or wants it. Taking the lock
/// is then one exchange, giving it back one store. The next processor waits for the holder with a
/// bit of its own and takes over by one store, too: Linux's queued spinlock
/// (`kernel/locking/qspinlock.c`) has such a bit. All others wait in a ticket lock after it
/// (Mellor-Crummey and Scott, "Algorithms for scalable synchronization on shared-memory
/// multiprocessors", 1991, section 2.2). A waiting processor has put that into the word, so no
/// processor overtakes.
///
/// At most one processor a number waits. A caller thus waits for no more holders than there are
/// other processors, if each of them masks interrupts before it requests the lock.
#[repr(C)]
pub struct QueuedLock<W = AtomicU32> {
    /// [`HELD`], [`PENDING`], and [`QUEUED`] for each processor in the queue. The first word:
    /// hand-written paths know of its lowest byte.
    word: W,
    /// The number that is first in the queue.
    serving: W,
    /// The next number to be drawn. Numbers wrap: fewer than 2¹⁶ processors wait.
    next: W,
}

impl QueuedLock {
    /// A free lock.
    pub const fn new() -> Self {
        Self::with_words(AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0))
    }
}

impl<W: Word> QueuedLock<W> {
    /// A free lock of these words: the first is 0, the others hold the same.
    pub const fn with_words(word: W, serving: W, next: W) -> Self {
        Self {
            word,
            serving,
            next,
        }
    }

    /// A free lock of other words.
    pub fn of_words() -> Self {
        Self::with_words(W::zero(), W::zero(), W::zero())
    }

    /// Takes the lock, calling `wait` as long as another has it. Not nested.
    #[inline(always)]
    pub fn lock(&self, wait: impl Fn()) {
        self.lock_by(HELD as usize, wait);
    }

    /// Does what [`QueuedLock::lock`] does, for a caller that has [`HELD`] in a register.
    #[inline(always)]
    pub fn lock_by(&self, held: usize, wait: impl Fn()) {
        if !self.word.take(held) {
            self.wait_for(wait);
        }
    }

    #[cold]
    fn wait_for(&self, wait: impl Fn()) {
        let was = self.word.set_pending();
        if was & !HELD != 0 {
            self.queue_up(was, &wait);
        }
        while self.word.acquire() & HELD != 0 {
            wait();
        }
        self.word.succeed();
    }

    /// Waits after other processors; `was` says which kinds wait. Returns as the next one.
    #[inline(never)]
    fn queue_up(&self, was: u32, wait: &impl Fn()) {
        // A bit that was found set stays with its processor; while it is set, no other one takes
        // it.
        let undo = if was & PENDING == 0 { PENDING } else { 0 };
        self.word.add(QUEUED.wrapping_sub(undo));
        let ticket = self.next.add(1);
        while self.serving.acquire() != ticket {
            wait();
        }
        while self.word.set_pending() & PENDING != 0 {
            wait();
        }
        self.word.add(QUEUED.wrapping_neg());
        self.serving.publish(ticket.wrapping_add(1));
    }

    /// Takes the lock if it is free and no processor waits for it; says whether it did.
    #[inline(always)]
    pub fn try_lock(&self) -> bool {
        self.word.take(HELD as usize)
    }

    /// Gives the lock to the processor that has waited longest. Called for the holder.
    #[inline(always)]
    pub fn unlock(&self) {
        self.word.release();
    }
}

impl Default for QueuedLock {
    fn default() -> Self {
        Self::new()
    }
}
