//! Owns: the one way to block a thread, the one way to wake it, and who runs next.
//! Must never know: what threads wait for.

use crate::critical_section::{CriticalSection, hold};
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
    // A handler's answer never lay in the thread that it interrupted, which may just be about to read its own.
    if !(S::Machine::TURNS_HANDLERS_AWAY && S::Machine::in_interrupt()) {
        let held = hold::<S>();
        let cs = held.section();
        Kernel::<S>::running().current(cs).set_ok(cs);
    }
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
        cs: CriticalSection<'_>,
        current: ThreadRef,
        wait: Wait,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        current.wait.set(cs, wait);
        if !timeout.is_forever() {
            self.start_timeout(cs, current, timeout);
        }
        self.leave_processor(cs, current)
    }

    /// Takes the running thread, which is no longer ready, off the processor.
    #[inline(always)]
    pub(crate) fn leave_processor(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
    ) -> OutcomeOf<S> {
        let urgency = current.urgency.get(cs);
        let outcome = self.retire(cs, current, urgency.of_ready());
        if urgency.is_special() {
            self.leave_special(cs, current);
            first_things_first();
        }
        outcome
    }

    /// The same for a thread about which nothing is special.
    #[inline(always)]
    fn retire(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        priority: Priority,
    ) -> OutcomeOf<S> {
        if several::<S>() {
            if let Some((solo, seat)) = current.solo(cs) {
                let heir = solo.retire(&View::<S>::new(cs), seat, current, priority);
                return OutcomeOf::<S>::switch(current.context(), heir.context());
            }
            return seldom(self.retire_elsewhere(cs, current, priority));
        }
        let heir = certain(self.ready.borrow(cs).retire(&cs, current, priority));
        Self::running().set_heir(cs, heir);
        OutcomeOf::<S>::switch(current.context(), heir.context())
    }

    /// [`Kernel::retire`] where the thread's instance has several processors, or is open.
    #[inline(never)]
    fn retire_elsewhere(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        priority: Priority,
    ) -> OutcomeOf<S> {
        if let Some(cluster) = current.cluster(cs) {
            let here = S::Machine::number();
            let heir = cluster.retire(&View::<S>::new(cs), here, current, priority);
            return OutcomeOf::<S>::switch(current.context(), heir.context());
        }
        self.dismiss_running(cs, current)
    }

    #[cold]
    pub(crate) fn start_timeout(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        timeout: Timeout,
    ) {
        self.expect_special(cs);
        if let Some(deadline) = timeout.deadline(S::Machine::now()) {
            self.timeouts_here(cs, thread).insert(cs, thread, deadline);
            self.set_alarm(cs);
        }
    }

    /// The time-outs that this processor's alarm is for: those that begin here.
    fn timeouts_here(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> &'static TimeoutQueue {
        if several::<S>() {
            return self.timeouts_begun_here(cs, thread);
        }
        &self.timeouts
    }

    fn set_alarm(&'static self, cs: CriticalSection<'_>) {
        if several::<S>() {
            return self.set_alarm_here(cs);
        }
        S::Machine::set_alarm(self.timeouts.next(cs));
    }

    /// Makes the most urgent ready thread the heir. On several processors that is known when it is asked for.
    #[inline(always)]
    pub(crate) fn reselect(&'static self, cs: CriticalSection<'_>) {
        if !several::<S>() {
            self.reselected(cs);
        }
    }

    /// Makes the most urgent ready thread the heir, and names it; on several processors, the one for this processor.
    #[inline(always)]
    pub(crate) fn reselected(&'static self, cs: CriticalSection<'_>) -> ThreadRef {
        if several::<S>() {
            return self.next(cs);
        }
        let heir = certain(self.ready.borrow(cs).top());
        Self::running().set_heir(cs, heir);
        heir
    }

    /// Who is to run on this processor, as it was decided last. Not in handlers.
    #[inline(always)]
    pub(crate) fn heir(&'static self, cs: CriticalSection<'_>) -> ThreadRef {
        if several::<S>() {
            return self.next(cs);
        }
        Self::running().heir(cs)
    }

    /// Wakes `thread`, which has been taken out of whatever queue it was in and is a ring of its own.
    /// It becomes the heir if it is more urgent than the present one.
    pub(crate) fn wake(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        thread.wait.set(cs, Wait::NOTHING);
        self.stop_timeout(cs, thread);
        self.end_lent_turn(cs, thread);
        if !thread.urgency.get(cs).has(Urgency::SUSPENDED) {
            self.make_ready(cs, thread);
        }
    }

    /// Ends a decision by waking `thread`, as [`Kernel::wake`] does; the caller does not look at its answer.
    /// The usual case comes first and calls nothing.
    #[inline(always)]
    pub(crate) fn conclude_by_waking(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> OutcomeOf<S> {
        thread.wait.set(cs, Wait::NOTHING);
        self.conclude_by_waking_from_nothing(cs, thread)
    }

    /// The rest of [`Kernel::conclude_by_waking`]: for a thread that waits for nothing any more.
    #[inline(always)]
    pub(crate) fn conclude_by_waking_from_nothing(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> OutcomeOf<S> {
        if thread.urgency.get(cs).is_special() {
            return seldom(self.conclude_by_waking_special(cs, thread));
        }
        self.conclude_by_readying(cs, thread)
    }

    /// The end of [`Kernel::conclude_by_waking`]: for a thread that waits for nothing any more, and about which
    /// nothing is special.
    #[inline(always)]
    pub(crate) fn conclude_by_readying(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> OutcomeOf<S> {
        if several::<S>() {
            if let Some((solo, seat)) = thread.solo(cs) {
                let priority = thread.urgency.get(cs).effective().of_ready();
                let running = Self::running();
                let is_heir = solo.append(&View::<S>::new(cs), seat, thread, priority);
                if !is_heir || !core::ptr::eq(seat, running.0) {
                    return stay::<S>(Status::OK);
                }
                if S::Machine::in_interrupt() {
                    S::Machine::pend_switch();
                    return stay::<S>(Status::OK);
                }
                return OutcomeOf::<S>::switch(running.current(cs).context(), thread.context());
            }
            return seldom(self.conclude_by_readying_elsewhere(cs, thread));
        }
        if self.make_ready(cs, thread) {
            OutcomeOf::<S>::switch(Self::running().current(cs).context(), thread.context())
        } else {
            stay::<S>(Status::OK)
        }
    }

    /// Ends a decision after which the heir of this processor is known: switches to it, at the end of the interrupt in a handler.
    #[inline(always)]
    fn follow_heir(cs: CriticalSection<'_>) -> OutcomeOf<S> {
        let running = Self::running();
        let (current, heir) = (running.current(cs), running.heir(cs));
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
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> OutcomeOf<S> {
        if let Some(cluster) = thread.cluster(cs) {
            let priority = thread.urgency.get(cs).effective().of_ready();
            cluster.append(&View::<S>::new(cs), thread, priority);
            return Self::follow_heir(cs);
        }
        self.make_ready(cs, thread);
        Self::conclude_several(cs, Status::OK, 0)
    }

    #[cold]
    #[inline(never)]
    fn conclude_by_waking_special(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> OutcomeOf<S> {
        self.wake_special(cs, thread);
        Self::conclude_unanswered(cs)
    }

    /// Makes `thread` ready, behind its equals; the heir if it is more urgent than the present one,
    /// which is the answer.
    #[inline(always)]
    pub(crate) fn make_ready(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
        let priority = thread.urgency.get(cs).effective().of_ready();
        if several::<S>() {
            self.admit(cs, thread, priority, Place::Last);
            return Self::decision_is_due();
        }
        if !self.ready.borrow(cs).append(&cs, thread, priority) {
            first_things_first();
            return false;
        }
        first_things_first();
        let running = Self::running();
        let urgent = priority.beats(running.heir(cs).urgency.get(cs).of_ready());
        if urgent {
            running.set_heir(cs, thread);
        }
        urgent
    }

    /// Stops `thread`'s time-out if it runs.
    pub(crate) fn stop_timeout(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if thread.urgency.get(cs).rank() != 0 {
            if several::<S>() {
                return self.stop_timeout_somewhere(cs, thread);
            }
            let earliest = self.timeouts.next(cs);
            self.timeouts.remove(cs, thread);
            if self.timeouts.next(cs) != earliest {
                self.set_alarm(cs);
            }
        }
    }

    /// Wakes `thread` with `error`.
    pub(crate) fn wake_with(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        error: Error,
    ) {
        thread.set_error(cs, error);
        self.wake(cs, thread);
    }

    /// Ends a decision that may have changed the heir: the caller's answer is `status` and `value`,
    /// now or when it is resumed.
    #[inline(always)]
    pub(crate) fn conclude(cs: CriticalSection<'_>, status: Status, value: usize) -> OutcomeOf<S> {
        if several::<S>() {
            return Self::conclude_several(cs, status, value);
        }
        let running = Self::running();
        let (current, heir) = (running.current(cs), running.heir(cs));
        if heir == current {
            return answer::<S>(status, value);
        }
        if !S::Machine::in_interrupt() {
            current.set_answer(cs, status, value);
        }
        OutcomeOf::<S>::switch(current.context(), heir.context())
    }

    /// Like [`Kernel::conclude`] for a caller that does not look at its answer.
    #[inline(always)]
    pub(crate) fn conclude_unanswered(cs: CriticalSection<'_>) -> OutcomeOf<S> {
        if several::<S>() {
            return Self::conclude_several(cs, Status::OK, 0);
        }
        let running = Self::running();
        let (current, heir) = (running.current(cs), running.heir(cs));
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
        cs: CriticalSection<'_>,
        queue: &'static WaitQueue,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if timeout.is_forever() {
            self.block_in_forever(cs, queue)
        } else {
            seldom(self.block_in_with_time(cs, queue, timeout))
        }
    }

    #[cold]
    #[inline(never)]
    fn block_in_with_time(
        &'static self,
        cs: CriticalSection<'_>,
        queue: &'static WaitQueue,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if timeout.is_none() {
            return refuse_to_wait::<S>();
        }
        let current = Self::running().current(cs);
        let outcome = self.block(cs, current, Wait::queue(queue), timeout);
        queue.insert(cs, current);
        outcome
    }

    /// Blocks the running thread in `queue`, however long it takes. The usual case comes first and calls nothing.
    #[inline(always)]
    pub(crate) fn block_in_forever(
        &'static self,
        cs: CriticalSection<'_>,
        queue: &'static WaitQueue,
    ) -> OutcomeOf<S> {
        let current = Self::running().current(cs);
        let urgency = current.urgency.get(cs);
        if !queue.is_empty(cs) || urgency.is_special() {
            return seldom(self.block_behind_others(cs, queue));
        }
        current.wait.set(cs, Wait::queue(queue));
        // The first of a queue is in no ring with others there: it may still be in that of the ready ones.
        queue.insert_first(cs, current);
        first_things_first();
        self.retire(cs, current, urgency.of_ready())
    }

    #[cold]
    #[inline(never)]
    fn block_behind_others(
        &'static self,
        cs: CriticalSection<'_>,
        queue: &'static WaitQueue,
    ) -> OutcomeOf<S> {
        let current = Self::running().current(cs);
        let outcome = self.leave_processor(cs, current);
        current.wait.set(cs, Wait::queue(queue));
        queue.insert(cs, current);
        outcome
    }

    /// Wakes all that wait in `queue` with `error`.
    pub(crate) fn flush(
        &'static self,
        cs: CriticalSection<'_>,
        queue: &'static WaitQueue,
        error: Error,
    ) {
        while let Some(waiter) = queue.first(cs) {
            queue.pop(cs, waiter);
            self.wake_with(cs, waiter, error);
        }
    }

    /// Ends an upcall that may have changed the heir.
    pub(crate) fn conclude_upcall(cs: CriticalSection<'_>) {
        if several::<S>() {
            return Self::tell_handler();
        }
        let running = Self::running();
        if running.heir(cs) != running.current(cs) {
            S::Machine::pend_switch();
        }
    }

    /// Wakes the threads whose time is over.
    pub(crate) fn expire(&'static self, cs: CriticalSection<'_>) {
        if several::<S>() {
            return self.expire_here(cs);
        }
        while let Some(thread) = self.timeouts.pop_due(cs, S::Machine::now()) {
            self.abort(cs, thread, Error::Timeout);
        }
        self.set_alarm(cs);
        Self::conclude_upcall(cs);
    }

    /// Lets the next of the running thread's equals have its turn.
    pub(crate) fn rotate(&'static self, cs: CriticalSection<'_>, current: ThreadRef) {
        self.end_lent_turn(cs, current);
        if several::<S>() {
            return self.replace(cs, current, Place::Last);
        }
        let ready = self.ready.borrow(cs);
        let priority = current.urgency.get(cs).effective();
        if ready.head(priority) == Some(current) && !cs.is_alone(current) {
            ready.rotate(&cs, priority);
            self.reselect(cs);
        }
    }
}
