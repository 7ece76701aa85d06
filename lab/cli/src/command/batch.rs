//! `taktos sim` of many task sets: the verdict of each under each policy.

use anyhow::Result;
use taktos_experiments::outcome::begin;
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_runner::workspace::Workspace;
use taktos_simulate::generate::utilisation_of;

use super::sim::fail_on_miss;
use crate::arguments::SimOptions;
use crate::simulation::{self, Batch, Judged, Request, Verdict, Written, guests};

/// Column for the verdict of a set with partitions, which name their schedulers.
const PARTITIONS: &str = "partitions";

/// Simulates each set, and shows them next to each other.
pub(super) fn run(workspace: &Workspace, sets: &[Written], options: &SimOptions) -> Result<()> {
    if options.trace.is_some() {
        return Err(Failure::error(
            "a trace is of one task set",
            "leave --trace, or name one file",
        ));
    }
    // A broken set is named before any is simulated.
    let requests: Result<Vec<Request>> = sets
        .iter()
        .map(|set| simulation::request(set, options))
        .collect();
    let requests = requests?;
    let directory = begin(workspace, "sim-batch", options.out.as_deref())?;
    let (mut judged, mut figures) = (Vec::new(), Vec::new());
    for (number, (set, request)) in sets.iter().zip(&requests).enumerate() {
        for words in &request.set.warnings {
            eprintln!("warning: {}: {words}", set.file);
        }
        let (one, json) = judge(set, request, options)?;
        figures.push((
            format!("sets/{number:06}-{}.json", request.name),
            json.into(),
        ));
        judged.push(one);
    }
    let batch = Batch::of(judged);
    let outcome = batch.outcome(figures);
    outcome.finish(workspace, directory, options.format)?;
    fail_on_miss(batch.missed(), options)
}

/// Simulates a set, and returns its verdicts and its figures.
fn judge(set: &Written, request: &Request, options: &SimOptions) -> Result<(Judged, String)> {
    let workload = &request.set.workload;
    let progress = Progress::default();
    let (verdicts, json) = if workload.partitions.is_empty() {
        let outcomes = simulation::attempt(request, options, &progress);
        let ran = |run: &simulation::Run| (run.name.clone(), Verdict::ran(run.outcome.missed()));
        let refused = outcomes.refused.iter();
        let refused = refused.map(|(name, why)| (name.clone(), Verdict::refused(why)));
        let verdicts = outcomes.runs.iter().map(ran).chain(refused).collect();
        (verdicts, simulation::json(request, &outcomes))
    } else {
        let done = guests::simulate(request, options, &progress)?;
        done.warn(&set.file);
        let verdict = (PARTITIONS.to_owned(), Verdict::ran(done.missed()));
        (vec![verdict], guests::json(request, &done))
    };
    let guests = workload
        .partitions
        .iter()
        .flat_map(|partition| &partition.tasks);
    let tasks: Vec<_> = workload.tasks.iter().chain(guests).collect();
    let judged = Judged {
        set: set.file.clone(),
        tasks: tasks.len() as u64,
        utilisation: tasks.into_iter().filter_map(utilisation_of).sum(),
        verdicts,
    };
    Ok((judged, json))
}
