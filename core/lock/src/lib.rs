//! The lock that processors wait for in the order in which they came.
//!
//! Who asks says what it does while it waits:
//!
//! ```
//! use taktos_lock::QueuedLock;
//!
//! static LOCK: QueuedLock = QueuedLock::new();
//!
//! LOCK.lock(std::hint::spin_loop);
//! // What the lock guards.
//! LOCK.unlock();
//! ```
//!
//! Owns: [`QueuedLock`]. Must never know: what it guards, what a processor does while it waits, nor that whoever holds it
//! masks interrupts: that is the machine's part.
//!
//! It has no guard type. A machine takes it where a kernel section begins, and another thread than the one that took it may
//! give it back, where a switch of threads lies in between; so the proof of holding it is the kernel's `CriticalSection`.
//! The words are laid out for hand-written paths, which give the lock back by one store.
#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU32, Ordering};

/// In a lock's first word: a processor holds the lock. It is the word's lowest byte, which its holder alone writes.
pub const HELD: u32 = 1;
/// Who comes next waits beside the holder: the second byte, which it alone clears.
pub const PENDING: u32 = 0x100;
/// What each processor in the queue behind has added to the word.
const QUEUED: u32 = 0x1_0000;

/// A word that processors share: the part of an atomic number that the lock needs, so that the lock can be tested with one
/// that shows every order of events.
pub trait Word {
    /// A word that holds 0.
    fn zero() -> Self;
    /// Makes the word `held`, which is [`HELD`], where it is 0; says whether it did. Then what was stored before the word was
    /// [released](Word::release) is seen from here on. A machine may have the number at hand.
    fn take(&self, held: usize) -> bool;
    /// Makes the lowest byte, which is [`HELD`] and which the caller alone writes, 0; who finds that sees all that was stored before.
    fn release(&self);
    /// Makes the lowest byte [`HELD`] and the second one, which is [`PENDING`], 0: the caller alone writes either. Orders nothing.
    fn succeed(&self);
    /// Sets [`PENDING`], and says what was there. Orders nothing.
    fn set_pending(&self) -> u32;
    /// Adds `number`, wrapping, and says what was there. Orders nothing.
    fn add(&self, number: u32) -> u32;
    /// What is there; what was stored before the [`Word::publish`] or release that wrote it is seen from here on.
    fn acquire(&self) -> u32;
    /// Stores `value`; who [`Word::acquire`]s it sees all that was stored before.
    fn publish(&self, value: u32);
}

impl Word for AtomicU32 {
    fn zero() -> Self {
        Self::new(0)
    }

    #[inline(always)]
    fn take(&self, held: usize) -> bool {
        self.compare_exchange(0, held as u32, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    #[inline(always)]
    fn release(&self) {
        self.fetch_sub(HELD, Ordering::Release);
    }

    #[inline(always)]
    fn succeed(&self) {
        self.fetch_sub(PENDING - HELD, Ordering::Relaxed);
    }

    #[inline(always)]
    fn set_pending(&self) -> u32 {
        self.fetch_or(PENDING, Ordering::Relaxed)
    }

    #[inline(always)]
    fn add(&self, number: u32) -> u32 {
        self.fetch_add(number, Ordering::Relaxed)
    }

    #[inline(always)]
    fn acquire(&self) -> u32 {
        self.load(Ordering::Acquire)
    }

    #[inline(always)]
    fn publish(&self, value: u32) {
        self.store(value, Ordering::Release);
    }
}

/// A queued spinlock: a word that is 0 while nobody has the lock or wants it, so that taking it is one exchange and giving it
/// back one store. Who comes next waits for the holder with a bit of its own and takes over by one store, too: Linux's queued
/// spinlock (`kernel/locking/qspinlock.c`) has such a bit. All others wait in a ticket lock behind (Mellor-Crummey and Scott,
/// "Algorithms for scalable synchronization on shared-memory multiprocessors", 1991, section 2.2). Who waits has put that into
/// the word, so nobody overtakes.
///
/// At most one processor a number waits, so whoever asks waits for no more holders than there are other processors, provided
/// that each of them masks interrupts before it asks.
#[repr(C)]
pub struct QueuedLock<W = AtomicU32> {
    /// [`HELD`], [`PENDING`], and [`QUEUED`] for each processor in the queue. The first word: hand-written paths know of its
    /// lowest byte.
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

    /// The same for who has [`HELD`] in a register.
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

    /// Others wait already: `was` says who. Comes back as the one that comes next.
    #[inline(never)]
    fn queue_up(&self, was: u32, wait: &impl Fn()) {
        // The bit stays with whom it was found with; while it is set, nobody else takes it.
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

    /// Gives the lock to whoever waits for it longest. Called for the holder.
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
