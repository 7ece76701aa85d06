//! Owns: the requests of a period to the scheduler. Must never know: their reasons.

use crate::System;
use crate::critical_section::CriticalSection;
use crate::thread::tcb::ThreadRef;
use taktos_schedule::smp::period::Effects;
use taktos_time::Instant;

/// The requests of a grid, to be carried out when it is put back.
#[derive(Clone, Copy, Default)]
pub struct Requests {
    job: Option<Job>,
}

#[derive(Clone, Copy)]
enum Job {
    Released(Instant),
    Cancelled,
}

impl Requests {
    /// A job with this deadline.
    pub const fn release(deadline: Instant) -> Self {
        Self {
            job: Some(Job::Released(deadline)),
        }
    }

    /// Passes `owner`'s job to the scheduler. The caller has to ask afterwards for the thread to
    /// run next.
    pub fn carry_out<S: System>(self, cs: CriticalSection<'_>, owner: ThreadRef) {
        match self.job {
            Some(Job::Released(deadline)) => S::kernel().set_deadline(cs, owner, Some(deadline)),
            Some(Job::Cancelled) => S::kernel().set_deadline(cs, owner, None),
            None => {}
        }
    }
}

impl Effects for Requests {
    /// The owner's sleep has its own time-out; while it does not sleep, there is no need of one.
    fn arm(&mut self, _: Option<Instant>) {}

    fn release(&mut self, deadline: Instant) {
        self.job = Some(Job::Released(deadline));
    }

    fn cancel(&mut self) {
        self.job = Some(Job::Cancelled);
    }

    /// Does nothing: an owner that sleeps is in the period's wait queue, from which it is woken.
    fn wake(&mut self) {}
}
