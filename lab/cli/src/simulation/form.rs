//! Output of a simulation: tables for people, JSON and CSV for programs.

use serde_json::{Value, json};
use taktos_export::{Evidence, to_json};
use taktos_simulate::file::text;
use taktos_simulate::{Setup, Task, TaskStatistics};

use super::outcome::{Outcomes, Run};
use super::request::Request;
use super::tables::percentile;

/// The figures of each task by its name. All times are in nanoseconds.
pub(super) fn tasks(tasks: &[Task], all: &[TaskStatistics]) -> Value {
    let names = tasks.iter().map(|task| task.name.clone());
    names.zip(all.iter().map(of_task)).collect()
}

fn of_task(task: &TaskStatistics) -> Value {
    json!({
        "released": task.released,
        "jobs": task.jobs,
        "missed": task.missed,
        "aborted": task.aborted,
        "skipped": task.skipped,
        "response": {
            "min": task.response.min(),
            "mean": task.response.mean(),
            "max": task.response.max(),
            "p50": percentile(task, 50, 100),
            "p90": percentile(task, 90, 100),
            "p99": percentile(task, 99, 100),
            "p999": percentile(task, 999, 1000),
        },
        "cpu": task.cpu,
        "wall": task.wall,
        "tardiness": task.tardiness,
        "preemptions": task.preemptions,
        "migrations": task.migrations,
        "migrations_in_job": task.migrations_in_job,
    })
}

fn of_run(request: &Request, run: &Run) -> Value {
    json!({
        "evidence": Evidence::Simulated,
        "scheduler": run.name,
        "seed": run.setup.seed,
        "virtual_time": run.outcome.virtual_time,
        "events": run.outcome.events,
        "tasks": tasks(&request.set.workload.tasks, &run.outcome.tasks),
        "cpus": run.outcome.cpus,
    })
}

/// Returns the figures: of the one requested policy, or of each by its name.
pub fn json(request: &Request, outcomes: &Outcomes) -> String {
    if let ([one], true) = (outcomes.runs.as_slice(), request.one) {
        return to_json(&of_run(request, one));
    }
    let run = |one: &Run| (one.name.clone(), of_run(request, one));
    let runs: Value = outcomes.runs.iter().map(run).collect();
    let refused = outcomes.refused.iter();
    let refused: Value = refused
        .map(|(name, error)| (name.clone(), error.to_string()))
        .collect();
    to_json(&json!({ "schedulers": runs, "refused": refused }))
}

/// On what and for how long, in one line.
pub fn described(setup: &Setup, replications: u64) -> String {
    let cpus = setup.cpus().count();
    let plural = if cpus == 1 { "" } else { "s" };
    let times = match replications {
        1 => String::new(),
        times => format!(", {times} times"),
    };
    format!(
        "{cpus} processor{plural}, {} of virtual time{times}, seed {} (simulated)",
        text::shown(setup.horizon),
        setup.seed
    )
}
