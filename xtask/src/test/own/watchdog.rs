//! Owns: a program that the watchdog of its board resets, and what it says before and after.
//! Must never know: how a program is written and built.

use std::process::Command;

use anyhow::{Context, Result};
use taktos_emulator::Board;

use super::{Place, Tally, said};

const PROGRAM: &str = include_str!("watchdog/main.rs");
/// The output of the program, of both runs.
const SAYS: &str = "fed for 200 ms\nwatchdog: 'pump' was not fed in time\nreset\n";

/// Puts the program in the place of that one which was written as `name`, where the board has a
/// watchdog, and runs it.
pub(super) fn resets(place: &Place<'_>, name: &str, board: Board) -> Result<Tally> {
    if board != Board::MPS2_AN386 {
        return Ok(Tally::default());
    }
    place.put(name, "src/main.rs", PROGRAM)?;
    place.build(name, board, &[])?;
    let output = Command::new("timeout")
        .args(["60", board.program()])
        .args(board.arguments_alone())
        .arg("-kernel")
        .arg(place.image(name, board))
        .output()
        .context("the emulator does not start")?;
    Ok(match output.status.success() && said(&output) == SAYS {
        true => Tally::pass(),
        false => Tally::fail(format!(
            "{name}: {SAYS:?} expected, but: {}\n",
            said(&output)
        )),
    })
}
