//! Owns: condition variables: threads that release a mutex and wait until something about what it
//! protects has changed. Must never know: what that is.

use crate::critical_section::{CriticalSection, Guarded, Operation};
use crate::object::deletion::{self, Deletable};
use crate::object::mutex::MutexCore;
use crate::sched::{
    IntoResult, OutcomeOf, compiler_barrier, fail, hold, refuse_to_wait, slow_path,
};
use crate::thread::tcb::ThreadRef;
use crate::wait::transfer::{Lent, Transaction, transact};
use crate::wait::{self, WaitQueue};
use crate::{Error, Kernel, Mutex, System, Timeout};
use core::hint::cold_path;
use core::marker::PhantomData;
use core::ptr;
use taktos_abi::call::RELEASED;

/// A condition variable: threads wait at it for a change of something that a mutex protects.
///
/// A thread that is signalled contends for the mutex at once, in its own turn: it owns it as soon
/// as it runs, or, where another thread owns it, goes from the condition's wait queue into the
/// mutex's, lending its priority as the mutex's protocol says. It never runs only to wait again.
/// Threads are signalled in the order of their priorities, first come first served among equals.
/// Wakes have no other cause than those stated; still another thread may have changed the matter
/// before the one that was signalled got the mutex: check in a loop.
///
/// All threads that wait at one time must wait with one and the same mutex.
#[repr(C)]
pub struct Condition<S> {
    waiters: WaitQueue,
    /// The mutex with which they wait; of no meaning while no thread waits.
    mutex: Guarded<Option<&'static MutexCore>>,
    deleted: Guarded<bool>,
    system: PhantomData<fn() -> S>,
}

impl<S: System> Condition<S> {
    /// Creates a condition variable at which no thread waits.
    pub const fn new() -> Self {
        Self {
            waiters: WaitQueue::new(),
            mutex: Guarded::new(None),
            deleted: Guarded::new(false),
            system: PhantomData,
        }
    }

    /// Unlocks `mutex`, which the caller has locked once, and waits for a signal as long as
    /// `timeout` says, with nothing in between. The mutex is locked again when this returns,
    /// also after an error; the time-out does not limit the waiting for it.
    ///
    /// Bound: those of [`Mutex::unlock`] and, after an error, [`Mutex::lock`]. Errors after which
    /// the caller owns the mutex as before: `Timeout`, `WouldBlock` (the mutex was not
    /// unlocked), `Deleted`, `Cancelled`; `State` where it has locked the mutex more than once;
    /// `Parameter` where others wait with another mutex. Errors after which it
    /// does not: `NotOwner`, where it never did; `Deadlock`, where the signalled thread's wait for
    /// the mutex would have closed a ring; `Context` in an interrupt handler. A wait that is
    /// cancelled after the signal, while the thread already waits for the mutex, has used up
    /// the signal.
    pub fn wait(&'static self, mutex: &'static Mutex<S>, timeout: Timeout) -> Result<(), Error> {
        let core = mutex.core();
        let answer = transact::<S, Await<S>>(hold(), self, &core, timeout);
        match answer.into_result::<S>() {
            Err(error) if answer.value == RELEASED => Err(lock_again(mutex, error)),
            result => result,
        }
    }

    /// [`Condition::wait`], but that the mutex is not locked again after an error with the value
    /// [`RELEASED`].
    #[inline(always)]
    pub(crate) fn wait_entered(
        &'static self,
        cs: CriticalSection<'_>,
        mutex: &'static MutexCore,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        if let Err(error) = self.check(cs, current, mutex) {
            return fail::<S>(error);
        }
        if timeout.is_none() {
            return refuse_to_wait::<S>();
        }
        self.mutex.set(cs, Some(mutex));
        S::kernel().release(cs, mutex, current);
        current.set_value(cs, RELEASED);
        S::kernel().block_in(cs, &self.waiters, timeout)
    }

    /// Signals the most urgent waiter; does nothing if there is none. The caller need not own the
    /// mutex. Never waits; allowed in interrupt handlers at the kernel's level.
    ///
    /// Bound: fixed, or that of the mutex's wait queue and inheritance. Errors: `Deleted`.
    #[inline(always)]
    pub fn signal(&'static self) -> Result<(), Error> {
        self.signal_by::<Signal<S>>()
    }

    /// Signals all waiters. Otherwise as [`Condition::signal`], once for each waiter.
    #[inline(always)]
    pub fn broadcast(&'static self) -> Result<(), Error> {
        self.signal_by::<Broadcast<S>>()
    }

    #[inline(always)]
    fn signal_by<D: Operation<S, Object = Self>>(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.waiters.is_empty(cs) {
            return if self.deleted.get(cs) {
                Err(Error::Deleted)
            } else {
                Ok(())
            };
        }
        held.enter::<D>(self, 0, Timeout::NONE).done()
    }

    /// [`Condition::signal`].
    pub(crate) fn signal_entered(&'static self, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        self.signal_entered_by::<Signal<S>>(cs)
    }

    /// [`Condition::broadcast`].
    pub(crate) fn broadcast_entered(&'static self, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        self.signal_entered_by::<Broadcast<S>>(cs)
    }

    fn signal_entered_by<D: Operation<S, Object = Self>>(
        &'static self,
        cs: CriticalSection<'_>,
    ) -> OutcomeOf<S> {
        if self.deleted.get(cs) {
            return fail::<S>(Error::Deleted);
        }
        D::run(cs, self, 0, Timeout::NONE)
    }

    /// Whether threads wait that were not signalled. Bound: fixed. Allowed everywhere.
    pub fn has_waiters(&'static self) -> bool {
        !self.waiters.is_empty(hold::<S>().section())
    }

    /// Deletes the condition variable: its waiters lock their mutex again and get `Deleted`; each
    /// later call gets that at once. Allowed in interrupt handlers.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }

    /// Makes a deleted condition variable usable again. Bound: fixed. Errors: `State` if it is not
    /// deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if !self.deleted.get(cs) {
            return Err(Error::State);
        }
        self.deleted.set(cs, false);
        Ok(())
    }

    /// Whether `current` may wait with `mutex`.
    fn check(
        &self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        mutex: &'static MutexCore,
    ) -> Result<(), Error> {
        let other = |bound: &'static MutexCore| !ptr::eq(bound, mutex);
        if self.deleted.get(cs) {
            Err(Error::Deleted)
        } else if mutex.owner(cs) != Some(current) {
            Err(Error::NotOwner)
        } else if mutex.depth(cs) != 0 {
            Err(Error::State)
        } else if !self.waiters.is_empty(cs) && self.mutex.get(cs).is_some_and(other) {
            Err(Error::Parameter)
        } else {
            Ok(())
        }
    }

    #[cold]
    #[inline(never)]
    fn signal_unusual(&'static self, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        if let Some(waiter) = self.waiters.first(cs) {
            self.signal_first(cs, waiter);
        }
        Kernel::<S>::conclude_unanswered(cs)
    }

    fn signal_first(&'static self, cs: CriticalSection<'_>, waiter: ThreadRef) {
        self.waiters.pop(cs, waiter);
        if let Some(mutex) = self.mutex.get(cs) {
            S::kernel().claim(cs, mutex, waiter);
        }
    }
}

/// Locks the mutex again, after the thread's wait has ended with `error`. Returns the error to
/// return.
#[cold]
fn lock_again<S: System>(mutex: &'static Mutex<S>, error: Error) -> Error {
    loop {
        match mutex.lock(Timeout::FOREVER) {
            Ok(()) => return error,
            // The caller is promised the mutex: this wait cannot be ended.
            Err(Error::Cancelled) => {}
            Err(other) => return other,
        }
    }
}

impl<S: System> Default for Condition<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System> Deletable for Condition<S> {
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.deleted.get(cs)
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.deleted.set(cs, true);
        S::kernel().flush(cs, &self.waiters, Error::Deleted);
    }
}

struct Await<S>(PhantomData<S>);

impl<S: System> Transaction<S> for Await<S> {
    type Object = Condition<S>;
    type Record = &'static MutexCore;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        condition: &'static Condition<S>,
        mutex: Lent<'_, &'static MutexCore>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        condition.wait_entered(cs, *mutex, timeout)
    }
}

struct Signal<S>(PhantomData<S>);

impl<S: System> Operation<S> for Signal<S> {
    type Object = Condition<S>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    /// The fast path comes first and calls nothing: the mutex is free, and the waiter owns it at
    /// once.
    fn run(
        cs: CriticalSection<'_>,
        condition: &'static Condition<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let usual = condition
            .waiters
            .first(cs)
            .filter(|waiter| !waiter.urgency.get(cs).is_special());
        let owns = |waiter: &ThreadRef| {
            condition
                .mutex
                .get(cs)
                .is_some_and(|mutex| mutex.give_if_free(cs, *waiter))
        };
        let Some(waiter) = usual.filter(owns) else {
            cold_path();
            return slow_path(condition.signal_unusual(cs));
        };
        condition.waiters.pop(cs, waiter);
        waiter.wait.set(cs, wait::Wait::NOTHING);
        compiler_barrier();
        S::kernel().conclude_by_readying(cs, waiter)
    }
}

struct Broadcast<S>(PhantomData<S>);

impl<S: System> Operation<S> for Broadcast<S> {
    type Object = Condition<S>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        condition: &'static Condition<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        while let Some(waiter) = condition.waiters.first(cs) {
            condition.signal_first(cs, waiter);
        }
        Kernel::<S>::conclude_unanswered(cs)
    }
}
