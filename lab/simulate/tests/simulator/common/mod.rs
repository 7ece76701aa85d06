//! Common code of the engine's tests.

pub mod naive;
pub mod random;
pub mod record;

use taktos_simulate::{
    Cluster, Costs, Execution, LockId, LockSpec, Outcome, Plan, Policy, Protocol, Setup, Step,
    Task, Workload, run,
};
use taktos_time::Duration;

/// A length of time in the unit of a test: 1000 ns, so that "just after" is 1 ns later.
pub const UNIT: u64 = 1_000;

/// Returns `count` units.
pub fn units(count: u64) -> Duration {
    Duration::from_nanos(count * UNIT)
}

/// Tasks t1, t2, ... of (execution, period) in units, priorities in this order.
pub fn tasks(set: &[(u64, u64)]) -> Vec<Task> {
    let tasks = set.iter().enumerate();
    tasks
        .map(|(index, (execution, period))| Task {
            priority: Some(index as u32 + 1),
            ..Task::periodic(
                &format!("t{}", index + 1),
                units(*execution),
                units(*period),
            )
        })
        .collect()
}

/// Returns tasks as [`tasks`] does, with a relative deadline as the third number.
pub fn constrained(set: &[(u64, u64, u64)]) -> Vec<Task> {
    let pairs: Vec<(u64, u64)> = set
        .iter()
        .map(|(execution, period, _)| (*execution, *period))
        .collect();
    let mut tasks = tasks(&pairs);
    for (task, (_, _, deadline)) in tasks.iter_mut().zip(set) {
        task.deadline = Some(units(*deadline));
    }
    tasks
}

/// A workload of tasks alone.
pub fn workload(tasks: Vec<Task>) -> Workload {
    Workload {
        name: "test".to_owned(),
        tasks,
        ..Workload::default()
    }
}

/// Puts the whole body of `task` under a lock: with a ceiling, no other task of the cluster runs
/// meanwhile.
pub fn under(task: &mut Task, lock: LockId) {
    task.body.insert(0, Step::Lock(lock));
    task.body.push(Step::Unlock(lock));
}

/// A lock with a ceiling in the cluster `all`.
pub fn ceiling(name: &str, priority: u32) -> LockSpec {
    LockSpec {
        name: name.to_owned(),
        protocol: Protocol::Ceiling,
        ceilings: vec![("all".to_owned(), priority)],
    }
}

/// A run without observer.
pub fn simulate(workload: &Workload, setup: &Setup) -> Outcome {
    let plan = Plan::new(workload, setup).unwrap_or_else(|error| panic!("{error}"));
    let outcome = run(&plan, setup.seed, &mut ()).unwrap_or_else(|error| panic!("{error}"));
    check_accounts(&outcome);
    outcome
}

/// Checks the invariants of every outcome: each processor's time is accounted to the nanosecond.
pub fn check_accounts(outcome: &Outcome) {
    for cpu in &outcome.cpus {
        assert_eq!(
            cpu.busy + cpu.overhead + cpu.idle + cpu.stolen,
            outcome.virtual_time,
            "processor {}",
            cpu.cpu
        );
    }
    for task in &outcome.tasks {
        assert!(task.jobs + task.aborted + task.skipped <= task.released);
        assert_eq!(task.jobs, task.response.count());
        assert_eq!(task.jobs, task.responses.count());
    }
}

/// One policy on `cpus` processors for `horizon` units.
pub fn global(policy: Policy, cpus: usize, horizon: u64) -> Setup {
    Setup::global(policy, cpus, units(horizon))
}

/// The longest response of each task, in nanoseconds.
pub fn responses(outcome: &Outcome) -> Vec<Option<u64>> {
    outcome
        .tasks
        .iter()
        .map(|task| task.response.max())
        .collect()
}

/// The longest response of each task in whole units; none for a task without a done job.
pub fn in_units(outcome: &Outcome) -> Vec<Option<u64>> {
    let responses = responses(outcome).into_iter();
    responses
        .map(|response| {
            response.map(|ns| {
                assert_eq!(ns % UNIT, 0, "a whole number of units");
                ns / UNIT
            })
        })
        .collect()
}

/// One cluster a processor, `c0`, `c1`, ...
pub fn partitioned(policy: Policy, cpus: usize, horizon: Duration) -> Setup {
    let clusters = (0..cpus).map(|cpu| Cluster {
        name: format!("c{cpu}"),
        cpus: taktos_schedule::Cpu::new(cpu).into_iter().collect(),
        policy,
    });
    Setup {
        clusters: clusters.collect(),
        horizon,
        costs: Costs::FREE,
        slice: None,
        seed: 0,
    }
}

/// Returns a step that runs for `count` units.
pub fn run_for(count: u64) -> Step {
    Step::Run(Execution::Fixed(units(count)))
}
