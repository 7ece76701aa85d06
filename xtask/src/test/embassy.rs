//! The step on executors of embassy: an urgent one is soon served while another computes, and a
//! task that awaits objects of the kernel loses nothing.
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
/// The package's other program, in which a task awaits objects, and how its last line begins.
const OBJECTS: &str = "embassy-objects";
const ALL_CAME: &str = "200 messages in order, 200 permits; the timer came first ";
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
    // No program of a board has their names, so the tool does not take them for one of these.
    let said_by = |program: &str| {
        let image = format!("{triple}/release/{program}");
        let image = workspace.target().join(image).display().to_string();
        let words = ["run", &image, "--board", name].map(str::to_owned);
        tool(workspace, &words, &place(workspace, program, 1))
    };
    let came = said_by(OBJECTS)?;
    if !came.contains(ALL_CAME) {
        return Ok(Tally::fail(format!(
            "{name}: something was lost:\n{came}\n"
        )));
    }
    let said = said_by(PROGRAM)?;
    let most = match board {
        Board::REALVIEW_PB_A8 | Board::HIFIVE_UNLEASHED => LATEST + TICK,
        _ => LATEST,
    };
    Ok(match late(&said) {
        Some(late) if (1..=most).contains(&late) => {
            let mut tally = Tally {
                passed: 2,
                ..Tally::default()
            };
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
