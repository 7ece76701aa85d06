//! One experiment from its file to its figures: builds the image, runs it,
//! sorts the samples, draws.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use taktos_emulator::Board;
use taktos_export::{Drawn, Recording};
use taktos_runner::board;
use taktos_runner::image::{self, Image};
use taktos_runner::progress::Progress;
use taktos_runner::several::{self, Call, Machine};
use taktos_runner::workspace::Workspace;

use crate::analysis::analyse;
use crate::experiment::{Experiment, Figure, load};
use crate::figure::{self, Material, Run};
use crate::measure::{Observation, Summary, observe, record_schedule};
use crate::samples::Samples;

/// An experiment that was run.
pub struct Session {
    /// The experiment.
    pub experiment: Experiment,
    /// Where it ran.
    pub board: several::Board,
    /// Image that ran.
    pub image: Image,
    /// Emulator in which it ran.
    pub emulator: String,
    /// The rounds.
    pub observation: Observation,
    /// The samples.
    pub samples: Samples,
    /// The schedule of the threads.
    pub recording: Recording,
    /// For each mark, what the model's tables alone say.
    pub analysed: BTreeMap<String, Summary>,
    /// The figures.
    pub drawn: Vec<Drawn>,
}

/// An experiment that was read, and where it is to run.
pub type Prepared = (Experiment, several::Board);

/// Reads an experiment and finds its board, of one processor: that of the command line, or its own.
///
/// # Errors
/// When the file is broken, or there is no such board.
pub fn prepare(path: &Path, board: Option<&str>) -> Result<Prepared> {
    let (experiment, board) = prepare_on_one(path, board)?;
    Ok((experiment, board.into()))
}

/// Reads an experiment and finds its board as [`prepare`] does, on a board of either kind; the
/// program measures one of its processors.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_on_any(path: &Path, board: Option<&str>) -> Result<Prepared> {
    match board.filter(|name| Board::named(name).is_none()) {
        Some(name) => Ok((load(path)?, several::Board::of_any(name)?)),
        None => prepare(path, board),
    }
}

fn prepare_on_one(path: &Path, board: Option<&str>) -> Result<(Experiment, Board)> {
    let experiment = load(path)?;
    let board = match board {
        Some(name) => board::by_name(name, "--board")?,
        None => {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let line = crate::experiment::line_of(&text, experiment.board.span().start);
            board::by_name(
                experiment.board.get_ref(),
                &format!("{}:{line}", path.display()),
            )?
        }
    };
    Ok((experiment, board))
}

/// An experiment with its image built.
pub struct Built {
    experiment: Experiment,
    board: several::Board,
    image: Image,
}

/// Builds the image that the experiment runs.
///
/// # Errors
/// When it does not build.
pub fn build(
    workspace: &Workspace,
    (experiment, board): Prepared,
    progress: &Progress,
) -> Result<Built> {
    let program = experiment.program.get_ref();
    let building = format!("building {program} for {} ...", board.name);
    let place = (board.name, board.machine.triple());
    let image = progress.during(&building, || image::build_for(workspace, place, program))?;
    Ok(Built {
        experiment,
        board,
        image,
    })
}

/// Returns an experiment with an image that was built elsewhere.
pub fn built((experiment, board): Prepared, image: Image) -> Built {
    Built {
        experiment,
        board,
        image,
    }
}

/// Runs a built experiment and draws its figures.
///
/// # Errors
/// If the emulator cannot run the image, the program fails, or a figure needs something that does
/// not exist.
pub fn measure(
    workspace: &Workspace,
    Built {
        experiment,
        board,
        image,
    }: Built,
    machine: &Machine,
    progress: &Progress,
) -> Result<Session> {
    let running = format!("running \"{}\" on {} ...", experiment.title, board.name);
    let record = progress.during(&running, || machine.record(&image, &Call::default()))?;
    let observation = observe(&record)?;
    let mut session = Session {
        analysed: analyse(board.machine, &image, &analysed_marks(&experiment))?,
        emulator: machine.emulator(),
        drawn: Vec::new(),
        samples: Samples::of(&observation),
        observation,
        recording: record_schedule(&record, board.cpu_name),
        experiment,
        board,
        image,
    };
    session.drawn = figure::draw_all(&session.experiment.figures, &session.material(workspace))?;
    Ok(session)
}

/// Returns the marks that a figure requires to be analysed.
fn analysed_marks(experiment: &Experiment) -> Vec<String> {
    let parts = experiment.figures.iter().filter_map(|figure| match figure {
        Figure::Parts(parts) => Some(parts.parts.values()),
        _ => None,
    });
    parts
        .flatten()
        .filter_map(|mark| mark.as_str().map(str::to_owned))
        .collect()
}

impl Session {
    /// Returns the material for its figures.
    pub fn material<'a>(&'a self, workspace: &'a Workspace) -> Material<'a> {
        Material {
            workspace,
            board: self.board.name,
            cpu: self.board.cpu_name,
            samples: &self.samples,
            run: Some(Run {
                observation: &self.observation,
                recording: &self.recording,
                analysed: &self.analysed,
            }),
        }
    }
}
