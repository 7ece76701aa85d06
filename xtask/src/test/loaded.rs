//! The step on programs that partitions load: they run, each life begins as the first, what they must not do is a fault, and an image that
//! is wrong is refused.
//!
//! Owns: on which boards. Must never know: what the two programs do, and how the one has the other built.

use anyhow::{Result, ensure};
use taktos_cli::emulator;
use taktos_cli::image::{cargo, output_of};
use taktos_cli::several::{Board as Several, QUANTUM};
use taktos_cli::workspace::Workspace;
use taktos_emulator::several::{Setting, Virt};
use taktos_emulator::{Board, Options};

use super::Tally;

/// One of each kind with one processor; the boards that have several are asked besides.
const BOARDS: [Board; 7] = [
    Board::Mps2An386,
    Board::Mps3An547,
    Board::RealviewPbA8,
    Board::Stm32F405,
    Board::Stm32L475Iot01,
    Board::Virt(Virt::Aarch64),
    Board::Virt(Virt::RiscV64),
];
/// The program that loads another one.
const LOADER: &str = "pump-demo";
/// What it says at its end.
const PASSED: &str = "all passed\n";

/// Builds it for each board, and runs it.
pub(super) fn programs(workspace: &Workspace) -> Result<Tally> {
    let boards = BOARDS.into_iter().map(Several::from);
    boards
        .chain(Several::thorough())
        .map(|board| on(workspace, board))
        .collect()
}

fn on(workspace: &Workspace, board: Several) -> Result<Result<(), String>> {
    let (name, triple) = (board.name, board.machine.triple());
    let output = output_of(
        cargo(workspace)
            .args(["build", "--quiet", "--release", "--package", LOADER])
            .args(["--features", name, "--target", triple]),
    )?;
    ensure!(
        output.status.success(),
        "{LOADER} for {name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let image = workspace.target().join(triple).join("release").join(LOADER);
    let setting = Setting::new(board.processors, QUANTUM);
    let ended = emulator::find(board.machine)?.run(&image, &setting, &Options::default())?;
    let console = ended.console.as_str();
    Ok(match ended.exit_status == 0 && console.ends_with(PASSED) {
        true => Ok(()),
        false => Err(format!("on {name}:\n{console}\n")),
    })
}
