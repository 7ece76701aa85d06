//! The step on executors of embassy: an urgent one is soon served while another computes.
//!
//! Owns: how late it may be on which board. Must never know: what the two do.

use anyhow::{Result, ensure};
use taktos_emulator::Board;
use taktos_runner::image::{cargo, output_of};
use taktos_runner::workspace::Workspace;

use super::Tally;
use super::cargo::tool_built;
use super::repeat::{place, tool};
use super::storms::Length;

/// The program, and the most that its urgent task may be late, in instructions, of which each takes
/// a nanosecond.
const PROGRAM: &str = "embassy-demo";
const LATEST: u64 = 800;
/// Delay that a clock of 1 MHz adds, in nanoseconds: a tick, which a time-out is rounded up to.
const TICK: u64 = 1_000;

/// Builds the program for each board, and runs it; without much time, for the first one.
pub(super) fn executors(workspace: &Workspace, length: Length) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    let boards = match length {
        Length::Short => vec![Board::MPS2_AN386],
        Length::Long => Board::ALL.to_vec(),
    };
    for board in boards {
        all.add(on(workspace, board)?);
    }
    Ok(all)
}

fn on(workspace: &Workspace, board: Board) -> Result<Tally> {
    let (name, triple) = (board.name(), board.triple());
    let output = output_of(
        cargo(workspace)
            .args(["build", "--quiet", "--release", "--package", PROGRAM])
            .args(["--features", name, "--target", triple]),
    )?;
    ensure!(
        output.status.success(),
        "{PROGRAM} for {name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    // No program of a board has its name, so the tool does not take it for one of theirs.
    let image = format!("{triple}/release/{PROGRAM}");
    let image = workspace.target().join(image).display().to_string();
    let words = ["run", &image, "--board", name].map(str::to_owned);
    let said = tool(workspace, &words, &place(workspace, PROGRAM, 1))?;
    let most = match board {
        Board::REALVIEW_PB_A8 | Board::HIFIVE_UNLEASHED => LATEST + TICK,
        _ => LATEST,
    };
    Ok(match late(&said) {
        Some(late) if (1..=most).contains(&late) => {
            let mut tally = Tally::pass();
            tally.figures = format!("{name}: {late} ns late at most\n");
            tally
        }
        late => Tally::fail(format!(
            "{name}: {late:?} ns late, {most} may be:\n{said}\n"
        )),
    })
}

/// Reads the lateness of the urgent task from the output: `woke 100 times, 640 ns late at most`.
fn late(said: &str) -> Option<u64> {
    let (_, rest) = said.split_once("woke 100 times, ")?;
    rest.split_once(" ns late")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_line_is_read() {
        let said = "x\n    woke 100 times, 640 ns late at most; computed 50 times\n";
        assert_eq!(late(said), Some(640));
        assert_eq!(late("woke 99 times, 640 ns late"), None);
    }
}
