//! Owns: whether a set-up makes sense, and a workload as a whole.
//! Must never know: single tasks.

use taktos_schedule::Cpu;
use taktos_time::Duration;

use crate::{Cost, Costs, Setup, SimError, Workload};

/// The most tasks of a simulation: thread numbers are 16 bits, and 64 are idle threads.
const MOST_TASKS: usize = 65_000;
/// The most locks and servers of a simulation.
const MOST_LOCKS: usize = 65_000;
/// The most clusters: a byte, and one for each processor at most.
const MOST_CLUSTERS: usize = Cpu::COUNT;
/// The longest run: keys of events are the time and three more bits.
pub(super) const LONGEST: u64 = 1 << 60;

pub(super) fn setup(setup: &Setup) -> Result<(), SimError> {
    if setup.clusters.is_empty() {
        return Err(SimError::NoProcessor);
    }
    let limit = MOST_CLUSTERS;
    if setup.clusters.len() > limit {
        return Err(SimError::TooMany {
            what: "clusters",
            count: setup.clusters.len(),
            limit,
        });
    }
    let horizon = setup.horizon.as_nanos();
    if horizon == 0 || horizon > LONGEST {
        return Err(SimError::Horizon(horizon));
    }
    for (index, cluster) in setup.clusters.iter().enumerate() {
        if cluster.cpus.is_empty() {
            return Err(SimError::EmptyCluster(cluster.name.clone()));
        }
        for earlier in &setup.clusters[..index] {
            if let Some(cpu) = earlier.cpus.and(cluster.cpus).lowest() {
                return Err(SimError::SharedProcessor {
                    cpu: cpu.index(),
                    first: earlier.name.clone(),
                    second: cluster.name.clone(),
                });
            }
        }
    }
    Ok(())
}

/// The dearest act: with more the accounts of a run of 36 years could overflow.
const DEAREST: Duration = Duration::from_secs(1);

pub(super) fn costs(costs: &Costs) -> Result<(), SimError> {
    let named = [
        ("release", &costs.release),
        ("schedule", &costs.schedule),
        ("switch", &costs.switch),
        ("ipi", &costs.ipi),
        ("migration", &costs.migration),
    ];
    for (cost, value) in named {
        let wrong = |what, hint| Err(SimError::Cost { cost, what, hint });
        let dearest = match value {
            Cost::Zero => Duration::ZERO,
            Cost::Constant(time) => *time,
            Cost::Linear(points) if !points.is_sorted_by(|a, b| a.0 < b.0) => {
                return wrong(
                    "its numbers of tasks do not rise",
                    "sort its points, and name none twice",
                );
            }
            Cost::Linear(points) if points.is_empty() => {
                return wrong("it has no point", "give it at least one");
            }
            Cost::Linear(points) => points.iter().map(|point| point.1).max().unwrap_or_default(),
            Cost::Samples(samples) if samples.is_empty() => {
                return wrong("it has no sample", "give it at least one");
            }
            Cost::Samples(samples) => samples.iter().copied().max().unwrap_or_default(),
        };
        if dearest > DEAREST {
            return wrong("it is more than 1 s", "give it in nanoseconds");
        }
    }
    Ok(())
}

pub(super) fn names(workload: &Workload, setup: &Setup) -> Result<(), SimError> {
    unique("task", workload.tasks.iter().map(|task| &task.name))?;
    unique("lock", workload.locks.iter().map(|lock| &lock.name))?;
    unique("server", workload.servers.iter().map(|server| &server.name))?;
    unique(
        "cluster",
        setup.clusters.iter().map(|cluster| &cluster.name),
    )
}

fn unique<'a>(kind: &'static str, names: impl Iterator<Item = &'a String>) -> Result<(), SimError> {
    let mut names: Vec<&String> = names.collect();
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(SimError::SameName {
            kind,
            name: pair[0].clone(),
        }),
        None => Ok(()),
    }
}

pub(super) fn counts(workload: &Workload) -> Result<(), SimError> {
    let locks = workload.locks.len() + workload.servers.len();
    let counts = [
        ("tasks", workload.tasks.len(), MOST_TASKS),
        ("locks and servers", locks, MOST_LOCKS),
    ];
    for (what, count, limit) in counts {
        if count > limit {
            return Err(SimError::TooMany { what, count, limit });
        }
    }
    if workload.partitions.is_empty() {
        Ok(())
    } else {
        Err(SimError::Partitions)
    }
}
