//! Owns: what the library knows of threads' jobs and processor time, for the kernel's periods and reports.
//! Must never know: what a period is.

use super::place::Request;
use crate::section::Section;
use crate::tcb::ThreadRef;
use crate::{Kernel, System};
use taktos_machine::Machine;
use taktos_schedule::Cpu;
use taktos_time::{Duration, Instant};

impl<S: System> Kernel<S> {
    /// The thread has a job with this deadline, or none. What follows for the processors is to be carried out afterwards.
    pub(crate) fn set_job(&self, s: Section, thread: ThreadRef, deadline: Option<Instant>) {
        let request = deadline.map_or(Request::NoDeadline, Request::Deadline);
        // Refused is a thread alone that does not exist any more.
        let _ = self.carry_out(s, thread, request);
    }

    /// The processor time of `thread`; zero for one that does not exist, and for idle ones, which count by processors.
    pub(crate) fn lifetime(s: Section, thread: ThreadRef) -> Duration {
        thread
            .row(s)
            .and_then(|row| {
                S::several().ask(s, S::Machine::number(), |system, now, _| {
                    system.cpu_time(row, now).ok()
                })
            })
            .flatten()
            .unwrap_or(Duration::ZERO)
    }

    /// How long the processor `number` was idle; none where there is no such processor in an instance.
    pub(crate) fn idle_time(s: Section, number: usize) -> Option<Duration> {
        let cpu = Cpu::new(number)?;
        S::several()
            .ask(s, S::Machine::number(), |system, now, _| {
                system
                    .heir(cpu)
                    .is_some()
                    .then(|| system.idle_time(cpu, now))
            })
            .flatten()
    }
}
