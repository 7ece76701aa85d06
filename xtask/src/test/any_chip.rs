//! The step that runs the program for any chip on machines of the emulator that are no boards: each
//! has its own memory, rate and processor, and nothing else of it is known.
//!
//! Then the program that `taktos new` writes for a chip is weighed.
//!
//! Owns: what the program must print. Must never know: a machine, but by its row.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use taktos_emulator::Board;
use taktos_runner::image::{alone, build, cargo};
use taktos_runner::workspace::Workspace;

use super::cargo::tool_built;
use super::repeat::{place, tool};
use super::{Tally, own};

/// Rows of machines: name and target come first.
const MACHINES: &str = "boards/chip/machines.txt";
const PROGRAM: &str = "blink";
const SAYS: &str = "turns 200 blinks 10 in 50 ms";

/// The program that sleeps with its timer stopped, for machines with the timers of Arm's CMSDK: ten
/// sleeps of 50 ms by time-outs, each with one stop to shortly before its end, and one of 50 ms by
/// an interrupt. It checks its time against a timer that always runs.
const SLEEPER: &str = "deep_sleep";
const WITH_TIMERS: [Board; 2] = [Board::MPS2_AN385, Board::MPS2_AN500];
const SLEEPS: &str = "11 stops in 550 ms, which is true";

/// A machine, its memory protection unit taken away, and what overflows its stack there.
const WITHOUT_UNIT: Board = Board::MPS2_AN385;
const TAKEN: [&str; 2] = ["-global", "cortex-m3-arm-cpu.pmsav7-dregion=0"];
const OVERFLOWS: [&str; 3] = [
    "overflow-at-a-call",
    "overflow-at-an-interrupt",
    "overflow-at-a-resumption",
];
const REPORTS: [&str; 2] = ["guards: none", "fault: stack overflow in thread 'victim'"];

/// Builds the program for each machine, and runs it by the tool, as users run an image of theirs.
pub(super) fn blinks(workspace: &Workspace) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    let machines = fs::read_to_string(workspace.path(MACHINES)).context(MACHINES)?;
    let mut images = BTreeMap::new();
    // The emulator has no machine of that name: it is one of the others with more memory.
    let is_machine =
        |row: &&str| !row.starts_with('#') && !row.starts_with(Board::CORTEX_M0.name());
    for row in machines.lines().filter(is_machine) {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [machine, triple, ..] = words.as_slice() else {
            bail!("{MACHINES}: `{row}` has no machine and target");
        };
        // Machines with one map and one rate have one image.
        let image = match images.get(&words[1..]) {
            Some(image) => String::clone(image),
            None => built(workspace, PROGRAM, machine, triple)?,
        };
        images.insert(words[1..].to_vec(), image.clone());
        all.add(says(workspace, PROGRAM, machine, &image, SAYS)?);
    }
    for board in WITH_TIMERS {
        let image = built(workspace, SLEEPER, board.name(), board.triple())?;
        all.add(says(workspace, SLEEPER, board.name(), &image, SLEEPS)?);
    }
    all.add(overflows(workspace)?);
    all.add(own::weight::of_blinky(workspace)?);
    Ok(all)
}

/// Runs an image on a machine, and checks for a text on its console.
fn says(
    workspace: &Workspace,
    program: &str,
    machine: &str,
    image: &str,
    text: &str,
) -> Result<Tally> {
    let out = place(workspace, &format!("{program}-{machine}"), 1);
    let line = ["run", image, "--machine", machine].map(str::to_owned);
    let said = tool(workspace, &line, &out)?;
    Ok(match said.contains(text) {
        true => Tally::pass(),
        false => Tally::fail(format!("{machine}: `{text}` expected, but:\n{said}\n")),
    })
}

/// Without a unit that guards stacks, the switch from a thread finds that it has overrun its own.
fn overflows(workspace: &Workspace) -> Result<Tally> {
    let image = build(workspace, WITHOUT_UNIT, "faults")?.path;
    let mut all = Tally::default();
    for case in OVERFLOWS {
        let output = Command::new(WITHOUT_UNIT.program())
            .args(WITHOUT_UNIT.arguments())
            .args(TAKEN)
            .arg("-kernel")
            .arg(&image)
            .args(["-append", case])
            .output()?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        all.add(match REPORTS.iter().all(|report| said.contains(report)) {
            true => Tally::pass(),
            false => Tally::fail(format!(
                "{case} without a unit: {REPORTS:?} expected, but:\n{said}\n"
            )),
        });
    }
    Ok(all)
}

/// Builds a program for a machine, and returns the path of a copy of its image.
fn built(workspace: &Workspace, program: &str, machine: &str, triple: &str) -> Result<String> {
    let target = workspace.target();
    let _until_copied = alone(&target)?;
    let output = cargo(workspace)
        .env("TAKTOS_MACHINE", machine)
        .args(["build", "--quiet", "--release", "--bin", program])
        .args([
            "--manifest-path",
            "boards/chip/Cargo.toml",
            "--target",
            triple,
        ])
        .output()?;
    if !output.status.success() {
        bail!("{machine}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let folder = target.join("images").join(triple).join(machine);
    fs::create_dir_all(&folder)?;
    let image = folder.join(program);
    fs::copy(target.join(triple).join("release").join(program), &image)?;
    Ok(image.display().to_string())
}
