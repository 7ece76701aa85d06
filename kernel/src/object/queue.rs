//! Owns: message queues: bounded, first in first out, waiting on both sides.
//! Must never know: what the messages mean.

use crate::critical_section::{CriticalSection, Operation};
use crate::object::deletion::{self, Deletable};
use crate::object::exchange::{
    AwaitRoom, Receivers, Receiving, Senders, Sink, Source, Supply, deliver, receiving,
    wait_for_message, wait_for_room,
};
use crate::object::poll::Branch;
use crate::object::ring::Ring;
use crate::sched::{OutcomeOf, hold, stay};
use crate::wait::transfer::{Lent, Transaction};
use crate::{Error, Status, System, Timeout};
use core::marker::PhantomData;

/// A queue of up to `N` messages of the type `T`, which are copied in and out.
///
/// Messages come out in the order in which they went in. A message that is sent while threads wait
/// for one goes straight to the most urgent of them, first come first served among equals: one
/// copy, from the sender's memory to the receiver's. When the queue is full, senders wait in the
/// same order; each receive then moves the message of the first of them into the queue and wakes
/// it.
///
/// The copies are made with kernel-level interrupts masked: for long messages send references.
#[repr(C)]
pub struct MessageQueue<S, T, const N: usize> {
    receivers: Receivers<T>,
    senders: Senders<T>,
    messages: Ring<T, N>,
    system: PhantomData<fn() -> S>,
}

impl<S: System, T: Copy + Send + 'static, const N: usize> MessageQueue<S, T, N> {
    /// An empty queue.
    ///
    /// # Panics
    /// If `N` is 0 or above 32,767: for a static, when it is compiled.
    pub const fn new() -> Self {
        Self {
            receivers: Receivers::new(),
            senders: Senders::new(),
            messages: Ring::new(),
            system: PhantomData,
        }
    }

    /// Sends a copy of `message`, waiting for room as long as `timeout` says. Allowed in interrupt
    /// handlers at the kernel's level, with [`Timeout::NONE`].
    ///
    /// Bound without waiting: fixed, one copy (and the removal of the receiver's time-out, if it
    /// has one). Errors, the message not being sent: `Timeout`, `WouldBlock`, `Deleted`,
    /// `Cancelled`; `Context` in an interrupt handler where the queue is full (or deleted).
    #[inline(always)]
    pub fn send(&'static self, message: &T, timeout: Timeout) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if !self.receivers.is_empty(cs) {
            deliver(held, self, message);
            return Ok(());
        }
        if self.messages.put(cs, message) {
            return Ok(());
        }
        wait_for_room(held, self, message, timeout)
    }

    /// Takes the oldest message, waiting for one as long as `timeout` says. Allowed in interrupt
    /// handlers at the kernel's level, with [`Timeout::NONE`].
    ///
    /// Bound without waiting: fixed, one copy; two where a sender waits (and the removal of its
    /// time-out, if it has one). Errors, no message being taken: `Timeout`, `WouldBlock`,
    /// `Deleted`, `Cancelled`; `Context` in an interrupt handler where the queue is empty (or
    /// deleted).
    #[inline(always)]
    pub fn receive(&'static self, timeout: Timeout) -> Result<T, Error> {
        let held = hold::<S>();
        let cs = held.section();
        if let Some(message) = self.messages.take_oldest(cs) {
            if !self.senders.is_empty(cs) {
                held.enter::<Refill<S, T, N>>(self, 0, Timeout::NONE);
            }
            return Ok(message);
        }
        wait_for_message(held, self, timeout)
    }

    /// Returns [`MessageQueue::receive`] as one of several things that a thread waits for: see
    /// [`Kernel::poll`](crate::Kernel::poll).
    pub fn receiving(&'static self) -> Branch<S, Receiving<Self, T>> {
        receiving(self)
    }

    /// The number of messages in the queue, those of waiting senders not counted. Allowed in
    /// interrupt handlers. Bound: fixed.
    pub fn len(&'static self) -> usize {
        self.messages.len(hold::<S>().section())
    }

    /// Whether there is no message. Allowed in interrupt handlers. Bound: fixed.
    pub fn is_empty(&'static self) -> bool {
        self.len() == 0
    }

    /// Deletes the queue and the messages in it: threads that wait to send or to receive get
    /// `Deleted`, and so does each later call. Allowed in interrupt handlers.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }

    /// Makes a deleted queue an empty one. Bound: fixed. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        self.messages.renew(held.section())
    }
}

/// The whole of an operation, as calls of partitions do it.
impl<S: System, T: Copy + Send + 'static, const N: usize> MessageQueue<S, T, N> {
    /// Whether a message would go straight to a thread.
    pub(crate) fn has_receivers(&self, cs: CriticalSection<'_>) -> bool {
        !self.receivers.is_empty(cs)
    }

    /// [`MessageQueue::send`] where a thread waits.
    pub(crate) fn deliver_entered(
        &'static self,
        cs: CriticalSection<'_>,
        message: &T,
    ) -> OutcomeOf<S> {
        self.receivers.conclude_by_delivering::<S>(cs, message)
    }

    /// [`MessageQueue::send`] where none does.
    pub(crate) fn put_entered(
        &'static self,
        cs: CriticalSection<'_>,
        message: Lent<'_, T>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if self.messages.put(cs, &message) {
            return stay::<S>(Status::OK);
        }
        AwaitRoom::<S, Self>::run(cs, self, message, timeout)
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize> Default for MessageQueue<S, T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize> Source for MessageQueue<S, T, N> {
    type Message = T;

    #[inline(always)]
    fn receivers(&self) -> &Receivers<T> {
        &self.receivers
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize> Supply<S> for MessageQueue<S, T, N> {
    #[inline(always)]
    fn has_none(&self, cs: CriticalSection<'_>) -> bool {
        self.messages.len(cs) == 0
    }

    #[inline(always)]
    fn take(&self, cs: CriticalSection<'_>) -> Option<T> {
        self.messages.take_oldest(cs)
    }

    #[inline(always)]
    fn conclude_taken(&'static self, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        match self.senders.is_empty(cs) {
            true => stay::<S>(Status::OK),
            false => Refill::<S, T, N>::run(cs, self, 0, Timeout::NONE),
        }
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize> Deletable for MessageQueue<S, T, N> {
    #[inline(always)]
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.messages.is_closed(cs)
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.messages.close(cs);
        self.receivers.flush::<S>(cs, Error::Deleted);
        self.senders.flush::<S>(cs, Error::Deleted);
    }
}

impl<S: System, T: Copy + Send + 'static, const N: usize> Sink for MessageQueue<S, T, N> {
    #[inline(always)]
    fn senders(&self) -> &Senders<T> {
        &self.senders
    }
}

/// Moves the first waiting sender's message into the room that a receive has made.
struct Refill<S, T, const N: usize>(PhantomData<(S, T)>);

impl<S: System, T: Copy + Send + 'static, const N: usize> Operation<S> for Refill<S, T, N> {
    type Object = MessageQueue<S, T, N>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        queue: &'static Self::Object,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        queue.senders.conclude_by_accepting::<S>(cs, |message| {
            queue.messages.put(cs, message);
        })
    }
}
