//! Owns: the processors, policies and duration of a run.
//! Must never know: the workload.

use taktos_schedule::CpuSet;
use taktos_time::Duration;

use crate::{Costs, Policy};

/// A scheduler instance: processors and the policy that they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Name that tasks use; no two clusters share a name.
    pub name: String,
    /// Its processors, at least one; no two clusters share one.
    pub cpus: CpuSet,
    /// Its policy.
    pub policy: Policy,
}

/// On what, how and for how long a workload runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The scheduler instances; empty when there are only partitions.
    pub clusters: Vec<Cluster>,
    /// How much virtual time passes: 1 ns to about 36 years (2⁶⁰ ns).
    pub horizon: Duration,
    /// Costs of the kernel's operations.
    pub costs: Costs,
    /// The time slice after which a running thread yields to its equals. None: no slices.
    pub slice: Option<Duration>,
    /// Seed of all random draws.
    pub seed: u64,
}

impl Setup {
    /// One policy over the processors 0 to `cpus` − 1, free of cost.
    pub fn global(policy: Policy, cpus: usize, horizon: Duration) -> Self {
        Self {
            clusters: vec![Cluster {
                name: "all".to_owned(),
                cpus: CpuSet::first(cpus),
                policy,
            }],
            horizon,
            costs: Costs::FREE,
            slice: None,
            seed: 0,
        }
    }

    /// All processors of all clusters.
    pub fn cpus(&self) -> CpuSet {
        let sets = self.clusters.iter().map(|cluster| cluster.cpus);
        sets.fold(CpuSet::EMPTY, CpuSet::or)
    }
}
