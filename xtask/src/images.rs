//! Builds every program of every board, each board in a call of its own, so
//! that no feature of one leaks into another.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use taktos_cli::image::{cargo, manifest};
use taktos_cli::workspace::Workspace;
use taktos_emulator::Board;

/// What is built of each board: its programs, and the one that is built for size.
const BUILDS: [&str; 2] = [
    "build --quiet --profile release --bins",
    "build --quiet --profile small --bin smallest",
];

/// The source of the last, which not every board has.
const SMALLEST: &str = "smallest.rs";

/// Builds all images.
///
/// # Errors
/// When one does not build.
pub fn build(workspace: &Workspace) -> Result<String> {
    for board in Board::ALL {
        let sources = Path::new(&manifest(board.name())).with_file_name("src/bin");
        let is_there = |program| workspace.root().join(&sources).join(program).exists();
        let builds = BUILDS.into_iter().take(1 + usize::from(is_there(SMALLEST)));
        for line in builds {
            let mut call = cargo(workspace);
            call.args(line.split(' '));
            call.args(["--manifest-path", &manifest(board.name())]);
            call.args(["--target", board.triple()]);
            let output = call.output().context("cargo does not start")?;
            let said = String::from_utf8_lossy(&output.stderr);
            ensure!(
                output.status.success(),
                "{}: cargo {line}: {said}",
                board.name()
            );
        }
    }
    Ok(format!(
        "the images of {} boards are built",
        Board::ALL.len()
    ))
}
