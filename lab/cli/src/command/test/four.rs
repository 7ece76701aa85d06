//! The steps on boards with four processors: the port to them, and the kernel on them.

use std::time::Duration;

use anyhow::{Context, Result};
use taktos_emulator::several::{Several, Virt};
use taktos_emulator::{Ended, Options};

use super::programs::{self, Case};
use super::{Tally, images, tools};
use crate::image;
use crate::workspace::Workspace;

/// Nanoseconds that one processor may run ahead of another.
const QUANTA: [u32; 3] = [20, 100, 1000];
const PROCESSORS: usize = 4;
/// The most real time of one run.
const TIME: Duration = Duration::from_secs(120);

/// The boards whose crate for four processors is there.
pub(super) const BOARDS: [Virt; 1] = [Virt::Aarch64];

/// The crate in `boards/` of a board's images for four processors.
pub(super) fn name(board: Virt) -> String {
    format!("{}-smp", board.name())
}

pub(super) fn lints(workspace: &Workspace, board: Virt) -> Result<Tally> {
    tools::lints_for(workspace, &name(board), board.triple())
}

/// The programs that test the port: with each quantum, faults with one, and with too few processors.
pub(super) fn programs(workspace: &Workspace, board: Virt) -> Result<Tally> {
    let on = |processors, quantum, cases: &[Case]| {
        programs::run_each(cases, |case| {
            let what = (case.program, case.argument);
            run(workspace, board, what, processors, quantum)
        })
    };
    let mut all = on(PROCESSORS, QUANTA[1], programs::VIRT)?;
    all.add(on(PROCESSORS, QUANTA[0], &[programs::PORT])?);
    all.add(on(PROCESSORS, QUANTA[2], &[programs::PORT])?);
    all.add(on(PROCESSORS - 1, QUANTA[1], &[programs::MISSING])?);
    Ok(all)
}

/// The kernel's own suite on each processor, while the others are busy in the kernel, too.
pub(super) fn suite(workspace: &Workspace, board: Virt) -> Result<Tally> {
    let mut all = Tally::default();
    for (place, quantum) in (0..PROCESSORS).zip(QUANTA.into_iter().cycle()) {
        let argument = place.to_string();
        let what = ("suite", Some(argument.as_str()));
        let ended = run(workspace, board, what, PROCESSORS, quantum)?;
        all.add(count(place, ended)?);
    }
    Ok(all)
}

/// What the suite said; it must have run where it was told to.
fn count(place: usize, ended: Ended) -> Result<Tally> {
    let said = ended
        .console
        .lines()
        .find_map(|line| line.strip_prefix("@suite "));
    let counts = said.and_then(images::counts);
    let (passed, failed) = counts.context("the suite did not say how many tests passed")?;
    let is_there = ended
        .console
        .starts_with(&format!("on processor {place}\n"));
    Ok(Tally {
        passed,
        failed: match (ended.exit_status, is_there) {
            (0, true) => failed,
            _ => failed.max(1),
        },
        said: ended.console,
    })
}

fn run(
    workspace: &Workspace,
    board: Virt,
    (program, argument): (&str, Option<&str>),
    processors: usize,
    quantum: u32,
) -> Result<Ended> {
    let image = image::build_for(
        workspace,
        (&name(board), board.triple()),
        program,
        "release",
    )?;
    let options = Options {
        argument: argument.map(str::to_owned),
        real_time: TIME,
        ..Options::default()
    };
    Ok(Several::find(board)?.run(&image.path, processors, quantum, &options)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(exit_status: i32, console: &str) -> Ended {
        Ended {
            console: console.to_owned(),
            exit_status,
        }
    }

    #[test]
    fn the_suite_must_run_where_it_was_told_to() {
        let said = "on processor 2\n@suite passed 41 failed 0\n";
        let good = count(2, ended(0, said)).unwrap();
        assert_eq!((good.passed, good.failed), (41, 0));
        assert_eq!(count(1, ended(0, said)).unwrap().failed, 1);
        assert_eq!(count(2, ended(1, said)).unwrap().failed, 1);
        assert!(count(2, ended(0, "on processor 2\n")).is_err());
    }
}
