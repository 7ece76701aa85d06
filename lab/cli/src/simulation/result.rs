//! The result directory of a simulation: manifest, figures, task set, tables,
//! report, traces. The same request gives the same bytes.

use anyhow::Result;
use serde::Serialize;
use taktos_export::plot::{Counts, counted_histogram, counted_tail, gantt};
use taktos_export::report::{Report, Section};
use taktos_export::{Evidence, Recording, ResultDirectory, perfetto, to_json};
use taktos_simulate::file::text;
use taktos_simulate::{Cost, Costs, Task, TaskStatistics, file};
use taktos_trace::Kind;

use super::form::described;
use super::outcome::{Outcomes, Run};
use super::request::Request;
use super::tables;
use crate::arguments::SimOptions;

/// How many switches a Gantt chart shows, at most.
const DRAWN_SWITCHES: usize = 400;

#[derive(Serialize)]
struct Manifest<'a> {
    taktos: &'static str,
    title: &'a str,
    question: &'a str,
    evidence: [Evidence; 1],
    tasks: usize,
    runs: Vec<RunManifest>,
    refused: Vec<String>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct RunManifest {
    name: String,
    clusters: Vec<String>,
    horizon: u64,
    seed: u64,
    replications: u64,
    costs: Vec<(&'static str, String)>,
    events: u64,
    trace_events: usize,
    trace_whole: bool,
}

/// Writes everything that is to be kept.
///
/// # Errors
/// When the directory cannot be written.
pub fn write(
    directory: &ResultDirectory,
    request: &Request,
    outcomes: &Outcomes,
    options: &SimOptions,
    json: &str,
) -> Result<()> {
    directory.write(
        "manifest.json",
        to_json(&manifest(request, outcomes, options)),
    )?;
    directory.write("result.json", json)?;
    directory.write("tasks.toml", file::write(&request.set))?;
    directory.write("report.html", report(request, outcomes, options).to_html())?;
    let policies = tables::beside(outcomes);
    directory.write("tables/policies.csv", policies.to_csv())?;
    for run in &outcomes.runs {
        for table in tables::of_run(request, outcomes, run) {
            directory.write(&format!("tables/{}.csv", table.file_stem()), table.to_csv())?;
        }
        let stem = trace_stem(outcomes, run);
        directory.write(&format!("{stem}.pftrace"), pftrace(run))?;
        directory.write(&format!("{stem}.schedule"), run.recording.to_bytes())?;
    }
    Ok(())
}

/// The name of a run's trace in the directory, without its ending.
fn trace_stem(outcomes: &Outcomes, run: &Run) -> String {
    match outcomes.runs.len() {
        1 => "trace".into(),
        _ => format!("trace/{}", run.name),
    }
}

/// A run's trace for ui.perfetto.dev.
pub fn pftrace(run: &Run) -> Vec<u8> {
    let processors = run.setup.cpus().count();
    let place = format!("{processors} simulated processors, {}", run.name);
    perfetto::to_bytes(&run.recording, &place)
}

fn manifest<'a>(request: &'a Request, outcomes: &Outcomes, options: &SimOptions) -> Manifest<'a> {
    let run = |run: &Run| RunManifest {
        name: run.name.clone(),
        clusters: clusters(run),
        horizon: run.setup.horizon.as_nanos(),
        seed: run.setup.seed,
        replications: options.replications,
        costs: costs(&run.setup.costs),
        events: run.outcome.events,
        trace_events: run.recording.events.len(),
        trace_whole: run.whole,
    };
    let refused = outcomes.refused.iter();
    Manifest {
        taktos: env!("CARGO_PKG_VERSION"),
        title: &request.set.title,
        question: &request.set.question,
        evidence: [Evidence::Simulated],
        tasks: request.set.workload.tasks.len(),
        runs: outcomes.runs.iter().map(run).collect(),
        refused: refused
            .map(|(name, error)| format!("{name}: {error}"))
            .collect(),
        warnings: &request.set.warnings,
    }
}

fn clusters(run: &Run) -> Vec<String> {
    let cluster = |cluster: &taktos_simulate::Cluster| {
        let (policy, cpus) = (cluster.policy, text::shown_cpus(cluster.cpus));
        format!("{}={policy}:{cpus}", cluster.name)
    };
    run.setup.clusters.iter().map(cluster).collect()
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

fn report(request: &Request, outcomes: &Outcomes, options: &SimOptions) -> Report {
    let set = &request.set;
    let mut sections = Vec::new();
    if outcomes.runs.len() > 1 {
        sections.push(Section {
            heading: "Policies".into(),
            prose: Vec::new(),
            tables: vec![tables::beside(outcomes)],
            plots: Vec::new(),
        });
    }
    sections.extend(
        outcomes
            .runs
            .iter()
            .map(|run| section(request, outcomes, run)),
    );
    Report {
        title: match set.title.as_str() {
            "" => request.name.clone(),
            title => title.to_owned(),
        },
        question: set.question.clone(),
        answer: outcomes.runs.iter().map(answer).collect(),
        setup: setup(request, outcomes, options),
        evidence: vec![Evidence::Simulated],
        sections,
    }
}

/// What a run comes to, in one sentence.
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

fn setup(request: &Request, outcomes: &Outcomes, options: &SimOptions) -> Vec<(String, String)> {
    let mut setup = vec![
        ("Taktos".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("task set".into(), request.name.clone()),
        ("tasks".into(), request.set.workload.tasks.len().to_string()),
    ];
    if let Some(run) = outcomes.runs.first() {
        setup.push(("run".into(), described(&run.setup, options.replications)));
        for (name, cost) in costs(&run.setup.costs) {
            setup.push((format!("cost of {name}"), cost));
        }
    }
    for run in &outcomes.runs {
        setup.push((
            format!("clusters of {}", run.name),
            clusters(run).join(", "),
        ));
    }
    setup.push((
        "limits".into(),
        "virtual time with a cost model: no caches, no bus contention but what the costs say"
            .into(),
    ));
    setup.extend(
        request
            .set
            .warnings
            .iter()
            .map(|words| ("left out".into(), words.clone())),
    );
    setup
}

fn section(request: &Request, outcomes: &Outcomes, run: &Run) -> Section {
    let (title, end) = drawn(run);
    let mut plots = vec![gantt(&run.recording, &title, 0, end)];
    plots.extend(distributions(
        &request.set.workload.tasks,
        &run.outcome.tasks,
    ));
    Section {
        heading: format!("Under {}", run.name),
        prose: Vec::new(),
        tables: tables::of_run(request, outcomes, run),
        plots,
    }
}

/// The histogram of response times, and how likely longer ones are; none where no job was done.
pub(super) fn distributions(tasks: &[Task], all: &[TaskStatistics]) -> Vec<String> {
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
    vec![
        counted_histogram("Response times", unit, &sets).to_svg(),
        counted_tail("How likely a longer response is", unit, &sets).to_svg(),
    ]
}

/// The title of the Gantt chart, and where it ends: the first hyperperiod, or
/// as much as can be looked at.
fn drawn(run: &Run) -> (String, u64) {
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
