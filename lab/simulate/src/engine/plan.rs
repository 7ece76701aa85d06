//! Owns: a workload in the form that the engine runs: flat tables, every reference resolved.
//! Must never know: the progress of a run.

use taktos_schedule::CpuSet;
use taktos_schedule::smp::Instance;

use super::draw::Draw;
use crate::{Budget, Late, Policy, Protocol, Resource};

/// A checked workload on a checked set-up. It does not change while it runs,
/// so any number of runs may share it.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) tasks: Vec<TaskPlan>,
    /// By task, too.
    pub(super) entries: Vec<TaskEntry>,
    /// The bodies of all tasks, one after the other; each ends with [`StepPlan::End`].
    pub(super) steps: Vec<StepPlan>,
    pub(super) locks: Vec<LockPlan>,
    pub(super) clusters: Vec<ClusterPlan>,
    pub(super) costs: CostPlan,
    /// The time slice; none: [`super::tournament::NEVER`].
    pub(super) slice: u64,
    /// In nanoseconds.
    pub(super) horizon: u64,
    /// Seed of the draws, unless a run names another seed.
    pub(super) seed: u64,
    /// Whether some task sleeps or gives up at its deadline: then it needs a second timer.
    pub(super) sleeps: bool,
}

impl Plan {
    /// How many tasks there are.
    pub fn tasks(&self) -> usize {
        self.tasks.len()
    }

    /// The virtual time of a run, in nanoseconds.
    pub fn horizon(&self) -> u64 {
        self.horizon
    }

    /// The seed of the set-up.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns whether a running thread may be shifted to another processor of some cluster, or be
    /// lent a processor of another cluster.
    pub(super) fn shifts(&self) -> bool {
        let mut clusters = self.clusters.iter();
        let may_differ = |cluster: &ClusterPlan| {
            matches!(
                cluster.policy,
                Policy::StrongAffinity | Policy::PriorityAffinity
            )
        };
        let binds = || self.entries.iter().any(|task| task.affinity.is_some());
        !self.locks.is_empty() || clusters.any(may_differ) || binds()
    }

    /// Whether the threads of some cluster may have servers.
    pub(super) fn serves(&self) -> bool {
        self.clusters
            .iter()
            .any(|cluster| cluster.policy == Policy::Cbs)
    }

    /// All processors of all clusters.
    pub fn cpus(&self) -> CpuSet {
        let sets = self.clusters.iter().map(|cluster| cluster.cpus);
        sets.fold(CpuSet::EMPTY, CpuSet::or)
    }
}

#[derive(Clone, Debug)]
pub(super) struct ClusterPlan {
    pub name: [u8; 4],
    pub policy: Policy,
    pub cpus: CpuSet,
}

/// Part of a task's plan that all its events need: few bytes. Each run has a copy next to the
/// task's progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskPlan {
    /// From one arrival to the next, at least; none: [`super::tournament::NEVER`].
    pub separation: u64,
    /// Relative to the arrival; none: [`super::tournament::NEVER`].
    pub deadline: u64,
    /// How long the first step uses the processor, where that is so and always the same; else
    /// [`super::tournament::NEVER`].
    pub first_run: u64,
    /// The first step of its body, and the last, which is [`StepPlan::End`].
    pub body: u16,
    pub end: u16,
    pub late: Late,
    /// Whether separations or releases are drawn.
    pub varies: bool,
}

/// Part of a task's plan that is rarely needed after a run has begun.
#[derive(Clone, Debug)]
pub(super) struct TaskEntry {
    pub name: String,
    /// The first arrival.
    pub first: u64,
    /// Largest addition to a separation.
    pub spread: u64,
    /// Largest delay of a release after the arrival.
    pub jitter: u64,
    pub priority: u32,
    /// Which cluster.
    pub cluster: u8,
    pub affinity: Option<CpuSet>,
    pub budget: Option<Budget>,
    /// The lowest processor that it may use.
    pub first_cpu: u8,
}

impl TaskEntry {
    /// Its cluster, as the library numbers it: the plan has at most as many as there are
    /// processors.
    pub fn home(&self) -> Instance {
        Instance::new(self.cluster.into()).unwrap_or(FIRST)
    }
}

const FIRST: Instance = match Instance::new(0) {
    Some(instance) => instance,
    None => panic!("there is a first one"),
};

#[derive(Clone, Debug)]
pub(super) enum StepPlan {
    Run(Draw),
    Suspend(Draw),
    /// Nanoseconds after the job's arrival.
    Until(u64),
    Lock(u16),
    Unlock(u16),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct LockPlan {
    pub name: String,
    pub resource: Resource,
    pub protocol: Protocol,
    /// The first task that uses it: its home cluster is the lock's.
    pub creator: u16,
    /// Cluster and ceiling, for each cluster that has one.
    pub ceilings: Vec<(u8, u32)>,
}

/// Costs, resolved for the number of tasks of this plan.
#[derive(Clone, Debug)]
pub(super) struct CostPlan {
    pub release: Draw,
    pub schedule: Draw,
    pub switch: Draw,
    pub ipi: Draw,
    pub migration: Draw,
}

impl CostPlan {
    /// Whether nothing costs anything.
    pub fn are_zero(&self) -> bool {
        let Self {
            release,
            schedule,
            switch,
            ipi,
            migration,
        } = self;
        let all = [release, schedule, switch, ipi, migration];
        all.into_iter().all(Draw::is_zero)
    }
}
