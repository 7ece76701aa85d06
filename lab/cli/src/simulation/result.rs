//! The outcome of a simulation: figures, task set, tables, plots, traces. Equal requests give the
//! same bytes.
//!
//! Owns: the statements on each run. Must never know: how a result is written.

use taktos_experiments::outcome::{Named, Outcome, Trace};
use taktos_export::plot::{Counts, counted_histogram, counted_tail, gantt};
use taktos_export::{Drawn, Evidence, Recording};
use taktos_simulate::file::text;
use taktos_simulate::{Cost, Costs, Task, TaskStatistics, file};
use taktos_trace::Kind;

use super::form::{self, described};
use super::outcome::{Outcomes, Run};
use super::request::Request;
use super::tables;
use crate::arguments::SimOptions;

/// How many switches a Gantt chart shows, at most.
const DRAWN_SWITCHES: usize = 400;
/// Limits of these figures.
pub(super) const LIMITS: &str =
    "virtual time with a cost model: no caches, no bus contention but what the costs say";

/// Everything that is to be kept of the runs of a task set.
pub fn outcome(request: &Request, outcomes: &Outcomes, options: &SimOptions) -> Outcome {
    let policies = std::iter::once(policies(outcomes));
    let runs = outcomes.runs.iter();
    let first = outcomes.runs.first();
    Outcome {
        place: first.map_or_else(String::new, |run| {
            described(&run.setup, options.replications)
        }),
        setup: setup(request, outcomes, options),
        runs: runs.clone().map(told).collect(),
        drawn: policies
            .chain(runs.clone().map(|run| drawn(request, outcomes, run)))
            .collect(),
        traces: runs.map(|run| trace(outcomes, run)).collect(),
        json: form::json(request, outcomes),
        ..of_set(request)
    }
}

/// Returns the common part of all results of a task set.
pub(super) fn of_set(request: &Request) -> Outcome {
    let set = &request.set;
    let title = match set.title.as_str() {
        "" => &request.name,
        title => title,
    };
    Outcome {
        title: title.to_owned(),
        question: set.question.clone(),
        limits: LIMITS,
        files: vec![("tasks.toml".into(), file::write(set).into())],
        ..Outcome::default()
    }
}

/// Returns the comparison of the policies: on the screen if there is more than one.
fn policies(outcomes: &Outcomes) -> Drawn {
    let table = vec![tables::beside(outcomes)];
    let shown = outcomes.runs.len() > 1 || !outcomes.refused.is_empty();
    let (tables, details) = if shown {
        (table, Vec::new())
    } else {
        (Vec::new(), table)
    };
    Drawn {
        title: "Policies".into(),
        tables,
        details,
        evidence: vec![Evidence::Simulated],
        printed: true,
        ..Drawn::default()
    }
}

/// A run's trace, in a folder of traces where there are several.
fn trace(outcomes: &Outcomes, run: &Run) -> Trace {
    let processors = run.setup.cpus().count();
    Trace {
        stem: match outcomes.runs.len() {
            1 => "trace".into(),
            _ => format!("trace/{}", run.name),
        },
        platform: format!("{processors} simulated processors, {}", run.name),
        recording: run.recording.clone(),
    }
}

/// A run's name, and what made it.
fn told(run: &Run) -> (String, String) {
    let told = format!(
        "clusters {}; {} of virtual time; seed {}; {} events, {} of them in the trace, which is {}",
        clusters(run),
        text::shown(run.setup.horizon),
        run.setup.seed,
        run.outcome.events,
        run.recording.events.len(),
        extent(run.whole)
    );
    (run.name.clone(), told)
}

/// How much of a run its trace shows.
pub(super) const fn extent(whole: bool) -> &'static str {
    if whole { "whole" } else { "the first part" }
}

fn clusters(run: &Run) -> String {
    let cluster = |cluster: &taktos_simulate::Cluster| {
        let (policy, cpus) = (cluster.policy, text::shown_cpus(cluster.cpus));
        format!("{}={policy}:{cpus}", cluster.name)
    };
    let all: Vec<String> = run.setup.clusters.iter().map(cluster).collect();
    all.join(", ")
}

pub(super) fn costs(costs: &Costs) -> Vec<(&'static str, String)> {
    let named = [
        ("release", &costs.release),
        ("schedule", &costs.schedule),
        ("switch", &costs.switch),
        ("ipi", &costs.ipi),
        ("migration", &costs.migration),
    ];
    named.map(|(name, cost)| (name, shown_cost(cost))).to_vec()
}

fn shown_cost(cost: &Cost) -> String {
    match cost {
        Cost::Zero => "0".into(),
        Cost::Constant(time) => text::shown(*time),
        Cost::Linear(points) => format!("by number of tasks, {} points", points.len()),
        Cost::Samples(samples) => format!("one of {} recorded", samples.len()),
    }
}

/// Returns the result of a run, in one line of text.
fn answer(run: &Run) -> String {
    let (jobs, missed) = (run.outcome.jobs(), run.outcome.missed());
    let misses = match missed {
        0 => "no deadline was missed".to_owned(),
        1 => "one deadline was missed".to_owned(),
        many => format!("{many} deadlines were missed"),
    };
    format!(
        "{}: {jobs} jobs were done, and {misses} (simulated).",
        run.name
    )
}

fn setup(request: &Request, outcomes: &Outcomes, options: &SimOptions) -> Named {
    let tasks = request.set.workload.tasks.len().to_string();
    let mut setup = vec![
        ("task set".to_owned(), request.name.clone()),
        ("tasks".into(), tasks),
    ];
    if let Some(run) = outcomes.runs.first() {
        setup.push(("run".into(), described(&run.setup, options.replications)));
        for (name, cost) in costs(&run.setup.costs) {
            setup.push((format!("cost of {name}"), cost));
        }
    }
    for run in &outcomes.runs {
        setup.push((format!("clusters of {}", run.name), clusters(run)));
    }
    for (name, error) in &outcomes.refused {
        setup.push((format!("{name} is not there"), error.to_string()));
    }
    let warnings = request.set.warnings.iter();
    setup.extend(warnings.map(|words| ("left out".into(), words.clone())));
    setup
}

fn drawn(request: &Request, outcomes: &Outcomes, run: &Run) -> Drawn {
    let (title, end) = pictured(run);
    let schedule = gantt(&run.recording, &title, 0, end);
    let mut plots = vec![(format!("schedule-{}", run.name), schedule)];
    plots.extend(distributions(
        &run.name,
        &request.set.workload.tasks,
        &run.outcome.tasks,
    ));
    let [tasks, responses, processors] = tables::of_run(request, outcomes, run);
    Drawn {
        title: format!("Under {}", run.name),
        answer: vec![answer(run)],
        tables: vec![tasks, processors],
        details: vec![responses],
        plots,
        evidence: vec![Evidence::Simulated],
        printed: true,
    }
}

/// The histogram of response times, and how likely longer ones are; none where no job was done.
pub(super) fn distributions(
    of: &str,
    tasks: &[Task],
    all: &[TaskStatistics],
) -> Vec<(String, String)> {
    let names = tasks.iter().map(|task| task.name.as_str());
    let sets: Vec<Counts<'_>> = names
        .zip(all)
        .map(|(name, task)| {
            let most = task.response.max().unwrap_or(0);
            let buckets = task.responses.buckets();
            let counts = buckets.map(|(_, last, count)| (last.min(most), count));
            (name, counts.collect())
        })
        .collect();
    if sets.iter().all(|(_, counts)| counts.is_empty()) {
        return Vec::new();
    }
    let unit = "response time, ns (simulated)";
    let histogram = counted_histogram("Response times", unit, &sets);
    let tail = counted_tail("How likely a longer response is", unit, &sets);
    vec![
        (format!("responses-{of}"), histogram.to_svg()),
        (format!("responses-{of}-tail"), tail.to_svg()),
    ]
}

/// The title of the Gantt chart, and where it ends: the first hyperperiod, or
/// as much as can be looked at.
fn pictured(run: &Run) -> (String, u64) {
    let legible = legible(&run.recording);
    match run.hyperperiod.map(taktos_time::Duration::as_nanos) {
        Some(period) if period <= legible => {
            (format!("The first hyperperiod under {}", run.name), period)
        }
        _ => (format!("The first switches under {}", run.name), legible),
    }
}

/// Up to when a Gantt chart can be looked at.
pub(super) fn legible(recording: &Recording) -> u64 {
    let switches = recording
        .events
        .iter()
        .filter(|event| event.kind == Kind::Switch);
    let mut switches = switches.map(|event| event.at);
    switches.nth(DRAWN_SWITCHES).unwrap_or(recording.end)
}
