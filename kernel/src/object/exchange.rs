//! Owns: threads that wait for a message, and threads that wait to be rid of one; one copy of the
//! message from the one to the other, or between them and a place in memory.
//! Must never know: where messages are kept meanwhile, and in which order.
#![expect(
    unsafe_code,
    reason = "a place that a message was put in holds a message"
)]

use crate::critical_section::{CriticalSection, Held};
use crate::object::copy::copy;
use crate::object::deletion::Deletable;
use crate::object::poll::{Alternative, Answers, Branch, Done};
use crate::sched::{IntoResult, OutcomeOf, fail, stay};
use crate::wait::Place;
use crate::wait::transfer::{Lent, Transaction, Waiters, transact};
use crate::{Error, Status, System, Timeout};
use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// Where a waiting thread's message is to be put.
#[repr(transparent)]
pub(crate) struct Landing<T>(Cell<MaybeUninit<T>>);

impl<T: Copy> Landing<T> {
    /// Puts `message` there.
    #[inline(always)]
    pub fn put(&self, message: &T) {
        // SAFETY: a landing is a cell, lent by its thread; messages are not in landings.
        unsafe { copy(message, self.0.as_ptr().cast()) };
    }
}

/// The threads that wait for a message. Invariant: one that is woken with success has got one.
pub(crate) struct Receivers<T>(Waiters<Landing<T>>);

impl<T: Copy> Receivers<T> {
    /// Creates a queue in which no thread waits.
    pub const fn new() -> Self {
        Self(Waiters::new())
    }

    /// Returns whether no thread waits.
    #[inline(always)]
    pub fn is_empty(&self, cs: CriticalSection<'_>) -> bool {
        self.0.is_empty(cs)
    }

    /// Wakes all with `error`.
    pub fn flush<S: System>(&'static self, cs: CriticalSection<'_>, error: Error) {
        self.0.flush::<S>(cs, error);
    }

    /// Ends a decision by giving `message` to the most urgent thread, if there is one.
    #[inline(always)]
    pub fn conclude_by_delivering<S: System>(
        &'static self,
        cs: CriticalSection<'_>,
        message: &T,
    ) -> OutcomeOf<S> {
        let Some((thread, landing)) = self.0.first(cs) else {
            return stay::<S>(Status::OK);
        };
        landing.put(message);
        self.0.pop(cs, thread);
        S::kernel().conclude_by_waking(cs, thread)
    }
}

/// An object at which threads wait for messages.
pub(crate) trait Source: Deletable {
    /// The message.
    type Message: Copy;
    /// Returns the threads that wait for a message.
    fn receivers(&self) -> &Receivers<Self::Message>;
}

/// An object that keeps messages until they are received.
pub(crate) trait Supply<S: System>: Source + Sized {
    /// Whether no message is kept.
    fn has_none(&self, cs: CriticalSection<'_>) -> bool;
    /// Takes the message that comes out next, if there is one.
    fn take(&self, cs: CriticalSection<'_>) -> Option<Self::Message>;
    /// Ends an operation that has taken a message: there is room.
    #[inline(always)]
    fn conclude_taken(&'static self, _: CriticalSection<'_>) -> OutcomeOf<S> {
        stay::<S>(Status::OK)
    }
    /// Receives a message into `landing`, or waits for one as long as `timeout` says.
    fn receive_entered(
        &'static self,
        cs: CriticalSection<'_>,
        landing: Lent<'_, Landing<Self::Message>>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let Some(message) = self.take(cs) else {
            return Await::<S, Self, false>::run(cs, self, landing, timeout);
        };
        landing.put(&message);
        self.conclude_taken(cs)
    }
}

/// A message, as one of several things that a thread waits for.
pub struct Receiving<O: 'static, T> {
    object: &'static O,
    landing: Landing<T>,
}

/// Creates the branch of a message of `object`.
pub(crate) fn receiving<S: System, O: Supply<S>>(
    object: &'static O,
) -> Branch<S, Receiving<O, O::Message>> {
    Branch::new(Receiving {
        object,
        landing: Landing(Cell::new(MaybeUninit::uninit())),
    })
}

impl<O, T: Copy> Answers for Receiving<O, T> {
    type Answer = T;

    fn answer(&self, _: Done) -> T {
        // SAFETY: a `Done` is of an alternative that succeeded: a message was put into the landing.
        unsafe { self.landing.0.get().assume_init() }
    }
}

impl<S: System, O: Supply<S>> Alternative<S> for Receiving<O, O::Message> {
    fn place(this: Lent<'_, Self>) -> Place {
        let waiters = &this.object.receivers().0;
        waiters.place(this.part(|this| &this.landing))
    }

    fn is_due(&self, cs: CriticalSection<'_>) -> bool {
        !self.object.has_none(cs) || self.object.is_deleted(cs)
    }

    fn conclude(this: Lent<'_, Self>, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        let landing = this.part(|this| &this.landing);
        this.object.receive_entered(cs, landing, Timeout::NONE)
    }
}

/// Waits for a message at `object`, which has none.
#[inline(always)]
pub(crate) fn wait_for_message<S: System, O: Source>(
    held: Held<S>,
    object: &'static O,
    timeout: Timeout,
) -> Result<O::Message, Error> {
    let landing = Landing(Cell::new(MaybeUninit::uninit()));
    // A time-out that the compiler knows leaves one of the two ways.
    let answer = if timeout.is_forever() {
        transact::<S, Await<S, O, true>>(held, object, &landing, timeout)
    } else {
        transact::<S, Await<S, O, false>>(held, object, &landing, timeout)
    };
    answer.into_result::<S>()?;
    // SAFETY: the decision below never stays with success, and a thread that waits among the
    // receivers is woken with success only after a message was put into its landing.
    Ok(unsafe { landing.0.get().assume_init() })
}

/// Waits for a message at an object that has none.
pub(crate) struct Await<S, O, const FOREVER: bool>(PhantomData<(S, O)>);

impl<S: System, O: Source, const FOREVER: bool> Transaction<S> for Await<S, O, FOREVER> {
    type Object = O;
    type Record = Landing<O::Message>;
    const BLOCKS: bool = true;
    const USES_TIMEOUT: bool = !FOREVER;

    #[inline(always)]
    fn run(
        cs: CriticalSection<'_>,
        object: &'static O,
        landing: Lent<'_, Landing<O::Message>>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if object.is_deleted(cs) {
            return fail::<S>(Error::Deleted);
        }
        object
            .receivers()
            .0
            .block::<S, FOREVER>(cs, landing, timeout)
    }
}

/// Gives `message` to the most urgent of the threads that wait for one at `object`; there is one.
#[inline(always)]
pub(crate) fn deliver<S: System, O: Source>(
    held: Held<S>,
    object: &'static O,
    message: &O::Message,
) {
    transact::<S, Deliver<S, O>>(held, object, message, Timeout::NONE);
}

struct Deliver<S, O>(PhantomData<(S, O)>);

impl<S: System, O: Source> Transaction<S> for Deliver<S, O> {
    type Object = O;
    type Record = O::Message;
    const BLOCKS: bool = false;
    const USES_TIMEOUT: bool = false;

    #[inline(always)]
    fn run(
        cs: CriticalSection<'_>,
        object: &'static O,
        message: Lent<'_, O::Message>,
        _: Timeout,
    ) -> OutcomeOf<S> {
        object.receivers().conclude_by_delivering::<S>(cs, &message)
    }
}

/// The threads that wait until their message is taken.
pub(crate) struct Senders<T>(Waiters<T>);

impl<T: Copy> Senders<T> {
    /// Creates a queue in which no thread waits.
    pub const fn new() -> Self {
        Self(Waiters::new())
    }

    /// Returns whether no thread waits.
    #[inline(always)]
    pub fn is_empty(&self, cs: CriticalSection<'_>) -> bool {
        self.0.is_empty(cs)
    }

    /// Wakes all with `error`.
    pub fn flush<S: System>(&'static self, cs: CriticalSection<'_>, error: Error) {
        self.0.flush::<S>(cs, error);
    }

    /// Ends a decision by giving the most urgent thread's message, if there is one, to `accept`.
    #[inline(always)]
    pub fn conclude_by_accepting<S: System>(
        &'static self,
        cs: CriticalSection<'_>,
        accept: impl FnOnce(&T),
    ) -> OutcomeOf<S> {
        let Some((thread, message)) = self.0.first(cs) else {
            return stay::<S>(Status::OK);
        };
        accept(message);
        self.0.pop(cs, thread);
        S::kernel().conclude_by_waking(cs, thread)
    }
}

/// An object at which threads wait until their message is taken.
pub(crate) trait Sink: Source {
    /// Returns the threads that wait at the object.
    fn senders(&self) -> &Senders<Self::Message>;
}

/// Waits until `message` is taken by `object`, which has no room.
#[inline(always)]
pub(crate) fn wait_for_room<S: System, O: Sink>(
    held: Held<S>,
    object: &'static O,
    message: &O::Message,
    timeout: Timeout,
) -> Result<(), Error> {
    transact::<S, AwaitRoom<S, O>>(held, object, message, timeout).into_result::<S>()
}

/// Waits until a message is taken by an object that has no room.
pub(crate) struct AwaitRoom<S, O>(PhantomData<(S, O)>);

impl<S: System, O: Sink> Transaction<S> for AwaitRoom<S, O> {
    type Object = O;
    type Record = O::Message;
    const BLOCKS: bool = true;

    #[inline(always)]
    fn run(
        cs: CriticalSection<'_>,
        object: &'static O,
        message: Lent<'_, O::Message>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if object.is_deleted(cs) {
            return fail::<S>(Error::Deleted);
        }
        object.senders().0.block::<S, false>(cs, message, timeout)
    }
}
