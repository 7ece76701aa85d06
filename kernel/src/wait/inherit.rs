//! Owns: effective priorities: how they follow from owned mutexes and waiting callers, how a
//! change runs along a chain of waiting threads, and how rings of waiting threads are found.
//! Must never know: how mutexes or calls are carried out.
//!
//! A thread's effective priority is the most urgent of: its base priority; for each mutex it owns, the
//! ceiling, or the most urgent waiter's; the most urgent of the threads that send to it or
//! call it, until the reply. Bounds: steps are the lengths of the chain of waiting threads and of the
//! lists of owned mutexes along it.

use crate::critical_section::Section;
use crate::smp::several;
use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::wait::{Target, Wait};
use crate::{Kernel, System};
use taktos_abi::Error;
use taktos_schedule::Priority;

/// Where a thread goes among its equals when its priority changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Behind them.
    Last,
    /// In front of them: a thread that loses a priority it was lent keeps its precedence.
    First,
}

/// The thread that `thread` cannot go on without, if there is one.
fn waits_for(s: Section, thread: ThreadRef) -> Option<ThreadRef> {
    match thread.wait.get(s).target() {
        Target::Mutex(mutex) => mutex.owner(s),
        Target::Receive(other)
        | Target::Send(other)
        | Target::Call(other)
        | Target::Reply(other)
        | Target::Join(other) => Some(other),
        _ => None,
    }
}

/// Whether `thread` would wait for itself if it waited for `other`. Steps: the chain from there.
pub(crate) fn closes_ring(s: Section, thread: ThreadRef, other: ThreadRef) -> bool {
    let mut next = Some(other);
    while let Some(link) = next {
        if link == thread {
            return true;
        }
        next = waits_for(s, link);
    }
    false
}

/// The effective priority that follows from what `thread` has and owns.
fn deserved(s: Section, thread: ThreadRef) -> Priority {
    let mut priority = thread.urgency.get(s).base();
    let mut owned = thread.owned.get(s);
    while let Some(mutex) = owned {
        priority = priority.or_urgent(mutex.lends(s));
        owned = mutex.next_owned(s);
    }
    let lenders = [
        thread.waiters.first_sender(s),
        thread.waiters.first_awaiting_reply(s),
    ];
    for lender in lenders.into_iter().flatten() {
        priority = priority.or_urgent(lender.urgency.get(s).effective());
    }
    priority
}

impl<S: System> Kernel<S> {
    /// Makes the effective priority of `thread`, and of all that it waits for in turn, what they
    /// deserve; sets the heir.
    pub(crate) fn settle(&'static self, s: Section, thread: ThreadRef, place: Place) {
        let mut next = Some(thread);
        while let Some(thread) = next {
            let priority = deserved(s, thread);
            if thread.urgency.get(s).effective() == priority {
                break;
            }
            self.change(s, thread, priority, place);
            next = match thread.wait.get(s).target() {
                Target::Mutex(mutex) => mutex.owner(s),
                Target::Send(other) | Target::Call(other) | Target::Reply(other) => Some(other),
                _ => None,
            };
        }
        self.reselect(s);
    }

    /// Gives `thread`, whose turn was lent by a sender, its own priority back. It is ready, or about to be.
    pub(crate) fn end_lent_turn(&'static self, s: Section, thread: ThreadRef) {
        let urgency = thread.urgency.get(s);
        if !urgency.has(Urgency::LENT_TURN) {
            return;
        }
        if Self::running().current(s) == thread {
            thread.urgency.set(s, urgency.without(Urgency::LENT_TURN));
            self.settle(s, thread, Place::Last);
        } else {
            self.take_back_turn(s, thread);
        }
    }

    /// The same for a thread that is in no ring of ready ones.
    pub(crate) fn take_back_turn(&'static self, s: Section, thread: ThreadRef) {
        let urgency = thread.urgency.get(s);
        if urgency.has(Urgency::LENT_TURN) {
            let own = deserved(s, thread);
            thread
                .urgency
                .set(s, urgency.without(Urgency::LENT_TURN).with_effective(own));
        }
    }

    /// Gives `thread` another effective priority, and the place that goes with it.
    fn change(&'static self, s: Section, thread: ThreadRef, priority: Priority, place: Place) {
        let urgency = thread.urgency.get(s);
        let new = urgency.with_effective(priority);
        let wait = thread.wait.get(s);
        let queue = match wait.target() {
            Target::Queue(queue) => Some(queue),
            Target::Mutex(mutex) => Some(mutex.waiters()),
            Target::Send(other) | Target::Call(other) | Target::Reply(other) => {
                Some(&other.0.waiters)
            }
            _ => None,
        };
        if let Some(queue) = queue {
            queue.remove(s, thread);
            thread.urgency.set(s, new);
            queue.insert(s, thread);
        } else if several::<S>() {
            // Also of one that waits for a cluster mutex: its owner inherits by what the library knows.
            self.grade(s, thread, new, place);
        } else if wait == Wait::NOTHING && !urgency.has(Urgency::SUSPENDED) {
            let ready = self.ready.borrow(s);
            ready.remove(&s, thread, urgency.effective());
            thread.urgency.set(s, new);
            match place {
                Place::Last => {
                    ready.append(&s, thread, priority);
                }
                Place::First => ready.prepend(&s, thread, priority),
            }
        } else {
            thread.urgency.set(s, new);
        }
    }

    /// Ends the wait of `thread`, whatever it waits for, with `error`; those who inherited from it lose that.
    /// Bounds: those of the queue it stands in and of the chain behind it.
    pub(crate) fn abort(&'static self, s: Section, thread: ThreadRef, error: Error) {
        let lent_to = self.withdraw(s, thread);
        if several::<S>() {
            self.abandon_lock(s, thread);
        }
        self.wake_with(s, thread, error);
        if let Some(other) = lent_to {
            self.settle(s, other, Place::First);
        }
    }

    /// Takes `thread` out of whatever queue it stands in. Names the thread that inherited from it.
    pub(crate) fn withdraw(&'static self, s: Section, thread: ThreadRef) -> Option<ThreadRef> {
        match thread.wait.get(s).target() {
            Target::Queue(queue) => {
                queue.remove(s, thread);
                None
            }
            Target::Mutex(mutex) => {
                mutex.waiters().remove(s, thread);
                mutex.owner(s)
            }
            Target::Join(other) => {
                other.waiters.remove(s, thread);
                None
            }
            Target::Send(other) | Target::Call(other) | Target::Reply(other) => {
                other.waiters.remove(s, thread);
                Some(other)
            }
            _ => None,
        }
    }
}
