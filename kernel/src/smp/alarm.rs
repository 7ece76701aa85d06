//! Owns: the time-outs of each processor, its alarm, and what its interrupts do. Must never know: what threads wait for.

use super::Several;
use crate::critical_section::{Section, hold};
use crate::sched::OutcomeOf;
use crate::thread::tcb::ThreadRef;
use crate::wait::Wait;
use crate::wait::timeout_queue::TimeoutQueue;
use crate::{Error, Kernel, System};
use core::sync::atomic::Ordering::Relaxed;
use taktos_abi::Status;
use taktos_machine::Machine;
use taktos_schedule::Cpu;

impl<S: System> Several<S> {
    /// Sets the alarm of the processor `here`, which is the caller's, to what comes first: a time-out, or the end of a budget.
    pub(super) fn set_alarm(&self, s: Section, here: usize) {
        let timeout = self.timeouts[here].next(s);
        let budget = self.budgets[here].get(s);
        S::Machine::set_alarm(match (timeout, budget) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        });
    }
}

impl<S: System> Kernel<S> {
    /// The queue for a time-out that begins here: this processor's alarm is for it, wherever the thread goes on.
    pub(crate) fn timeouts_begun_here(
        &'static self,
        s: Section,
        thread: ThreadRef,
    ) -> &'static TimeoutQueue {
        let here = S::Machine::number();
        thread.set_clock(s, here);
        &S::several().timeouts[here]
    }

    /// Stops the time-out of `thread`, which runs. Another processor's alarm stays as it is: it finds nothing due.
    pub(crate) fn stop_timeout_somewhere(&'static self, s: Section, thread: ThreadRef) {
        let clock = thread.clock(s);
        S::several().timeouts[clock].remove(s, thread);
        if clock == S::Machine::number() {
            self.set_alarm_here(s);
        }
    }

    /// Sets this processor's alarm.
    pub(crate) fn set_alarm_here(&self, s: Section) {
        S::several().set_alarm(s, S::Machine::number());
    }

    /// Wakes the threads whose time-out on this processor is over, and has the library look at a budget that is.
    pub(crate) fn expire_here(&'static self, s: Section) {
        let here = S::Machine::number();
        let several = S::several();
        while let Some(thread) = several.timeouts[here].pop_due(s, S::Machine::now()) {
            if thread.wait.get(s) == Wait::NOTHING {
                // It spins for a lock, and sees by itself that its wait is over.
                self.abandon_lock(s, thread);
            } else {
                self.abort(s, thread, Error::Timeout);
            }
        }
        let due = |at| at <= S::Machine::now();
        if several.budgets[here].get(s).is_some_and(due) {
            several.budgets[here].set(s, None);
            several.ask(s, here, |system, now, doings| {
                if let Some(cpu) = Cpu::new(here) {
                    // It is this processor, which exists.
                    let _ = system.expire(cpu, now, doings);
                }
            });
        }
        self.set_alarm_here(s);
        Self::tell_handler();
    }

    /// Another processor has called this one. That there is a new heir is seen at the interrupt's end.
    pub(crate) fn called_here() {
        let rearm = &S::several().rearm[S::Machine::number()];
        if rearm.load(Relaxed) {
            let held = hold::<S>();
            rearm.store(false, Relaxed);
            S::kernel().set_alarm_here(held.section());
        }
    }

    /// The time slice of the thread that runs here has ended: it goes behind its equals.
    pub(crate) fn end_slice_here() {
        let held = hold::<S>();
        let s = held.section();
        if !Self::decision_is_due() {
            S::kernel().rotate(s, Self::running().current(s));
            Self::tell_handler();
        }
    }

    /// The running thread lets its equals run; in a handler, the thread that is to run after it does.
    pub(crate) fn give_turn_away(&'static self, s: Section, current: ThreadRef) -> OutcomeOf<S> {
        if S::Machine::in_interrupt() {
            if let Some(heir) = self.scheduled_here(s) {
                self.rotate(s, heir);
            }
            return Self::conclude_several(s, Status::OK, 0);
        }
        self.rotate(s, current);
        self.go_on(s, current)
    }

    /// Who is to run here by the library's decision; none for an idle thread.
    fn scheduled_here(&self, s: Section) -> Option<ThreadRef> {
        let here = S::Machine::number();
        let several = S::several();
        let running = Self::running();
        let home = Cpu::new(here).and_then(|cpu| several.home_of(s, cpu));
        if home.is_some_and(|home| home.decider().is_closed()) {
            let heir = running.heir(s);
            return heir.row(s).map(|_| heir);
        }
        let row = several
            .ask(s, here, |system, _, _| system.heir(Cpu::new(here)?))
            .flatten()?;
        several.thread(s, row)
    }
}
