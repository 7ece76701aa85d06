//! What all commands on several processors begin with.

use std::path::Path;

use anyhow::Result;
use taktos_experiments::outcome::{MOST_EVENTS, Outcome, Trace};
use taktos_export::Recording;
use taktos_runner::image::Image;
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, Call, Honest, LIMITS, Machine, honest};
use taktos_runner::workspace::Workspace;

/// A machine whose time is honest, and the image that it runs.
pub struct Ready {
    /// The machine.
    pub machine: Machine,
    /// Its image.
    pub image: Image,
    /// What showed that its time is honest.
    pub honest: Honest,
}

impl Ready {
    /// What all results of a program on several processors say of themselves.
    pub fn outcome(&self, program: &str, calls: &[Call]) -> Outcome {
        let (board, emulator) = (self.machine.board, self.machine.emulator());
        let on = format!("{} ({} × {})", board.name, board.processors, board.cpu_name);
        let setup = [
            ("board", on.clone()),
            ("program", program.to_owned()),
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

    /// Who ran when, in a run of the program.
    pub fn trace(&self, name: &str, recording: &Recording) -> Trace {
        Trace {
            stem: format!("trace/{name}"),
            platform: self.machine.board.name.to_owned(),
            recording: recording.first(MOST_EVENTS),
        }
    }
}

/// Finds the emulator, sees that its time is honest at each quantum, and builds the program.
///
/// # Errors
/// When something is missing or does not build; a failed check when time is not honest.
pub fn ready(
    workspace: &Workspace,
    board: Board,
    program: &str,
    quanta: &[u32],
    progress: &Progress,
) -> Result<Ready> {
    let machine = progress.during("emulator, clock ...", || Machine::find(board))?;
    let probing = format!(
        "is the time of several processors honest on {}? ...",
        board.name
    );
    let honest = progress.during(&probing, || honest(workspace, &machine, quanta))?;
    let building = format!("building {program} for {} ...", board.name);
    let image = progress.during(&building, || machine.build(workspace, program))?;
    Ok(Ready {
        machine,
        image,
        honest,
    })
}

/// The board of the command line, or of the experiment.
///
/// # Errors
/// When there is none of that name.
pub(super) fn board(given: Option<&str>, own: &str, file: &Path) -> Result<Board> {
    match given {
        Some(name) => Board::by_name(name, "--board"),
        None => Board::by_name(own, &file.display().to_string()),
    }
}

/// The name of the result directory: that of another board does not replace that of the file's own.
pub(super) fn result_name(file: &Path, board: Option<&str>) -> String {
    let stem = file
        .file_stem()
        .map_or("experiment".into(), |stem| stem.to_string_lossy());
    match board {
        Some(board) => format!("{stem}-{board}"),
        None => stem.into_owned(),
    }
}
