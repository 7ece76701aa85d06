//! The steps on several processors: the clock for them.

use anyhow::Result;
use taktos_emulator::Board as One;
use taktos_experiments::baseline::checked_in;
use taktos_experiments::several_bench::Figures;
use taktos_runner::image;
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, QUANTA};
use taktos_runner::workspace::Workspace;

use super::Tally;
use super::images::changed;
use taktos_cli::command::bench::several::{PROGRAM, measure};
use taktos_experiments::study::ready;

/// Runs each quantum twice: the time must be consistent, and the same both times.
pub(super) fn consistent_time(workspace: &Workspace) -> Result<Tally> {
    let mut all = Tally::default();
    for board in Board::thorough() {
        all.add(time_on(workspace, board.machine)?);
    }
    Ok(all)
}

fn time_on(workspace: &Workspace, board: One) -> Result<Tally> {
    let image = image::build_for(workspace, (board.name(), board.triple()), "probe")?;
    let emulator = taktos_runner::emulator::find(board)?;
    let mut all = Tally::default();
    for quantum in QUANTA {
        let probe = emulator.probe(&image.path, quantum)?;
        all.add(match probe.verdict() {
            Ok(()) => Tally::pass(),
            Err(why) => Tally::fail(format!(
                "{}, quantum of {quantum} ns: {why}\n",
                board.name()
            )),
        });
        all.add(if emulator.probe(&image.path, quantum)? == probe {
            Tally::pass()
        } else {
            Tally::fail(format!(
                "{}, quantum of {quantum} ns: two runs differ\n",
                board.name()
            ))
        });
    }
    Ok(all)
}

/// The figures of a board against the checked-in ones.
pub(super) fn budgets(workspace: &Workspace, board: Board) -> Result<Tally> {
    let before: Figures = checked_in(workspace, board.name)?;
    let progress = Progress::default();
    let ready = ready(workspace, board, PROGRAM, &QUANTA, &progress)?;
    let now = measure(&ready, &progress)?;
    changed(&before, &now)
}
