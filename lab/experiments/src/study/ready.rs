//! Boards of several processors as the place of a study's runs.

use std::path::Path;

use anyhow::Result;
use taktos_export::Recording;
use taktos_runner::image::Image;
use taktos_runner::kept::{Kept, Key};
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, Call, LIMITS, Machine, TimeProbe, probe_time};
use taktos_runner::workspace::Workspace;

use super::Host;
use crate::outcome::{MOST_EVENTS, Outcome, Trace};

/// Machine with consistent time, and the image that it runs.
pub struct Ready {
    /// The machine.
    pub machine: Machine,
    /// Its image.
    pub image: Image,
    /// Probe that showed that its time is consistent.
    pub time_probe: TimeProbe,
    program: String,
    kept: Option<Kept>,
}

/// A run of the image: its name, which is a file's too, and its arguments.
pub type Start = (String, Call);

impl Ready {
    /// Returns the machine with runs that are stored, and reused.
    #[must_use]
    pub fn keeping(self, kept: Kept) -> Self {
        Self {
            kept: Some(kept),
            ..self
        }
    }

    /// Returns the key of a run's console: the inputs on which it depends.
    fn key(&self, (name, call): &Start) -> Key {
        let machine = &self.machine;
        let parts = [
            machine.board.name,
            &machine.emulator(),
            &machine.clock(),
            &self.image.digest,
            &call.argument,
            &call.quantum.to_string(),
        ];
        Key::of(name.clone(), parts)
    }

    /// Returns the common part of all results of a program on several processors.
    pub fn results<'a>(&self, calls: impl IntoIterator<Item = &'a Call>) -> Outcome {
        let (board, emulator) = (self.machine.board, self.machine.emulator());
        let on = format!("{} ({} × {})", board.name, board.processors, board.cpu_name);
        let setup = [
            ("board", on.clone()),
            ("program", self.program.clone()),
            ("image", self.image.digest.clone()),
            ("emulator", emulator.clone()),
        ];
        let run = |(number, call): (usize, &Call)| {
            let told = format!("{}, quantum {} ns", call.argument, call.quantum);
            (number.to_string(), told)
        };
        Outcome {
            place: format!("{on}, {emulator}"),
            setup: setup.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            limits: LIMITS,
            runs: (1..).zip(calls).map(run).collect(),
            ..Outcome::default()
        }
    }

    /// Returns the scheduling trace of a run of the program.
    pub fn trace(&self, name: &str, recording: &Recording) -> Trace {
        Trace {
            stem: format!("trace/{name}"),
            platform: self.machine.board.name.to_owned(),
            recording: recording.first(MOST_EVENTS),
        }
    }
}

impl Host for Ready {
    type Task = Start;
    const GOES_ON: bool = false;

    fn run<T>(&self, task: &Start, read: impl Fn(&str) -> Result<T>) -> Result<T> {
        let execute = || self.machine.run(&self.image, &task.1);
        match &self.kept {
            Some(kept) => kept.or_run(&self.key(task), execute, read),
            None => read(&execute()?),
        }
    }

    fn name(task: &Start) -> &str {
        &task.0
    }

    fn taken_over(&self, tasks: &[Start]) -> Option<String> {
        let keys: Vec<Key> = tasks.iter().map(|task| self.key(task)).collect();
        self.kept.as_ref()?.taken_over(&keys)
    }

    fn board(&self) -> (&str, &str) {
        (self.machine.board.name, self.machine.board.cpu_name)
    }

    fn time_probe(&self) -> Option<&TimeProbe> {
        Some(&self.time_probe)
    }

    fn outcome(&self, tasks: &[Start]) -> Outcome {
        self.results(tasks.iter().map(|(_, call)| call))
    }
}

/// Finds the emulator, checks that its time is consistent at each quantum, and builds the program.
///
/// # Errors
/// If something is missing or does not build; a failed check if time is not consistent.
pub fn ready(
    workspace: &Workspace,
    board: Board,
    program: &str,
    quanta: &[u32],
    progress: &Progress,
) -> Result<Ready> {
    let machine = progress.during("emulator, clock ...", || Machine::find(board))?;
    let probing = format!(
        "is the time of several processors consistent on {}? ...",
        board.name
    );
    let time_probe = progress.during(&probing, || probe_time(workspace, &machine, quanta))?;
    let building = format!("building {program} for {} ...", board.name);
    let image = progress.during(&building, || machine.build(workspace, program))?;
    Ok(Ready {
        machine,
        image,
        time_probe,
        program: program.to_owned(),
        kept: None,
    })
}

/// The board of the command line, or of the experiment.
///
/// # Errors
/// When there is none of that name.
pub fn board(given: Option<&str>, own: &str, file: &Path) -> Result<Board> {
    match given {
        Some(name) => Board::by_name(name, "--board"),
        None => Board::by_name(own, &file.display().to_string()),
    }
}
