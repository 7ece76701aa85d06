//! The boards that the tool knows, by name.

use anyhow::Result;
use taktos_emulator::Board;

use crate::failure::{Failure, one_line};
use crate::several;

/// Returns the board of that name. `place` states the place of the name: on the command line, or in
/// which line of which file.
///
/// # Errors
/// When there is none; the message lists those that there are.
pub fn by_name(name: &str, place: &str) -> Result<Board> {
    Board::named(name).ok_or_else(|| {
        let ones: Vec<&str> = Board::all().map(Board::name).collect();
        match several::Board::all().any(|board| board.name == name) {
            true => Failure::error(
                format!("{place}: the board {name} has several processors, and this runs on one"),
                one_of(&ones),
            ),
            false => unknown(name, place, &ones),
        }
    })
}

/// The error that there is no board of that name, where those that there are can be named.
pub fn unknown(name: &str, place: &str, known: &[&str]) -> anyhow::Error {
    let name = one_line(name);
    Failure::error(format!("{place}: unknown board `{name}`"), one_of(known))
}

fn one_of(names: &[&str]) -> String {
    format!("name one of {}", names.join(", "))
}

/// The boards with one processor that the kernel runs on, and those with several.
pub fn kernels() -> Vec<&'static str> {
    let several: Vec<&str> = several::Board::all().map(|board| board.name).collect();
    Board::ALL
        .map(Board::name)
        .into_iter()
        .chain(several)
        .collect()
}
