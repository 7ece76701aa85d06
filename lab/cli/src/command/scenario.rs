//! `taktos sim --scenario`: scripts whose every `expect` must hold.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use taktos_experiments::screen;
use taktos_export::table::Table;
use taktos_runner::failure::{CheckFailed, Failure};
use taktos_simulate::scenario::{Failed, Options, POLICIES, Report, ScenarioError, run_file};

use crate::arguments::{SchedulerChoice, SimOptions};

/// One file, and what its run came to.
struct Done {
    file: String,
    /// The first line that did not hold, if any.
    result: Result<Report, Box<Failed>>,
}

#[derive(Serialize)]
struct DoneForm<'a> {
    file: &'a str,
    held: bool,
    cases: usize,
    runs: usize,
    commands: usize,
    expectations: usize,
    failed: Option<FailedForm<'a>>,
}

#[derive(Serialize)]
struct FailedForm<'a> {
    line: usize,
    text: &'a str,
    case: &'a str,
    policy: Option<&'static str>,
    expected: &'a str,
    found: &'a str,
}

/// Runs the scripts. All are run, also behind one that does not hold.
pub(super) fn run(options: &SimOptions) -> Result<()> {
    let choice = Options {
        case: None,
        policies: policies(options.scheduler),
    };
    let mut all = Vec::new();
    for path in &options.scenario {
        let done = one(path, &choice)?;
        if let Err(failed) = &done.result {
            eprintln!("{failed}\n");
        }
        all.push(done);
    }
    let forms: Vec<_> = all.iter().map(form).collect();
    screen::show(options.format, &table(&forms), &forms)?;
    let failed = all.iter().filter(|done| done.result.is_err()).count();
    match failed {
        0 => Ok(()),
        failed => {
            Err(CheckFailed(format!("{failed} of {} scenarios did not hold", all.len())).into())
        }
    }
}

/// The policies to run; none: those that the script names.
fn policies(choice: Option<SchedulerChoice>) -> Vec<taktos_schedule::smp::PolicyKind> {
    let Some(SchedulerChoice::One(policy)) = choice else {
        return Vec::new();
    };
    let named = POLICIES.iter().filter(|(name, _)| *name == policy.name());
    named.map(|(_, kind)| *kind).collect()
}

fn one(path: &Path, options: &Options) -> Result<Done> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|cause| {
        Failure::error(
            format!("cannot read the scenario {file}: {cause}"),
            "name a script, such as experiments/scenarios/smp01.scenario",
        )
    })?;
    let result = match run_file(&text, &file, options) {
        Ok(report) => Ok(report),
        Err(ScenarioError::Failed(failed)) => Err(failed),
        Err(error) => {
            let mend = error.mend().unwrap_or_else(|| "mend the script".into());
            return Err(Failure::error(error.to_string(), mend));
        }
    };
    Ok(Done { file, result })
}

fn form(done: &Done) -> DoneForm<'_> {
    let report = done.result.as_ref().copied().unwrap_or_default();
    let failed = done.result.as_ref().err().map(|failed| FailedForm {
        line: failed.line,
        text: &failed.text,
        case: &failed.case,
        policy: failed.policy,
        expected: &failed.expected,
        found: &failed.found,
    });
    DoneForm {
        file: &done.file,
        held: failed.is_none(),
        cases: report.cases,
        runs: report.runs,
        commands: report.commands,
        expectations: report.expectations,
        failed,
    }
}

fn table(all: &[DoneForm<'_>]) -> Table {
    let count = |held: bool, count: usize| held.then_some(count as u64);
    Table::over("Scenarios", all)
        .label("scenario", |done| done.file)
        .label("cases", |done| count(done.held, done.cases))
        .label("runs", |done| count(done.held, done.runs))
        .label("commands", |done| count(done.held, done.commands))
        .label("expectations", |done| count(done.held, done.expectations))
        .label("all held", |done| match &done.failed {
            None => "yes".into(),
            Some(failed) => format!("no: line {}", failed.line),
        })
        .done()
}
