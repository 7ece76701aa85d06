//! Owns: the processors of a pool, and which of them have been requested to schedule.
//! Must never know: for which unit.

use super::Steps;
use crate::vcpu::Effects;
use crate::{Cpu, CpuSet};

/// The processors of a pool, with their open requests.
#[derive(Debug)]
pub(crate) struct Requests {
    /// The processors of the pool.
    pub(crate) cpus: CpuSet,
    /// Processors with a request to schedule that they have not followed yet.
    pub(crate) tickled: CpuSet,
    /// Processors at which the idle unit does the hypervisor's work.
    pub(crate) working: CpuSet,
    pub(crate) steps: Steps,
}

impl Requests {
    /// A pool without processors.
    pub(crate) const NONE: Self = Self {
        cpus: CpuSet::EMPTY,
        tickled: CpuSet::EMPTY,
        working: CpuSet::EMPTY,
        steps: Steps::NONE,
    };

    /// Adds `cpu`. A request from before it left may still be open.
    pub(crate) const fn join(&mut self, cpu: Cpu) {
        self.cpus = self.cpus.with(cpu);
        self.tickled = self.tickled.without(cpu);
        self.working = self.working.without(cpu);
    }

    /// Requests that `cpu` schedules, unless an earlier request is still open.
    #[inline]
    pub(crate) fn tickle(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        if !self.tickled.contains(cpu) {
            self.tickled = self.tickled.with(cpu);
            fx.tickle(cpu);
        }
    }

    /// Ends the request to `cpu`, which schedules now: for the hypervisor's `work`, or for a unit.
    #[inline]
    pub(crate) const fn follow(&mut self, cpu: Cpu, work: bool) {
        self.tickled = self.tickled.without(cpu);
        self.working = self.working.without(cpu);
        if work {
            self.working = self.working.with(cpu);
        }
    }

    /// Processors that may not have the unit that they should have.
    pub(crate) const fn unsettled(&self) -> CpuSet {
        self.tickled.or(self.working)
    }
}
