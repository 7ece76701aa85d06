//! Owns: how the one processor of a system is scheduled: by the ready queue, with the heir at its
//! top.
//! Must never know: other processors, the objects that threads wait for.
//!
//! The running thread stays in its ring (decision 0005), so it is the head of the most urgent one,
//! and to yield to the next of the ring is one load and one store.

#[cfg(feature = "budgets")]
use super::budget::earlier;
use super::{OutcomeOf, answer, compiler_barrier, slice, slow_path, stay};
use crate::critical_section::CriticalSection;
use crate::object::mutex::MutexCore;
use crate::thread::tcb::{Running, ThreadRef, certain};
use crate::thread::urgency::Urgency;
use crate::wait::Wait;
use crate::wait::inherit::Place;
use crate::{Error, Kernel, Priority, System};
use taktos_abi::Status;
use taktos_machine::{Machine, Outcome};
use taktos_schedule::Ring;
#[cfg(feature = "budgets")]
use taktos_time::Instant;

/// Sets the heir; its payer is charged from now on. Not a function: with one more function in
/// between, the compiler lays out others in another way.
macro_rules! set_heir {
    ($kernel:expr, $cs:expr, $running:expr, $heir:expr) => {
        $running.set_heir($cs, $heir);
        #[cfg(feature = "budgets")]
        $kernel.charge_for($cs, $heir);
    };
}
pub(super) use set_heir;

/// When the machine's alarm is wanted first.
#[cfg(feature = "budgets")]
pub(super) fn first_alarm<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
) -> Option<Instant> {
    earlier(kernel.timeouts.next(cs), kernel.budgets.alarm(cs))
}

/// Makes the most urgent ready thread the heir, and names it.
#[inline(always)]
pub(super) fn reselected<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
) -> ThreadRef {
    let heir = certain(kernel.ready.borrow(cs).top());
    set_heir!(kernel, cs, Kernel::<S>::running(), heir);
    heir
}

/// [`Kernel::retire`].
#[inline(always)]
pub(super) fn retire<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    current: ThreadRef,
    priority: Priority,
) -> OutcomeOf<S> {
    let heir = certain(kernel.ready.borrow(cs).retire(&cs, current, priority));
    set_heir!(kernel, cs, Kernel::<S>::running(), heir);
    OutcomeOf::<S>::switch(current.context(), heir.context())
}

/// [`Kernel::retire_for`].
#[inline(always)]
pub(super) fn retire_for<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    current: ThreadRef,
    next: ThreadRef,
) -> ThreadRef {
    let ready = kernel.ready.borrow(cs);
    let priority = current.urgency.get(cs).of_ready();
    let other = next.urgency.get(cs).effective();
    if other == priority {
        ready.replace(&cs, current, next, priority);
        set_heir!(kernel, cs, Kernel::<S>::running(), next);
        return next;
    }
    ready.remove(&cs, current, priority);
    ready.prepend(&cs, next, other);
    reselected(kernel, cs)
}

/// [`Kernel::make_ready`].
#[inline(always)]
pub(super) fn make_ready<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    thread: ThreadRef,
) -> bool {
    let priority = thread.urgency.get(cs).effective().of_ready();
    if !kernel.ready.borrow(cs).append(&cs, thread, priority) {
        compiler_barrier();
        return false;
    }
    compiler_barrier();
    let running = Kernel::<S>::running();
    let urgent = priority.beats(running.heir(cs).urgency.get(cs).of_ready());
    if urgent {
        set_heir!(kernel, cs, running, thread);
    }
    urgent
}

/// [`Kernel::conclude_by_readying`].
#[inline(always)]
pub(super) fn conclude_by_readying<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    thread: ThreadRef,
) -> OutcomeOf<S> {
    if make_ready(kernel, cs, thread) {
        let current = Kernel::<S>::running().current(cs);
        OutcomeOf::<S>::switch(current.context(), thread.context())
    } else {
        stay::<S>(Status::OK)
    }
}

/// [`Kernel::set_urgency`].
#[inline(always)]
pub(super) fn set_urgency<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    thread: ThreadRef,
    new: Urgency,
    place: Place,
) {
    let old = thread.urgency.get(cs);
    if thread.wait.get(cs) != Wait::NOTHING || old.has(Urgency::HELD) {
        return thread.urgency.set(cs, new);
    }
    let ready = kernel.ready.borrow(cs);
    ready.remove(&cs, thread, old.effective());
    thread.urgency.set(cs, new);
    match place {
        Place::Last => {
            ready.append(&cs, thread, new.effective());
        }
        Place::First => ready.prepend(&cs, thread, new.effective()),
    }
}

/// [`Kernel::rotate`]. Nothing for the idle thread, which is in no ring.
pub(super) fn rotate<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    current: ThreadRef,
) {
    let ready = kernel.ready.borrow(cs);
    let priority = current.urgency.get(cs).effective();
    if ready.head(priority) == Some(current) && !cs.is_alone(current) {
        ready.rotate(&cs, priority);
        reselected(kernel, cs);
    }
}

/// [`Kernel::conclude_by_yielding`]. The heir is the first of its ring, and no other ring is more
/// urgent: the next of the ring follows it, even if that is the heir itself. In a thread the heir
/// is the thread; in a handler, the thread that is to run after it.
#[inline(always)]
pub(super) fn conclude_by_yielding<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    running: Running,
) -> OutcomeOf<S> {
    let heir = running.heir(cs);
    let urgency = heir.urgency.get(cs);
    if urgency.is_special() {
        return slow_path(yield_special(kernel, cs, heir));
    }
    let next = kernel
        .ready
        .borrow(cs)
        .advance(&cs, heir, urgency.effective());
    set_heir!(kernel, cs, running, next);
    // In a handler the outcome is not read: the switch is from the thread that runs then.
    OutcomeOf::<S>::switch(heir.context(), next.context())
}

/// The idle thread is special and in no ring: an interrupt came while all others wait.
#[cold]
#[inline(never)]
fn yield_special<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    heir: ThreadRef,
) -> OutcomeOf<S> {
    kernel.rotate_special(cs, heir);
    let next = Kernel::<S>::running().heir(cs);
    OutcomeOf::<S>::switch(heir.context(), next.context())
}

/// [`Kernel::conclude_by_direct_switch`].
#[inline(always)]
pub(super) fn conclude_by_direct_switch<S: System>(
    cs: CriticalSection<'_>,
    sender: ThreadRef,
    receiver: ThreadRef,
    priority: Priority,
) -> OutcomeOf<S> {
    let ready = S::kernel().ready.borrow(cs);
    ready.take_turn(&cs, receiver, sender, priority);
    set_heir!(S::kernel(), cs, Kernel::<S>::running(), receiver);
    OutcomeOf::<S>::switch(sender.context(), receiver.context())
}

/// [`Kernel::conclude_inherit`].
#[inline(always)]
pub(super) fn conclude_inherit<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    current: ThreadRef,
    owner: ThreadRef,
    mutex: &'static MutexCore,
) -> OutcomeOf<S> {
    let ready = kernel.ready.borrow(cs);
    let lent = current.urgency.get(cs).of_ready();
    let urgency = owner.urgency.get(cs);
    current.wait.set(cs, Wait::mutex(mutex));
    ready.remove(&cs, owner, urgency.of_ready());
    owner.urgency.set(cs, urgency.with_effective(lent));
    let heir = ready.exchange(&cs, current, owner, lent);
    mutex.waiters().insert_first(cs, current);
    set_heir!(kernel, cs, Kernel::<S>::running(), heir);
    OutcomeOf::<S>::switch(current.context(), heir.context())
}

/// [`Kernel::conclude_disinherit`].
#[inline(always)]
pub(super) fn conclude_disinherit<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    current: ThreadRef,
    next: ThreadRef,
) -> OutcomeOf<S> {
    let urgency = current.urgency.get(cs);
    let (lent, base) = (urgency.of_ready(), urgency.base());
    let ready = kernel.ready.borrow(cs);
    // Fast path: `next` alone lent, and takes the place that it had lent.
    if lent != base && lent == next.urgency.get(cs).effective() {
        let heir = ready.exchange(&cs, current, next, lent);
        current.urgency.set(cs, urgency.with_effective(base));
        ready.prepend(&cs, current, base);
        set_heir!(kernel, cs, Kernel::<S>::running(), heir);
        return OutcomeOf::<S>::switch(current.context(), heir.context());
    }
    slow_path(give_back_another(kernel, cs, current, next))
}

/// [`conclude_disinherit`] if the running thread inherited nothing, or not from `next`.
#[inline(never)]
fn give_back_another<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    current: ThreadRef,
    next: ThreadRef,
) -> OutcomeOf<S> {
    let urgency = current.urgency.get(cs);
    if urgency.of_ready() != urgency.base() {
        let own = urgency.with_effective(urgency.base());
        set_urgency(kernel, cs, current, own, Place::First);
    }
    let priority = next.urgency.get(cs).effective();
    kernel.ready.borrow(cs).append(&cs, next, priority);
    reselected(kernel, cs);
    conclude_unanswered::<S>(cs)
}

/// [`Kernel::conclude`].
#[inline(always)]
pub(super) fn conclude<S: System>(
    cs: CriticalSection<'_>,
    status: Status,
    value: usize,
) -> OutcomeOf<S> {
    let running = Kernel::<S>::running();
    let (current, heir) = (running.current(cs), running.heir(cs));
    if heir == current {
        return answer::<S>(status, value);
    }
    if !S::Machine::in_interrupt() {
        current.set_answer(cs, status, value);
    }
    OutcomeOf::<S>::switch(current.context(), heir.context())
}

/// [`Kernel::conclude_unanswered`].
#[inline(always)]
pub(super) fn conclude_unanswered<S: System>(cs: CriticalSection<'_>) -> OutcomeOf<S> {
    let running = Kernel::<S>::running();
    let (current, heir) = (running.current(cs), running.heir(cs));
    if heir == current {
        return stay::<S>(Status::OK);
    }
    OutcomeOf::<S>::switch(current.context(), heir.context())
}

/// [`Kernel::conclude_upcall`].
pub(super) fn conclude_upcall<S: System>(cs: CriticalSection<'_>) {
    let running = Kernel::<S>::running();
    if running.heir(cs) != running.current(cs) {
        S::Machine::pend_switch();
    }
}

/// [`Kernel::stop_timeout`] of a thread with a running time-out.
pub(super) fn stop_timeout<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    thread: ThreadRef,
) {
    let earliest = kernel.timeouts.next(cs);
    kernel.timeouts.remove(cs, thread);
    if kernel.timeouts.next(cs) != earliest {
        kernel.set_alarm(cs);
    }
}

/// [`Kernel::expire`].
pub(super) fn expire<S: System>(kernel: &'static Kernel<S>, cs: CriticalSection<'_>) {
    while let Some(thread) = kernel.timeouts.pop_due(cs, S::Machine::now()) {
        kernel.abort(cs, thread, Error::Timeout);
    }
    #[cfg(feature = "budgets")]
    kernel.expire_budgets(cs);
    kernel.set_alarm(cs);
    conclude_upcall::<S>(cs);
}

/// [`Kernel::end_slice`].
pub(super) fn end_slice<S: System>(kernel: &'static Kernel<S>, cs: CriticalSection<'_>) {
    let current = Kernel::<S>::running().current(cs);
    let is_chosen = Kernel::<S>::running().heir(cs) != current;
    if slice::ends::<S>(cs, current, is_chosen) {
        kernel.rotate(cs, current);
        conclude_upcall::<S>(cs);
    }
}
