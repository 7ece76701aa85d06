//! Owns: how threads become ready, leave their processors and take turns, in the library's terms;
//! and the choice of the next thread. Must never know: the objects that threads wait for.

use super::{Scheduler, View};
use crate::critical_section::CriticalSection;
use crate::sched::{OutcomeOf, answer};
use crate::thread::tcb::{Decider, ServedSeats, ThreadRef};
use crate::thread::urgency::Urgency;
use crate::wait::inherit::{Place, deserved};
use crate::{Kernel, System};
use taktos_abi::Status;
use taktos_machine::{Machine, Outcome};
use taktos_schedule::smp;
use taktos_schedule::smp::seats::{Act, Deadlines, Rows, Served, Waiting};
use taktos_schedule::{Cpu, Priority};

/// A kernel's priority as one of the library's.
pub(super) fn level(priority: Priority) -> smp::Priority {
    smp::Priority(priority.level().into())
}

// The library could refuse below only a thread or a processor that it does not know. The kernel
// names only those that exist, so results are not checked.
impl<S: System> Kernel<S> {
    /// Makes `thread` ready, among its equals as `place` says.
    #[inline(always)]
    pub(crate) fn enter_ready(&self, cs: CriticalSection, thread: ThreadRef, place: Place) {
        match (thread.solo(cs), place) {
            (Some((solo, seat)), Place::Last) => {
                let priority = thread.urgency.get(cs).effective().of_ready();
                solo.append(&View::<S>::new(cs), seat, thread, priority);
            }
            (Some((solo, seat)), Place::First) => {
                solo.prepend(&View::<S>::new(cs), seat, thread);
            }
            (None, _) => self.enter_ready_elsewhere(cs, thread, place),
        }
    }

    #[inline(never)]
    pub(crate) fn enter_ready_elsewhere(
        &self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        place: Place,
    ) {
        let view = View::<S>::new(cs);
        if let Some(cluster) = thread.cluster(cs) {
            cluster.enter(&view, thread, thread.urgency.get(cs).effective(), place);
            return;
        }
        if let Some(edf) = thread.edf(cs) {
            edf.enter(&view, thread, Deadlines::urgency(&view, thread), place);
            return;
        }
        self.enter_ready_other(cs, thread, place);
    }

    /// [`Kernel::enter_ready`] where the instance is watched, affinities count there, or threads
    /// may have servers.
    #[inline(never)]
    fn enter_ready_other(&self, cs: CriticalSection<'_>, thread: ThreadRef, place: Place) {
        match thread.decider(cs) {
            Some(Decider::Served(served)) => Self::enter_ready_served(cs, served, thread, place),
            Some(decider) => decider.ready(&View::<S>::new(cs), thread, place, |_| {}),
            None => S::smp().act(cs, thread, Act::Enter(place), &|| {}),
        }
    }

    /// [`Kernel::enter_ready`] if threads may have servers.
    #[inline(always)]
    pub(crate) fn enter_ready_served(
        cs: CriticalSection<'_>,
        served: ServedSeats,
        thread: ThreadRef,
        place: Place,
    ) {
        let view = View::<S>::new(cs);
        if Served::serves(&view, thread) {
            S::smp().renew(cs, served, thread);
        }
        served.enter(&view, thread, Deadlines::urgency(&view, thread), place);
    }

    /// Takes `thread`, which is ready, off.
    pub(crate) fn leave_ready(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        match thread.solo(cs) {
            Some((solo, seat)) => solo.remove(&View::<S>::new(cs), seat, thread),
            None => self.leave_ready_elsewhere(cs, thread),
        }
    }

    #[inline(never)]
    fn leave_ready_elsewhere(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        match thread.decider(cs) {
            Some(decider) => decider.remove(&View::<S>::new(cs), thread),
            None => S::smp().act(cs, thread, Act::Leave, &|| {}),
        }
    }

    /// Takes the running thread, which waits from now on, off its processor.
    pub(crate) fn block_running(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
    ) -> OutcomeOf<S> {
        self.leave_ready(cs, current);
        self.go_on(cs, current)
    }

    /// Gives `thread`, be it ready or not, the priorities `new`.
    pub(crate) fn change_urgency(
        &self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        new: Urgency,
        place: Place,
    ) {
        let view = View::<S>::new(cs);
        let is_ready = view.is_ready(thread);
        match thread.solo(cs) {
            Some((solo, seat)) if is_ready => {
                let set = || thread.urgency.set(cs, new);
                solo.change(&view, seat, thread, set, place);
            }
            Some(_) => thread.urgency.set(cs, new),
            None => Self::change_urgency_elsewhere(cs, thread, new, place, is_ready),
        }
    }

    /// [`Kernel::change_urgency`] of a thread in an instance that has several processors, or is
    /// watched.
    #[inline(never)]
    pub(crate) fn change_urgency_elsewhere(
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        new: Urgency,
        place: Place,
        is_ready: bool,
    ) {
        let view = View::<S>::new(cs);
        let set = || thread.urgency.set(cs, new);
        if let Some(cluster) = thread.cluster(cs) {
            return match is_ready {
                true => cluster.change(&view, thread, set, place),
                false => set(),
            };
        }
        if let Some(decider) = thread.decider(cs) {
            return match is_ready {
                true => decider.change(&view, thread, set, place),
                false => {
                    set();
                    decider.waiting_has_changed(&view);
                }
            };
        }
        match thread.home(cs) {
            Some(_) => Self::change_urgency_watched(cs, thread, new, place),
            // Before the start.
            None => set(),
        }
    }

    /// [`Kernel::change_urgency_elsewhere`] where the home is watched.
    #[inline(never)]
    fn change_urgency_watched(
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        new: Urgency,
        place: Place,
    ) {
        let act = Act::Change(level(new.effective()), place);
        S::smp().together(cs, || {
            S::smp().act(cs, thread, act, &|| thread.urgency.set(cs, new));
            // It may spin for a lock, or own some for which others wait.
            S::kernel().requeue_for_lock(cs, thread);
        });
    }

    /// Gives `thread` the effective priority `new` if that is the more urgent one, in front of its
    /// equals, if the thread runs here and continues, on no turn that was lent. Returns whether
    /// that is done: not if its instance lends, or deadlines count.
    #[inline(always)]
    pub(crate) fn raise_here(
        &self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        new: Priority,
    ) -> bool {
        let urgency = thread.urgency.get(cs);
        let set = || thread.urgency.set(cs, urgency.with_effective(new));
        let view = View::<S>::new(cs);
        Self::goes_on_here(cs, thread)
            && thread
                .home(cs)
                .is_some_and(|home| home.raise(&view, thread, new, set, Place::First))
    }

    /// Gives `thread`, which runs here and continues, the priority that it deserves, which is less
    /// urgent if it is another one; otherwise as [`Kernel::raise_here`].
    #[inline(always)]
    pub(crate) fn lower_here(&self, cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
        let urgency = thread.urgency.get(cs);
        let new = match thread.owned.get(cs).is_none() && thread.waiters.is_empty(cs) {
            true => urgency.base(),
            false => deserved(cs, thread),
        };
        let set = || thread.urgency.set(cs, urgency.with_effective(new));
        let Some(home) = thread.home(cs) else {
            return false;
        };
        new == urgency.effective() || home.lower(&View::<S>::new(cs), thread, set)
    }

    /// Returns whether `thread` runs here on a turn of its own, and it is not decided that another
    /// one runs next.
    #[inline(always)]
    pub(crate) fn goes_on_here(cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
        let (running, urgency) = (Self::running(), thread.urgency.get(cs));
        running.current(cs) == thread
            && !running.must_give_way(cs)
            && !urgency.has(Urgency::LENT_TURN)
    }

    /// Puts `thread`, which is ready, behind or in front of its equals. An idle thread has none.
    pub(crate) fn requeue(&self, cs: CriticalSection<'_>, thread: ThreadRef, place: Place) {
        match thread.solo(cs) {
            Some((solo, seat)) => solo.requeue(&View::<S>::new(cs), seat, thread, place),
            None => self.requeue_elsewhere(cs, thread, place),
        }
    }

    #[inline(never)]
    fn requeue_elsewhere(&self, cs: CriticalSection<'_>, thread: ThreadRef, place: Place) {
        if let Some(cluster) = thread.cluster(cs) {
            return cluster.requeue(&View::<S>::new(cs), thread, place);
        }
        match thread.decider(cs) {
            Some(decider) => decider.requeue(&View::<S>::new(cs), thread, place),
            None => S::smp().act(cs, thread, Act::Requeue(place), &|| {}),
        }
    }

    /// Returns whether `receiver` may get the turn of `sender`, which runs here: it is at home in
    /// the same instance, and may run on this processor.
    pub(crate) fn may_direct_switch_several(
        &self,
        cs: CriticalSection<'_>,
        sender: ThreadRef,
        receiver: ThreadRef,
    ) -> bool {
        if sender.solo(cs).is_some() {
            return sender.shares_home(cs, receiver);
        }
        self.may_direct_switch_elsewhere(cs, sender, receiver)
    }

    #[inline(never)]
    fn may_direct_switch_elsewhere(
        &self,
        cs: CriticalSection<'_>,
        sender: ThreadRef,
        receiver: ThreadRef,
    ) -> bool {
        if sender.served(cs).is_some() {
            return sender.shares_home(cs, receiver);
        }
        let allows = |decider: Decider| {
            sender.shares_home(cs, receiver)
                && decider.allows(&View::<S>::new(cs), receiver, S::Machine::number())
        };
        sender.decider(cs).is_some_and(allows)
    }

    /// Gives `receiver` the turn of `sender`, which goes behind its equals: on this processor,
    /// unless another one has something less urgent to do.
    pub(crate) fn direct_switch_several(
        &self,
        cs: CriticalSection<'_>,
        sender: ThreadRef,
        receiver: ThreadRef,
    ) {
        if let Some((solo, seat)) = sender.solo(cs) {
            return solo.direct_switch(&View::<S>::new(cs), seat, receiver, sender);
        }
        self.direct_switch_elsewhere(cs, sender, receiver);
    }

    #[inline(never)]
    fn direct_switch_elsewhere(
        &self,
        cs: CriticalSection<'_>,
        sender: ThreadRef,
        receiver: ThreadRef,
    ) {
        if let Some(served) = sender.served(cs) {
            return Self::direct_switch_served(cs, served, sender, receiver);
        }
        if let Some(decider) = sender.decider(cs) {
            let (view, here) = (View::<S>::new(cs), S::Machine::processor());
            return decider.direct_switch(&view, here, receiver, sender, |_| {});
        }
        self.enter_ready(cs, receiver, Place::First);
        self.requeue(cs, sender, Place::Last);
    }

    /// [`Kernel::direct_switch_elsewhere`] if threads may have servers.
    #[inline(never)]
    fn direct_switch_served(
        cs: CriticalSection<'_>,
        served: ServedSeats,
        sender: ThreadRef,
        receiver: ThreadRef,
    ) {
        let (view, here) = (View::<S>::new(cs), S::Machine::processor());
        let renew = |served: &_| S::smp().renew(cs, served, receiver);
        Decider::Served(served).direct_switch(&view, here, receiver, sender, renew);
    }

    /// Whether a decision is due on this processor.
    pub(crate) fn decision_is_due() -> bool {
        let processor = S::Machine::processor();
        processor.heir.get() != processor.current.get()
    }

    /// The processor that has the registers of `thread`.
    pub(crate) fn holder_of(thread: ThreadRef) -> Option<usize> {
        (0..S::Machine::PROCESSORS).find(|number| {
            let current = S::Machine::processor_numbered(*number).current.get();
            core::ptr::eq(current, thread.context())
        })
    }

    /// Continues with the thread that is to run here, even if it is `current`.
    pub(crate) fn go_on(&self, cs: CriticalSection<'_>, current: ThreadRef) -> OutcomeOf<S> {
        OutcomeOf::<S>::switch(current.context(), self.next(cs).context())
    }

    /// Ends a decision: the caller's answer is `status` and `value`, now or when it is resumed. In
    /// a handler nothing is switched: its interrupt ends with a check of the heir.
    pub(crate) fn conclude_several(
        cs: CriticalSection<'_>,
        status: Status,
        value: usize,
    ) -> OutcomeOf<S> {
        if S::Machine::in_interrupt() {
            Self::request_switch_on_exit();
            return answer::<S>(status, value);
        }
        Self::conclude_in_thread(cs, status, value)
    }

    /// [`Kernel::conclude_several`] in an operation that no handler begins.
    #[inline(always)]
    pub(crate) fn conclude_in_thread(
        cs: CriticalSection<'_>,
        status: Status,
        value: usize,
    ) -> OutcomeOf<S> {
        let current = Self::running().current(cs);
        let next = S::kernel().next(cs);
        if next == current {
            return answer::<S>(status, value);
        }
        current.set_answer(cs, status, value);
        OutcomeOf::<S>::switch(current.context(), next.context())
    }

    /// Requests a switch at the end of the handler's interrupt, if another thread is to run.
    pub(crate) fn request_switch_on_exit() {
        if Self::decision_is_due() {
            S::Machine::pend_switch();
        }
    }

    /// Returns the thread that runs next on this processor; it is the heir then. Called when the
    /// running thread switches away, or could: the library's decision is carried out.
    #[inline(always)]
    pub(crate) fn next(&self, cs: CriticalSection<'_>) -> ThreadRef {
        let running = Self::running();
        if running.0.heir.get().is_null() {
            return self.next_unknown(cs);
        }
        running.heir(cs)
    }

    #[cold]
    #[inline(never)]
    fn next_unknown(&self, cs: CriticalSection<'_>) -> ThreadRef {
        self.next_on(cs, S::Machine::number())
    }

    pub(super) fn next_on(&self, cs: CriticalSection<'_>, here: usize) -> ThreadRef {
        let running = crate::thread::tcb::Running(S::Machine::processor_numbered(here));
        if !running.0.heir.get().is_null() {
            return running.heir(cs);
        }
        let chosen = self.choose(cs, here);
        running.set_heir(cs, chosen);
        #[cfg(feature = "budgets")]
        S::kernel().charge_seat(cs, running.0, chosen);
        chosen
    }

    /// Makes the library dispatch the processor `here`. Returns the chosen thread. If its registers
    /// are still on another processor, or if there is nothing to do, returns the processor's own
    /// idle thread.
    fn choose(&self, cs: CriticalSection<'_>, here: usize) -> ThreadRef {
        let several = S::smp();
        if let Some(home) = Cpu::new(here).and_then(|cpu| several.home_of(cs, cpu)) {
            let view = View::<S>::new(cs);
            if let Some(masked) = home.masked() {
                return masked.dispatch(&view, here);
            }
            if let Some(affine) = home.affine() {
                return affine.dispatch(&view, here);
            }
        }
        self.choose_watched(cs, here)
    }

    /// [`Kernel::choose`] where owners are watched, or seats are lent.
    #[inline(never)]
    fn choose_watched(&self, cs: CriticalSection<'_>, here: usize) -> ThreadRef {
        let (several, view) = (S::smp(), View::<S>::new(cs));
        let cpu = Cpu::new(here);
        let home = cpu.and_then(|cpu| several.home_of(cs, cpu));
        let chosen = match home {
            Some(home) if !home.lends() => home.decider().dispatch(&view, here),
            // Where it has left an instance, another processor may wait for its registers.
            _ => {
                let dispatch =
                    |scheduler: &mut Scheduler| Some(scheduler.dispatch_lent(&view, cpu?));
                several.with(cs, dispatch).flatten()
            }
        };
        let Some(chosen) = chosen.or_else(|| several.idle_of(cs, here)) else {
            panic!("a processor runs that the start did not give an idle thread");
        };
        chosen
    }
}
