//! Owns: any of the six schedulers behind one type, chosen at run time.
//! Must never know: pools.

use crate::vcpu::arinc653::Arinc653;
#[cfg(feature = "credit")]
use crate::vcpu::credit::Credit;
#[cfg(feature = "credit2")]
use crate::vcpu::credit2::Credit2;
use crate::vcpu::null::Null;
use crate::vcpu::rtds::Rtds;
use crate::vcpu::sedf::Sedf;
use crate::vcpu::{Admission, Choice, Effects, Error, Policy, Timer, Vcpu, Violation};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

/// One of the schedulers; each call costs one branch more than the scheduler's.
#[allow(clippy::large_enum_variant)] // There is one for each pool, made once.
pub enum AnyPolicy<'a> {
    /// Proportional share with boost.
    #[cfg(feature = "credit")]
    Credit(Credit<'a>),
    /// Proportional share by group of processors.
    #[cfg(feature = "credit2")]
    Credit2(Credit2<'a>),
    /// Deferrable servers under global EDF.
    Rtds(Rtds<'a>),
    /// Slices under EDF on each processor.
    Sedf(Sedf<'a>),
    /// A processor for each unit.
    Null(Null<'a>),
    /// A table of windows.
    Arinc653(Arinc653<'a>),
}

macro_rules! each {
    ($self:ident, $policy:ident => $call:expr) => {
        match $self {
            #[cfg(feature = "credit")]
            AnyPolicy::Credit($policy) => $call,
            #[cfg(feature = "credit2")]
            AnyPolicy::Credit2($policy) => $call,
            AnyPolicy::Rtds($policy) => $call,
            AnyPolicy::Sedf($policy) => $call,
            AnyPolicy::Null($policy) => $call,
            AnyPolicy::Arinc653($policy) => $call,
        }
    };
}

impl AnyPolicy<'_> {
    /// What it is called on the command line and in files.
    pub const fn name(&self) -> &'static str {
        match self {
            #[cfg(feature = "credit")]
            Self::Credit(_) => "credit",
            #[cfg(feature = "credit2")]
            Self::Credit2(_) => "credit2",
            Self::Rtds(_) => "rtds",
            Self::Sedf(_) => "sedf",
            Self::Null(_) => "null",
            Self::Arinc653(_) => "arinc653",
        }
    }
}

impl Policy for AnyPolicy<'_> {
    fn add_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        each!(self, policy => policy.add_cpu(cpu, now, fx))
    }

    fn remove_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        each!(self, policy => policy.remove_cpu(cpu, now, fx))
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        each!(self, policy => policy.insert(vcpu, admission, now, fx))
    }

    fn remove(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        each!(self, policy => policy.remove(vcpu, now, fx))
    }

    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        each!(self, policy => policy.wake(vcpu, now, fx));
    }

    fn sleep(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        each!(self, policy => policy.sleep(vcpu, now, fx));
    }

    fn yield_now(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        each!(self, policy => policy.yield_now(vcpu, now, fx));
    }

    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        soft: CpuSet,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        each!(self, policy => policy.set_affinity(vcpu, hard, soft, now, fx))
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
        each!(self, policy => policy.schedule(cpu, now, work, fx))
    }

    fn context_saved(&mut self, cpu: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        each!(self, policy => policy.context_saved(cpu, vcpu, now, fx));
    }

    fn timer(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        each!(self, policy => policy.timer(timer, now, fx));
    }

    fn supply(&self, vcpu: Vcpu, at: Instant, now: Instant) -> Instant {
        each!(self, policy => policy.supply(vcpu, at, now))
    }

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        each!(self, policy => policy.current(cpu))
    }

    fn cpus(&self) -> CpuSet {
        each!(self, policy => policy.cpus())
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        each!(self, policy => policy.check_invariants())
    }
}
