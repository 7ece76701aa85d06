//! `taktos latency`: cyclictest for the kernel.

use std::path::Path;

use anyhow::Result;
use taktos_experiments::experiment::{Asked, Scale, Several, asked};
use taktos_experiments::latency::{TEXT, Wakes};
use taktos_experiments::study::{Request, Shown, conduct};
use taktos_runner::failure::Failure;
use taktos_runner::workspace::Workspace;
use taktos_time::Duration;

use crate::arguments::{Format, LatencyFormat, LatencyOptions};

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
    let request = Request {
        board: options.board.as_deref(),
        out: options.out.as_deref(),
        loops: options.loops,
        ..Request::of(workspace, &file, shown(options.format))
    };
    let mut wakes = Wakes::of(&experiment, &request)?;
    let micros = |time: Duration| time.as_nanos() / 1000;
    let question = &mut wakes.question;
    question.interval_us = options.interval.map_or(question.interval_us, micros);
    question.distance_us = options.distance.map_or(0, micros);
    question.load = options.load;
    wakes.nanoseconds = options.nanoseconds;
    conduct(&experiment, wakes, &request)
}

const fn shown(format: LatencyFormat) -> Shown {
    match format {
        LatencyFormat::Table => Shown::Figures(Format::Table),
        LatencyFormat::Json => Shown::Figures(Format::Json),
        LatencyFormat::Csv => Shown::Figures(Format::Csv),
        LatencyFormat::Cyclictest => Shown::File(TEXT),
    }
}

fn other_kind(file: &Path) -> anyhow::Error {
    Failure::error(
        format!("{} is not of the kind `latency`", file.display()),
        "take the file that ships",
    )
}
