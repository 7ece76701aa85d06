//! Owns: whether a workload fits a set-up, and its plan.
//! Must never know: the events of a run.

use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Duration;

use super::check::LONGEST;
use super::draw::{Draw, Row};
use super::plan::{ClusterPlan, CostPlan, Plan, StepPlan, TaskEntry, TaskPlan};
use super::tournament::NEVER;
use super::{body, ceilings, check, priorities};
use crate::{Arrival, Cluster, Execution, Late, Policy, Setup, SimError, Step, Task, Workload};

impl Plan {
    /// Checks that `workload` makes sense on `setup`, and resolves all that it refers to.
    ///
    /// Tasks without a priority get one by relative deadline: the shortest is
    /// the most urgent, ties by the order in the list, 1 being the first.
    ///
    /// # Errors
    /// The first error in the workload or the set-up, with its hint.
    pub fn new(workload: &Workload, setup: &Setup) -> Result<Self, SimError> {
        check::setup(setup)?;
        check::costs(&setup.costs)?;
        check::names(workload, setup)?;
        check::counts(workload)?;
        let homes = workload
            .tasks
            .iter()
            .map(|task| home(task, setup))
            .collect::<Result<Vec<usize>, _>>()?;
        let priorities = priorities::assign(workload, setup, &homes)?;
        let mut steps = Vec::new();
        let (mut tasks, mut entries) = (Vec::new(), Vec::new());
        for (index, task) in workload.tasks.iter().enumerate() {
            check_task(task)?;
            let first = steps.len();
            body::compile(workload, task, &mut steps)?;
            let place = Place {
                first,
                body: &steps[first..],
                cluster: homes[index],
                priority: priorities[index],
            };
            let (planned, entry) = task_plan(task, place, &setup.clusters)?;
            tasks.push(planned);
            entries.push(entry);
        }
        let limit = usize::from(u16::MAX);
        if steps.len() > limit {
            return Err(SimError::TooMany {
                what: "steps of all tasks together",
                count: steps.len(),
                limit,
            });
        }
        let locks = ceilings::locks(workload, setup, &homes, &priorities)?;
        Ok(Self {
            sleeps: sleeps(workload),
            tasks,
            entries,
            steps,
            locks,
            clusters: setup
                .clusters
                .iter()
                .enumerate()
                .map(cluster_plan)
                .collect(),
            costs: cost_plan(setup, workload.tasks.len() as u32),
            slice: setup.slice.map_or(NEVER, Duration::as_nanos),
            horizon: setup.horizon.as_nanos(),
            seed: setup.seed,
        })
    }
}

/// Place of a task in the plan.
struct Place<'a> {
    first: usize,
    /// Its steps, as planned.
    body: &'a [StepPlan],
    cluster: usize,
    priority: u32,
}

/// The cluster that a task belongs to.
fn home(task: &Task, setup: &Setup) -> Result<usize, SimError> {
    let found = match &task.cluster {
        Some(name) => setup
            .clusters
            .iter()
            .position(|cluster| cluster.name == *name),
        None => Some(
            setup
                .clusters
                .iter()
                .position(|cluster| reaches(task, cluster))
                .unwrap_or(0),
        ),
    };
    let Some(found) = found else {
        return Err(SimError::UnknownCluster {
            task: task.name.clone(),
            cluster: task.cluster.clone().unwrap_or_default(),
            known: known(setup),
        });
    };
    if reaches(task, &setup.clusters[found]) {
        Ok(found)
    } else {
        Err(SimError::NowhereToRun {
            task: task.name.clone(),
        })
    }
}

fn reaches(task: &Task, cluster: &Cluster) -> bool {
    !task
        .affinity
        .unwrap_or(CpuSet::ALL)
        .and(cluster.cpus)
        .is_empty()
}

/// The names of all clusters, for a message.
pub(super) fn known(setup: &Setup) -> String {
    let names = setup.clusters.iter().map(|cluster| cluster.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

fn check_task(task: &Task) -> Result<(), SimError> {
    let wrong = |what, hint| SimError::Value {
        task: task.name.clone(),
        what,
        hint,
    };
    match task.arrival {
        Arrival::Periodic { period, .. } if period == Duration::ZERO => {
            return Err(wrong("its period is 0", "give it at least 1 ns"));
        }
        Arrival::Sporadic { min_separation, .. } if min_separation == Duration::ZERO => {
            return Err(wrong(
                "its shortest separation is 0",
                "give it at least 1 ns",
            ));
        }
        Arrival::Sporadic {
            min_separation,
            max_separation,
            ..
        } if max_separation < min_separation => {
            return Err(wrong(
                "its longest separation is below its shortest",
                "exchange them",
            ));
        }
        _ => {}
    }
    if let Some(budget) = task.budget
        && (budget.runtime == Duration::ZERO || budget.runtime > budget.period)
    {
        return Err(wrong(
            "its budget is 0 or longer than the budget's period",
            "give it 1 ns to one period",
        ));
    }
    if task.late == Late::Abort && task.relative_deadline().is_none() {
        return Err(wrong(
            "its late jobs are to be given up, but it has no deadline",
            "give it one",
        ));
    }
    for step in &task.body {
        match step {
            Step::Run(time) | Step::Suspend(time) | Step::Call { service: time, .. } => {
                check_time(time, wrong)?
            }
            Step::Until(_) | Step::Lock(_) | Step::Unlock(_) => {}
        }
    }
    Ok(())
}

fn check_time(
    time: &Execution,
    wrong: impl Fn(&'static str, &'static str) -> SimError,
) -> Result<(), SimError> {
    match time {
        Execution::Uniform { min, max } if max < min => Err(wrong(
            "a step's longest time is below its shortest",
            "exchange them",
        )),
        Execution::Samples(samples) if samples.is_empty() => Err(wrong(
            "a step's list of times is empty",
            "give it at least one",
        )),
        _ if time.longest().as_nanos() > LONGEST => {
            Err(wrong("a step takes more than 2^60 ns", "shorten it"))
        }
        _ => Ok(()),
    }
}

fn task_plan(
    task: &Task,
    place: Place<'_>,
    clusters: &[Cluster],
) -> Result<(TaskPlan, TaskEntry), SimError> {
    let cpus = clusters[place.cluster].cpus;
    let usable = task.affinity.unwrap_or(CpuSet::ALL).and(cpus);
    let first_cpu = usable.lowest().map_or(0, Cpu::index) as u8;
    let arrival = arrival_plan(&task.arrival);
    let reach = arrival
        .separation
        .min(LONGEST)
        .max(task.relative_deadline().map_or(0, Duration::as_nanos));
    if arrival.first > LONGEST
        || arrival.spread > LONGEST
        || arrival.jitter > LONGEST
        || reach > LONGEST
    {
        return Err(SimError::Value {
            task: task.name.clone(),
            what: "its offset, separation, jitter or deadline is beyond 2^60 ns",
            hint: "shorten it",
        });
    }
    let planned = TaskPlan {
        separation: arrival.separation,
        deadline: task.relative_deadline().map_or(NEVER, Duration::as_nanos),
        first_run: match place.body.first() {
            Some(StepPlan::Run(Draw::Fixed(time))) => *time,
            _ => NEVER,
        },
        body: place.first as u16,
        end: (place.first + place.body.len() - 1) as u16,
        late: task.late,
        varies: arrival.spread > 0 || arrival.jitter > 0,
    };
    let entry = TaskEntry {
        name: task.name.clone(),
        first: arrival.first,
        spread: arrival.spread,
        jitter: arrival.jitter,
        priority: place.priority,
        cluster: place.cluster as u8,
        affinity: task.affinity.filter(|_| usable != cpus).map(|_| usable),
        budget: task.budget,
        first_cpu,
    };
    Ok((planned, entry))
}

/// When the jobs of a task arrive, in nanoseconds.
struct ArrivalPlan {
    first: u64,
    /// From one arrival to the next, at least; none: [`NEVER`].
    separation: u64,
    /// Largest addition to a separation.
    spread: u64,
    /// Largest delay of a release after the arrival.
    jitter: u64,
}

fn arrival_plan(arrival: &Arrival) -> ArrivalPlan {
    let (first, separation, longest, jitter) = match *arrival {
        Arrival::Periodic {
            period,
            offset,
            jitter,
        } => (
            offset.as_nanos(),
            period.as_nanos(),
            period.as_nanos(),
            jitter.as_nanos(),
        ),
        Arrival::Sporadic {
            min_separation,
            max_separation,
            offset,
        } => (
            offset.as_nanos(),
            min_separation.as_nanos(),
            max_separation.as_nanos(),
            0,
        ),
        Arrival::Once { at } => (at.as_nanos(), NEVER, NEVER, 0),
    };
    ArrivalPlan {
        first,
        separation,
        spread: longest - separation,
        jitter,
    }
}

fn cluster_plan((index, cluster): (usize, &Cluster)) -> ClusterPlan {
    ClusterPlan {
        // The library's names have four characters; users' names may be longer.
        name: [
            b'C',
            b'0' + (index / 10) as u8,
            b'0' + (index % 10) as u8,
            b' ',
        ],
        policy: cluster.policy,
        cpus: cluster.cpus,
    }
}

fn cost_plan(setup: &Setup, tasks: u32) -> CostPlan {
    let costs = &setup.costs;
    CostPlan {
        release: Draw::cost(&costs.release, tasks, Row::cost(0)),
        schedule: Draw::cost(&costs.schedule, tasks, Row::cost(1)),
        switch: Draw::cost(&costs.switch, tasks, Row::cost(2)),
        ipi: Draw::cost(&costs.ipi, tasks, Row::cost(3)),
        migration: Draw::cost(&costs.migration, tasks, Row::cost(4)),
    }
}

fn sleeps(workload: &Workload) -> bool {
    workload.tasks.iter().any(|task| {
        task.late == Late::Abort
            || task
                .body
                .iter()
                .any(|step| matches!(step, Step::Suspend(_) | Step::Until(_)))
    })
}

impl From<Policy> for taktos_schedule::smp::PolicyKind {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Simple => Self::Simple,
            Policy::Priority => Self::Priority,
            Policy::Edf => Self::Edf,
            Policy::PriorityAffinity => Self::PriorityAffinity,
            Policy::StrongAffinity => Self::StrongAffinity,
            Policy::Cbs => Self::Cbs,
        }
    }
}
