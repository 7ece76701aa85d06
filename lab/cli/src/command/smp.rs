//! `taktos reproduce smp`: the spacecraft's tasks on one processor and on four.

use std::path::Path;

use anyhow::{Context, Result};
use taktos_experiments::compare::schedule;
use taktos_experiments::experiment::{Scale, Smp};
use taktos_experiments::figure::{Material, draw_all};
use taktos_experiments::outcome::Outcome;
use taktos_experiments::smp::{Case, Figures, Plan, Question, Run, periodic};
use taktos_export::plot::gantt;
use taktos_export::{Drawn, Evidence, Recording};
use taktos_runner::failure::Failure;
use taktos_runner::kept::{Kept, Key};
use taktos_runner::progress::Progress;
use taktos_runner::several::{Call, QUANTA, QUANTUM, each};
use taktos_runner::workspace::Workspace;
use taktos_simulate::file;
use taktos_time::Duration;

use super::experiment::begin;
use super::several::{Ready, board, ready, result_name};
use crate::arguments::RunOptions;

/// How much of a schedule is drawn: a second.
const DRAWN: u64 = 1_000_000_000;

/// How much of the experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Every policy, layout, quantum and period; otherwise the paper's own two runs.
    pub everything: bool,
    /// How much time passes, where the command line says.
    pub horizon: Option<Duration>,
    /// Whether runs are done anew that were done before.
    pub fresh: bool,
    /// The form, where the file has two and this is one of them.
    pub scale: Option<Scale>,
}

/// Runs the experiment of a file.
pub(super) fn run(
    workspace: &Workspace,
    experiment: &Smp,
    file: &Path,
    options: &RunOptions,
    extent: Extent,
) -> Result<()> {
    let board = board(options.board.as_deref(), &experiment.board, file)?;
    let question = question(experiment, file, extent)?;
    let directory = begin(
        workspace,
        &result_name(file, options.board.as_deref()),
        options,
    )?;
    let (plan, progress) = (question.plan(), Progress::default());
    let quanta: &[u32] = if extent.everything {
        &QUANTA
    } else {
        &[QUANTUM]
    };
    let ready = ready(workspace, board, &experiment.program, quanta, &progress)?;
    let kept = Kept::beside(directory.place(), extent.fresh);
    let runs = measure(&ready, &plan, &kept, &progress)?;
    let traces = record(&ready, &plan, &progress)?;
    let mut drawn = draw_all(
        &experiment.figures,
        &Material::of(workspace, board, &plan.samples(&runs)?),
    )?;
    drawn.push(schedules(&traces));
    drawn.push(ready.honest.drawn());
    let calls: Vec<Call> = runs.iter().map(|run| run.case.call()).collect();
    let outcome = Outcome {
        title: experiment.title.clone(),
        question: experiment.question.clone(),
        drawn,
        traces: traces
            .iter()
            .map(|(name, recording)| ready.trace(name, recording))
            .collect(),
        json: plan.json(board.name, extent.scale, &runs)?,
        ..ready.outcome(&experiment.program, &calls)
    };
    let outcome = outcome.of(extent.scale);
    outcome.finish(workspace, directory, options.format)
}

fn question(experiment: &Smp, file: &Path, extent: Extent) -> Result<Question> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let set = file::read(&folder.join(&experiment.tasks)).map_err(Failure::from)?;
    let all = experiment.policies.iter().filter(|_| extent.everything);
    Ok(Question {
        tasks: periodic(&set.workload)?,
        horizon: extent.horizon.unwrap_or(experiment.horizon.0),
        policy: experiment.policy.0,
        policies: all.map(|policy| policy.0).collect(),
        periods: experiment.periods.iter().map(|period| period.0).collect(),
    })
}

fn measure(ready: &Ready, plan: &Plan, kept: &Kept, progress: &Progress) -> Result<Vec<Run>> {
    let cases = plan.cases();
    let keys: Vec<Key> = cases.iter().map(|case| key(ready, case)).collect();
    progress.note(kept.taken_over(&keys));
    let what = format!("running the tasks on {} ...", ready.machine.board.name);
    progress.counted(&what, cases.len(), |done| {
        each(&cases, done, |case| one(ready, case, kept))
    })
}

fn one(ready: &Ready, case: &Case, kept: &Kept) -> Result<Run> {
    let figures = kept.or_run(
        &key(ready, case),
        || ready.machine.run(&ready.image, &case.call()),
        |console| Figures::read(console, case),
    )?;
    Ok(Run {
        figures,
        case: case.clone(),
    })
}

/// What the case's console depends on.
fn key(ready: &Ready, case: &Case) -> Key {
    let (machine, call) = (&ready.machine, case.call());
    let name = format!("{}-{}", case.policy, case.layout.name());
    let (quantum, time) = (call.quantum.to_string(), machine.clock());
    let parts = [
        machine.board.name,
        &machine.emulator(),
        &time,
        &ready.image.digest,
        &call.argument,
        &quantum,
    ];
    Key::of(name, parts)
}

/// Who ran when, in the paper's runs.
fn record(ready: &Ready, plan: &Plan, progress: &Progress) -> Result<Vec<(String, Recording)>> {
    let cases = plan.recorded();
    let what = format!("recording schedules on {} ...", ready.machine.board.name);
    progress.counted(&what, cases.len(), |done| {
        each(&cases, done, |case| {
            let (_, schedule) = recorded(ready, case)?;
            Ok((format!("{}-{}", case.policy, case.layout.name()), schedule))
        })
    })
}

/// One run with its schedule.
pub(super) fn recorded(ready: &Ready, case: &Case) -> Result<(Figures, Recording)> {
    let record = ready.machine.record(&ready.image, &case.call())?;
    let figures = Figures::read(&record.console, case)?;
    let schedule = schedule(&record.switches, &figures, case.first_release())
        .context("the program does not say which thread is which task's: `@task ... thread=`")?;
    Ok((figures, schedule))
}

/// The schedules as pictures: a second of each.
fn schedules(traces: &[(String, Recording)]) -> Drawn {
    let picture = |(name, recording): &(String, Recording)| {
        let title = format!("Who runs on which processor: {name}");
        let svg = gantt(recording, &title, 0, recording.end.min(DRAWN));
        (format!("schedule-{name}"), svg)
    };
    Drawn {
        title: "Schedules".into(),
        plots: traces.iter().map(picture).collect(),
        evidence: vec![Evidence::Emulated],
        ..Drawn::default()
    }
}
