//! Owns: how the processors of a system with several are scheduled where the thread's instance has
//! one of them: by its ready queue, which is that of a system with one. The other ways are kept out
//! of line, so that they cost this one nothing. Must never know: what threads wait for.
//!
//! A thread enters the kernel only while it is not decided that another one is to run in its place:
//! [`hold`] ensures that. So the running thread is always ready, as on one processor.

use super::{OutcomeOf, hold, slice, slow_path, stay};
use crate::critical_section::{CriticalSection, Held, Operation};
use crate::object::mutex::MutexCore;
use crate::smp::View;
use crate::thread::tcb::{Decider, EdfSeats, Home, Running, ServedSeats, ThreadRef};
use crate::wait::Wait;
use crate::wait::inherit::Place;
use crate::{Error, Kernel, Priority, System};
use core::marker::PhantomData;
use taktos_abi::{Status, Timeout};
use taktos_machine::{Machine, Outcome};
use taktos_schedule::smp::seats::{Deadlines, Rows, Waiting};

/// [`Kernel::make_ready`]; whether another thread is to run here, rather.
#[inline(always)]
pub(super) fn make_ready<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    thread: ThreadRef,
) -> bool {
    kernel.enter_ready(cs, thread, Place::Last);
    Kernel::<S>::decision_is_due()
}

/// [`Kernel::retire`].
#[inline(always)]
pub(super) fn retire<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    current: ThreadRef,
    priority: Priority,
) -> OutcomeOf<S> {
    if let Some((solo, seat)) = current.solo(cs) {
        let heir = solo.retire(&View::<S>::new(cs), seat, current, priority);
        return OutcomeOf::<S>::switch(current.context(), heir.context());
    }
    slow_path(retire_elsewhere(kernel, cs, current, priority))
}

/// Where the thread's instance has several processors, or is watched.
#[inline(never)]
fn retire_elsewhere<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    current: ThreadRef,
    priority: Priority,
) -> OutcomeOf<S> {
    let (view, here) = (View::<S>::new(cs), S::Machine::processor());
    if let Some(cluster) = current.cluster(cs) {
        let heir = cluster.retire(&view, here, current, priority);
        return OutcomeOf::<S>::switch(current.context(), heir.context());
    }
    match current.edf(cs) {
        Some(edf) => slow_path(retire_edf::<S>(cs, edf, current)),
        None => slow_path(kernel.block_running(cs, current)),
    }
}

/// [`retire_elsewhere`] if deadlines count.
#[inline(never)]
fn retire_edf<S: System>(
    cs: CriticalSection<'_>,
    edf: EdfSeats,
    current: ThreadRef,
) -> OutcomeOf<S> {
    let (view, here) = (View::<S>::new(cs), S::Machine::processor());
    let heir = edf.retire(&view, here, current, Deadlines::urgency(&view, current));
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
    if let Some((solo, seat)) = current.solo(cs)
        && current.shares_home(cs, next)
    {
        return solo.retire_for(&View::<S>::new(cs), seat, current, next);
    }
    let _ = retire(kernel, cs, current, current.urgency.get(cs).of_ready());
    kernel.enter_ready(cs, next, Place::First);
    kernel.next(cs)
}

/// [`Kernel::conclude_by_readying`].
#[inline(always)]
pub(super) fn conclude_by_readying<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    thread: ThreadRef,
) -> OutcomeOf<S> {
    let Some((solo, seat)) = thread.solo(cs) else {
        return slow_path(conclude_by_readying_elsewhere(kernel, cs, thread));
    };
    let priority = thread.urgency.get(cs).effective().of_ready();
    let running = Kernel::<S>::running();
    let is_heir = solo.append(&View::<S>::new(cs), seat, thread, priority);
    if !is_heir || !core::ptr::eq(seat, running.0) {
        return stay::<S>(Status::OK);
    }
    if S::Machine::in_interrupt() {
        S::Machine::pend_switch();
        return stay::<S>(Status::OK);
    }
    OutcomeOf::<S>::switch(running.current(cs).context(), thread.context())
}

/// Where the thread's instance has several processors, or is watched.
#[inline(never)]
fn conclude_by_readying_elsewhere<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    thread: ThreadRef,
) -> OutcomeOf<S> {
    if let Some(cluster) = thread.cluster(cs) {
        let priority = thread.urgency.get(cs).effective().of_ready();
        cluster.enter(&View::<S>::new(cs), thread, priority, Place::Last);
        return follow_heir::<S>(cs);
    }
    match thread.edf(cs) {
        Some(edf) => slow_path(conclude_by_readying_edf::<S>(cs, edf, thread)),
        None => slow_path(conclude_by_readying_open(kernel, cs, thread)),
    }
}

/// Where the thread's instance is watched, affinities count there, or threads may have servers.
#[inline(never)]
fn conclude_by_readying_open<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    thread: ThreadRef,
) -> OutcomeOf<S> {
    if let Some(served) = thread.served(cs) {
        return slow_path(conclude_by_readying_served::<S>(cs, served, thread));
    }
    if let Some(masked) = thread.masked(cs) {
        masked.ready(&View::<S>::new(cs), thread, Place::Last);
    } else if let Some(affine) = thread.home(cs).and_then(Home::affine) {
        affine.ready(&View::<S>::new(cs), thread, Place::Last);
    } else {
        kernel.enter_ready_elsewhere(cs, thread, Place::Last);
    }
    Kernel::<S>::conclude_several(cs, Status::OK, 0)
}

/// [`conclude_by_readying_open`] if threads may have servers.
#[inline(never)]
fn conclude_by_readying_served<S: System>(
    cs: CriticalSection<'_>,
    served: ServedSeats,
    thread: ThreadRef,
) -> OutcomeOf<S> {
    Kernel::<S>::enter_ready_served(cs, served, thread, Place::Last);
    follow_heir::<S>(cs)
}

/// [`conclude_by_readying_elsewhere`] if deadlines count.
#[inline(never)]
fn conclude_by_readying_edf<S: System>(
    cs: CriticalSection<'_>,
    edf: EdfSeats,
    thread: ThreadRef,
) -> OutcomeOf<S> {
    let view = View::<S>::new(cs);
    let Some(level) = Deadlines::urgency_without_job(&view, thread) else {
        return slow_path(conclude_by_readying_job::<S>(cs, edf, thread));
    };
    edf.enter(&view, thread, level, Place::Last);
    follow_heir::<S>(cs)
}

/// [`conclude_by_readying_edf`] of a thread that has a job.
#[inline(never)]
fn conclude_by_readying_job<S: System>(
    cs: CriticalSection<'_>,
    edf: EdfSeats,
    thread: ThreadRef,
) -> OutcomeOf<S> {
    let view = View::<S>::new(cs);
    edf.enter(
        &view,
        thread,
        Deadlines::urgency_of_job(&view, thread),
        Place::Last,
    );
    follow_heir::<S>(cs)
}

/// Ends an operation by which no heir became unknown: switches to that of this processor, at the
/// end of the interrupt in a handler, where it may have been unknown before.
#[inline(always)]
fn follow_heir<S: System>(cs: CriticalSection<'_>) -> OutcomeOf<S> {
    let running = Kernel::<S>::running();
    if !running.must_give_way(cs) {
        return stay::<S>(Status::OK);
    }
    if S::Machine::in_interrupt() {
        S::Machine::pend_switch();
        return stay::<S>(Status::OK);
    }
    let (current, heir) = (running.current(cs), running.heir(cs));
    OutcomeOf::<S>::switch(current.context(), heir.context())
}

/// [`Kernel::conclude_by_yielding`]: as on one processor where the heir's instance has one; the
/// heir may be unknown where threads have affinities, or seats are lent, and a decision is due.
#[inline(always)]
pub(super) fn conclude_by_yielding<S: System>(
    cs: CriticalSection<'_>,
    running: Running,
) -> OutcomeOf<S> {
    if running.0.heir.get().is_null() {
        return slow_path(yield_open::<S>(cs, running));
    }
    let heir = running.heir(cs);
    let urgency = heir.urgency.get(cs);
    if urgency.is_special() {
        return slow_path(yield_open::<S>(cs, running));
    }
    if let Some((solo, seat)) = heir.solo(cs) {
        let next = solo.advance(&View::<S>::new(cs), seat, heir, urgency.effective());
        return OutcomeOf::<S>::switch(heir.context(), next.context());
    }
    slow_path(yield_elsewhere::<S>(cs, running, heir, urgency.effective()))
}

/// Where the heir's instance has several processors, or is watched; nothing is special about the
/// heir.
#[inline(never)]
fn yield_elsewhere<S: System>(
    cs: CriticalSection<'_>,
    running: Running,
    heir: ThreadRef,
    priority: Priority,
) -> OutcomeOf<S> {
    if let Some(cluster) = heir.cluster(cs) {
        let next = cluster.advance(&View::<S>::new(cs), running.0, heir, priority);
        return OutcomeOf::<S>::switch(heir.context(), next.context());
    }
    match heir.edf(cs) {
        Some(edf) => slow_path(yield_edf::<S>(cs, running, heir, edf)),
        None => {
            core::hint::cold_path();
            slow_path(yield_other::<S>(cs, running, heir))
        }
    }
}

/// Where the heir's instance is watched, affinities count there, or threads may have servers.
#[inline(never)]
fn yield_other<S: System>(
    cs: CriticalSection<'_>,
    running: Running,
    heir: ThreadRef,
) -> OutcomeOf<S> {
    if let Some(served) = heir.served(cs) {
        return slow_path(yield_served::<S>(cs, running, heir, served));
    }
    match heir.decider(cs) {
        // In a handler the heir may become unknown, and must not be queried.
        Some(Decider::Masked(masked)) if !S::Machine::in_interrupt() => {
            masked.requeue(&View::<S>::new(cs), heir, Place::Last);
            S::kernel().go_on(cs, heir)
        }
        Some(Decider::Affine(affine)) if !S::Machine::in_interrupt() => {
            affine.requeue(&View::<S>::new(cs), heir, Place::Last);
            S::kernel().go_on(cs, heir)
        }
        _ => slow_path(yield_open::<S>(cs, running)),
    }
}

/// [`yield_other`] if threads may have servers.
#[inline(never)]
fn yield_served<S: System>(
    cs: CriticalSection<'_>,
    running: Running,
    heir: ThreadRef,
    served: ServedSeats,
) -> OutcomeOf<S> {
    let view = View::<S>::new(cs);
    let next = served.advance(&view, running.0, heir, Deadlines::urgency(&view, heir));
    OutcomeOf::<S>::switch(heir.context(), next.context())
}

/// [`conclude_by_yielding`] if deadlines count.
#[inline(never)]
fn yield_edf<S: System>(
    cs: CriticalSection<'_>,
    running: Running,
    heir: ThreadRef,
    edf: EdfSeats,
) -> OutcomeOf<S> {
    let view = View::<S>::new(cs);
    let Some(level) = Deadlines::urgency_without_job(&view, heir) else {
        return slow_path(yield_job::<S>(cs, running, heir, edf));
    };
    let next = edf.advance(&view, running.0, heir, level);
    OutcomeOf::<S>::switch(heir.context(), next.context())
}

/// [`yield_edf`] of an heir that has a job.
#[inline(never)]
fn yield_job<S: System>(
    cs: CriticalSection<'_>,
    running: Running,
    heir: ThreadRef,
    edf: EdfSeats,
) -> OutcomeOf<S> {
    let view = View::<S>::new(cs);
    let next = edf.advance(
        &view,
        running.0,
        heir,
        Deadlines::urgency_of_job(&view, heir),
    );
    OutcomeOf::<S>::switch(heir.context(), next.context())
}

#[cold]
#[inline(never)]
fn yield_open<S: System>(cs: CriticalSection<'_>, running: Running) -> OutcomeOf<S> {
    S::kernel().give_turn_away(cs, running.current(cs))
}

/// Returns whether `thread`, which ran until now, is ready, and none that waits for a processor
/// comes before it. The decider of a watched instance is not queried for the latter.
pub(super) fn keeps_place<S: System>(cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
    let view = View::<S>::new(cs);
    if !view.is_ready(thread) {
        return false;
    }
    let decider = thread.decider(cs);
    decider.is_none_or(|decider| decider.keeps_place(&view, thread))
}

/// [`Kernel::conclude_by_direct_switch`].
#[inline(always)]
pub(super) fn conclude_by_direct_switch<S: System>(
    cs: CriticalSection<'_>,
    sender: ThreadRef,
    receiver: ThreadRef,
    priority: Priority,
) -> OutcomeOf<S> {
    if let Some((solo, seat)) = sender.solo(cs)
        && sender.shares_home(cs, receiver)
    {
        solo.take_turn(&View::<S>::new(cs), seat, receiver, sender, priority);
        return OutcomeOf::<S>::switch(sender.context(), receiver.context());
    }
    slow_path(direct_switch_elsewhere::<S>(cs, sender, receiver))
}

/// [`conclude_by_direct_switch`] in an instance of several processors, or where the threads share
/// none.
#[inline(never)]
fn direct_switch_elsewhere<S: System>(
    cs: CriticalSection<'_>,
    sender: ThreadRef,
    receiver: ThreadRef,
) -> OutcomeOf<S> {
    if !sender.shares_home(cs, receiver) {
        return slow_path(direct_switch::<S>(cs, sender, receiver));
    }
    let (view, here) = (View::<S>::new(cs), S::Machine::processor());
    if let Some(cluster) = sender.cluster(cs) {
        let priority = receiver.urgency.get(cs).effective();
        let heir = cluster.take_turn(&view, here, receiver, sender, priority);
        return OutcomeOf::<S>::switch(sender.context(), heir.context());
    }
    slow_path(direct_switch_edf::<S>(cs, sender, receiver))
}

/// [`direct_switch_elsewhere`] if deadlines count.
#[inline(never)]
fn direct_switch_edf<S: System>(
    cs: CriticalSection<'_>,
    sender: ThreadRef,
    receiver: ThreadRef,
) -> OutcomeOf<S> {
    let view = View::<S>::new(cs);
    let Some(edf) = sender.edf(cs) else {
        return slow_path(direct_switch::<S>(cs, sender, receiver));
    };
    let levels = [sender, receiver].map(|thread| Deadlines::urgency_without_job(&view, thread));
    let ([Some(level), Some(_)], here) = (levels, S::Machine::processor()) else {
        return slow_path(direct_switch_job::<S>(cs, edf, sender, receiver));
    };
    // Of one priority, as the caller has seen.
    let heir = edf.take_turn(&view, here, receiver, sender, level);
    OutcomeOf::<S>::switch(sender.context(), heir.context())
}

/// [`direct_switch_edf`] if one of the threads has a job.
#[inline(never)]
fn direct_switch_job<S: System>(
    cs: CriticalSection<'_>,
    edf: EdfSeats,
    sender: ThreadRef,
    receiver: ThreadRef,
) -> OutcomeOf<S> {
    let (view, here) = (View::<S>::new(cs), S::Machine::processor());
    let heir = edf.take_turn_of(&view, here, receiver, sender);
    OutcomeOf::<S>::switch(sender.context(), heir.context())
}

/// [`conclude_by_direct_switch`] where the threads share no queue: the receiver may run elsewhere.
#[inline(never)]
fn direct_switch<S: System>(
    cs: CriticalSection<'_>,
    sender: ThreadRef,
    receiver: ThreadRef,
) -> OutcomeOf<S> {
    let kernel = S::kernel();
    if kernel.may_direct_switch_several(cs, sender, receiver) {
        kernel.direct_switch_several(cs, sender, receiver);
    } else {
        kernel.enter_ready(cs, receiver, Place::Last);
    }
    let heir = kernel.next(cs);
    if heir == sender {
        return stay::<S>(Status::OK);
    }
    slice::is_kept_for::<S>(sender, heir, Some(receiver));
    OutcomeOf::<S>::switch(sender.context(), heir.context())
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
    current.wait.set(cs, Wait::mutex(mutex));
    if let Some((solo, seat)) = current.solo(cs)
        && current.shares_home(cs, owner)
    {
        let lent = current.urgency.get(cs).of_ready();
        let new = owner.urgency.get(cs).with_effective(lent);
        let set = || owner.urgency.set(cs, new);
        let heir = solo.lend(&View::<S>::new(cs), seat, current, owner, set);
        mutex.waiters().insert_first(cs, current);
        return OutcomeOf::<S>::switch(current.context(), heir.context());
    }
    slow_path(lend_elsewhere(kernel, cs, current, owner, mutex))
}

/// Where the threads' instances are others, have several processors, or are watched.
#[inline(never)]
fn lend_elsewhere<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    current: ThreadRef,
    owner: ThreadRef,
    mutex: &'static MutexCore,
) -> OutcomeOf<S> {
    let lent = current.urgency.get(cs).of_ready();
    let _ = retire(kernel, cs, current, lent);
    mutex.waiters().insert_first(cs, current);
    let new = owner.urgency.get(cs).with_effective(lent);
    kernel.change_urgency(cs, owner, new, Place::Last);
    kernel.go_on(cs, current)
}

/// [`Kernel::conclude_disinherit`].
pub(super) fn conclude_disinherit<S: System>(
    kernel: &'static Kernel<S>,
    cs: CriticalSection<'_>,
    current: ThreadRef,
    next: ThreadRef,
) -> OutcomeOf<S> {
    let urgency = current.urgency.get(cs);
    let (lent, base) = (urgency.of_ready(), urgency.base());
    if lent != base {
        let back = urgency.with_effective(base);
        let view = View::<S>::new(cs);
        let set = || current.urgency.set(cs, back);
        match current.solo(cs) {
            Some((solo, seat))
                if lent == next.urgency.get(cs).effective() && current.shares_home(cs, next) =>
            {
                let heir = solo.give_back(&view, seat, current, next, set);
                return OutcomeOf::<S>::switch(current.context(), heir.context());
            }
            Some((solo, seat)) => solo.change(&view, seat, current, set, Place::First),
            None => Kernel::<S>::change_urgency_elsewhere(cs, current, back, Place::First, true),
        }
    }
    make_ready(kernel, cs, next);
    Kernel::<S>::conclude_in_thread(cs, Status::OK, 0)
}

/// Ends the section that is held; the caller switches away first if that was decided in it.
#[inline(always)]
pub(crate) fn release<S: System>(held: Held<S>) {
    if held.running().must_give_way(held.section()) {
        give_way(held);
    }
}

/// Switches away from the caller, as others have decided. A function of its own: what it destroys
/// is not the caller's concern.
#[cold]
#[inline(never)]
pub(super) fn give_way<S: System>(held: Held<S>) {
    held.enter::<GiveWay<S>>(S::kernel(), 0, Timeout::NONE);
}

/// The switch to the thread for which others have decided.
struct GiveWay<S>(PhantomData<S>);

impl<S: System> Operation<S> for GiveWay<S> {
    type Object = Kernel<S>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(cs: CriticalSection<'_>, _: &'static Kernel<S>, _: usize, _: Timeout) -> OutcomeOf<S> {
        Kernel::<S>::conclude_several(cs, Status::OK, 0)
    }
}

/// [`Kernel::hold_off_processors`].
pub(super) fn hold_off_processors<S: System>(thread: ThreadRef) -> Result<Held<S>, Error> {
    loop {
        let held = hold::<S>();
        let cs = held.section();
        if !thread.is_leaving(cs) {
            return Ok(held);
        }
        if !Kernel::<S>::is_running(cs, thread) {
            thread.set_leaving(cs, false);
            return Ok(held);
        }
        if Kernel::<S>::running().current(cs) == thread {
            return Err(Error::State);
        }
        drop(held);
        core::hint::spin_loop();
    }
}
