//! The lock that processors wait for in the order in which they came.
//!
//! Owns: [`TicketLock`]. Must never know: what it guards, what a processor does while it waits, nor that whoever holds it
//! masks interrupts: that is the machine's part.
//!
//! It has no guard type. A machine takes it where a kernel section begins, and another thread than the one that took it may
//! give it back, where a switch of threads lies in between; so the proof of holding it is the kernel's `Section`, whose kind says what
//! is masked. The words are laid out for hand-written paths.
#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU32, Ordering};

/// A word that processors share: the part of an atomic number that the lock needs, so that the lock can be tested with one
/// that shows every order of events.
pub trait Word {
    /// A word that holds 0.
    fn zero() -> Self;
    /// Adds one, wrapping, and says what was there. Orders nothing.
    fn draw(&self) -> u32;
    /// What is there. Orders nothing.
    fn peek(&self) -> u32;
    /// What is there; what was stored before the [`Word::publish`] that wrote it is seen from here on.
    fn acquire(&self) -> u32;
    /// Stores `value`; who [`Word::acquire`]s it sees all that was stored before.
    fn publish(&self, value: u32);
}

impl Word for AtomicU32 {
    fn zero() -> Self {
        Self::new(0)
    }

    #[inline(always)]
    fn draw(&self) -> u32 {
        self.fetch_add(1, Ordering::Relaxed)
    }

    #[inline(always)]
    fn peek(&self) -> u32 {
        self.load(Ordering::Relaxed)
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

/// A ticket lock (Mellor-Crummey and Scott, "Algorithms for scalable synchronization on shared-memory multiprocessors", 1991,
/// section 2.2): each processor draws a number and waits until that is served.
///
/// At most one processor a number waits, so whoever asks waits for no more holders than there are other processors, provided
/// that each of them masks interrupts before it draws.
#[repr(C)]
pub struct TicketLock<W = AtomicU32> {
    /// The number that has the lock. Written by its holder alone; hand-written paths do so themselves.
    serving: W,
    /// The next number to be drawn. Numbers wrap: fewer than 2³² processors wait.
    next: W,
}

/// Where a hand-written path finds the word that it adds one to, to give the lock back: with release order.
pub const SERVING_OFFSET: usize = core::mem::offset_of!(TicketLock, serving);

impl TicketLock {
    /// A free lock.
    pub const fn new() -> Self {
        Self {
            serving: AtomicU32::new(0),
            next: AtomicU32::new(0),
        }
    }
}

impl<W: Word> TicketLock<W> {
    /// A free lock of other words.
    pub fn of_words() -> Self {
        Self {
            serving: W::zero(),
            next: W::zero(),
        }
    }

    /// Takes the lock, calling `wait` as long as another has it. Not nested.
    #[inline(always)]
    pub fn lock(&self, wait: impl Fn()) {
        let ticket = self.next.draw();
        if self.serving.acquire() != ticket {
            self.wait_for(ticket, wait);
        }
    }

    #[cold]
    fn wait_for(&self, ticket: u32, wait: impl Fn()) {
        while self.serving.acquire() != ticket {
            wait();
        }
    }

    /// Gives the lock to whoever drew the next number. Called for the holder.
    #[inline(always)]
    pub fn unlock(&self) {
        self.serving.publish(self.serving.peek().wrapping_add(1));
    }
}

impl Default for TicketLock {
    fn default() -> Self {
        Self::new()
    }
}
