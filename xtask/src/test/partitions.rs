//! The step that attacks the kernel from a partition, in the emulator: everything outside stays as it is, each fault's cause is told truly,
//! the kernel lives.
//!
//! Owns: on which boards, and with which seed. Must never know: what the attacks are.

use std::time::Duration;

use anyhow::Result;
use taktos_cli::workspace::Workspace;
use taktos_cli::{emulator, image};
use taktos_emulator::several::{Setting, Virt};
use taktos_emulator::{Board, Options};

use super::{Tally, seed};

/// The boards that have partitions.
pub(super) const BOARDS: [Board; 3] = [
    Board::Mps2An386,
    Board::Virt(Virt::Aarch64),
    Board::Virt(Virt::RiscV64),
];

const PROGRAM: &str = "user_attack";
/// What the program says at its end.
const PASSED: &str = "all passed\n";
/// The latest that the most urgent thread may be, in instructions, of which each takes a nanosecond: its own way is 640 of them, the rest is
/// behind the longest call.
const LATEST: u32 = 1_500;
/// The most real time and instructions of one run, which needs a minute and a thousand millions.
const TIME: Duration = Duration::from_secs(900);
const INSTRUCTIONS: u64 = 20_000_000_000;

/// Attacks `board`.
pub(super) fn attack(workspace: &Workspace, board: Board) -> Result<Tally> {
    let seed = seed::fresh()?;
    let image = image::build_for(workspace, (board.name(), board.triple()), PROGRAM)?;
    let options = Options {
        argument: Some(format!("seed={seed} late={LATEST}")),
        real_time: TIME,
        instructions: INSTRUCTIONS,
        ..Options::default()
    };
    let ended = emulator::find(board)?.run(&image.path, &Setting::ONE, &options)?;
    let console = ended.console.as_str();
    let mut tally = Tally::seeded(seed);
    tally.add(match ended.exit_status == 0 && console.ends_with(PASSED) {
        true => Tally::pass(),
        false => Tally::fail(format!("the console:\n{console}\n")),
    });
    Ok(tally)
}
