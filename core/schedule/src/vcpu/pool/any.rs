//! Owns: one type for any of the six schedulers, chosen at run time.
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
    /// Returns its name on the command line and in files.
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

/// Hands each of these calls to the scheduler that it is.
macro_rules! forward {
    ($(fn $call:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)+) => {$(
        fn $call(&mut self, $($argument: $type),*) $(-> $result)? {
            each!(self, policy => policy.$call($($argument),*))
        }
    )+};
    ($(const fn $call:ident($($argument:ident: $type:ty),*) -> $result:ty;)+) => {$(
        fn $call(&self, $($argument: $type),*) -> $result {
            each!(self, policy => policy.$call($($argument),*))
        }
    )+};
}

impl Policy for AnyPolicy<'_> {
    forward! {
        fn add_cpu(cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error>;
        fn remove_cpu(cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error>;
        fn insert(
            vcpu: Vcpu, admission: Admission, now: Instant, fx: &mut impl Effects
        ) -> Result<(), Error>;
        fn remove(vcpu: Vcpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error>;
        fn wake(vcpu: Vcpu, now: Instant, fx: &mut impl Effects);
        fn sleep(vcpu: Vcpu, now: Instant, fx: &mut impl Effects);
        fn yield_now(vcpu: Vcpu, now: Instant, fx: &mut impl Effects);
        fn set_affinity(
            vcpu: Vcpu, hard: CpuSet, soft: CpuSet, now: Instant, fx: &mut impl Effects
        ) -> Result<(), Error>;
        fn schedule(cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice;
        fn context_saved(cpu: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl Effects);
        fn timer(timer: Timer, now: Instant, fx: &mut impl Effects);
    }
    forward! {
        const fn supply(vcpu: Vcpu, at: Instant, now: Instant) -> Instant;
        const fn current(cpu: Cpu) -> Option<Vcpu>;
        const fn cpus() -> CpuSet;
        const fn check_invariants() -> Result<(), Violation>;
    }
}
