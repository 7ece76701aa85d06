//! Partitions: guests on virtual processors, under a hypervisor's scheduler.
//!
//! Owns: the run of a machine in two levels, and its results.
//! Must never know: how either level decides what runs.
//!
//! Each guest is an [`crate::Engine`] with virtual processors; the VCPU policies of
//! `taktos-schedule` hold them and let them go. A virtual processor wakes when there is work for
//! it, and sleeps when it executes its idle thread.
//!
//! # Order of simultaneous events
//! Timers of the policies (each processor's in the order in which they were armed, with the
//! choice that follows), guests in their order, ends of switches, schedules; among
//! processors the lowest first.
//!
//! # Costs
//! [`Machine::host`]: a decision (`schedule`), a switch of virtual processors
//! (`switch`, and `migration` if the incoming one ran elsewhere last) take the
//! processor's time; a tickle of another processor arrives after `ipi`, or when that
//! processor is in the hypervisor for another reason. `release` is of no use.
//! A policy's timer goes off on the processor that armed it last. A hardware timer is never
//! set closer than [`Machine::timer_slop`]. [`Machine::exit`]: a processor that is in the
//! hypervisor on behalf of its guest hears nothing until that is done, so timers and
//! tickles come late.

mod attack;
mod build;
mod error;
mod host;
mod meter;
mod processor;
mod result;

pub use attack::{Act, Attack};
pub use error::PartitionError;
pub use meter::Periods;
pub use result::{
    HostCpuStatistics, MachineOutcome, PartitionOutcome, PoolOutcome, VcpuStatistics,
};

use taktos_schedule::Cpu;
use taktos_schedule::vcpu::TIMER_SLOP;
use taktos_time::{Duration, Instant};

use crate::{Cost, Costs, Observer, Workload};

/// On what and for how long partitions run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// How much virtual time passes: 1 ns to 2⁶⁰ ns.
    pub horizon: Duration,
    /// When the pools begin: the time of the clock then, before the horizon. No virtual processor
    /// runs until then.
    pub begin: Instant,
    /// Costs of the operations of each guest's kernel.
    pub guest: Costs,
    /// The time slice in each guest. None: no slices.
    pub slice: Option<Duration>,
    /// Costs of the hypervisor's operations.
    pub host: Costs,
    /// How close ahead a hardware timer can be set.
    pub timer_slop: Duration,
    /// How much later than due a timer goes off or another processor's tickle is heard,
    /// because the processor handles an exit of its guest: at most the longest exit.
    pub exit: Cost,
    /// Attacks of hostile guests, in addition to their use of time.
    pub attacks: Vec<Attack>,
    /// Seed of all random draws; each guest has draws of its own.
    pub seed: u64,
    /// Whether the policies' invariants are checked after every event: for tests, slow.
    pub checked: bool,
}

impl Machine {
    /// Nothing costs anything but the hypervisor's timer floor of 50 µs.
    pub const fn free(horizon: Duration) -> Self {
        Self {
            horizon,
            begin: Instant::START,
            guest: Costs::FREE,
            slice: None,
            host: Costs::FREE,
            timer_slop: TIMER_SLOP,
            exit: Cost::Zero,
            attacks: Vec::new(),
            seed: 0,
            checked: false,
        }
    }
}

/// Receives the events of the hypervisor. Every method does nothing unless it is written; `()`
/// observes nothing.
pub trait HostObserver {
    /// From `at` on, `cpu` executes this virtual processor of this partition (both by
    /// their place in their lists), or idles. The hypervisor's work before it
    /// (`overhead`) ends at `at`.
    fn run(&mut self, at: Instant, cpu: Cpu, vcpu: Option<(usize, usize)>, overhead: Duration) {
        let _ = (at, cpu, vcpu, overhead);
    }

    /// A virtual processor has something to do from now on, or nothing more.
    fn wants(&mut self, at: Instant, vcpu: (usize, usize), wants: bool) {
        let _ = (at, vcpu, wants);
    }
}

impl HostObserver for () {}

/// Runs the partitions of `workload` on `machine`. It does not run tasks of the workload itself,
/// which run on clusters next to the pools.
///
/// `guests` observe what happens in the partitions, one each, in order.
///
/// # Errors
/// The first error in the pools or the partitions, with its hint.
///
/// # Panics
/// Panics unless there is one guest observer for each partition.
pub fn run<O: Observer>(
    workload: &Workload,
    machine: &Machine,
    guests: &mut [O],
    observer: &mut impl HostObserver,
) -> Result<MachineOutcome, PartitionError> {
    assert_eq!(
        guests.len(),
        workload.partitions.len(),
        "an observer for each partition"
    );
    build::check(workload)?;
    let plans = build::plans(workload, machine)?;
    let mut tables: Vec<crate::Tables> = plans.iter().map(crate::Tables::new).collect();
    let mut engines = Vec::new();
    for (index, ((plan, tables), guest)) in plans.iter().zip(&mut tables).zip(guests).enumerate() {
        let engine = crate::Engine::new(plan, tables, build::seed(machine, index), guest);
        engines.push(engine.map_err(|error| build::in_partition(workload, index, error))?);
    }
    let mut memories: Vec<build::Memory> = workload
        .pools
        .iter()
        .map(|pool| build::Memory::new(workload, pool))
        .collect();
    let mut policies = Vec::new();
    for (index, memory) in memories.iter_mut().enumerate() {
        policies.push(build::policy(workload, index, memory)?);
    }
    let mut host = host::Host::new(workload, machine, engines, policies, observer)?;
    host.run()?;
    Ok(host.finish())
}

#[cfg(test)]
mod tests;
