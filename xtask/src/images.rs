//! Builds every program of every board, each board in a call of its own, so
//! that no feature of one leaks into another.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use taktos_emulator::Board;

/// The program that is built for size.
const SMALLEST: &str = "smallest";

/// Builds all images.
///
/// # Errors
/// When one does not build.
pub fn build() -> Result<String> {
    for board in Board::ALL {
        cargo(board, &["--profile", "release", "--bins"])?;
        cargo(board, &["--profile", "small", "--bin", SMALLEST])?;
    }
    Ok(format!(
        "the images of {} boards are built",
        Board::ALL.len()
    ))
}

fn cargo(board: Board, what: &[&str]) -> Result<()> {
    let mut cargo = Command::new("cargo");
    cargo
        .args([
            "build",
            "--quiet",
            "-p",
            board.name(),
            "--target",
            board.triple(),
        ])
        .args(what);
    // What the caller's shell holds must not change the images.
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(variable);
    }
    let status = cargo.status().context("cargo does not start")?;
    ensure!(
        status.success(),
        "{}: cargo build {} failed",
        board.name(),
        what.join(" ")
    );
    Ok(())
}
