//! The scheduler as the rest of the kernel sees it, whatever the number of processors.
//!
//! Owns: the one place that knows whether there is one processor: each step is [`uni`]'s or
//! [`smp`]'s, and the compiler keeps one of the two. Must never know: what threads wait for, how
//! either decides.
//!
//! On one processor the ready queue decides, in [`uni`]; on several the scheduling library does, in
//! [`smp`], which costs the lock and little else. [`block`] has what is the same for both: how a
//! thread begins to wait and is woken; [`outcome`], what an operation answers.

mod block;
#[cfg(feature = "budgets")]
mod budget;
mod outcome;
pub(crate) mod slice;
mod smp;
mod uni;

pub(crate) use crate::critical_section::{IntoResult, take_error};
#[cfg(feature = "budgets")]
pub(crate) use budget::{Account, Budgets, Members, earlier, is_same};
pub(crate) use outcome::{OutcomeOf, answer, concluded, fail, refuse_to_wait, stay};
pub(crate) use smp::release;
pub(crate) use taktos_machine::{compiler_barrier, slow_path};

use crate::critical_section::{CriticalSection, Held};
use crate::object::mutex::MutexCore;
use crate::thread::tcb::{Running, ThreadRef};
use crate::thread::urgency::Urgency;
use crate::wait::inherit::Place;
use crate::wait::timeout_queue::TimeoutQueue;
use crate::{Error, Kernel, Priority, System, Upcall};
use taktos_abi::Status;
use taktos_machine::Machine;
use taktos_time::{Duration, Instant};

/// Whether `S` has several processors. Known to the compiler: what belongs to the other case is not
/// in the program.
#[inline(always)]
pub(crate) const fn is_smp<S: System>() -> bool {
    <S::Machine as Machine>::PROCESSORS > 1
}

/// Masks, for a critical section; on several processors a thread for which another one was decided
/// switches away first.
#[inline(always)]
pub(crate) fn hold<S: System>() -> Held<S> {
    loop {
        let held = Held::mask();
        if !must_give_way(&held) {
            return held;
        }
        smp::give_way(held);
    }
}

/// Completes [`hold`] for a section that is held already: for callers that mask without it, since
/// their fast path concerns no thread's turn, and that leave the fast path.
#[inline(always)]
pub(crate) fn finish_hold<S: System>(held: Held<S>) -> Held<S> {
    if must_give_way(&held) {
        smp::give_way(held);
        return hold();
    }
    held
}

/// Returns whether the holder is a thread for which another one was decided, which may be on
/// several processors; a handler never switches away.
#[inline(always)]
fn must_give_way<S: System>(held: &Held<S>) -> bool {
    // In this order: mostly none is due.
    is_smp::<S>() && held.running().must_give_way(held.section()) && !S::Machine::in_interrupt()
}

/// Does `act` while the calling thread stays on its processor: on several with interrupts masked,
/// and without the lock.
#[inline(always)]
pub(crate) fn without_migration<S: System, R>(act: impl FnOnce() -> R) -> R {
    if !is_smp::<S>() {
        return act();
    }
    S::Machine::mask_here();
    let result = act();
    S::Machine::unmask_here();
    result
}

/// The current thread, and the thread that runs next.
impl<S: System> Kernel<S> {
    /// Returns the current thread and the heir of this processor.
    #[inline(always)]
    pub(crate) fn running() -> Running {
        Running(S::processor_of(S::kernel()))
    }

    /// Returns the current thread and the heir of this processor, in the section that `mask` is of.
    #[inline(always)]
    pub(crate) fn running_in(mask: <S::Machine as Machine>::Mask) -> Running {
        if is_smp::<S>() {
            Running(S::Machine::processor_of(mask))
        } else {
            Self::running()
        }
    }

    /// Whether the registers of `thread` are in a processor.
    pub(crate) fn is_running(cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
        if is_smp::<S>() {
            Self::holder_of(thread).is_some()
        } else {
            Self::running().current(cs) == thread
        }
    }

    /// Makes the most urgent ready thread the heir. On several processors the heir is determined
    /// when it is queried.
    #[inline(always)]
    pub(crate) fn reselect(&'static self, cs: CriticalSection<'_>) {
        if !is_smp::<S>() {
            uni::reselected(self, cs);
        }
    }

    /// Makes the most urgent ready thread the heir, and names it; on several processors, the one
    /// for this processor.
    #[inline(always)]
    pub(crate) fn reselected(&'static self, cs: CriticalSection<'_>) -> ThreadRef {
        if is_smp::<S>() {
            self.next(cs)
        } else {
            uni::reselected(self, cs)
        }
    }

    /// Returns the thread that is to run on this processor, as it was decided last. Not in
    /// handlers.
    #[inline(always)]
    pub(crate) fn heir(&'static self, cs: CriticalSection<'_>) -> ThreadRef {
        if is_smp::<S>() {
            self.next(cs)
        } else {
            Self::running().heir(cs)
        }
    }

    /// Ends an operation that may have changed the heir: the caller's answer is `status` and
    /// `value`, now or when it is resumed.
    #[inline(always)]
    pub(crate) fn conclude(cs: CriticalSection<'_>, status: Status, value: usize) -> OutcomeOf<S> {
        if is_smp::<S>() {
            Self::conclude_several(cs, status, value)
        } else {
            uni::conclude::<S>(cs, status, value)
        }
    }

    /// Like [`Kernel::conclude`] for a caller that does not look at its answer.
    #[inline(always)]
    pub(crate) fn conclude_unanswered(cs: CriticalSection<'_>) -> OutcomeOf<S> {
        if is_smp::<S>() {
            Self::conclude_several(cs, Status::OK, 0)
        } else {
            uni::conclude_unanswered::<S>(cs)
        }
    }

    /// Ends an upcall that may have changed the heir.
    pub(crate) fn conclude_upcall(cs: CriticalSection<'_>) {
        if is_smp::<S>() {
            Self::request_switch_on_exit();
        } else {
            uni::conclude_upcall::<S>(cs);
        }
    }

    /// Like [`Kernel::conclude_unanswered`] in an operation that no handler begins.
    #[inline(always)]
    pub(crate) fn conclude_unanswered_in_thread(cs: CriticalSection<'_>) -> OutcomeOf<S> {
        if is_smp::<S>() {
            Self::conclude_in_thread(cs, Status::OK, 0)
        } else {
            uni::conclude_unanswered::<S>(cs)
        }
    }

    /// Ends an operation of the running thread's that changed nothing but its own priority,
    /// upwards.
    #[inline(always)]
    pub(crate) fn conclude_raised(cs: CriticalSection<'_>) -> OutcomeOf<S> {
        if is_smp::<S>() {
            Self::conclude_in_thread(cs, Status::OK, 0)
        } else {
            stay::<S>(Status::OK)
        }
    }
}

/// Threads become ready, block, take turns.
impl<S: System> Kernel<S> {
    /// Makes `thread` ready, behind its equals. It becomes the heir if it is more urgent than the
    /// present one, which is the answer.
    #[inline(always)]
    pub(crate) fn make_ready(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
        if is_smp::<S>() {
            smp::make_ready(self, cs, thread)
        } else {
            uni::make_ready(self, cs, thread)
        }
    }

    /// Makes `thread` ready, in front of its equals, unless it is suspended. The caller then
    /// queries the thread that runs next.
    pub(crate) fn make_ready_first(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let urgency = thread.urgency.get(cs);
        if urgency.has(Urgency::HELD) {
            return;
        }
        if is_smp::<S>() {
            self.enter_ready(cs, thread, Place::First);
        } else {
            self.ready
                .borrow(cs)
                .prepend(&cs, thread, urgency.effective());
        }
    }

    /// Ends an operation by making `thread`, about which nothing is special, ready.
    #[inline(always)]
    pub(crate) fn conclude_by_readying(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> OutcomeOf<S> {
        if is_smp::<S>() {
            smp::conclude_by_readying(self, cs, thread)
        } else {
            uni::conclude_by_readying(self, cs, thread)
        }
    }

    /// Takes `thread`, which is ready, from the ready ones. The caller then queries the thread that
    /// runs next.
    #[inline(always)]
    pub(crate) fn dequeue_ready(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if is_smp::<S>() {
            self.leave_ready(cs, thread);
        } else {
            let priority = thread.urgency.get(cs).effective();
            self.ready.borrow(cs).remove(&cs, thread, priority);
        }
    }

    /// Takes the running thread, which waits from now on and about which nothing is special, off
    /// the processor. Names the thread that runs next.
    #[inline(always)]
    pub(crate) fn retire(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        priority: Priority,
    ) -> OutcomeOf<S> {
        if is_smp::<S>() {
            smp::retire(self, cs, current, priority)
        } else {
            uni::retire(self, cs, current, priority)
        }
    }

    /// Takes the running thread, which waits from now on, off the processor, and makes `next`,
    /// which neither waits nor is suspended, ready in front of its equals. Names the thread
    /// that runs next.
    #[inline(always)]
    pub(crate) fn retire_for(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        next: ThreadRef,
    ) -> ThreadRef {
        if is_smp::<S>() {
            smp::retire_for(self, cs, current, next)
        } else {
            uni::retire_for(self, cs, current, next)
        }
    }

    /// Gives `thread`, be it ready or not, the priorities `new`, among its new equals as `place`
    /// says.
    #[inline(always)]
    pub(crate) fn set_urgency(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        new: Urgency,
        place: Place,
    ) {
        if is_smp::<S>() {
            self.change_urgency(cs, thread, new, place);
        } else {
            uni::set_urgency(self, cs, thread, new, place);
        }
    }

    /// Lets the next of the running thread's equals have its turn.
    pub(crate) fn rotate(&'static self, cs: CriticalSection<'_>, current: ThreadRef) {
        self.end_lent_turn(cs, current);
        if is_smp::<S>() {
            self.requeue(cs, current, Place::Last);
        } else {
            uni::rotate(self, cs, current);
        }
    }

    /// Puts the running thread in front of its equals.
    #[inline(always)]
    pub(crate) fn bring_to_front(&'static self, cs: CriticalSection<'_>, current: ThreadRef) {
        let priority = current.urgency.get(cs).effective();
        if is_smp::<S>() {
            self.requeue(cs, current, Place::First);
        } else {
            self.ready.borrow(cs).bring_to_front(&cs, current, priority);
        }
    }

    /// Gives the turn of the thread that is to run on this processor, `running`, to the next of its
    /// equals.
    #[inline(always)]
    pub(crate) fn conclude_by_yielding(
        &'static self,
        cs: CriticalSection<'_>,
        running: Running,
    ) -> OutcomeOf<S> {
        if is_smp::<S>() {
            smp::conclude_by_yielding::<S>(cs, running)
        } else {
            uni::conclude_by_yielding(self, cs, running)
        }
    }
}

/// Priorities are lent, and given back.
impl<S: System> Kernel<S> {
    /// Ends an operation of the running thread, `current`, by its wait for `mutex`. It is the only
    /// waiter, and `owner`, which is ready, inherits its priority. Nothing is special about either
    /// thread.
    #[inline(always)]
    pub(crate) fn conclude_inherit(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        owner: ThreadRef,
        mutex: &'static MutexCore,
    ) -> OutcomeOf<S> {
        if is_smp::<S>() {
            smp::conclude_inherit(self, cs, current, owner, mutex)
        } else {
            uni::conclude_inherit(self, cs, current, owner, mutex)
        }
    }

    /// Ends an operation of the running thread, `current`, that takes what it inherited from it,
    /// and makes `next` ready.
    #[inline(always)]
    pub(crate) fn conclude_disinherit(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
        next: ThreadRef,
    ) -> OutcomeOf<S> {
        if is_smp::<S>() {
            smp::conclude_disinherit(self, cs, current, next)
        } else {
            uni::conclude_disinherit(self, cs, current, next)
        }
    }
}

/// Direct switches: a receiver takes its sender's turn.
impl<S: System> Kernel<S> {
    /// Ends a send by a direct switch. `sender` runs; `receiver` has the same `priority`, no
    /// time-out, and is not suspended. On several processors the receiver may run elsewhere if the
    /// two share no queue.
    #[inline(always)]
    pub(crate) fn conclude_by_direct_switch(
        cs: CriticalSection<'_>,
        sender: ThreadRef,
        receiver: ThreadRef,
        priority: Priority,
    ) -> OutcomeOf<S> {
        if is_smp::<S>() {
            smp::conclude_by_direct_switch::<S>(cs, sender, receiver, priority)
        } else {
            uni::conclude_by_direct_switch::<S>(cs, sender, receiver, priority)
        }
    }

    /// Returns whether `receiver`, which waits, may get the turn of `sender`, which runs here and
    /// has the priority `own`.
    #[inline(always)]
    pub(crate) fn may_direct_switch(
        &'static self,
        cs: CriticalSection<'_>,
        sender: ThreadRef,
        receiver: ThreadRef,
        own: Priority,
    ) -> bool {
        if is_smp::<S>() {
            self.may_direct_switch_several(cs, sender, receiver)
        } else {
            self.ready.borrow(cs).head(own) == Some(sender)
        }
    }

    /// Makes `receiver` take the turn of `sender`, which moves after its equals, those of the
    /// priority `own`.
    #[inline(always)]
    pub(crate) fn direct_switch(
        &'static self,
        cs: CriticalSection<'_>,
        sender: ThreadRef,
        receiver: ThreadRef,
        own: Priority,
    ) {
        if is_smp::<S>() {
            self.direct_switch_several(cs, sender, receiver);
        } else {
            self.ready.borrow(cs).take_turn(&cs, receiver, sender, own);
            uni::set_heir!(self, cs, Self::running(), receiver);
        }
    }
}

/// Time.
impl<S: System> Kernel<S> {
    /// The time-outs that this processor's alarm is for: where that of `thread` begins.
    pub(crate) fn timeouts_here(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> &'static TimeoutQueue {
        if is_smp::<S>() {
            self.timeouts_begun_here(cs, thread)
        } else {
            &self.timeouts
        }
    }

    /// When the first time-out that began on this processor is over.
    pub(crate) fn first_timeout(&'static self, cs: CriticalSection<'_>) -> Option<Instant> {
        if is_smp::<S>() {
            Self::first_timeout_here(cs)
        } else {
            #[cfg(not(feature = "budgets"))]
            return self.timeouts.next(cs);
            #[cfg(feature = "budgets")]
            uni::first_alarm(self, cs)
        }
    }

    /// Sets this processor's alarm to what comes first.
    pub(crate) fn set_alarm(&'static self, cs: CriticalSection<'_>) {
        if is_smp::<S>() {
            self.set_alarm_here(cs);
        } else {
            #[cfg(not(feature = "budgets"))]
            S::Machine::set_alarm(self.timeouts.next(cs));
            #[cfg(feature = "budgets")]
            S::Machine::set_alarm(uni::first_alarm(self, cs));
        }
    }

    /// Stops `thread`'s time-out if it runs.
    pub(crate) fn stop_timeout(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if thread.urgency.get(cs).rank() == 0 {
            return;
        }
        if is_smp::<S>() {
            return self.stop_timeout_somewhere(cs, thread);
        }
        uni::stop_timeout(self, cs, thread);
    }

    /// Handles the alarm of this processor: wakes the threads with a time-out that is over.
    pub(crate) fn expire(&'static self, upcall: &Upcall<S>) {
        if is_smp::<S>() {
            self.expire_here(hold::<S>().section());
        } else {
            uni::expire(self, upcall.section());
        }
    }

    /// Handles the end of the time slice of the thread that runs here: the thread moves after its
    /// equals.
    pub(crate) fn end_slice(&'static self, upcall: &Upcall<S>) {
        if is_smp::<S>() {
            Self::end_slice_here();
        } else {
            uni::end_slice(self, upcall.section());
        }
    }

    /// Another processor has called this one.
    pub(crate) fn called() {
        if is_smp::<S>() {
            Self::handle_ipi();
        }
    }
}

/// Threads come and go.
impl<S: System> Kernel<S> {
    /// Makes `thread`, which begins to exist, known to the scheduler. Errors: `NoMemory` if there
    /// is no space for it.
    pub(crate) fn register(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        priority: Priority,
    ) -> Result<(), Error> {
        if is_smp::<S>() && priority != Priority::IDLE {
            self.register_thread(cs, thread, priority)?;
        }
        Ok(())
    }

    /// Returns the priority with which `thread`, which was `created` with one, begins again: on
    /// several processors that with which it came to its instance, where others' priorities mean
    /// nothing.
    pub(crate) fn initial_priority(
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        created: Priority,
    ) -> Priority {
        if is_smp::<S>() {
            Self::initial_priority_in_instance(cs, thread).unwrap_or(created)
        } else {
            created
        }
    }

    /// Takes back what the scheduler has lent `thread`, which has ended, and forgets it if it
    /// `is_deleted`.
    pub(crate) fn unregister(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        is_deleted: bool,
    ) {
        if !is_smp::<S>() {
            return;
        }
        thread.set_leaving(cs, Self::is_running(cs, thread));
        self.give_up_locks(cs, thread);
        if is_deleted {
            self.remove_thread(cs, thread);
        }
    }

    /// Holds the section while no other processor runs `thread` if it has ended. A processor may
    /// still be on its way from the thread: this waits for the time of that processor's interrupt.
    /// It takes no time on one processor. Errors: `State` if the caller is a handler that
    /// interrupted the thread.
    #[inline(always)]
    pub(crate) fn hold_off_processors(thread: ThreadRef) -> Result<Held<S>, Error> {
        if is_smp::<S>() {
            smp::hold_off_processors(thread)
        } else {
            Ok(hold())
        }
    }

    /// Checks for decisions before the idle thread lets the processor sleep: other processors may
    /// have decided before their interrupt could come.
    pub(crate) fn look_before_sleep() {
        if is_smp::<S>() {
            drop(hold::<S>());
        }
    }

    /// Gives the thread a job with this deadline, or none. The caller then queries the thread that
    /// runs next. On one processor priorities are fixed, and this does nothing.
    pub(crate) fn set_deadline(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        deadline: Option<Instant>,
    ) {
        if is_smp::<S>() {
            self.set_job(cs, thread, deadline);
        }
    }

    /// Returns the processor time that `thread` has had since it was created; zero on one
    /// processor, where it is not counted.
    pub(crate) fn time_of(cs: CriticalSection<'_>, thread: ThreadRef) -> Duration {
        if is_smp::<S>() {
            Self::lifetime(cs, thread)
        } else {
            Duration::ZERO
        }
    }
}
