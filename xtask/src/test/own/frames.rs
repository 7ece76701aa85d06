//! Owns: a program with frames larger than the usual guard of Armv7-M: that the tool warns of it,
//! and that no frame passes a larger guard, which the program chooses.
//! Must never know: how a program is written, built and run.

use std::process::Command;

use anyhow::{Context, Result};
use taktos_emulator::Board;

use super::{Place, Tally, said};

const NAME: &str = "frames";
const PROGRAM: &str = include_str!("frames/main.rs");
/// How the program says what a frame has, and how many bytes it may be.
const BYTES: [&str; 5] = ["512", "1024", "2048", "4096", "8192"];
const OVERFLOW: &str = "fault: stack overflow in thread 'worker' at address ";
/// The tool's warning of a frame that passes the usual guard.
const WARNING: &str = "warning: the frame of frames::descend is of ";

/// Builds and checks them, on the board with a guard of a size that programs choose.
pub(super) fn are_guarded(place: &Place<'_>) -> Result<Tally> {
    let board = Board::MPS2_AN386;
    place.write(NAME, &["--board", board.name()])?;
    place.put(NAME, "src/main.rs", PROGRAM)?;
    place.build(NAME, board, &[])?;
    let mut all = warned(place, board)?;
    place.replace(
        NAME,
        ".cargo/config.toml",
        ("[env]", "[env]\nTAKTOS_GUARD = \"16384\""),
    )?;
    let mut before = BYTES[0];
    for bytes in BYTES {
        let constant = |bytes: &str| format!("BYTES: usize = {bytes};");
        let words = (constant(before), constant(bytes));
        all.add(place.refused_with(NAME, "src/main.rs", (&words.0, &words.1), OVERFLOW)?);
        before = bytes;
    }
    let wrong = ("\"16384\"", "\"1000\"");
    let why = "TAKTOS_GUARD is \"1000\": it is a power of two from 256 to 32768";
    all.add(place.refused_with(NAME, ".cargo/config.toml", wrong, why)?);
    Ok(all)
}

/// Whether the tool warns when it runs the image.
fn warned(place: &Place<'_>, board: Board) -> Result<Tally> {
    let output = Command::new(place.workspace.target().join("lab/taktos"))
        .arg("trace")
        .arg(place.image(NAME, board))
        .args(["--board", board.name(), "--out", "traced"])
        .env("TAKTOS_ROOT", place.workspace.root())
        .current_dir(place.folder.join(NAME))
        .output()
        .context("the tool does not start")?;
    Ok(match said(&output).contains(WARNING) {
        true => Tally::pass(),
        false => Tally::fail(format!("{NAME}: no warning: {}\n", said(&output))),
    })
}
