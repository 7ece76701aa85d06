//! Owns: what the library knows of threads' jobs and processor time, for the kernel's periods and
//! reports. Must never know: what a period is.

use super::View;
use super::place::Request;
use crate::critical_section::CriticalSection;
use crate::thread::tcb::{Home, ThreadRef};
use crate::{Kernel, System};
use taktos_machine::Machine;
use taktos_schedule::Cpu;
use taktos_time::{Duration, Instant};

impl<S: System> Kernel<S> {
    /// The thread has a job with this deadline, or none. The consequences for the processors are to
    /// be carried out afterwards.
    pub(crate) fn set_job(
        &self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        deadline: Option<Instant>,
    ) {
        // Refused is a thread alone that does not exist any more.
        let _ = self.carry_out(cs, thread, Request::Job(deadline));
    }

    /// The processor time of `thread`; zero for one that does not exist, and for idle ones, which
    /// count by processors.
    pub(crate) fn lifetime(cs: CriticalSection<'_>, thread: ThreadRef) -> Duration {
        if thread.row(cs).is_none() {
            return Duration::ZERO;
        }
        if let Some(home) = thread.home(cs) {
            Self::charge_heirs(cs, home);
        }
        S::Machine::span_of(thread.charged(cs))
    }

    /// Charges the threads that run on the processors of the instance of `home` until now. As many
    /// steps as it has processors.
    fn charge_heirs(cs: CriticalSection<'_>, home: &'static Home) {
        S::smp().with_home(cs, home, |scheduler| {
            scheduler.charge_all(&View::<S>::new(cs), home);
        });
    }

    /// How long the processor `number` was idle; none where there is no such processor in an
    /// instance.
    pub(crate) fn idle_time(cs: CriticalSection<'_>, number: usize) -> Option<Duration> {
        let cpu = Cpu::new(number)?;
        let several = S::smp();
        let idle = several.idle_of(cs, number)?;
        if let Some(home) = several.home_of(cs, cpu) {
            Self::charge_heirs(cs, home);
        }
        let counted = several
            .ask(cs, |system| {
                system.idle_of(cpu)?;
                Some(system.idle_time(cpu, S::Machine::now()))
            })
            .flatten()?;
        Some(counted.saturating_add(S::Machine::span_of(idle.charged(cs))))
    }
}
