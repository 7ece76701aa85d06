//! Owns: the results of a run of partitions.
//! Must never know: how they came about.

use serde::Serialize;
use taktos_schedule::vcpu;

use super::Periods;
use crate::{Outcome, Summary};

/// Statistics of one virtual processor. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VcpuStatistics {
    /// It executed its guest.
    pub received: u64,
    /// It had something to do.
    pub wanted: u64,
    /// How often it woke.
    pub wakes: u64,
    /// From waking until it executed.
    pub latency: Summary,
    /// How often a processor began to execute it.
    pub switches: u64,
    /// How often that was another processor than its last.
    pub migrations: u64,
    /// Time received in each period during all of which it had something to do. These are the
    /// server's periods under RTDS and SEDF, otherwise those that the workload gives it, from 0 on.
    /// None without periods.
    pub periods: Option<Periods>,
}

/// Result of one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartitionOutcome {
    /// Its name.
    pub name: String,
    /// Its tasks, virtual processors as the guest sees them, and its events.
    pub guest: Outcome,
    /// Its virtual processors as the hypervisor sees them.
    pub vcpus: Vec<VcpuStatistics>,
}

/// Statistics of one processor. Times are in nanoseconds: `busy + overhead + idle` is exactly the
/// virtual time that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HostCpuStatistics {
    /// Which processor.
    pub cpu: u8,
    /// It executed guests.
    pub busy: u64,
    /// It executed the hypervisor.
    pub overhead: u64,
    /// It idled.
    pub idle: u64,
    /// Decisions taken on it.
    pub decisions: u64,
    /// Switches from one virtual processor, or from idling, to another.
    pub switches: u64,
}

/// Result of a pool's analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolOutcome {
    /// Its name.
    pub name: String,
    /// Its scheduler's name.
    pub scheduler: &'static str,
    /// Whether its servers are admitted however they wake (the interference test for
    /// RTDS, the sum of slices for SEDF), or why not. None: there is no test.
    pub admitted: Option<Result<(), vcpu::Error>>,
    /// Its virtual processors that never had a processor, because none is left under NULL:
    /// partition and number.
    pub waiting: Vec<(String, usize)>,
}

/// Result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineOutcome {
    /// One a partition, in the workload's order.
    pub partitions: Vec<PartitionOutcome>,
    /// One a processor of a pool, lowest first.
    pub cpus: Vec<HostCpuStatistics>,
    /// One a pool, in the workload's order.
    pub pools: Vec<PoolOutcome>,
    /// The virtual time that passed, in nanoseconds.
    pub virtual_time: u64,
    /// Events that were handled, those of the guests among them.
    pub events: u64,
}
