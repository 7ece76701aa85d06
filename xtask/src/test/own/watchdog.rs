//! Owns: a program that the watchdog of its board resets, and what it says before and after.
//! Must never know: how a program is written and built.

use anyhow::{Context, Result};
use taktos_emulator::Board;

use super::{Place, Tally, said};

const NAME: &str = "watchdog";
const BOARD: Board = Board::MPS2_AN386;
const PROGRAM: &str = include_str!("watchdog/main.rs");
/// The output of the program, of both runs.
const SAYS: &str = "fed for 200 ms\nwatchdog: 'pump' was not fed in time\nreset\n";

/// Writes the program, and runs it.
pub(super) fn resets(place: &Place<'_>) -> Result<Tally> {
    place.write(NAME, &["--board", BOARD.name()])?;
    place.put(NAME, "src/main.rs", PROGRAM)?;
    place.build(NAME, BOARD, &[])?;
    let output = place
        .emulator(NAME, BOARD)
        .output()
        .context("the emulator does not start")?;
    Ok(match output.status.success() && said(&output) == SAYS {
        true => Tally::pass(),
        false => Tally::fail(format!(
            "{NAME}: {SAYS:?} expected, but: {}\n",
            said(&output)
        )),
    })
}
