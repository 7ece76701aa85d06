//! Owns: stand-ins, the control blocks that wait in the queues of several objects for one thread.
//! Must never know: the objects, and the reason for which the thread waits for several of them.
//!
//! An object finds a stand-in in its queue as it finds a thread, gives it what a thread would get,
//! and wakes it. So no operation of an object has a step more. All ways to wake a thread lead a
//! special one to [`Kernel::wake`], which asks whether it has a lent turn: that of a stand-in is
//! the wake of its thread. Its other stand-ins are out of their queues before another operation
//! begins, and get nothing.
//!
//! Of a stand-in's fields, `parent` is the thread, `left` its next stand-in, and `notification` the
//! number of its object in the thread's set: a stand-in has no time-out and no notifications. The
//! thread has the first one as its `argument`. The acts are called through a word that the first
//! poll sets: a program without polls does not carry them.

use crate::critical_section::CriticalSection;
use crate::sched::OutcomeOf;
use crate::thread::tcb::{Tcb, ThreadRef};
use crate::thread::urgency::Urgency;
use crate::wait::transfer::Lent;
use crate::wait::{Place, Target, Wait, thread};
use crate::{Kernel, System, Timeout};
use taktos_machine::Answer;
use taktos_schedule::Ring;

/// The flags of a stand-in: it is suspended, and has a lent turn to end when it is woken.
const FLAGS: u32 = Urgency::STANDS_IN | Urgency::SUSPENDED | Urgency::LENT_TURN;

/// A control block that stands in.
pub struct StandIn(Tcb);

impl StandIn {
    /// One that is in no queue.
    pub(crate) const fn new() -> Self {
        Self(Tcb::new())
    }

    /// Puts it where `place` says, for `owner`, as the number `index` of the set, with `next`
    /// behind it. Steps: those of an insertion.
    pub(crate) fn stand(
        this: &Lent<'_, Self>,
        cs: CriticalSection<'_>,
        place: Place,
        owner: ThreadRef,
        (index, next): (usize, Option<ThreadRef>),
    ) -> ThreadRef {
        let stand_in = this.part(|this| &this.0).as_thread();
        cs.make_alone(stand_in);
        let priority = owner.urgency.get(cs).effective();
        stand_in.urgency.set(cs, Urgency::new(priority).with(FLAGS));
        stand_in.parent.set(cs, Some(owner));
        stand_in.left.set(cs, next);
        stand_in.notification.set(cs, index);
        stand_in.wait.set(cs, place.wait);
        stand_in.argument.set(cs, place.argument);
        stand_in.set_ok(cs);
        stand_in.set_value(cs, place.value);
        if let Target::Queue(queue) = place.wait.target() {
            queue.insert(cs, stand_in);
        }
        stand_in
    }

    /// Returns the answer with which it was woken.
    pub(crate) fn answer(&self, cs: CriticalSection<'_>) -> Answer {
        self.0.answer(cs)
    }
}

type Act<S> = fn(&'static Kernel<S>, CriticalSection<'_>, ThreadRef);

/// The acts that are due for threads that wait for several objects.
pub(crate) struct PollActs<S: System> {
    wake: Act<S>,
    dismiss: Act<S>,
    requeue: Act<S>,
    notify: Act<S>,
}

impl<S: System> Kernel<S> {
    const POLLS: &'static PollActs<S> = &PollActs {
        wake: Self::wake_owner,
        dismiss: Self::dismiss_all,
        requeue: Self::requeue_all,
        notify: Self::notify_stand_in,
    };

    /// Blocks the running thread, `current`, until one of its stand-ins is woken or the time is
    /// over; `stand` puts these into their queues and returns the first of them.
    pub(crate) fn block_for_several(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        timeout: Timeout,
        stand: impl FnOnce() -> Option<ThreadRef>,
    ) -> OutcomeOf<S> {
        self.expect_special(cs);
        self.polls.set(cs, Some(Self::POLLS));
        // A lent turn ends here: stand-ins have the thread's own priority.
        let outcome = self.block(cs, current, Wait::POLL, timeout);
        let first = stand().map_or(0, ThreadRef::address);
        current.argument.set(cs, first);
        outcome
    }

    /// Does the acts due when a thread with a lent turn is woken. A stand-in, which is out of its
    /// queue, stays held; its thread is woken.
    #[cold]
    pub(crate) fn end_lent_turn_or_poll(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if !thread.urgency.get(cs).has(Urgency::STANDS_IN) {
            return self.end_lent_turn(cs, thread);
        }
        if let Some(acts) = self.polls.get(cs) {
            (acts.wake)(self, cs, thread);
        }
    }

    /// Takes the stand-ins of `owner` out of their queues. Names the thread that inherited from
    /// it: none. Steps: those of a removal for each.
    #[cold]
    #[inline(never)]
    pub(crate) fn dismiss_stand_ins(
        &'static self,
        cs: CriticalSection<'_>,
        owner: ThreadRef,
    ) -> Option<ThreadRef> {
        if let Some(acts) = self.polls.get(cs) {
            (acts.dismiss)(self, cs, owner);
        }
        None
    }

    /// Gives the stand-ins of `owner` its priority, which is new, and their places by it; sets the
    /// heir. Steps: those of a removal and an insertion for each.
    #[cold]
    #[inline(never)]
    pub(crate) fn requeue_stand_ins(&'static self, cs: CriticalSection<'_>, owner: ThreadRef) {
        if let Some(acts) = self.polls.get(cs) {
            (acts.requeue)(self, cs, owner);
        }
        self.reselect(cs);
    }

    /// Gives the new notification of `owner` to its stand-in that waits for one, if there is one.
    #[cold]
    pub(crate) fn notify_poll(&'static self, cs: CriticalSection<'_>, owner: ThreadRef) {
        if let Some(acts) = self.polls.get(cs) {
            (acts.notify)(self, cs, owner);
        }
    }

    fn wake_owner(&'static self, cs: CriticalSection<'_>, stand_in: ThreadRef) {
        let Some(owner) = stand_in.parent.get(cs) else {
            return;
        };
        self.dismiss_all(cs, owner);
        owner.set_value(cs, stand_in.notification.get(cs));
        self.wake(cs, owner);
    }

    fn dismiss_all(&'static self, cs: CriticalSection<'_>, owner: ThreadRef) {
        each(cs, owner, |stand_in, wait| {
            if let Target::Queue(queue) = wait.target() {
                queue.remove(cs, stand_in);
            }
            stand_in.wait.set(cs, Wait::NOTHING);
        });
    }

    fn requeue_all(&'static self, cs: CriticalSection<'_>, owner: ThreadRef) {
        let priority = owner.urgency.get(cs).effective();
        each(cs, owner, |stand_in, wait| {
            let urgency = stand_in.urgency.get(cs).with_effective(priority);
            if let Target::Queue(queue) = wait.target() {
                queue.remove(cs, stand_in);
                stand_in.urgency.set(cs, urgency);
                queue.insert(cs, stand_in);
            }
        });
    }
}

/// Calls `act` with each stand-in of `owner`, which waits, and with its wait: that of one that has
/// just been woken is nothing.
pub(crate) fn each(
    cs: CriticalSection<'_>,
    owner: ThreadRef,
    mut act: impl FnMut(ThreadRef, Wait),
) {
    let mut next = Some(thread(owner.argument.get(cs)));
    while let Some(stand_in) = next {
        next = stand_in.left.get(cs);
        act(stand_in, stand_in.wait.get(cs));
    }
}
