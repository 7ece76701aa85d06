//! Owns: FIFOs, LIFOs and stacks: bounded, and only threads that take wait.
//! Must never know: the meaning of the items.

use crate::critical_section::CriticalSection;
use crate::object::deletion::{self, Deletable};
use crate::object::exchange::{
    Receivers, Receiving, Source, Supply, deliver, receiving, wait_for_message,
};
use crate::object::poll::Branch;
use crate::object::ring::Ring;
use crate::sched::hold;
use crate::{Error, System, Timeout};
use core::marker::PhantomData;

/// Up to `N` items of the type `T` (words, references, handles), first in first out.
pub type Fifo<S, T, const N: usize> = Store<S, T, N, false>;

/// Up to `N` items of the type `T` (words, references, handles), last in first out.
pub type Lifo<S, T, const N: usize> = Store<S, T, N, true>;

/// Up to `N` machine words, last in first out: indices of free places, addresses, handles.
pub type Stack<S, const N: usize> = Lifo<S, usize, N>;

/// A [`Fifo`], or, where `NEWEST_FIRST`, a [`Lifo`].
///
/// To push never waits: so it is what interrupt handlers fill. An item that is pushed while threads
/// wait for one goes straight to the most urgent of them, first come first served among equals.
#[repr(C)]
pub struct Store<S, T, const N: usize, const NEWEST_FIRST: bool> {
    receivers: Receivers<T>,
    items: Ring<T, N>,
    system: PhantomData<fn() -> S>,
}

impl<S: System, T: Copy + Send + 'static, const N: usize, const NEWEST_FIRST: bool>
    Store<S, T, N, NEWEST_FIRST>
{
    /// An empty one.
    ///
    /// # Panics
    /// If `N` is 0 or above 32,767: for a static, when it is compiled.
    pub const fn new() -> Self {
        Self {
            receivers: Receivers::new(),
            items: Ring::new(),
            system: PhantomData,
        }
    }

    /// Puts `item` in. Never waits; allowed in interrupt handlers at the kernel's level.
    ///
    /// Bound: fixed, one copy (and the removal of the receiver's time-out, if it has one).
    /// Errors, the item not being put in: `Limit` where `N` items are in it, `Deleted`.
    #[inline(always)]
    pub fn push(&'static self, item: T) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if !self.receivers.is_empty(cs) {
            deliver(held, self, &item);
            return Ok(());
        }
        if self.items.put(cs, &item) {
            return Ok(());
        }
        Err(if self.is_deleted(cs) {
            Error::Deleted
        } else {
            Error::Limit
        })
    }

    /// Takes an item out, the oldest of a FIFO, the newest of a LIFO, waiting for one as long as
    /// `timeout` says. Allowed in interrupt handlers at the kernel's level, with
    /// [`Timeout::NONE`].
    ///
    /// Bound without waiting: fixed, one copy. Errors: `Timeout`, `WouldBlock`, `Deleted`,
    /// `Cancelled`; `Context` in an interrupt handler where there is no item (or the object is
    /// deleted).
    #[inline(always)]
    pub fn pop(&'static self, timeout: Timeout) -> Result<T, Error> {
        let held = hold::<S>();
        let cs = held.section();
        match self.take(cs) {
            Some(item) => Ok(item),
            None => wait_for_message(held, self, timeout),
        }
    }

    /// Returns [`Store::pop`] as one of several things that a thread waits for: see
    /// [`Kernel::poll`](crate::Kernel::poll).
    pub fn popping(&'static self) -> Branch<S, Receiving<Self, T>> {
        receiving(self)
    }

    /// The number of items. Allowed in interrupt handlers. Bound: fixed.
    pub fn len(&'static self) -> usize {
        self.items.len(hold::<S>().section())
    }

    /// Whether there is no item. Allowed in interrupt handlers. Bound: fixed.
    pub fn is_empty(&'static self) -> bool {
        self.len() == 0
    }

    /// Deletes it and the items in it: threads that wait for one get `Deleted`, and so does each
    /// later call. Allowed in interrupt handlers.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }

    /// Makes a deleted one an empty one. Bound: fixed. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        self.items.renew(hold::<S>().section())
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize, const NEWEST_FIRST: bool> Default
    for Store<S, T, N, NEWEST_FIRST>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize, const NEWEST_FIRST: bool> Deletable
    for Store<S, T, N, NEWEST_FIRST>
{
    #[inline(always)]
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.items.is_closed(cs)
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.items.close(cs);
        self.receivers.flush::<S>(cs, Error::Deleted);
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize, const NEWEST_FIRST: bool> Supply<S>
    for Store<S, T, N, NEWEST_FIRST>
{
    fn has_none(&self, cs: CriticalSection<'_>) -> bool {
        self.items.len(cs) == 0
    }

    #[inline(always)]
    fn take(&self, cs: CriticalSection<'_>) -> Option<T> {
        if NEWEST_FIRST {
            self.items.take_newest(cs)
        } else {
            self.items.take_oldest(cs)
        }
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize, const NEWEST_FIRST: bool> Source
    for Store<S, T, N, NEWEST_FIRST>
{
    type Message = T;

    #[inline(always)]
    fn receivers(&self) -> &Receivers<T> {
        &self.receivers
    }
}
