//! The case that the kernel ran, in the simulator.

use anyhow::Result;
use taktos_export::Recording;
use taktos_schedule::CpuSet;
use taktos_simulate::{
    Arrival, Budget, Cluster, Cost, Costs, Outcome, Plan, Policy, Setup, Task, Workload, run,
};
use taktos_time::Duration;

use crate::recorder::Recorder;
use crate::smp::{Case, Figures, Periodic, TaskFigures};

/// The most events of a schedule that are kept.
const MOST_EVENTS: usize = 1_000_000;

/// Result of the simulator.
#[derive(Debug)]
pub struct Simulated {
    /// The figures.
    pub outcome: Outcome,
    /// The schedule of the threads.
    pub recording: Recording,
}

/// Simulates the case; each switch costs `switch` nanoseconds. If tasks belong to instances, they
/// are in those in which the kernel had them.
///
/// # Errors
/// When the simulator refuses the tasks.
pub fn simulate(case: &Case, kernel: &Figures, switch: u64) -> Result<Simulated> {
    let workload = workload(case, kernel);
    let setup = Setup {
        clusters: clusters(case),
        horizon: case.horizon,
        costs: Costs {
            switch: match switch {
                0 => Cost::Zero,
                nanos => Cost::Constant(Duration::from_nanos(nanos)),
            },
            ..Costs::FREE
        },
        slice: None,
        seed: 0,
    };
    let mut recorder = Recorder::new(&workload, &setup.clusters, MOST_EVENTS);
    let plan = Plan::new(&workload, &setup)?;
    let outcome = run(&plan, plan.seed(), &mut recorder)?;
    let (recording, _) = recorder.finish(case.horizon);
    Ok(Simulated { outcome, recording })
}

fn clusters(case: &Case) -> Vec<Cluster> {
    let cluster = |(number, cpus): (usize, std::ops::Range<usize>)| Cluster {
        name: number.to_string(),
        cpus: cpus.fold(CpuSet::EMPTY, |all, cpu| {
            all.or(CpuSet::from_bits(1 << cpu))
        }),
        policy: case.policy,
    };
    case.layout
        .instances()
        .into_iter()
        .enumerate()
        .map(cluster)
        .collect()
}

fn workload(case: &Case, kernel: &Figures) -> Workload {
    let instances = case.layout.instances();
    let ns = Duration::from_nanos;
    let task = |(task, kernel): (&Periodic, &TaskFigures)| {
        let first = kernel.processors.trailing_zeros() as usize;
        let instance = instances.iter().position(|cpus| cpus.contains(&first));
        Task {
            arrival: Arrival::Periodic {
                period: ns(task.period),
                offset: ns(task.offset),
                jitter: Duration::ZERO,
            },
            cluster: instance.map(|number| number.to_string()),
            budget: (case.policy == Policy::Cbs).then(|| budget(task)),
            ..Task::periodic(&task.name, ns(task.execution), ns(task.period))
        }
    };
    Workload {
        tasks: case.tasks.iter().zip(&kernel.tasks).map(task).collect(),
        ..Workload::default()
    }
}

/// The budget that the kernel's program gives a task where there are budgets: a twentieth more than
/// it computes.
fn budget(task: &Periodic) -> Budget {
    Budget {
        runtime: Duration::from_nanos(task.execution + task.execution / 20),
        period: Duration::from_nanos(task.period),
        hard: false,
    }
}
