//! The step that compares the simulator in the tool as people have it with the library alone.
//!
//! Owns: how much slower the tool may be, and how often both are measured.
//! Must never know: what is simulated.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use taktos_runner::image::cargo;
use taktos_runner::workspace::Workspace;

use super::Tally;
use super::cargo::{counted, tool, tool_built};

/// The least share of the library's rate that the tool has. The loops of the simulator are generic,
/// so they are compiled once more with the tool: at another level of optimisation they had a fifth
/// of the library's rate.
const LEAST: f64 = 0.8;
/// How often both are measured, one after the other, and how often at most: the best of each
/// counts, since whatever else the machine does makes a rate lower.
const ROUNDS: (usize, usize) = (3, 12);

/// Some half a second each, as the tool's.
const FIVE_RUNS: [&str; 3] = ["5", "edf", "250"];

/// Measures both in turns, by the processor time that they take.
pub(super) fn of_simulator(workspace: &Workspace) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    let library = ["build", "--quiet", "--profile", "lab", "--example", "speed"];
    all.add(counted(cargo(workspace).args(library))?);
    let library = workspace.target().join("lab/examples/speed");
    let (mut ours, mut theirs) = (0.0_f64, 0.0_f64);
    for round in 1..=ROUNDS.1 {
        theirs = theirs.max(rate_of_library(&library)?);
        ours = ours.max(rate_of_tool(workspace)?);
        if round >= ROUNDS.0 && ours >= LEAST * theirs {
            all.add(Tally::pass());
            return Ok(all);
        }
    }
    all.add(Tally::fail(format!(
        "the tool simulates {ours:.0} jobs in a second of processor time, the library by itself {theirs:.0}; the least is {LEAST} of it\n"
    )));
    Ok(all)
}

/// The tool's rate, which must not hold the assertions of tests.
fn rate_of_tool(workspace: &Workspace) -> Result<f64> {
    let mut bench = Command::new(tool(workspace));
    bench.args(["bench", "--suite", "simulation", "--format", "json"]);
    let said: Value = serde_json::from_str(&output(bench.env("TAKTOS_ROOT", workspace.root()))?)?;
    ensure!(
        said["assertions"] == false,
        "the tool is compiled with the assertions of its tests"
    );
    said["jobs_per_second"]
        .as_f64()
        .context("the tool says no rate")
}

fn rate_of_library(example: &Path) -> Result<f64> {
    let said = output(Command::new(example).args(FIVE_RUNS))?;
    said.trim().parse().context("the library says no rate")
}

fn output(program: &mut Command) -> Result<String> {
    let output = program.output().context("it does not start")?;
    let failed = || String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{}", failed());
    Ok(String::from_utf8(output.stdout)?)
}
