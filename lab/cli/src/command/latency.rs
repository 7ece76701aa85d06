//! `taktos latency`: cyclictest for the kernel.

use std::path::Path;

use anyhow::Result;
use taktos_experiments::experiment::{Asked, Latency, Scale, Several, asked};
use taktos_experiments::figure::{Material, draw_all};
use taktos_experiments::latency::{self, Question};
use taktos_experiments::outcome::Outcome;
use taktos_experiments::response::sets;
use taktos_experiments::screen;
use taktos_runner::failure::Failure;
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, Call, QUANTUM};
use taktos_runner::workspace::Workspace;
use taktos_time::Duration;

use super::experiment::begin_at;
use super::several::{board, ready, result_name};
use crate::arguments::{Format, LatencyFormat, LatencyOptions};

/// The program's own name of what it does.
const WORKLOAD: &str = "latency";
/// The experiment that ships.
const FILE: &str = "experiments/latency.toml";

/// Runs the experiment that ships, as the command line says.
pub(super) fn run(workspace: &Workspace, options: &LatencyOptions) -> Result<()> {
    let file = workspace.path(FILE);
    let Asked::Several(several, _) = asked(&file, Scale::Full)? else {
        return Err(other_kind(&file));
    };
    let Several::Latency(experiment) = *several else {
        return Err(other_kind(&file));
    };
    from_file(workspace, &experiment, &file, options)
}

fn other_kind(file: &Path) -> anyhow::Error {
    Failure::error(
        format!("{} is not of the kind `latency`", file.display()),
        "take the file that ships",
    )
}

/// Runs the experiment of a file.
pub(super) fn from_file(
    workspace: &Workspace,
    experiment: &Latency,
    file: &Path,
    options: &LatencyOptions,
) -> Result<()> {
    let board = board(options.board.as_deref(), &experiment.board, file)?;
    let question = Question {
        loops: options.loops.unwrap_or(experiment.loops),
        interval_us: options.interval.unwrap_or(experiment.interval.0).as_nanos() / 1000,
        distance_us: options.distance.map_or(0, Duration::as_nanos) / 1000,
        load: options.load,
    };
    let name = result_name(file, options.board.as_deref());
    let directory = begin_at(workspace, &name, options.out.as_deref())?;
    let progress = Progress::default();
    let ready = ready(workspace, board, &experiment.program, &[QUANTUM], &progress)?;
    let call = Call {
        argument: question.argument(Board::PROCESSORS),
        quantum: QUANTUM,
        ..Call::default()
    };
    let what = format!(
        "{} wake-ups on each processor of {} ...",
        question.loops, board.name
    );
    let console = progress.during(&what, || ready.machine.run(&ready.image, &call))?;
    let sets = sets(&console, WORKLOAD)?;
    let text = latency::text(&question, &sets, options.nanoseconds);
    let samples = latency::samples(&question, &sets);
    let material = Material::of(workspace, board, &samples);
    let mut drawn = draw_all(&experiment.figures, &material)?;
    drawn.push(ready.honest.drawn());
    let outcome = Outcome {
        title: experiment.title.clone(),
        question: experiment.question.clone(),
        drawn,
        files: vec![("cyclictest.txt".into(), text.clone().into())],
        json: latency::json(board.name, &question, &sets),
        ..ready.outcome(&experiment.program, &[call])
    };
    match options.format {
        LatencyFormat::Table => outcome.finish(workspace, directory, Format::Table),
        LatencyFormat::Json => outcome.finish(workspace, directory, Format::Json),
        LatencyFormat::Csv => outcome.finish(workspace, directory, Format::Csv),
        LatencyFormat::Cyclictest => {
            let place = outcome.keep(workspace, directory)?;
            screen::print(&text)?;
            eprintln!("{place}");
            Ok(())
        }
    }
}
