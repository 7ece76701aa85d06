//! Owns: the one way to block a thread, the one way to wake it, and who runs next.
//! Must never know: what threads wait for.

use crate::critical_section::{Section, hold, in_decision};
use crate::smp::{View, several};
use crate::thread::tcb::{Running, ThreadRef, certain};
use crate::thread::urgency::Urgency;
use crate::wait::inherit::Place;
use crate::wait::timeout_queue::TimeoutQueue;
use crate::wait::{Wait, WaitQueue};
use crate::{Kernel, System};
use taktos_abi::{Error, Status, Timeout};
use taktos_machine::{Answer, Machine, Outcome};
use taktos_schedule::{Priority, Ring};

/// What a decision of the system `S` tells its machine.
pub(crate) type OutcomeOf<S> = <<S as System>::Machine as Machine>::Outcome;

/// The caller goes on, with `status` and no word.
#[inline(always)]
pub(crate) fn stay<S: System>(status: Status) -> OutcomeOf<S> {
    answer::<S>(status, 0)
}

/// The caller goes on with `error`.
#[inline(always)]
pub(crate) fn fail<S: System>(error: Error) -> OutcomeOf<S> {
    stay::<S>(Status::failed(error))
}

/// The caller goes on, with `status` and `value`.
#[inline(always)]
pub(crate) fn answer<S: System>(status: Status, value: usize) -> OutcomeOf<S> {
    OutcomeOf::<S>::stay(Answer { status, value })
}

/// Marks the end of a path that is seldom taken and calls something. Without it the compiler would end the
/// path by a jump, and then lay out a stack frame at the beginning, for the usual path too.
#[inline(always)]
pub(crate) fn seldom<T>(result: T) -> T {
    first_things_first();
    result
}

/// Keeps the compiler from loading what is needed below before all above is stored: so that fewer registers
/// are in use at a time, and a decision need not save any.
#[inline(always)]
pub(crate) fn first_things_first() {
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}

/// What a call told the running thread.
///
/// The law: the status in a thread's context is success whenever the thread runs. Who is told an error clears it,
/// so that the usual paths, on which a thread waits or is switched away from, need not set it.
pub(crate) trait Told {
    /// The answer's status, as the call gives it back.
    fn told<S: System>(self) -> Result<(), Error>;
    /// The same of a call that cannot fail, but where a machine turns its caller away.
    fn turned_away<S: System>(self) -> Result<(), Error>;
}

impl Told for Answer {
    #[inline(always)]
    fn told<S: System>(self) -> Result<(), Error> {
        if self.status == Status::OK {
            Ok(())
        } else {
            told_error::<S>(self.status)
        }
    }

    #[inline(always)]
    fn turned_away<S: System>(self) -> Result<(), Error> {
        if S::Machine::TURNS_HANDLERS_AWAY {
            self.told::<S>()
        } else {
            Ok(())
        }
    }
}

#[cold]
#[inline(never)]
fn told_error<S: System>(status: Status) -> Result<(), Error> {
    if several::<S>() {
        let held = hold::<S>();
        Kernel::<S>::running()
            .current(held.section())
            .set_ok(held.section());
        return status.result();
    }
    // A handler's answer never lay in the thread that it interrupted, which may just be about to read its own.
    if S::Machine::TURNS_HANDLERS_AWAY && S::Machine::in_interrupt() {
        return status.result();
    }
    // Nobody else touches the status of a thread that runs. On one processor the running thread stays where it is.
    let s = in_decision();
    Kernel::<S>::running().current(s).set_ok(s);
    status.result()
}

/// What to fail with when a wait would be needed: the time-out that is none says "would block".
pub(crate) fn refuse_to_wait<S: System>() -> OutcomeOf<S> {
    fail::<S>(Error::WouldBlock)
}

impl<S: System> Kernel<S> {
    /// Who runs here.
    #[inline(always)]
    pub(crate) fn running() -> Running {
        Running(S::processor_of(S::kernel()))
    }

    /// Blocks the running thread for `wait`, until it is woken or the time is over; it is resumed
    /// with success, as in [`Told`], unless it is woken with something else. Names the thread that runs next.
    #[inline(always)]
    pub(crate) fn block(
        &'static self,
        s: Section,
        current: ThreadRef,
        wait: Wait,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        current.wait.set(s, wait);
        if !timeout.is_forever() {
            self.start_timeout(s, current, timeout);
        }
        self.leave_processor(s, current)
    }

    /// Takes the running thread, which is no longer ready, off the processor.
    #[inline(always)]
    pub(crate) fn leave_processor(&'static self, s: Section, current: ThreadRef) -> OutcomeOf<S> {
        let urgency = current.urgency.get(s);
        let outcome = self.retire(s, current, urgency.of_ready());
        if urgency.is_special() {
            self.leave_special(s, current);
            first_things_first();
        }
        outcome
    }

    /// The same for a thread about which nothing is special.
    #[inline(always)]
    fn retire(&'static self, s: Section, current: ThreadRef, priority: Priority) -> OutcomeOf<S> {
        if several::<S>() {
            if let Some((solo, seat)) = current.solo(s) {
                let heir = solo.retire(&View::<S>::new(s), seat, current, priority);
                return OutcomeOf::<S>::switch(current.context(), heir.context());
            }
            return seldom(self.retire_elsewhere(s, current, priority));
        }
        let heir = certain(self.ready.borrow(s).retire(&s, current, priority));
        Self::running().set_heir(s, heir);
        OutcomeOf::<S>::switch(current.context(), heir.context())
    }

    /// [`Kernel::retire`] where the thread's instance has several processors, or is open.
    #[inline(never)]
    fn retire_elsewhere(
        &'static self,
        s: Section,
        current: ThreadRef,
        priority: Priority,
    ) -> OutcomeOf<S> {
        if let Some(cluster) = current.cluster(s) {
            let here = S::Machine::number();
            let heir = cluster.retire(&View::<S>::new(s), here, current, priority);
            return OutcomeOf::<S>::switch(current.context(), heir.context());
        }
        self.dismiss_running(s, current)
    }

    #[cold]
    pub(crate) fn start_timeout(&'static self, s: Section, thread: ThreadRef, timeout: Timeout) {
        self.expect_special(s);
        if let Some(deadline) = timeout.deadline(S::Machine::now()) {
            self.timeouts_here(s, thread).insert(s, thread, deadline);
            self.set_alarm(s);
        }
    }

    /// The time-outs that this processor's alarm is for: those that begin here.
    fn timeouts_here(&'static self, s: Section, thread: ThreadRef) -> &'static TimeoutQueue {
        if several::<S>() {
            return self.timeouts_begun_here(s, thread);
        }
        &self.timeouts
    }

    fn set_alarm(&'static self, s: Section) {
        if several::<S>() {
            return self.set_alarm_here(s);
        }
        S::Machine::set_alarm(self.timeouts.next(s));
    }

    /// Makes the most urgent ready thread the heir. On several processors that is known when it is asked for.
    #[inline(always)]
    pub(crate) fn reselect(&'static self, s: Section) {
        if !several::<S>() {
            self.reselected(s);
        }
    }

    /// Makes the most urgent ready thread the heir, and names it; on several processors, the one for this processor.
    #[inline(always)]
    pub(crate) fn reselected(&'static self, s: Section) -> ThreadRef {
        if several::<S>() {
            return self.next(s);
        }
        let heir = certain(self.ready.borrow(s).top());
        Self::running().set_heir(s, heir);
        heir
    }

    /// Who is to run on this processor, as it was decided last. Not in handlers.
    #[inline(always)]
    pub(crate) fn heir(&'static self, s: Section) -> ThreadRef {
        if several::<S>() {
            return self.next(s);
        }
        Self::running().heir(s)
    }

    /// Wakes `thread`, which has been taken out of whatever queue it was in and is a ring of its own.
    /// It becomes the heir if it is more urgent than the present one.
    pub(crate) fn wake(&'static self, s: Section, thread: ThreadRef) {
        thread.wait.set(s, Wait::NOTHING);
        self.stop_timeout(s, thread);
        self.end_lent_turn(s, thread);
        if !thread.urgency.get(s).has(Urgency::SUSPENDED) {
            self.make_ready(s, thread);
        }
    }

    /// Ends a decision by waking `thread`, as [`Kernel::wake`] does; the caller does not look at its answer.
    /// The usual case comes first and calls nothing.
    #[inline(always)]
    pub(crate) fn conclude_by_waking(&'static self, s: Section, thread: ThreadRef) -> OutcomeOf<S> {
        thread.wait.set(s, Wait::NOTHING);
        self.conclude_by_waking_from_nothing(s, thread)
    }

    /// The rest of [`Kernel::conclude_by_waking`]: for a thread that waits for nothing any more.
    #[inline(always)]
    pub(crate) fn conclude_by_waking_from_nothing(
        &'static self,
        s: Section,
        thread: ThreadRef,
    ) -> OutcomeOf<S> {
        if thread.urgency.get(s).is_special() {
            return seldom(self.conclude_by_waking_special(s, thread));
        }
        self.conclude_by_readying(s, thread)
    }

    /// The end of [`Kernel::conclude_by_waking`]: for a thread that waits for nothing any more, and about which
    /// nothing is special.
    #[inline(always)]
    pub(crate) fn conclude_by_readying(
        &'static self,
        s: Section,
        thread: ThreadRef,
    ) -> OutcomeOf<S> {
        if several::<S>() {
            if let Some((solo, seat)) = thread.solo(s) {
                let priority = thread.urgency.get(s).effective().of_ready();
                let running = Self::running();
                let is_heir = solo.append(&View::<S>::new(s), seat, thread, priority);
                if !is_heir || !core::ptr::eq(seat, running.0) {
                    return stay::<S>(Status::OK);
                }
                if S::Machine::in_interrupt() {
                    S::Machine::pend_switch();
                    return stay::<S>(Status::OK);
                }
                return OutcomeOf::<S>::switch(running.current(s).context(), thread.context());
            }
            return seldom(self.conclude_by_readying_elsewhere(s, thread));
        }
        if self.make_ready(s, thread) {
            OutcomeOf::<S>::switch(Self::running().current(s).context(), thread.context())
        } else {
            stay::<S>(Status::OK)
        }
    }

    /// Ends a decision after which the heir of this processor is known: switches to it, at the end of the interrupt in a handler.
    #[inline(always)]
    fn follow_heir(s: Section) -> OutcomeOf<S> {
        let running = Self::running();
        let (current, heir) = (running.current(s), running.heir(s));
        if heir == current {
            return stay::<S>(Status::OK);
        }
        if S::Machine::in_interrupt() {
            S::Machine::pend_switch();
            return stay::<S>(Status::OK);
        }
        OutcomeOf::<S>::switch(current.context(), heir.context())
    }

    #[inline(never)]
    fn conclude_by_readying_elsewhere(
        &'static self,
        s: Section,
        thread: ThreadRef,
    ) -> OutcomeOf<S> {
        if let Some(cluster) = thread.cluster(s) {
            let priority = thread.urgency.get(s).effective().of_ready();
            cluster.append(&View::<S>::new(s), thread, priority);
            return Self::follow_heir(s);
        }
        self.make_ready(s, thread);
        Self::conclude_several(s, Status::OK, 0)
    }

    #[cold]
    #[inline(never)]
    fn conclude_by_waking_special(&'static self, s: Section, thread: ThreadRef) -> OutcomeOf<S> {
        self.wake_special(s, thread);
        Self::conclude_unanswered(s)
    }

    /// Makes `thread` ready, behind its equals; the heir if it is more urgent than the present one,
    /// which is the answer.
    #[inline(always)]
    pub(crate) fn make_ready(&'static self, s: Section, thread: ThreadRef) -> bool {
        let priority = thread.urgency.get(s).effective().of_ready();
        if several::<S>() {
            self.admit(s, thread, priority, Place::Last);
            return Self::decision_is_due();
        }
        if !self.ready.borrow(s).append(&s, thread, priority) {
            first_things_first();
            return false;
        }
        first_things_first();
        let running = Self::running();
        let urgent = priority.beats(running.heir(s).urgency.get(s).of_ready());
        if urgent {
            running.set_heir(s, thread);
        }
        urgent
    }

    /// Stops `thread`'s time-out if it runs.
    pub(crate) fn stop_timeout(&'static self, s: Section, thread: ThreadRef) {
        if thread.urgency.get(s).rank() != 0 {
            if several::<S>() {
                return self.stop_timeout_somewhere(s, thread);
            }
            let earliest = self.timeouts.next(s);
            self.timeouts.remove(s, thread);
            if self.timeouts.next(s) != earliest {
                self.set_alarm(s);
            }
        }
    }

    /// Wakes `thread` with `error`.
    pub(crate) fn wake_with(&'static self, s: Section, thread: ThreadRef, error: Error) {
        thread.set_error(s, error);
        self.wake(s, thread);
    }

    /// Ends a decision that may have changed the heir: the caller's answer is `status` and `value`,
    /// now or when it is resumed.
    #[inline(always)]
    pub(crate) fn conclude(s: Section, status: Status, value: usize) -> OutcomeOf<S> {
        if several::<S>() {
            return Self::conclude_several(s, status, value);
        }
        let running = Self::running();
        let (current, heir) = (running.current(s), running.heir(s));
        if heir == current {
            return answer::<S>(status, value);
        }
        if !S::Machine::in_interrupt() {
            current.set_answer(s, status, value);
        }
        OutcomeOf::<S>::switch(current.context(), heir.context())
    }

    /// Like [`Kernel::conclude`] for a caller that does not look at its answer.
    #[inline(always)]
    pub(crate) fn conclude_unanswered(s: Section) -> OutcomeOf<S> {
        if several::<S>() {
            return Self::conclude_several(s, Status::OK, 0);
        }
        let running = Self::running();
        let (current, heir) = (running.current(s), running.heir(s));
        if heir == current {
            return stay::<S>(Status::OK);
        }
        OutcomeOf::<S>::switch(current.context(), heir.context())
    }

    /// Blocks the running thread in `queue`; refuses without a time to wait. The usual case comes first and
    /// calls nothing.
    #[inline(always)]
    pub(crate) fn block_in(
        &'static self,
        s: Section,
        queue: &'static WaitQueue,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if timeout.is_forever() {
            self.block_in_forever(s, queue)
        } else {
            seldom(self.block_in_with_time(s, queue, timeout))
        }
    }

    #[cold]
    #[inline(never)]
    fn block_in_with_time(
        &'static self,
        s: Section,
        queue: &'static WaitQueue,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if timeout.is_none() {
            return refuse_to_wait::<S>();
        }
        let current = Self::running().current(s);
        let outcome = self.block(s, current, Wait::queue(queue), timeout);
        queue.insert(s, current);
        outcome
    }

    /// Blocks the running thread in `queue`, however long it takes. The usual case comes first and calls nothing.
    #[inline(always)]
    pub(crate) fn block_in_forever(
        &'static self,
        s: Section,
        queue: &'static WaitQueue,
    ) -> OutcomeOf<S> {
        let current = Self::running().current(s);
        let urgency = current.urgency.get(s);
        if !queue.is_empty(s) || urgency.is_special() {
            return seldom(self.block_behind_others(s, queue));
        }
        current.wait.set(s, Wait::queue(queue));
        // The first of a queue is in no ring with others there: it may still be in that of the ready ones.
        queue.insert_first(s, current);
        first_things_first();
        self.retire(s, current, urgency.of_ready())
    }

    #[cold]
    #[inline(never)]
    fn block_behind_others(&'static self, s: Section, queue: &'static WaitQueue) -> OutcomeOf<S> {
        let current = Self::running().current(s);
        let outcome = self.leave_processor(s, current);
        current.wait.set(s, Wait::queue(queue));
        queue.insert(s, current);
        outcome
    }

    /// Wakes all that wait in `queue` with `error`.
    pub(crate) fn flush(&'static self, s: Section, queue: &'static WaitQueue, error: Error) {
        while let Some(waiter) = queue.first(s) {
            queue.pop(s, waiter);
            self.wake_with(s, waiter, error);
        }
    }

    /// Ends an upcall that may have changed the heir.
    pub(crate) fn conclude_upcall(s: Section) {
        if several::<S>() {
            return Self::tell_handler();
        }
        let running = Self::running();
        if running.heir(s) != running.current(s) {
            S::Machine::pend_switch();
        }
    }

    /// Wakes the threads whose time is over.
    pub(crate) fn expire(&'static self, s: Section) {
        if several::<S>() {
            return self.expire_here(s);
        }
        while let Some(thread) = self.timeouts.pop_due(s, S::Machine::now()) {
            self.abort(s, thread, Error::Timeout);
        }
        self.set_alarm(s);
        Self::conclude_upcall(s);
    }

    /// Lets the next of the running thread's equals have its turn.
    pub(crate) fn rotate(&'static self, s: Section, current: ThreadRef) {
        self.end_lent_turn(s, current);
        if several::<S>() {
            return self.replace(s, current, Place::Last);
        }
        let ready = self.ready.borrow(s);
        let priority = current.urgency.get(s).effective();
        if ready.head(priority) == Some(current) && !s.is_alone(current) {
            ready.rotate(&s, priority);
            self.reselect(s);
        }
    }
}
