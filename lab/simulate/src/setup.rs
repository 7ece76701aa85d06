//! Owns: on what, how and for how long a workload runs.
//! Must never know: the workload.

use taktos_schedule::CpuSet;
use taktos_time::Duration;

use crate::{Costs, Policy};

/// A scheduler instance: processors and the policy that they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// What tasks call it; no two clusters share a name.
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
    /// What the kernel's acts cost.
    pub costs: Costs,
    /// The time slice after which a running thread yields to its equals. None: no slices.
    pub slice: Option<Duration>,
    /// What all random draws come from.
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
