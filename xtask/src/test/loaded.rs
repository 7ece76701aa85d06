//! The step on programs that partitions load: they run, each life begins as the first, what they must not do is a fault, and an image that
//! is wrong is refused.
//!
//! Owns: on which boards, and how the two programs are built. Must never know: what they do.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use taktos_cli::image::{cargo, output_of};
use taktos_cli::workspace::Workspace;
use taktos_cli::{emulator, several};
use taktos_emulator::several::{Setting, Virt};
use taktos_emulator::{Board, Options};

use super::Tally;

/// One of each kind that has regions to execute, and is in the tree for one processor.
const BOARDS: [Board; 3] = [
    Board::Mps2An386,
    Board::Virt(Virt::Aarch64),
    Board::Virt(Virt::RiscV64),
];
/// The program that is loaded, and the one that loads it, which finds it by this variable.
const LOADED: &str = "pump";
const LOADER: &str = "pump-demo";
const VARIABLE: &str = "PUMP";
/// What the latter says at its end.
const PASSED: &str = "all passed\n";

/// Builds both for each board, and runs them.
pub(super) fn programs(workspace: &Workspace) -> Result<Tally> {
    let mut all = Tally::default();
    for board in BOARDS {
        let loaded = build(workspace, board, LOADED, &[], Path::new(""))?;
        let features = ["--features", board.name()];
        let image = build(workspace, board, LOADER, &features, &loaded)?;
        let board = several::Board::from(board);
        let found = emulator::find(board.machine)?;
        let ended = found.run(&image, &Setting::ONE, &Options::default())?;
        let console = ended.console.as_str();
        all.add(match ended.exit_status == 0 && console.ends_with(PASSED) {
            true => Tally::pass(),
            false => Tally::fail(format!("on {}:\n{console}\n", board.name)),
        });
    }
    Ok(all)
}

fn build(
    workspace: &Workspace,
    board: Board,
    package: &str,
    more: &[&str],
    loaded: &Path,
) -> Result<PathBuf> {
    let triple = board.triple();
    let output = output_of(
        cargo(workspace)
            .env(VARIABLE, loaded)
            .args(["build", "--quiet", "--release", "--package", package])
            .args(["--target", triple])
            .args(more),
    )?;
    ensure!(
        output.status.success(),
        "{package} for {triple}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(workspace
        .target()
        .join(triple)
        .join("release")
        .join(package))
}
