//! `taktos sim`: task sets, scenarios and storms in virtual time.

use std::path::Path;

use anyhow::Result;
use taktos_export::{ResultDirectory, replace_file};

use crate::arguments::{Format, SimOptions};
use crate::failure::{CheckFailed, Failure};
use crate::progress::Progress;
use crate::screen;
use crate::simulation::{self, Outcomes};
use crate::workspace::Workspace;

/// Does what the options ask.
pub(super) fn run(workspace: &Workspace, options: &SimOptions) -> Result<()> {
    if !options.scenario.is_empty() {
        return super::scenario::run(options);
    }
    let Some(file) = &options.file else {
        return Err(Failure::error(
            "nothing to simulate",
            "name a task set (experiments/onboard.toml), or --scenario FILE, or --storm",
        ));
    };
    task_set(workspace, file, options)
}

fn task_set(workspace: &Workspace, file: &Path, options: &SimOptions) -> Result<()> {
    let request = simulation::request(file, options)?;
    let extra = options.trace.as_ref().and_then(Option::as_deref);
    if extra.is_some() && request.setups.len() > 1 {
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
        eprintln!("warning: {}: {words}", file.display());
    }
    let outcomes = simulation::simulate(&request, options, &Progress::default())?;
    let json = simulation::json(&request, &outcomes);
    simulation::write(&directory, &request, &outcomes, options, &json)?;
    if let (Some(path), [run]) = (extra, outcomes.runs.as_slice()) {
        replace_file(path, simulation::pftrace(run)).map_err(|error| {
            Failure::error(error.to_string(), "name another file: --trace FILE")
        })?;
    }
    let place = directory.finish()?;
    let place = places(&outcomes, &workspace.shown(&place));
    match options.format {
        Format::Table => {
            let shown = simulation::screen(&request, &outcomes, options.replications);
            screen::print(&format!("{shown}{place}\n"))?;
        }
        Format::Json => {
            screen::print(&json)?;
            eprintln!("{place}");
        }
        Format::Csv => {
            screen::print(&simulation::csv(&request, &outcomes))?;
            eprintln!("{place}");
        }
    }
    match outcomes.missed() {
        missed if missed > 0 && options.fail_on_miss => {
            Err(CheckFailed(format!("{missed} deadlines were missed")).into())
        }
        _ => Ok(()),
    }
}

fn places(outcomes: &Outcomes, result: &str) -> String {
    match outcomes.runs.len() {
        1 => screen::places(result),
        _ => format!(
            "report: {result}/report.html     traces: {result}/trace/*.pftrace (ui.perfetto.dev)"
        ),
    }
}
