//! `taktos sim`: task sets, scenarios and stress tests in virtual time.

use anyhow::Result;
use taktos_experiments::outcome::begin;
use taktos_export::replace_file;
use taktos_runner::failure::{CheckFailed, Failure};
use taktos_runner::progress::Progress;
use taktos_runner::workspace::Workspace;

use super::batch;
use crate::arguments::{SchedulerChoice, SimOptions};
use crate::simulation::{self, Written, guests};

/// Does what the options ask.
pub(super) fn run(workspace: &Workspace, options: &SimOptions) -> Result<()> {
    if !options.scenario.is_empty() || options.storm {
        refuse_order(options)?;
        return match options.storm {
            true => super::storm::run(options),
            false => super::scenario::run(options),
        };
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

/// Scripts and stress tests have no tasks that a rule could order.
fn refuse_order(options: &SimOptions) -> Result<()> {
    match options.scheduler {
        Some(SchedulerChoice::By(order)) => Err(Failure::error(
            format!(
                "{} gives the tasks of a set their priorities, and here are none",
                order.name()
            ),
            "take a policy: --scheduler priority",
        )),
        _ => Ok(()),
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
    let directory = begin(workspace, &name, options.out.as_deref())?;
    for words in &request.set.warnings {
        eprintln!("warning: {}: {words}", set.file);
    }
    let (outcome, missed) = match request.set.workload.partitions.is_empty() {
        true => {
            let outcomes = simulation::simulate(&request, options, &Progress::default())?;
            let outcome = simulation::outcome(&request, &outcomes, options);
            (outcome, outcomes.missed())
        }
        false => {
            let guests = guests::simulate(&request, options, &Progress::default())?;
            guests.warn(&set.file);
            (guests::outcome(&request, &guests), guests.missed())
        }
    };
    if let (Some(path), [trace]) = (extra, outcome.traces.as_slice()) {
        replace_file(path, trace.pftrace()).map_err(|error| {
            Failure::error(error.to_string(), "name another file: --trace FILE")
        })?;
    }
    outcome.finish(workspace, directory, options.format)?;
    fail_on_miss(missed, options)
}

/// Deadlines that were missed are a failed check, where the options say so.
pub(super) fn fail_on_miss(missed: u64, options: &SimOptions) -> Result<()> {
    match missed {
        missed if missed > 0 && options.fail_on_miss => {
            Err(CheckFailed(format!("{missed} deadlines were missed")).into())
        }
        _ => Ok(()),
    }
}
