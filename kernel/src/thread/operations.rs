//! Owns: what is done to a thread inside the kernel: start, suspension, sleep, priority, its end.
//! Must never know: how threads talk to each other.

use super::AnyThread;
use super::tcb::{Running, ThreadRef};
use super::urgency::Urgency;
use crate::critical_section::{CriticalSection, Operation};
use crate::sched::{OutcomeOf, fail, is_smp, refuse_to_wait, slow_path, stay};
use crate::wait::inherit::{Place, closes_ring, forget_buffer};
use crate::wait::{Target, Wait};
use crate::{Kernel, Priority, System};
use core::marker::PhantomData;
use taktos_abi::{Error, Status, Timeout};
use taktos_machine::Machine;

/// Defines an operation on a thread, which uses words unless that is excluded.
macro_rules! operation {
    ($(#[$about:meta])* $name:ident, blocks: $blocks:expr, $body:expr) => {
        operation!($(#[$about])* $name, blocks: $blocks, words: true, $body);
    };
    ($(#[$about:meta])* $name:ident, blocks: $blocks:expr, words: $words:expr, $body:expr) => {
        $(#[$about])*
        pub(crate) struct $name<S>(PhantomData<S>);

        impl<S: System> Operation<S> for $name<S> {
            type Object = AnyThread<S>;
            const USES_WORDS: bool = $words;
            const BLOCKS: bool = $blocks;

            fn run(
                cs: CriticalSection<'_>,
                thread: &'static AnyThread<S>,
                argument: usize,
                timeout: Timeout,
            ) -> OutcomeOf<S> {
                let body: fn(CriticalSection<'_>, ThreadRef, usize, Timeout) -> OutcomeOf<S> =
                    $body;
                body(cs, thread.reference(), argument, timeout)
            }
        }
    };
}
pub(crate) use operation;

pub(crate) struct Yield<S>(PhantomData<S>);

impl<S: System> Operation<S> for Yield<S> {
    type Object = Kernel<S>;
    const USES_WORDS: bool = false;
    const ALWAYS_SWITCHES: bool = true;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        kernel: &'static Kernel<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        kernel.conclude_by_yielding(cs, Running(S::processor_of(kernel)))
    }
}

operation!(Ready, blocks: false, |cs, thread, _, _| {
    thread.wait.set(cs, Wait::NOTHING);
    #[cfg(feature = "budgets")]
    if thread.urgency.get(cs).has(Urgency::DEPLETED) {
        return stay::<S>(Status::OK);
    }
    S::kernel().make_ready(cs, thread);
    Kernel::<S>::conclude(cs, Status::OK, 0)
});

operation!(Suspend, blocks: false, words: false, |cs, thread, _, _| {
    if is_smp::<S>() {
        return suspend_any::<S>(cs, thread);
    }
    let urgency = thread.urgency.get(cs);
    let heir = Kernel::<S>::running().heir(cs);
    if urgency.is_special_or(heir.address() ^ thread.address()) {
        return slow_path(suspend_unusual::<S>(cs, thread));
    }
    // Fast path: the running thread suspends itself, and waits for nothing else. So only the
    // caller that resumes it wakes it, and that one knows what is special about it.
    thread.urgency.set(cs, urgency.with(Urgency::SUSPENDED));
    S::kernel().retire(cs, thread, urgency.of_ready())
});

/// Suspends a thread, in whatever state it is.
#[inline(always)]
fn suspend_any<S: System>(cs: CriticalSection<'_>, thread: ThreadRef) -> OutcomeOf<S> {
    let urgency = thread.urgency.get(cs);
    if !thread.was_started(cs) || urgency.effective() == Priority::IDLE {
        return fail::<S>(Error::State);
    }
    if !urgency.has(Urgency::SUSPENDED) {
        thread.urgency.set(cs, urgency.with(Urgency::SUSPENDED));
        S::kernel().expect_special(cs);
        #[cfg(feature = "budgets")]
        if urgency.has(Urgency::DEPLETED) {
            return Kernel::<S>::conclude(cs, Status::OK, 0);
        }
        if thread.wait.get(cs) == Wait::NOTHING {
            S::kernel().dequeue_ready(cs, thread);
            S::kernel().reselect(cs);
        }
    }
    Kernel::<S>::conclude(cs, Status::OK, 0)
}

/// [`suspend_any`] on the slow path.
#[cold]
#[inline(never)]
fn suspend_unusual<S: System>(cs: CriticalSection<'_>, thread: ThreadRef) -> OutcomeOf<S> {
    suspend_any::<S>(cs, thread)
}

operation!(Resume, blocks: false, words: false, |cs, thread, _, _| {
    resume::<S>(cs, thread)
});

operation!(ResumeOrCancel, blocks: false, |cs, thread, _, _| {
    match thread.urgency.get(cs).has(Urgency::SUSPENDED) {
        true => resume::<S>(cs, thread),
        false => cancel_wait::<S>(cs, thread),
    }
});

operation!(CancelWait, blocks: false, |cs, thread, _, _| {
    cancel_wait::<S>(cs, thread)
});

/// Resumes a suspended thread.
#[inline(always)]
fn resume<S: System>(cs: CriticalSection<'_>, thread: ThreadRef) -> OutcomeOf<S> {
    let urgency = thread.urgency.get(cs);
    if !urgency.has(Urgency::SUSPENDED) {
        return fail::<S>(Error::State);
    }
    thread.urgency.set(cs, urgency.without(Urgency::SUSPENDED));
    #[cfg(feature = "budgets")]
    if urgency.has(Urgency::DEPLETED) {
        return stay::<S>(Status::OK);
    }
    let is_ready = thread.wait.get(cs) == Wait::NOTHING;
    if is_ready && !is_smp::<S>() {
        return S::kernel().conclude_by_readying(cs, thread);
    }
    if is_ready {
        S::kernel().make_ready(cs, thread);
    }
    Kernel::<S>::conclude(cs, Status::OK, 0)
}

/// Ends the wait of a thread.
#[inline(always)]
fn cancel_wait<S: System>(cs: CriticalSection<'_>, thread: ThreadRef) -> OutcomeOf<S> {
    let wait = thread.wait.get(cs);
    if !thread.was_started(cs) || wait == Wait::NOTHING || is_smp::<S>() && wait == Wait::MOVING {
        return fail::<S>(Error::State);
    }
    S::kernel().abort(cs, thread, Error::Cancelled);
    Kernel::<S>::conclude(cs, Status::OK, 0)
}

operation!(SetPriority, blocks: false, |cs, thread, level, _| {
    if !thread.exists(cs) {
        return fail::<S>(Error::Deleted);
    }
    let urgency = thread.urgency.get(cs);
    // On several processors an idle thread is in no instance, so nothing is scheduled by it.
    if !is_smp::<S>() && urgency.base() == Priority::IDLE {
        return fail::<S>(Error::State);
    }
    let priority = Priority::from_stored(level as u8);
    thread.urgency.set(cs, urgency.with_base(priority));
    S::kernel().recompute_priority(cs, thread, Place::Last);
    Kernel::<S>::conclude(cs, Status::OK, 0)
});

operation!(Join, blocks: true, |cs, thread, _, timeout| {
    if !thread.exists(cs) {
        return fail::<S>(Error::Deleted);
    }
    if !thread.was_started(cs) {
        return stay::<S>(Status::OK);
    }
    if timeout.is_none() {
        return refuse_to_wait::<S>();
    }
    let current = Kernel::<S>::running().current(cs);
    if closes_ring(cs, current, thread) {
        return fail::<S>(Error::Deadlock);
    }
    let outcome = S::kernel().block(cs, current, Wait::join(thread), timeout);
    thread.waiters.insert(cs, current);
    outcome
});

operation!(Sleep, blocks: true, |cs, thread, _, timeout| {
    let kernel = S::kernel();
    let now = S::Machine::now();
    if timeout.deadline(now).is_some_and(|deadline| deadline <= now) {
        kernel.rotate(cs, thread);
        return Kernel::<S>::conclude(cs, Status::OK, 0);
    }
    kernel.block(cs, thread, Wait::SLEEP, timeout)
});

pub(crate) struct End<S, const DELETE: bool>(PhantomData<S>);

impl<S: System, const DELETE: bool> Operation<S> for End<S, DELETE> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        thread: &'static AnyThread<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let thread = thread.reference();
        if !thread.exists(cs) {
            return fail::<S>(Error::Deleted);
        }
        let urgency = thread.urgency.get(cs);
        if urgency.base() == Priority::IDLE || !DELETE && !thread.was_started(cs) {
            return fail::<S>(Error::State);
        }
        S::kernel().end(
            cs,
            thread,
            if DELETE {
                Wait::NON_EXISTENT
            } else {
                Wait::DORMANT
            },
        );
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}

impl<S: System> Kernel<S> {
    /// Takes `thread` out of everything and leaves it in the state `after`.
    pub(crate) fn end(&'static self, cs: CriticalSection<'_>, thread: ThreadRef, after: Wait) {
        if thread.was_started(cs) {
            // Also that of one that spins for a lock.
            self.stop_timeout(cs, thread);
            if thread.wait.get(cs) == Wait::NOTHING {
                if !thread.urgency.get(cs).has(Urgency::HELD) {
                    self.dequeue_ready(cs, thread);
                }
            } else {
                self.end_wait(cs, thread);
            }
        }
        thread.wait.set(cs, after);
        if after == Wait::NON_EXISTENT {
            self.threads.remove(cs, thread);
        }
        self.unregister(cs, thread, after == Wait::NON_EXISTENT);
        self.release_all(cs, thread);
        self.wake_those_who_wait_for(cs, thread, after);
        let base = thread.urgency.get(cs).base();
        thread.urgency.set(cs, Urgency::new(base));
        self.reselect(cs);
    }

    /// Takes `thread`, which waits and is to end, out of whatever it waits for. A function of its
    /// own: the end of a thread that runs needs fewer registers so.
    #[inline(never)]
    fn end_wait(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let lent_to = self.withdraw(cs, thread);
        thread.wait.set(cs, Wait::SLEEP);
        if let Some(other) = lent_to {
            self.recompute_priority(cs, other, Place::First);
            #[cfg(feature = "budgets")]
            self.settle_payer(cs, other);
        }
    }

    /// Ends the running thread, `current`, and leaves it dormant. The fast path comes first and
    /// calls nothing: on one processor the running thread waits for nothing, and only a thread that
    /// joins may wait for it.
    #[inline(always)]
    pub(crate) fn end_running(&'static self, cs: CriticalSection<'_>, current: ThreadRef) {
        let urgency = current.urgency.get(cs);
        let waiter = current.waiters.first(cs);
        let is_usual = !urgency.is_special()
            && !urgency.has(Urgency::RECEIVED_FROM)
            && current.owned.get(cs).is_none()
            && waiter.is_none_or(|waiter| {
                waiter.wait.get(cs) == Wait::join(current)
                    && !waiter.urgency.get(cs).is_special()
                    && current.waiters.only(cs).is_some()
            });
        if is_smp::<S>() || !is_usual {
            self.end(cs, current, Wait::DORMANT);
            return slow_path(());
        }
        self.dequeue_ready(cs, current);
        current.wait.set(cs, Wait::DORMANT);
        current.urgency.set(cs, Urgency::new(urgency.base()));
        if let Some(waiter) = waiter {
            current.waiters.clear(cs);
            waiter.wait.set(cs, Wait::NOTHING);
            let priority = waiter.urgency.get(cs).of_ready();
            self.ready.borrow(cs).append(&cs, waiter, priority);
        }
        self.reselect(cs);
    }

    fn wake_those_who_wait_for(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        after: Wait,
    ) {
        while let Some(waiter) = thread.waiters.first(cs) {
            thread.waiters.pop(cs, waiter);
            let joins = matches!(waiter.wait.get(cs).target(), Target::Join(_));
            if !(joins && after == Wait::DORMANT) {
                waiter.set_error(cs, Error::Deleted);
                forget_buffer(cs, waiter);
            }
            self.wake(cs, waiter);
        }
        if thread.urgency.get(cs).has(Urgency::RECEIVED_FROM) {
            self.threads.for_each(cs, |other| {
                if other.wait.get(cs) == Wait::receive(thread) {
                    forget_buffer(cs, other);
                    self.wake_with(cs, other, Error::Deleted);
                }
            });
        }
    }
}
