//! Owns: the one way to block a thread and the one way to wake it. Must never know: the objects
//! that threads wait for, the choice of the thread that runs next.

use super::{OutcomeOf, compiler_barrier, refuse_to_wait, slow_path};
use crate::critical_section::CriticalSection;

use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::wait::{Wait, WaitQueue};
use crate::{Kernel, System};
use taktos_abi::{Error, Timeout};
use taktos_machine::Machine;

impl<S: System> Kernel<S> {
    /// Blocks the running thread for `wait`, until it is woken or the time is over; it is resumed
    /// with success, as in [`IntoResult`], unless it is woken with something else. Names the thread
    /// that runs next.
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
            compiler_barrier();
        }
        outcome
    }

    /// [`Kernel::block`], and makes `next`, which waits for nothing any more, ready in front of its
    /// equals, unless it is suspended. Names the thread that runs next.
    #[inline(always)]
    pub(crate) fn block_for(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        next: ThreadRef,
        wait: Wait,
        timeout: Timeout,
    ) -> ThreadRef {
        current.wait.set(cs, wait);
        if !timeout.is_forever() {
            self.start_timeout(cs, current, timeout);
        }
        let heir = if next.urgency.get(cs).has(Urgency::HELD) {
            self.dequeue_ready(cs, current);
            self.reselected(cs)
        } else {
            self.retire_for(cs, current, next)
        };
        if current.urgency.get(cs).is_special() {
            self.leave_special(cs, current);
        }
        heir
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

    /// Wakes `thread`, which has been taken out of whatever queue it was in and is a ring of its
    /// own. It becomes the heir if it is more urgent than the present one. In place of a stand-in,
    /// its thread is woken.
    pub(crate) fn wake(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        thread.wait.set(cs, Wait::NOTHING);
        self.stop_timeout(cs, thread);
        if thread.urgency.get(cs).has(Urgency::LENT_TURN) {
            self.end_lent_turn_or_poll(cs, thread);
        }
        if !thread.urgency.get(cs).has(Urgency::HELD) {
            self.make_ready(cs, thread);
        }
    }

    /// Ends a decision by waking `thread`, as [`Kernel::wake`] does; the caller does not read its
    /// answer. The fast path comes first and calls nothing.
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
            return slow_path(self.conclude_by_waking_special(cs, thread));
        }
        self.conclude_by_readying(cs, thread)
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

    /// Blocks the running thread in `queue`; refuses without a time to wait. The fast path comes
    /// first and calls nothing.
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
            slow_path(self.block_in_with_time(cs, queue, timeout))
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

    /// Blocks the running thread in `queue`, however long it takes. The fast path comes first and
    /// calls nothing.
    #[inline(always)]
    pub(crate) fn block_in_forever(
        &'static self,
        cs: CriticalSection<'_>,
        queue: &'static WaitQueue,
    ) -> OutcomeOf<S> {
        let current = Self::running().current(cs);
        let urgency = current.urgency.get(cs);
        if !queue.is_empty(cs) || urgency.is_special() {
            return slow_path(self.block_behind_others(cs, queue));
        }
        current.wait.set(cs, Wait::queue(queue));
        // The first of a queue is in no ring with others there: it may still be in that of the
        // ready ones.
        queue.insert_first(cs, current);
        compiler_barrier();
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
}
