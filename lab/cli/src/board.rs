//! The boards that the tool knows, by name.

use anyhow::Result;
use taktos_emulator::Board;

use crate::failure::{Failure, one_line};

/// The board of that name. `place` says where the name stands: on the command
/// line, or in which line of which file.
///
/// # Errors
/// When there is none; the message lists those that there are.
pub fn by_name(name: &str, place: &str) -> Result<Board> {
    Board::named(name).ok_or_else(|| {
        let known: Vec<&str> = Board::ALL.into_iter().map(Board::name).collect();
        let mend = format!("name one of {}", known.join(", "));
        let name = one_line(name);
        Failure::error(format!("{place}: unknown board `{name}`"), mend)
    })
}
