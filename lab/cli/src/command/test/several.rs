//! The steps on the boards whose processors can be several: the clock for them, and the kernel on one of them.

use std::time::Duration;

use anyhow::{Context, Result};
use taktos_emulator::several::{Several, Virt};
use taktos_emulator::{Ended, Options};

use super::{Tally, images, programs, tools};
use crate::image::{self, Image};
use crate::workspace::Workspace;

/// Nanoseconds that one processor may run ahead of another.
const QUANTA: [u32; 3] = [20, 100, 1000];
/// The same where there is one processor: it does not matter.
const QUANTUM: u32 = 100;
/// The most real time of one run.
const TIME: Duration = Duration::from_secs(120);

pub(super) fn lints(workspace: &Workspace, board: Virt) -> Result<Tally> {
    tools::lints_for(workspace, board.name(), board.triple())
}

/// Each quantum twice: the time must be honest, and the same both times.
pub(super) fn honest_time(workspace: &Workspace) -> Result<Tally> {
    let image = built(workspace, Virt::Aarch64, "probe")?;
    let emulator = Several::find(Virt::Aarch64)?;
    let mut all = Tally::default();
    for quantum in QUANTA {
        let probe = emulator.probe(&image.path, quantum)?;
        all.add(match probe.verdict() {
            Ok(()) => Tally::pass(),
            Err(why) => Tally::fail(format!("quantum of {quantum} ns: {why}\n")),
        });
        all.add(if emulator.probe(&image.path, quantum)? == probe {
            Tally::pass()
        } else {
            Tally::fail(format!("quantum of {quantum} ns: two runs differ\n"))
        });
    }
    Ok(all)
}

/// The kernel's own suite on one processor.
pub(super) fn suite(workspace: &Workspace, board: Virt) -> Result<Tally> {
    let ended = run(workspace, board, "suite", None)?;
    let said = ended
        .console
        .lines()
        .find_map(|line| line.strip_prefix("@suite "));
    let counts = said.and_then(images::counts);
    let (passed, failed) = counts.context("the suite did not say how many tests passed")?;
    let failed = match ended.exit_status {
        0 => failed,
        _ => failed.max(1),
    };
    Ok(Tally {
        passed,
        failed,
        said: ended.console,
    })
}

/// The programs that test the port.
pub(super) fn programs(workspace: &Workspace, board: Virt) -> Result<Tally> {
    programs::run_each(programs::VIRT, |case| {
        run(workspace, board, case.program, case.argument)
    })
}

fn built(workspace: &Workspace, board: Virt, program: &str) -> Result<Image> {
    image::build_for(
        workspace,
        (board.name(), board.triple()),
        program,
        "release",
    )
}

fn run(workspace: &Workspace, board: Virt, program: &str, argument: Option<&str>) -> Result<Ended> {
    let image = built(workspace, board, program)?;
    let options = Options {
        argument: argument.map(str::to_owned),
        real_time: TIME,
        ..Options::default()
    };
    Ok(Several::find(board)?.run(&image.path, 1, QUANTUM, &options)?)
}
