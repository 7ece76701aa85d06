//! Owns: counting and binary semaphores.

use crate::critical_section::{CriticalSection, Guarded, Operation};
use crate::object::deletion::{self, Deletable};
use crate::object::poll::{Alternative, Answers, Branch, Done};
use crate::sched::{IntoResult, OutcomeOf, concluded, fail, hold, stay};
#[cfg(feature = "budgets")]
use crate::thread::tcb::ThreadRef;
use crate::wait::Place;
use crate::wait::WaitQueue;
use crate::wait::transfer::Lent;
use crate::{Interrupt, System};
use core::marker::PhantomData;
use taktos_abi::{Error, Status, Timeout};

/// A semaphore: a count of permits, 0 to a limit, and the threads that wait for one.
///
/// A permit that is given while threads wait goes straight to the most urgent of them, first come
/// first served among equals.
pub struct Semaphore<S> {
    waiters: WaitQueue,
    count: Guarded<u32>,
    /// The most permits; 0 once the semaphore is deleted.
    limit: Guarded<u32>,
    system: PhantomData<fn() -> S>,
}

impl<S: System> Semaphore<S> {
    /// A semaphore with `count` permits and no limit but that of the counter (2³² − 1).
    pub const fn new(count: u32) -> Self {
        Self::with_limit(count, u32::MAX)
    }

    /// A semaphore with `count` permits, 0 or 1, and at most one.
    pub const fn binary(count: u32) -> Self {
        Self::with_limit(count, 1)
    }

    /// A semaphore with `count` permits and at most `limit`, at least 1.
    ///
    /// # Panics
    /// If `limit` is 0 or `count` is above it: for a static, when it is compiled.
    pub const fn with_limit(count: u32, limit: u32) -> Self {
        assert!(
            limit > 0 && count <= limit,
            "a semaphore needs 1 <= limit and count <= limit"
        );
        Self {
            waiters: WaitQueue::new(),
            count: Guarded::new(count),
            limit: Guarded::new(limit),
            system: PhantomData,
        }
    }

    /// Gives a permit: to the most urgent waiter, or to the count. Never waits; allowed in
    /// interrupt handlers at the kernel's level.
    ///
    /// Bound: fixed (and the removal of the waiter's time-out, if it has one).
    /// Errors: `Limit` where the count is at its limit, `Deleted`.
    #[inline(always)]
    pub fn give(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.waiters.is_empty(cs) {
            return self.count_up(cs);
        }
        // With a waiter there is nothing that could go wrong, but for a handler that must not call.
        held.enter::<Give<S>>(self, 0, Timeout::NONE).done()
    }

    /// Gives a permit to the count, if no thread waits for one and there is room; whether it did.
    /// Then that is what [`Semaphore::give`] does, in code that switches no threads: the
    /// function around it saves no registers. Never waits; allowed in interrupt handlers at the
    /// kernel's level. Bound: fixed.
    #[inline(always)]
    pub fn give_at_once(&'static self) -> bool {
        let held = hold::<S>();
        let cs = held.section();
        self.waiters.is_empty(cs) && self.count_up(cs).is_ok()
    }

    /// [`Semaphore::give`] from an interrupt handler, at less cost. Bound and errors are the same.
    #[inline(always)]
    pub fn give_in(&'static self, interrupt: &Interrupt<S>) -> Result<(), Error> {
        let Some(cs) = interrupt.section() else {
            return self.give();
        };
        match self.waiters.first(cs) {
            None => self.count_up(cs),
            Some(waiter) => {
                self.waiters.pop(cs, waiter);
                S::kernel().wake_in_interrupt(cs, waiter);
                Ok(())
            }
        }
    }

    /// The thread that gets the next permit, if one waits.
    #[cfg(feature = "budgets")]
    pub(crate) fn first_waiter(&self, cs: CriticalSection<'_>) -> Option<ThreadRef> {
        self.waiters.first(cs)
    }

    /// Whether threads wait for a permit.
    pub(crate) fn has_waiters(&self, cs: CriticalSection<'_>) -> bool {
        !self.waiters.is_empty(cs)
    }

    #[inline(always)]
    fn count_up(&'static self, cs: CriticalSection<'_>) -> Result<(), Error> {
        let count = self.count.get(cs);
        if count < self.limit.get(cs) {
            self.count.set(cs, count + 1);
            return Ok(());
        }
        Err(if self.limit.get(cs) == 0 {
            Error::Deleted
        } else {
            Error::Limit
        })
    }

    /// Takes a permit, waiting for it as long as `timeout` says.
    ///
    /// Bound without waiting: fixed. Errors: `Timeout`, `WouldBlock`, `Deleted`; `Context` where an
    /// interrupt handler would have to wait.
    #[inline(always)]
    pub fn take(&'static self, timeout: Timeout) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.count_down(cs) {
            return Ok(());
        }
        // A time-out that the compiler knows leaves one of the two ways.
        if timeout.is_forever() {
            held.enter::<TakeForever<S>>(self, 0, timeout)
                .into_result::<S>()
        } else {
            held.enter::<Take<S>>(self, 0, timeout).into_result::<S>()
        }
    }

    /// Takes a permit, if there is one; whether there was. It is to [`Semaphore::take`] what
    /// [`Semaphore::give_at_once`] is to [`Semaphore::give`]. Never waits; allowed in interrupt
    /// handlers at the kernel's level. Bound: fixed.
    #[inline(always)]
    pub fn take_at_once(&'static self) -> bool {
        self.count_down(hold::<S>().section())
    }

    #[inline(always)]
    fn count_down(&self, cs: CriticalSection<'_>) -> bool {
        let count = self.count.get(cs);
        if count == 0 {
            return false;
        }
        self.count.set(cs, count - 1);
        true
    }

    /// The number of permits. Allowed in interrupt handlers. Bound: fixed.
    pub fn count(&'static self) -> u32 {
        self.count.get(hold::<S>().section())
    }

    /// Deletes the semaphore: its waiters get `Deleted`, and so does each later call.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }

    /// Makes a deleted semaphore usable again. Errors: `State` if it is not deleted,
    /// `Parameter` unless 1 ≤ `limit` and `count` ≤ `limit`.
    pub fn renew(&'static self, count: u32, limit: u32) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if limit == 0 || count > limit {
            return Err(Error::Parameter);
        }
        if self.limit.get(cs) != 0 {
            return Err(Error::State);
        }
        self.count.set(cs, count);
        self.limit.set(cs, limit);
        Ok(())
    }
}

/// The whole of an operation, as calls of partitions do it.
impl<S: System> Semaphore<S> {
    /// [`Semaphore::give`].
    #[inline(always)]
    pub(crate) fn give_entered(&'static self, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        if self.waiters.is_empty(cs) {
            return concluded::<S>(self.count_up(cs));
        }
        Give::<S>::run(cs, self, 0, Timeout::NONE)
    }

    /// [`Semaphore::take`].
    #[inline(always)]
    pub(crate) fn take_entered(
        &'static self,
        cs: CriticalSection<'_>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let count = self.count.get(cs);
        if count > 0 {
            self.count.set(cs, count - 1);
            return stay::<S>(Status::OK);
        }
        Take::<S>::run(cs, self, 0, timeout)
    }
}

struct Give<S>(PhantomData<S>);

impl<S: System> Operation<S> for Give<S> {
    type Object = Semaphore<S>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        semaphore: &'static Semaphore<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        match semaphore.waiters.first(cs) {
            Some(waiter) => {
                semaphore.waiters.pop(cs, waiter);
                S::kernel().conclude_by_waking(cs, waiter)
            }
            None => stay::<S>(Status::OK),
        }
    }
}

struct Take<S>(PhantomData<S>);

impl<S: System> Operation<S> for Take<S> {
    type Object = Semaphore<S>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        semaphore: &'static Semaphore<S>,
        _: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if semaphore.is_deleted(cs) {
            return fail::<S>(Error::Deleted);
        }
        S::kernel().block_in(cs, &semaphore.waiters, timeout)
    }
}

struct TakeForever<S>(PhantomData<S>);

impl<S: System> Operation<S> for TakeForever<S> {
    type Object = Semaphore<S>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        semaphore: &'static Semaphore<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        if semaphore.is_deleted(cs) {
            return fail::<S>(Error::Deleted);
        }
        S::kernel().block_in_forever(cs, &semaphore.waiters)
    }
}

/// A permit, as one of several things that a thread waits for.
pub struct Taking<S: 'static>(&'static Semaphore<S>);

impl<S: System> Semaphore<S> {
    /// Returns [`Semaphore::take`] as one of several things that a thread waits for: see
    /// [`Kernel::poll`](crate::Kernel::poll).
    pub fn taking(&'static self) -> Branch<S, Taking<S>> {
        Branch::new(Taking(self))
    }
}

impl<S> Answers for Taking<S> {
    type Answer = ();

    fn answer(&self, _: Done) {}
}

impl<S: System> Alternative<S> for Taking<S> {
    fn place(this: Lent<'_, Self>) -> Place {
        Place::in_queue(&this.0.waiters)
    }

    fn is_due(&self, cs: CriticalSection<'_>) -> bool {
        self.0.count.get(cs) > 0 || self.0.is_deleted(cs)
    }

    fn conclude(this: Lent<'_, Self>, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        this.0.take_entered(cs, Timeout::NONE)
    }
}

impl<S: System> Deletable for Semaphore<S> {
    #[inline(always)]
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.limit.get(cs) == 0
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.count.set(cs, 0);
        self.limit.set(cs, 0);
        S::kernel().flush(cs, &self.waiters, Error::Deleted);
    }
}
