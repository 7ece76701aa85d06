//! Experiments of several runs: the interface of each, and the one driver of all.
//!
//! Owns: the order of work from an experiment's file to its result, the messages on the way, the
//! reuse of runs that were done before, and the report of runs that failed. Must never know: the
//! question of a study.

mod guests;
mod one;
mod ready;

use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use serde_json::json;
use taktos_export::Drawn;
use taktos_runner::failure::{CheckFailed, Failure};
use taktos_runner::kept::Kept;
use taktos_runner::progress::Progress;
use taktos_runner::several::{TimeProbe, each};
use taktos_runner::workspace::Workspace;
use taktos_time::Duration;

use crate::experiment::{Posed, Scale, Several};
use crate::figure::{Material, draw_all};
use crate::form::of_several;
use crate::outcome::{Outcome, begin};
use crate::samples::Samples;
use crate::screen::{self, Format};
use crate::{ethercat, hypervisor, latency, mechanisms, smp};

pub use one::{finish, run_one};
pub use ready::{Ready, Start, board, ready};

/// Part of an experiment's file that is run, and the place of the result.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The tree.
    pub workspace: &'a Workspace,
    /// The experiment's file.
    pub file: &'a Path,
    /// The board, if it is not the file's.
    pub board: Option<&'a str>,
    /// The result directory, if it is not the usual one.
    pub out: Option<&'a Path>,
    /// Part of the result that the standard output shows.
    pub shown: Shown,
    /// The form of the experiment, if it has two.
    pub scale: Option<Scale>,
    /// Virtual time of each run, if it is not the file's.
    pub horizon: Option<Duration>,
    /// Number of repetitions, if it is not the file's.
    pub loops: Option<u64>,
    /// Part of a name: only cases with this in their names are run.
    pub only: Option<&'a str>,
    /// Whether runs that were done before are repeated.
    pub fresh: bool,
    /// Whether only the paper's own runs are done.
    pub brief: bool,
}

/// Part of a result that the standard output shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The figures, in this form.
    Figures(Format),
    /// The result's file of that name.
    File(&'static str),
}

/// Place where runs are done.
pub trait Host: Sync {
    /// A run, as the place knows it.
    type Task: Sync;
    /// Whether the other runs are done if one fails.
    const GOES_ON: bool;

    /// Does a run, unless it was done on the same machine before, and reads its console.
    ///
    /// # Errors
    /// If the machine or the program fails, or `read` refuses.
    fn run<T>(&self, task: &Self::Task, read: impl Fn(&str) -> Result<T>) -> Result<T>;
    /// Returns the name of a run.
    fn name(task: &Self::Task) -> &str;
    /// Returns how many of the runs are reused, in words.
    fn taken_over(&self, tasks: &[Self::Task]) -> Option<String>;
    /// Returns the names of the board and of its processor.
    fn board(&self) -> (&str, &str);
    /// Returns the findings of the probe, if several processors run.
    fn time_probe(&self) -> Option<&TimeProbe>;
    /// Returns the common part of the results of these runs.
    fn outcome(&self, tasks: &[Self::Task]) -> Outcome;
}

/// An experiment of several runs.
pub trait Study: Sync {
    /// Place of its runs.
    type Host: Host;
    /// A run.
    type Run: Sync;
    /// Findings of a run.
    type Found: Send;
    /// The work, for the message while it is done.
    const DOING: &'static str;

    /// Makes the place of the runs ready.
    ///
    /// # Errors
    /// If something is missing or does not build; a failed check if the clocks are not consistent.
    fn ready(
        &mut self,
        request: &Request<'_>,
        kept: Kept,
        progress: &Progress,
    ) -> Result<Self::Host>;
    /// Returns the runs, in the order of the results.
    fn runs(&self) -> Vec<Self::Run>;
    /// Returns the task of a run.
    fn task(&self, run: &Self::Run) -> <Self::Host as Host>::Task;
    /// Reads what a run printed.
    ///
    /// # Errors
    /// If a line is missing or broken.
    fn read(&self, run: &Self::Run, console: &str) -> Result<Self::Found>;
    /// Returns a run's findings in a few words, if each is reported as it comes.
    fn words(_: &Self::Found) -> Option<String> {
        None
    }
    /// Returns the samples of the runs that did not fail, and adds to the outcome all that is not
    /// made of them: other figures, traces, files, and the JSON where it is not their table.
    ///
    /// # Errors
    /// If the runs do not go together, or a further run fails.
    fn answer(
        &self,
        host: &Self::Host,
        found: Vec<Self::Found>,
        progress: &Progress,
        outcome: &mut Outcome,
    ) -> Result<Samples>;
}

impl Several {
    /// Runs the experiment, writes its result and shows it.
    ///
    /// # Errors
    /// If it cannot be run; a failed check if a run fails.
    pub fn run(&self, request: &Request<'_>) -> Result<()> {
        match self {
            Self::Smp(posed) => conduct(posed, smp::Spacecraft::of(posed, request)?, request),
            Self::Mechanisms(posed) => {
                conduct(posed, mechanisms::Responses::of(posed, request)?, request)
            }
            Self::Latency(posed) => conduct(posed, latency::Wakes::of(posed, request)?, request),
            Self::Hypervisor(posed) => {
                conduct(posed, hypervisor::Guests::of(posed, request)?, request)
            }
            Self::Ethercat(posed) => conduct(posed, ethercat::Cycles::of(posed, request)?, request),
        }
    }
}

/// Runs a study, writes its result and shows it.
///
/// # Errors
/// If it cannot be run; a failed check if a run fails.
pub fn conduct<T, S: Study>(posed: &Posed<T>, mut study: S, request: &Request<'_>) -> Result<()> {
    let workspace = request.workspace;
    // A result directory that cannot be written is known before anything is built.
    let directory = begin(workspace, &request.name(), request.out)?;
    let progress = Progress::default();
    let kept = Kept::beside(directory.place(), request.fresh);
    let host = study.ready(request, kept, &progress)?;
    let (found, failed, mut outcome) = found(&study, &host, &progress)?;
    let samples = study.answer(&host, found, &progress, &mut outcome)?;
    let (board, cpu) = host.board();
    let material = Material {
        workspace,
        board,
        cpu,
        samples: &samples,
        run: None,
    };
    let mut drawn = draw_all(&posed.figures, &material)?;
    drawn.append(&mut outcome.drawn);
    drawn.extend(host.time_probe().map(TimeProbe::drawn));
    drawn.extend(without_figures("Runs that failed", &failed));
    if outcome.json.is_empty() {
        let rows = json!({ "samples": samples.rows() });
        outcome.json = of_several(board, request.scale, rows);
    }
    let outcome = Outcome {
        title: posed.title.clone(),
        question: posed.question.clone(),
        drawn,
        ..outcome
    };
    let outcome = outcome.of(request.scale);
    match request.shown {
        Shown::Figures(format) => outcome.finish(workspace, directory, format)?,
        Shown::File(name) => {
            let place = outcome.keep(workspace, directory)?;
            let file = outcome.files.iter().find(|(file, _)| file == name);
            let bytes = file.map_or(&[][..], |(_, bytes)| bytes);
            screen::print(&String::from_utf8_lossy(bytes))?;
            eprintln!("{place}");
        }
    }
    match failed.as_slice() {
        [] => Ok(()),
        [first, ..] => {
            let words = format!("{} runs failed, the first: {first}", failed.len());
            Err(CheckFailed(words).into())
        }
    }
}

/// Does all runs: the findings of those that succeed, the names of the others with the reason, and
/// the common part of the results.
fn found<S: Study>(
    study: &S,
    host: &S::Host,
    progress: &Progress,
) -> Result<(Vec<S::Found>, Vec<String>, Outcome)> {
    let runs = study.runs();
    let tasks: Vec<_> = runs.iter().map(|run| study.task(run)).collect();
    progress.note(host.taken_over(&tasks));
    let (finished, all) = (AtomicUsize::new(0), runs.len());
    let one = |place: &usize| {
        let (task, run) = (&tasks[*place], &runs[*place]);
        let found = host.run(task, |console| study.read(run, console));
        let number = finished.fetch_add(1, Ordering::Relaxed) + 1;
        let words = match &found {
            Ok(found) => S::words(found),
            Err(error) => S::Host::GOES_ON.then(|| format!("failed: {error}")),
        };
        if let Some(words) = words.filter(|_| !std::io::stderr().is_terminal()) {
            eprintln!("  [{number}/{all}] {} {words}", S::Host::name(task));
        }
        match S::Host::GOES_ON {
            true => Ok(found.map_err(|error| error.to_string())),
            false => found.map(Ok),
        }
    };
    let places: Vec<usize> = (0..all).collect();
    let doing = format!("{} on {} ...", S::DOING, host.board().0);
    let results = match all {
        1 => progress.during(&doing, || each(&places, &|_| (), one)),
        all => progress.counted(&doing, all, |done| each(&places, done, one)),
    }?;
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    for (result, task) in results.into_iter().zip(&tasks) {
        match result {
            Ok(one) => found.push(one),
            Err(error) => failed.push(format!("{}: {error}", S::Host::name(task))),
        }
    }
    Ok((found, failed, host.outcome(&tasks)))
}

/// Runs of which there are no figures, for the report.
pub(crate) fn without_figures(title: &str, all: &[String]) -> Option<Drawn> {
    (!all.is_empty()).then(|| Drawn {
        title: title.to_owned(),
        answer: all.iter().map(|one| format!("{title}: {one}.")).collect(),
        ..Drawn::default()
    })
}

impl<'a> Request<'a> {
    /// Returns the request for all that a file says.
    pub const fn of(workspace: &'a Workspace, file: &'a Path, shown: Shown) -> Self {
        Self {
            workspace,
            file,
            board: None,
            out: None,
            shown,
            scale: None,
            horizon: None,
            loops: None,
            only: None,
            fresh: false,
            brief: false,
        }
    }

    /// Returns the name of the result directory: that of another board does not replace that of the
    /// file's own.
    fn name(&self) -> String {
        let stem = self.file.file_stem();
        let stem = stem.map_or("experiment".into(), |stem| stem.to_string_lossy());
        match self.board {
            Some(board) => format!("{stem}-{board}"),
            None => stem.into_owned(),
        }
    }

    /// Refuses a board: experiments with guests have one.
    ///
    /// # Errors
    /// If one is named.
    pub(crate) fn no_board(&self) -> Result<()> {
        match self.board {
            None => Ok(()),
            Some(_) => Err(Failure::error(
                "--board has no meaning for this experiment",
                "leave it out: it runs on the emulator's board virt",
            )),
        }
    }
}
