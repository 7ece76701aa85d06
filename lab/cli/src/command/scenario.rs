//! `taktos sim --scenario`: scripts in which every `expect` must hold.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};
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

/// Runs all scripts, also those after one that does not hold.
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
    let forms: Vec<Value> = all.iter().map(form).collect();
    screen::show(options.format, &table(&all), &forms)?;
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
            let hint = error.hint().unwrap_or_else(|| "fix the script".into());
            return Err(Failure::error(error.to_string(), hint));
        }
    };
    Ok(Done { file, result })
}

fn form(done: &Done) -> Value {
    let report = done.result.as_ref().copied().unwrap_or_default();
    let failed = done.result.as_ref().err().map(|failed| {
        json!({
            "line": failed.line,
            "text": failed.text,
            "case": failed.case,
            "policy": failed.policy,
            "expected": failed.expected,
            "found": failed.found,
        })
    });
    json!({
        "file": done.file,
        "held": failed.is_none(),
        "cases": report.cases,
        "runs": report.runs,
        "commands": report.commands,
        "expectations": report.expectations,
        "failed": failed,
    })
}

fn table(all: &[Done]) -> Table {
    let count = |done: &Done, of: fn(&Report) -> usize| {
        let report = done.result.as_ref().ok();
        report.map(|report| of(report) as u64)
    };
    Table::over("Scenarios", all)
        .label("scenario", |done| done.file.as_str())
        .label("cases", |done| count(done, |report| report.cases))
        .label("runs", |done| count(done, |report| report.runs))
        .label("commands", |done| count(done, |report| report.commands))
        .label("expectations", |done| {
            count(done, |report| report.expectations)
        })
        .label("all held", |done| match &done.result {
            Ok(_) => "yes".into(),
            Err(failed) => format!("no: line {}", failed.line),
        })
        .done()
}
