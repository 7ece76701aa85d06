//! Owns: the text on its board in a program's files, whether that has one processor or several.
//! Must never know: the file that has the text.

use anyhow::Result;
use taktos_emulator::Board as One;
use taktos_runner::several::Board;
use taktos_runner::{board, failure::Failure};

/// Every board that a program can be for.
pub fn all() -> impl Iterator<Item = Board> {
    One::ALL.into_iter().map(Board::from).chain(Board::all())
}

/// The board of this name.
///
/// # Errors
/// When there is none; the message lists those that there are.
pub fn by_name(name: &str) -> Result<Board> {
    let found = all().find(|board| board.name == name);
    found.ok_or_else(|| board::unknown(name, "--board", &board::kernels()))
}

/// Returns the board of a guest of the hypervisor; its image runs on the bare board as well.
pub fn guest() -> Board {
    Board {
        name: "virt-aarch64-guest",
        ..Board::from(One::VIRT_AARCH64)
    }
}

/// Returns the board's processors as text for people.
pub fn shown(board: Board) -> String {
    match board.processors {
        1 => board.cpu_name.to_owned(),
        several => format!("{several} x {}", board.cpu_name),
    }
}

/// Returns the target that a program is compiled for.
///
/// # Errors
/// If floating-point values are to be passed in registers of their own, and the board has no such
/// target.
pub fn target(board: Board, hard_float: bool) -> Result<&'static str> {
    if !hard_float {
        return Ok(board.machine.triple());
    }
    board.machine.hard_float_triple().ok_or_else(|| {
        let able = all().filter(|one| one.machine.hard_float_triple().is_some());
        let able: Vec<&str> = able.map(|one| one.name).collect();
        Failure::error(
            format!(
                "--hard-float: {} has no target that hands floating-point values over in registers of their own",
                board.name
            ),
            format!("leave it out, or take {}", able.join(", ")),
        )
    })
}
