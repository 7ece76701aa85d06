//! Owns: a program with a thread that reads and writes a serial line of the board's, and what comes
//! back over it. Must never know: how a program is written and built.

use std::io::Write;
use std::process::Stdio;
use std::thread;

use anyhow::{Context, Result};
use taktos_emulator::Board;

use super::{Place, Tally, said};

const PROGRAM: &str = include_str!("serial/main.rs");
/// Output of the program: the available speed for the requested one, that invalid speeds were
/// refused, and how many bytes were lost.
const SAYS: &str = "Ok(9600), refused [true, true, true], lost Ok(0)";
/// The board's first line; the emulator's second, for the console's is its first.
const LINE: [&str; 2] = ["-serial", "stdio"];
/// More than the way back holds, so that it waits for room.
const BYTES: usize = 1_881;

/// Puts the program in the place of that one which was written as `name`, where the board has
/// lines, and speaks with it.
pub(super) fn echoed(place: &Place<'_>, name: &str, board: Board) -> Result<Tally> {
    if board != Board::MPS2_AN386 {
        return Ok(Tally::default());
    }
    place.put(name, "src/main.rs", PROGRAM)?;
    place.build(name, board, &[])?;
    let mut emulator = place
        .emulator(name, board)
        .args(LINE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("the emulator does not start")?;
    let sent: Vec<u8> = (1..=u8::MAX).cycle().take(BYTES).chain([0]).collect();
    let mut line = emulator.stdin.take().context("the line has a way in")?;
    let bytes = sent.clone();
    let sender = thread::spawn(move || line.write_all(&bytes));
    let output = emulator.wait_with_output()?;
    let was_sent = sender.join().is_ok_and(|written| written.is_ok());
    let came_back = output.stdout == sent;
    let says = String::from_utf8_lossy(&output.stderr).contains(SAYS);
    Ok(
        match was_sent && came_back && says && output.status.success() {
            true => Tally::pass(),
            false => Tally::fail(format!(
                "{name}: of {} bytes over the line {} came back: {}\n",
                sent.len(),
                output.stdout.len(),
                said(&output)
            )),
        },
    )
}
