//! The spacecraft's tasks on one processor and on four, as a study.

use std::path::Path;

use anyhow::{Context, Result};
use taktos_export::plot::gantt;
use taktos_export::{Drawn, Evidence, Recording};
use taktos_runner::failure::Failure;
use taktos_runner::kept::Kept;
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, QUANTA, QUANTUM, each};
use taktos_simulate::file;

use super::{Case, Figures, Plan, Question, Run, periodic};
use crate::compare::schedule;
use crate::experiment::Smp;
use crate::outcome::Outcome;
use crate::samples::Samples;
use crate::study::{Ready, Request, Start, Study, board, ready};

/// How much of a schedule is drawn: a second.
const DRAWN: u64 = 1_000_000_000;

/// The runs of an experiment with the spacecraft's program.
pub struct Spacecraft<'a> {
    program: &'a str,
    board: Board,
    quanta: &'static [u32],
    plan: Plan,
}

impl<'a> Spacecraft<'a> {
    /// Returns the study of a file: every policy, layout, quantum and period, or in brief the
    /// paper's own two runs.
    ///
    /// # Errors
    /// If there is no such board, or the task set cannot be read or run.
    pub fn of(experiment: &'a Smp, request: &Request<'_>) -> Result<Self> {
        let file = request.file;
        Ok(Self {
            program: &experiment.program,
            board: board(request.board, &experiment.board, file)?,
            quanta: match request.brief {
                true => &[QUANTUM],
                false => &QUANTA,
            },
            plan: question(experiment, request)?.plan(),
        })
    }
}

fn question(experiment: &Smp, request: &Request<'_>) -> Result<Question> {
    let folder = request.file.parent().unwrap_or(Path::new(""));
    let set = file::read(&folder.join(&experiment.tasks)).map_err(Failure::from)?;
    let all = experiment.policies.iter().filter(|_| !request.brief);
    Ok(Question {
        tasks: periodic(&set.workload)?,
        horizon: request.horizon.unwrap_or(experiment.horizon.0),
        policy: experiment.policy.0,
        policies: all.map(|policy| policy.0).collect(),
        periods: experiment.periods.iter().map(|period| period.0).collect(),
    })
}

impl Study for Spacecraft<'_> {
    type Host = Ready;
    type Run = Case;
    type Found = Run;
    const DOING: &'static str = "running the tasks";

    fn ready(&mut self, request: &Request<'_>, kept: Kept, progress: &Progress) -> Result<Ready> {
        let (program, quanta) = (self.program, self.quanta);
        let ready = ready(request.workspace, self.board, program, quanta, progress)?;
        Ok(ready.keeping(kept))
    }

    fn runs(&self) -> Vec<Case> {
        self.plan.cases()
    }

    fn task(&self, case: &Case) -> Start {
        (file_stem(case), case.call())
    }

    fn read(&self, case: &Case, console: &str) -> Result<Run> {
        Ok(Run {
            figures: Figures::read(console, case)?,
            case: case.clone(),
        })
    }

    fn answer(
        &self,
        ready: &Ready,
        runs: Vec<Run>,
        progress: &Progress,
        outcome: &mut Outcome,
    ) -> Result<Samples> {
        let traces = record(ready, &self.plan, progress)?;
        outcome.drawn.push(schedules(&traces));
        let traces = traces.iter();
        let traces = traces.map(|(name, recording)| ready.trace(name, recording));
        outcome.traces = traces.collect();
        self.plan.samples(&runs)
    }
}

/// Returns the name of the files of a case.
fn file_stem(case: &Case) -> String {
    format!("{}-{}", case.policy, case.layout.name())
}

/// Records the scheduling traces of the paper's runs.
fn record(ready: &Ready, plan: &Plan, progress: &Progress) -> Result<Vec<(String, Recording)>> {
    let cases = plan.recorded();
    let what = format!("recording schedules on {} ...", ready.machine.board.name);
    progress.counted(&what, cases.len(), |done| {
        each(&cases, done, |case| {
            let (_, schedule) = recorded(ready, case)?;
            Ok((file_stem(case), schedule))
        })
    })
}

/// Records a run: its figures, and its schedule.
///
/// # Errors
/// If the run fails, or its console or its schedule cannot be read.
pub fn recorded(ready: &Ready, case: &Case) -> Result<(Figures, Recording)> {
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
