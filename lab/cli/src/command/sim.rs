//! `taktos sim`: task sets, scenarios and storms in virtual time.

use anyhow::Result;
use taktos_export::{ResultDirectory, replace_file};

use super::batch;
use crate::arguments::{Format, SimOptions};
use crate::failure::{CheckFailed, Failure};
use crate::progress::Progress;
use crate::screen;
use crate::simulation::{self, Request, Written, guests};
use crate::workspace::Workspace;

/// Does what the options ask.
pub(super) fn run(workspace: &Workspace, options: &SimOptions) -> Result<()> {
    if !options.scenario.is_empty() {
        return super::scenario::run(options);
    }
    if options.storm {
        return super::storm::run(options);
    }
    let sets = simulation::read(&options.files)?;
    match sets.as_slice() {
        [] => Err(Failure::error(
            "nothing to simulate",
            "name a task set (experiments/onboard.toml), a directory of them, or - for the standard input; or \
             --scenario FILE, or --storm",
        )),
        [one] if !options.files.iter().any(|file| file.is_dir()) => {
            task_set(workspace, one, options)
        }
        several => batch::run(workspace, several, options),
    }
}

fn task_set(workspace: &Workspace, set: &Written, options: &SimOptions) -> Result<()> {
    let request = simulation::request(set, options)?;
    let extra = options.trace.as_ref().and_then(Option::as_deref);
    let several = request.set.workload.partitions.is_empty() && request.setups.len() > 1;
    if extra.is_some() && several {
        return Err(Failure::error(
            "one trace file cannot hold the runs of several policies",
            "name one with --scheduler, or leave the file off: --trace",
        ));
    }
    let name = format!("sim-{}", request.name);
    let place = options
        .out
        .clone()
        .unwrap_or_else(|| workspace.path("out").join(name));
    let directory = ResultDirectory::begin(&place)
        .map_err(|error| Failure::error(error.to_string(), "name another place: --out DIR"))?;
    for words in &request.set.warnings {
        eprintln!("warning: {}: {words}", set.file);
    }
    let done = match request.set.workload.partitions.is_empty() {
        true => tasks(&request, options, &directory)?,
        false => guests(&request, options, &directory)?,
    };
    if let (Some(path), Some(trace)) = (extra, &done.trace) {
        replace_file(path, trace).map_err(|error| {
            Failure::error(error.to_string(), "name another file: --trace FILE")
        })?;
    }
    let place = places(&done, &workspace.shown(&directory.finish()?));
    match options.format {
        Format::Table => screen::print(&format!("{}{place}\n", done.shown))?,
        Format::Json | Format::Csv => {
            screen::print(&done.shown)?;
            eprintln!("{place}");
        }
    }
    match done.missed {
        missed if missed > 0 && options.fail_on_miss => {
            Err(CheckFailed(format!("{missed} deadlines were missed")).into())
        }
        _ => Ok(()),
    }
}

/// What a run comes to.
struct Done {
    /// In the form that was asked for.
    shown: String,
    missed: u64,
    /// The one trace; none where there are several.
    trace: Option<Vec<u8>>,
}

/// Tasks on clusters of processors.
fn tasks(request: &Request, options: &SimOptions, directory: &ResultDirectory) -> Result<Done> {
    let outcomes = simulation::simulate(request, options, &Progress::default())?;
    let json = simulation::json(request, &outcomes);
    simulation::write(directory, request, &outcomes, options, &json)?;
    Ok(Done {
        missed: outcomes.missed(),
        trace: match outcomes.runs.as_slice() {
            [run] => Some(simulation::pftrace(run)),
            _ => None,
        },
        shown: match options.format {
            Format::Table => simulation::screen(request, &outcomes, options.replications),
            Format::Json => json,
            Format::Csv => simulation::csv(request, &outcomes),
        },
    })
}

/// Guests on virtual processors.
fn guests(request: &Request, options: &SimOptions, directory: &ResultDirectory) -> Result<Done> {
    let guests = guests::simulate(request, options, &Progress::default())?;
    let json = guests::json(request, &guests);
    guests::write(directory, request, &guests, &json)?;
    Ok(Done {
        missed: guests.missed(),
        trace: Some(guests::pftrace(&guests)),
        shown: match options.format {
            Format::Table => guests::screen(request, &guests),
            Format::Json => json,
            Format::Csv => guests::csv(request, &guests),
        },
    })
}

fn places(done: &Done, result: &str) -> String {
    match done.trace {
        Some(_) => screen::places(result),
        None => format!(
            "report: {result}/report.html     traces: {result}/trace/*.pftrace (ui.perfetto.dev)"
        ),
    }
}
