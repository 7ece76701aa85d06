//! Owns: effective priorities: how they follow from owned mutexes and waiting callers, how a
//! change runs along a chain of waiting threads, and how rings of waiting threads are found.
//! Must never know: how mutexes or calls are carried out.
//!
//! A thread's effective priority is the most urgent of: its base priority; for each mutex it owns,
//! the ceiling, or the most urgent waiter's; the most urgent of the threads that send to it or
//! call it, until the reply. Bounds: steps are the lengths of the chain of waiting threads and of
//! the lists of owned mutexes along it.

use crate::critical_section::CriticalSection;

use crate::sched::is_smp;
use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::wait::{Target, Wait};
use crate::{Kernel, System};
use taktos_abi::Error;
use taktos_schedule::Priority;

/// Where a thread goes among its equals when its priority changes: one that loses a priority
/// it was lent goes in front of them, and so keeps its precedence.
pub(crate) use taktos_schedule::smp::seats::Place;

/// Returns the thread without which `thread` cannot continue, if there is one.
fn waits_for(cs: CriticalSection<'_>, thread: ThreadRef) -> Option<ThreadRef> {
    match thread.wait.get(cs).target() {
        Target::Mutex(mutex) => mutex.owner(cs),
        Target::Receive(other)
        | Target::Send(other)
        | Target::Call(other)
        | Target::Reply(other)
        | Target::Join(other) => Some(other),
        _ => None,
    }
}

/// Whether `thread` would wait for itself if it waited for `other`. Steps: the chain from there.
pub(crate) fn closes_ring(cs: CriticalSection<'_>, thread: ThreadRef, other: ThreadRef) -> bool {
    let mut next = Some(other);
    while let Some(link) = next {
        if link == thread {
            return true;
        }
        next = waits_for(cs, link);
    }
    false
}

/// The effective priority that follows from what `thread` has and owns.
pub(crate) fn deserved(cs: CriticalSection<'_>, thread: ThreadRef) -> Priority {
    let mut priority = thread.urgency.get(cs).base();
    let mut owned = thread.owned.get(cs);
    while let Some(mutex) = owned {
        priority = priority.or_urgent(mutex.lends(cs));
        owned = mutex.next_owned(cs);
    }
    let lenders = [
        thread.waiters.first_sender(cs),
        thread.waiters.first_awaiting_reply(cs),
    ];
    for lender in lenders.into_iter().flatten() {
        priority = priority.or_urgent(lender.urgency.get(cs).effective());
    }
    priority
}

impl<S: System> Kernel<S> {
    /// Makes the effective priority of `thread`, and of all that it waits for in turn, what they
    /// deserve; sets the heir.
    pub(crate) fn recompute_priority(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        place: Place,
    ) {
        let mut next = Some(thread);
        while let Some(thread) = next {
            let priority = deserved(cs, thread);
            if thread.urgency.get(cs).effective() == priority {
                break;
            }
            self.change(cs, thread, priority, place);
            next = match thread.wait.get(cs).target() {
                Target::Mutex(mutex) => mutex.owner(cs),
                Target::Send(other) | Target::Call(other) | Target::Reply(other) => Some(other),
                Target::Poll => return self.requeue_stand_ins(cs, thread),
                _ => None,
            };
        }
        self.reselect(cs);
    }

    /// [`Kernel::recompute_priority`] for the running thread, which has just been lent `ceiling`.
    #[inline(always)]
    pub(crate) fn gain_ceiling(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        ceiling: Priority,
    ) {
        if !is_smp::<S>() || !self.raise_here(cs, current, ceiling) {
            self.recompute_priority(cs, current, Place::First);
        }
    }

    /// [`Kernel::recompute_priority`] for `thread`, which has given up the lender of a ceiling, and
    /// perhaps `goes_on` running here.
    #[inline(always)]
    pub(crate) fn lose_ceiling(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        goes_on: impl FnOnce() -> bool,
    ) {
        let urgency = thread.urgency.get(cs);
        if urgency.effective() == urgency.base() {
            return;
        }
        if !is_smp::<S>() || !goes_on() || !self.lower_here(cs, thread) {
            self.recompute_priority(cs, thread, Place::First);
        }
    }

    /// Gives `thread`, with a turn that a sender lent, its own priority back. It is ready, or about
    /// to be.
    pub(crate) fn end_lent_turn(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let urgency = thread.urgency.get(cs);
        if !urgency.has(Urgency::LENT_TURN) {
            return;
        }
        if Self::running().current(cs) == thread {
            thread.urgency.set(cs, urgency.without(Urgency::LENT_TURN));
            self.recompute_priority(cs, thread, Place::Last);
        } else {
            self.take_back_turn(cs, thread);
        }
    }

    /// [`Kernel::end_lent_turn`] for a thread that is in no ring of ready ones.
    pub(crate) fn take_back_turn(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let urgency = thread.urgency.get(cs);
        if urgency.has(Urgency::LENT_TURN) {
            let own = deserved(cs, thread);
            thread
                .urgency
                .set(cs, urgency.without(Urgency::LENT_TURN).with_effective(own));
        }
    }

    /// Gives `thread` another effective priority, and the place that goes with it.
    fn change(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        priority: Priority,
        place: Place,
    ) {
        let urgency = thread.urgency.get(cs);
        let new = urgency.with_effective(priority);
        let wait = thread.wait.get(cs);
        let queue = match wait.target() {
            Target::Queue(queue) => Some(queue),
            Target::Mutex(mutex) => Some(mutex.waiters()),
            Target::Send(other) | Target::Call(other) | Target::Reply(other) => {
                Some(&other.0.waiters)
            }
            _ => None,
        };
        if let Some(queue) = queue {
            queue.remove(cs, thread);
            thread.urgency.set(cs, new);
            queue.insert(cs, thread);
        } else {
            // Also of one that waits for a cluster mutex: its owner inherits by what the scheduler
            // knows.
            self.set_urgency(cs, thread, new, place);
            if is_smp::<S>() && wait == Wait::LOCK {
                self.requeue_for_lock(cs, thread);
            }
        }
    }

    /// Ends the wait of `thread`, whatever it waits for, with `error`; threads that inherited from
    /// it lose that. Bounds: those of the queue it is in and of the chain after it.
    pub(crate) fn abort(&'static self, cs: CriticalSection<'_>, thread: ThreadRef, error: Error) {
        let lent_to = self.withdraw(cs, thread);
        self.wake_with(cs, thread, error);
        if let Some(other) = lent_to {
            self.recompute_priority(cs, other, Place::First);
            #[cfg(feature = "budgets")]
            self.settle_payer(cs, other);
        }
    }

    /// Takes `thread` out of its queue, if it is in one. Names the thread that inherited from it.
    pub(crate) fn withdraw(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> Option<ThreadRef> {
        match thread.wait.get(cs).target() {
            Target::Queue(queue) => {
                queue.remove(cs, thread);
                None
            }
            Target::Mutex(mutex) => {
                mutex.waiters().remove(cs, thread);
                mutex.owner(cs)
            }
            Target::Join(other) => {
                other.waiters.remove(cs, thread);
                None
            }
            Target::Send(other) | Target::Call(other) | Target::Reply(other) => {
                other.waiters.remove(cs, thread);
                forget_buffer(cs, thread);
                Some(other)
            }
            Target::Receive(_) | Target::ReceiveAny => {
                forget_buffer(cs, thread);
                None
            }
            Target::Lock if is_smp::<S>() => {
                self.leave_lock(cs, thread);
                None
            }
            Target::Poll => self.dismiss_stand_ins(cs, thread),
            _ => None,
        }
    }
}

/// Takes the mark of a buffer from `thread`, with a message that does not come: a running thread
/// has none next to its priority.
pub(crate) fn forget_buffer(cs: CriticalSection<'_>, thread: ThreadRef) {
    thread
        .urgency
        .set(cs, thread.urgency.get(cs).without(Urgency::BUFFER));
}
