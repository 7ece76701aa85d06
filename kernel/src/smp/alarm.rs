//! Owns: the time-outs of each processor, its alarm, and what its interrupts do. Must never know:
//! what threads wait for.

use super::{Smp, View};
use crate::critical_section::CriticalSection;
#[cfg(feature = "budgets")]
use crate::sched::earlier;
use crate::sched::{OutcomeOf, hold, slice};
use crate::thread::tcb::ThreadRef;
use crate::wait::Wait;
use crate::wait::timeout_queue::TimeoutQueue;
use crate::{Error, Instant, Kernel, System};
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use taktos_abi::Status;
use taktos_machine::Machine;
use taktos_schedule::Cpu;

/// The reasons for which a processor is called, in addition to the check of its heir: flags of a
/// byte.
pub(super) struct Asked;

impl Asked {
    /// Another processor has changed what its alarm is for.
    pub const REARM: u8 = 1;
    /// It has the registers of a thread that was moved.
    pub const LEAVE: u8 = 2;
}

impl<S: System> Smp<S> {
    /// The processor `cpu`, which is about to be called, is to do this.
    pub(super) fn ask_of(&self, _cs: CriticalSection<'_>, cpu: usize, what: u8) {
        // All that write do so in the section.
        let asked = &self.asked[cpu];
        asked.store(asked.load(Relaxed) | what, Relaxed);
    }

    /// Sets the alarm of the processor `here`, which is the caller's, to what comes first: a
    /// time-out, or the end of a budget.
    pub(super) fn set_alarm(&self, cs: CriticalSection<'_>, here: usize) {
        let timeout = self.first_timeout(cs, here);
        let budget = self.budgets[here].get(cs);
        S::Machine::set_alarm(match (timeout, budget) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        });
    }

    /// When the first time-out of the processor `here` is over, or it is to look at an account.
    #[inline(always)]
    fn first_timeout(&self, cs: CriticalSection<'_>, here: usize) -> Option<Instant> {
        let timeout = self.timeouts[here].next(cs);
        #[cfg(feature = "budgets")]
        let timeout = earlier(timeout, self.account_look(cs, here));
        timeout
    }

    /// The thread that is to run on `cpu` by the library's decision; none for an idle one.
    pub(super) fn scheduled(&self, cs: CriticalSection<'_>, cpu: Cpu) -> Option<ThreadRef> {
        let (home, view) = (self.home_of(cs, cpu)?, View::<S>::new(cs));
        match home.lends() {
            true => self.with(cs, |scheduler| scheduler.told_user(&view, cpu))?,
            false => home.decider().owner(&view, cpu.index()),
        }
    }

    /// Sets when a budget on the processor `cpu` is to be checked. Each has its own alarm: another
    /// one than `here`, which is the caller's, is called to set it.
    pub(super) fn set_budget(
        &self,
        cs: CriticalSection<'_>,
        here: usize,
        cpu: usize,
        at: Option<Instant>,
    ) {
        self.budgets[cpu].set(cs, at);
        if cpu == here {
            self.set_alarm(cs, here);
        } else {
            self.ask_of(cs, cpu, Asked::REARM);
            S::Machine::call(cpu);
        }
    }
}

impl<S: System> Kernel<S> {
    /// Returns the queue for a time-out that begins here: this processor's alarm is for it,
    /// wherever the thread continues.
    pub(crate) fn timeouts_begun_here(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> &'static TimeoutQueue {
        let here = S::Machine::number();
        thread.set_clock(cs, here);
        &S::smp().timeouts[here]
    }

    /// [`Kernel::first_timeout`].
    pub(crate) fn first_timeout_here(cs: CriticalSection<'_>) -> Option<Instant> {
        S::smp().first_timeout(cs, S::Machine::number())
    }

    /// Stops the time-out of `thread`, which runs. Another processor's alarm stays as it is: it
    /// finds nothing due.
    pub(crate) fn stop_timeout_somewhere(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) {
        let clock = thread.clock(cs);
        S::smp().timeouts[clock].remove(cs, thread);
        if clock == S::Machine::number() {
            self.set_alarm_here(cs);
        }
    }

    /// Sets this processor's alarm.
    pub(crate) fn set_alarm_here(&self, cs: CriticalSection<'_>) {
        S::smp().set_alarm(cs, S::Machine::number());
    }

    /// Wakes the threads with a time-out on this processor that is over, and makes the library
    /// check a budget that is used up.
    pub(crate) fn expire_here(&'static self, cs: CriticalSection<'_>) {
        let here = S::Machine::number();
        let several = S::smp();
        // A time-out that falls due meanwhile has an alarm of its own: each alarm is a section,
        // which other processors wait for.
        let now = S::Machine::now();
        while let Some(thread) = several.timeouts[here].pop_due(cs, now) {
            if thread.wait.get(cs) == Wait::NOTHING {
                // It spins for a lock, and sees by itself that its wait is over.
                self.stop_spinning(cs, thread);
            } else {
                self.abort(cs, thread, Error::Timeout);
            }
        }
        if several.budgets[here].get(cs).is_some_and(|at| at <= now) {
            several.budgets[here].set(cs, None);
            several.expire(cs, here);
        }
        #[cfg(feature = "budgets")]
        self.expire_accounts(cs, here);
        self.set_alarm_here(cs);
        Self::request_switch_on_exit();
    }

    /// Another processor has called this one. That there is a new heir is seen at the interrupt's
    /// end.
    pub(crate) fn handle_ipi() {
        let asked = &S::smp().asked[S::Machine::number()];
        if asked.load(Relaxed) != 0 {
            Self::do_asked(asked);
        }
    }

    #[cold]
    #[inline(never)]
    fn do_asked(asked: &AtomicU8) {
        let held = hold::<S>();
        let flags = asked.load(Relaxed);
        asked.store(0, Relaxed);
        if flags & Asked::REARM != 0 {
            S::kernel().set_alarm_here(held.section());
        }
        if flags & Asked::LEAVE != 0 {
            S::kernel().let_go_here(held.section());
        }
    }

    /// Ends the time slice of the thread that runs here: the thread goes behind its equals.
    pub(crate) fn end_slice_here() {
        let held = hold::<S>();
        let cs = held.section();
        let current = Self::running().current(cs);
        if slice::ends::<S>(cs, current, Self::decision_is_due()) {
            S::kernel().rotate(cs, current);
            Self::request_switch_on_exit();
        }
    }

    /// The running thread lets its equals run; in a handler, the thread that is to run after it
    /// does.
    pub(crate) fn give_turn_away(
        &'static self,
        cs: CriticalSection<'_>,
        current: ThreadRef,
    ) -> OutcomeOf<S> {
        if S::Machine::in_interrupt() {
            let here = Cpu::new(S::Machine::number());
            if let Some(heir) = here.and_then(|here| S::smp().scheduled(cs, here)) {
                self.rotate(cs, heir);
            }
            return Self::conclude_several(cs, Status::OK, 0);
        }
        self.rotate(cs, current);
        self.go_on(cs, current)
    }
}
