//! The lock that processors wait for in the order in which they came.
//!
//! Who asks says what it does while it waits, and gets what it must give back:
//!
//! ```
//! use taktos_lock::TicketLock;
//!
//! static LOCK: TicketLock = TicketLock::new();
//!
//! let next = LOCK.lock(std::hint::spin_loop);
//! // What the lock guards.
//! LOCK.unlock_for(next);
//! ```
//!
//! Owns: [`TicketLock`]. Must never know: what it guards, what a processor does while it waits, nor that whoever holds it
//! masks interrupts: that is the machine's part.
//!
//! It has no guard type. A machine takes it where a kernel section begins, and another thread than the one that took it may
//! give it back, where a switch of threads lies in between; so the proof of holding it is the kernel's `CriticalSection`.
//! Who took it and gives it back without a switch in between knows the number that is served next: that saves reading it.
//! The words are laid out for hand-written paths.
#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU32, Ordering};

/// A word that processors share: the part of an atomic number that the lock needs, so that the lock can be tested with one
/// that shows every order of events.
pub trait Word {
    /// A word that holds 0.
    fn zero() -> Self;
    /// Adds one, wrapping, and says what was there and what is now: a processor may know both at once. Orders nothing.
    fn draw(&self) -> (u32, u32);
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
    fn draw(&self) -> (u32, u32) {
        let ticket = self.fetch_add(1, Ordering::Relaxed);
        (ticket, ticket.wrapping_add(1))
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

/// A lock by the addresses of its words, that of the served number first: who loads them together need not reckon one from the
/// other, and a hand-written path finds the word that it adds one to, with release order, to give the lock back.
#[repr(C)]
pub struct Handle<'a, W = AtomicU32> {
    serving: &'a W,
    next: &'a W,
}

impl<W> Clone for Handle<'_, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Handle<'_, W> {}

/// The number that is served behind whoever got it from [`TicketLock::lock`].
#[derive(Clone, Copy, Debug)]
pub struct Next(u32);

impl TicketLock {
    /// A free lock.
    pub const fn new() -> Self {
        Self::with_words(AtomicU32::new(0), AtomicU32::new(0))
    }
}

impl<W: Word> TicketLock<W> {
    /// A free lock of these words, which hold the same.
    pub const fn with_words(serving: W, next: W) -> Self {
        Self { serving, next }
    }

    /// A free lock of other words.
    pub fn of_words() -> Self {
        Self::with_words(W::zero(), W::zero())
    }

    /// The lock by the addresses of its words.
    pub const fn handle(&self) -> Handle<'_, W> {
        Handle {
            serving: &self.serving,
            next: &self.next,
        }
    }

    /// As [`Handle::lock`].
    #[inline(always)]
    pub fn lock(&self, wait: impl Fn()) -> Next {
        self.handle().lock(wait)
    }

    /// As [`Handle::unlock_for`].
    #[inline(always)]
    pub fn unlock_for(&self, next: Next) {
        self.handle().unlock_for(next);
    }

    /// Gives the lock to whoever drew the next number. Called for the holder.
    #[inline(always)]
    pub fn unlock(&self) {
        self.serving.publish(self.serving.peek().wrapping_add(1));
    }
}

impl<W: Word> Handle<'_, W> {
    /// Takes the lock, calling `wait` as long as another has it. Not nested.
    #[inline(always)]
    pub fn lock(&self, wait: impl Fn()) -> Next {
        let (ticket, next) = self.next.draw();
        if self.serving.acquire() != ticket {
            self.wait_for(ticket, wait);
        }
        Next(next)
    }

    #[cold]
    fn wait_for(&self, ticket: u32, wait: impl Fn()) {
        while self.serving.acquire() != ticket {
            wait();
        }
    }

    /// Gives the lock to `next`, which is of the [`Handle::lock`] by which it is held still.
    #[inline(always)]
    pub fn unlock_for(&self, next: Next) {
        self.serving.publish(next.0);
    }
}

impl Default for TicketLock {
    fn default() -> Self {
        Self::new()
    }
}
