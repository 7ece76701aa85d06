//! The step that tries the clock for several processors.

use std::process::Command;

use anyhow::{Result, ensure};
use taktos_emulator::several::{PROBE_BOARD, PROBE_TRIPLE, Several};

use super::Tally;
use crate::image::cargo;
use crate::workspace::Workspace;

/// Nanoseconds that one processor may run ahead of another.
const QUANTA: [u32; 3] = [20, 100, 1000];

/// Each quantum twice: the time must be honest, and the same both times.
pub(super) fn honest_time(workspace: &Workspace) -> Result<Tally> {
    build(cargo(workspace))?;
    let image = workspace.target().join(PROBE_TRIPLE).join("release/probe");
    let emulator = Several::find()?;
    let mut all = Tally::default();
    for quantum in QUANTA {
        let probe = emulator.probe(&image, quantum)?;
        all.add(match probe.verdict() {
            Ok(()) => Tally::pass(),
            Err(why) => Tally::fail(format!("quantum of {quantum} ns: {why}\n")),
        });
        all.add(if emulator.probe(&image, quantum)? == probe {
            Tally::pass()
        } else {
            Tally::fail(format!("quantum of {quantum} ns: two runs differ\n"))
        });
    }
    Ok(all)
}

fn build(mut cargo: Command) -> Result<()> {
    let output = cargo
        .args(["build", "--quiet", "--release", "-p", PROBE_BOARD])
        .args(["--bin", "probe", "--target", PROBE_TRIPLE])
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the probe does not build: {said}");
    Ok(())
}
