//! What a simulation prints: tables for people, JSON and CSV for programs.

use serde::Serialize;
use taktos_export::{Evidence, in_order, to_json};
use taktos_simulate::file::text;
use taktos_simulate::{CpuStatistics, Setup, Summary, TaskStatistics};

use super::outcome::{Outcomes, Run};
use super::request::Request;
use super::tables::percentile;

/// One run. All times are in nanoseconds.
#[derive(Serialize)]
struct RunForm {
    evidence: Evidence,
    scheduler: String,
    seed: u64,
    virtual_time: u64,
    events: u64,
    #[serde(serialize_with = "in_order")]
    tasks: Vec<(String, TaskForm)>,
    cpus: Vec<CpuStatistics>,
}

#[derive(Serialize)]
pub(super) struct TaskForm {
    released: u64,
    jobs: u64,
    missed: u64,
    aborted: u64,
    skipped: u64,
    response: ResponseForm,
    cpu: Summary,
    wall: Summary,
    tardiness: u64,
    preemptions: u64,
    migrations: u64,
    migrations_in_job: u64,
}

#[derive(Serialize)]
struct ResponseForm {
    min: Option<u64>,
    mean: Option<u64>,
    max: Option<u64>,
    p50: Option<u64>,
    p90: Option<u64>,
    p99: Option<u64>,
    p999: Option<u64>,
}

#[derive(Serialize)]
struct AllForm {
    #[serde(serialize_with = "in_order")]
    schedulers: Vec<(String, RunForm)>,
    #[serde(serialize_with = "in_order")]
    refused: Vec<(String, String)>,
}

impl From<&TaskStatistics> for TaskForm {
    fn from(task: &TaskStatistics) -> Self {
        Self {
            released: task.released,
            jobs: task.jobs,
            missed: task.missed,
            aborted: task.aborted,
            skipped: task.skipped,
            response: ResponseForm {
                min: task.response.min(),
                mean: task.response.mean(),
                max: task.response.max(),
                p50: percentile(task, 50, 100),
                p90: percentile(task, 90, 100),
                p99: percentile(task, 99, 100),
                p999: percentile(task, 999, 1000),
            },
            cpu: task.cpu,
            wall: task.wall,
            tardiness: task.tardiness,
            preemptions: task.preemptions,
            migrations: task.migrations,
            migrations_in_job: task.migrations_in_job,
        }
    }
}

fn run(request: &Request, run: &Run) -> RunForm {
    let names = request
        .set
        .workload
        .tasks
        .iter()
        .map(|task| task.name.clone());
    RunForm {
        evidence: Evidence::Simulated,
        scheduler: run.name.clone(),
        seed: run.setup.seed,
        virtual_time: run.outcome.virtual_time,
        events: run.outcome.events,
        tasks: names
            .zip(run.outcome.tasks.iter().map(TaskForm::from))
            .collect(),
        cpus: run.outcome.cpus.clone(),
    }
}

/// The figures: of the one policy that was asked for, or of each by its name.
pub fn json(request: &Request, outcomes: &Outcomes) -> String {
    match outcomes.runs.as_slice() {
        [one] if request.one => to_json(&run(request, one)),
        runs => to_json(&AllForm {
            schedulers: runs
                .iter()
                .map(|one| (one.name.clone(), run(request, one)))
                .collect(),
            refused: outcomes
                .refused
                .iter()
                .map(|(name, error)| (name.clone(), error.to_string()))
                .collect(),
        }),
    }
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
