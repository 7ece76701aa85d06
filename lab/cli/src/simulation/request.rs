//! Request for a simulation: the file, the changes from the command line, and the policies in turn.

use std::path::Path;

use anyhow::Result;
use taktos_runner::failure::Failure;
use taktos_schedule::CpuSet;
use taktos_simulate::file::{self, TaskSet};
use taktos_simulate::{Arrival, Cluster, Costs, Policy, Setup, Task, Workload};
use taktos_time::Duration;

use super::{ClusterRequest, Written};
use crate::arguments::{SchedulerChoice, SimOptions};

/// How much virtual time passes by default.
const HORIZON: Duration = Duration::from_secs(10);
/// More jobs than this take hours.
const MOST_JOBS: u128 = 20_000_000_000;

/// A task set and the set-ups that it runs on.
#[derive(Debug)]
pub struct Request {
    /// Name of the file, without its ending.
    pub name: String,
    /// The task set.
    pub set: TaskSet,
    /// Each set-up, and what it is called: the policy, or `clusters`.
    pub setups: Vec<(String, Setup)>,
    /// Whether one policy was requested: then a refusal is an error.
    pub one: bool,
}

/// Reads the text and applies the command line.
///
/// # Errors
/// If the file is broken, or requests a run that takes for ever.
pub fn request(written: &Written, options: &SimOptions) -> Result<Request> {
    let mut set = file::parse(&written.text, &written.file).map_err(Failure::from)?;
    let costs = match &options.costs {
        Some(path) => costs(path)?,
        None => set.costs.clone().unwrap_or_default(),
    };
    let clusters = layout(&set, options);
    let choice = options
        .scheduler
        .or(set.scheduler.map(SchedulerChoice::One));
    if let Some(SchedulerChoice::By(order)) = choice {
        order.prioritise(&mut set.workload).map_err(|error| {
            Failure::error(
                format!("{}: {error}", written.name),
                "change the task set, or the option --scheduler",
            )
        })?;
    }
    let (setups, one) = setups(&clusters, choice);
    let setup = |(name, clusters)| {
        let setup = Setup {
            clusters,
            horizon: options.horizon.or(set.horizon).unwrap_or(HORIZON),
            costs: costs.clone(),
            slice: set.slice,
            seed: options.seed.or(set.seed).unwrap_or(0),
        };
        (name, setup)
    };
    let request = Request {
        name: written.name.clone(),
        setups: setups.into_iter().map(setup).collect(),
        one,
        set,
    };
    check_length(&request, options.replications)?;
    Ok(request)
}

fn costs(path: &Path) -> Result<Costs> {
    let text = std::fs::read_to_string(path).map_err(|cause| {
        Failure::error(
            format!("cannot read the costs {}: {cause}", path.display()),
            "name a file with lines such as switch = \"2 us\"",
        )
    })?;
    let costs = file::parse_costs(&text, &path.display().to_string());
    Ok(costs.map_err(Failure::from)?)
}

/// The scheduler instances: of the command line, of the file, or one.
fn layout(set: &TaskSet, options: &SimOptions) -> Vec<ClusterRequest> {
    if let Some(clusters) = &options.clusters {
        return clusters.0.clone();
    }
    if options.cpus.is_none() && !set.clusters.is_empty() {
        let cluster = |cluster: &file::ClusterSpec| ClusterRequest {
            name: cluster.name.clone(),
            cpus: cluster.cpus,
            policy: cluster.policy,
        };
        return set.clusters.iter().map(cluster).collect();
    }
    let cpus = options.cpus.map(usize::from).or(set.cpus).unwrap_or(1);
    vec![ClusterRequest {
        name: "all".into(),
        cpus: CpuSet::first(cpus),
        policy: None,
    }]
}

/// The instances under each policy in turn, and whether there is one turn only.
fn setups(
    clusters: &[ClusterRequest],
    choice: Option<SchedulerChoice>,
) -> (Vec<(String, Vec<Cluster>)>, bool) {
    let under = |policy: Policy| {
        let cluster = |cluster: &ClusterRequest| Cluster {
            name: cluster.name.clone(),
            cpus: cluster.cpus,
            policy: cluster.policy.unwrap_or(policy),
        };
        clusters.iter().map(cluster).collect::<Vec<_>>()
    };
    if clusters.iter().all(|cluster| cluster.policy.is_some()) {
        return (vec![("clusters".into(), under(Policy::Edf))], true);
    }
    match choice {
        Some(SchedulerChoice::One(policy)) => {
            (vec![(policy.name().to_owned(), under(policy))], true)
        }
        Some(SchedulerChoice::By(order)) => (
            vec![(order.name().to_owned(), under(Policy::Priority))],
            true,
        ),
        None | Some(SchedulerChoice::All) => {
            let named = |policy: Policy| (policy.name().to_owned(), under(policy));
            (Policy::ALL.map(named).to_vec(), false)
        }
    }
}

/// Refuses what would run for hours.
fn check_length(request: &Request, replications: u64) -> Result<()> {
    let horizon = request
        .setups
        .first()
        .map_or(HORIZON, |(_, setup)| setup.horizon);
    let jobs = jobs_within(&request.set.workload, horizon);
    let all = jobs * u128::from(replications) * request.setups.len() as u128;
    if all <= MOST_JOBS {
        return Ok(());
    }
    Err(Failure::error(
        format!(
            "{}: that would be {all} jobs, which take hours",
            request.name
        ),
        "give a shorter time (--for 10s), longer periods or fewer replications",
    ))
}

/// About how many jobs are released within the time.
pub(super) fn jobs_within(workload: &Workload, time: Duration) -> u128 {
    let guests = workload
        .partitions
        .iter()
        .flat_map(|partition| &partition.tasks);
    let jobs = |task: &Task| match task.arrival {
        Arrival::Periodic { period, .. } => per(time, period),
        Arrival::Sporadic { min_separation, .. } => per(time, min_separation),
        Arrival::Once { .. } => 1,
    };
    workload.tasks.iter().chain(guests).map(jobs).sum()
}

fn per(time: Duration, period: Duration) -> u128 {
    u128::from(time.as_nanos().div_ceil(period.as_nanos().max(1)))
}
