//! The steps on boards with four processors: the port to them, and the kernel on them.

use std::ops::Range;

use anyhow::Result;
use taktos_emulator::several::Setting;
use taktos_emulator::{Board as Machine, Ended};
use taktos_runner::several::{Board, QUANTA};
use taktos_runner::workspace::Workspace;

use super::programs::{self, Case};
use super::runner::{Runner, counted};
use super::{Tally, firmware};

const PROCESSORS: usize = Board::PROCESSORS;

/// The seeds of the runs that hunt for races.
const SEEDS: [u32; 3] = [1, 2, 3];
/// The longest quantum in them: while one processor is stopped between two instructions, another
/// one has the time to take its thread over.
const HUNTED: u32 = 300;

/// The programs that test the port: with each quantum, in the race search, faults with one quantum,
/// and with too few processors.
pub(super) fn programs(workspace: &Workspace, board: Board) -> Result<Tally> {
    let [least, middle, most] = QUANTA.map(|quantum| Setting::new(PROCESSORS, quantum));
    let runner = Runner::of(workspace, board)?;
    let run_each = |setting: Setting, cases: &[Case]| {
        programs::run_each(cases, |case| runner.run(case.words(), &setting))
    };
    let mut all = run_each(middle, &programs::VIRT)?;
    all.add(run_each(middle, programs::OVERFLOW_ON_EACH)?);
    let hunted = SEEDS.map(|seed| Setting::new(PROCESSORS, HUNTED).hunting(seed));
    for setting in [least, most].into_iter().chain(hunted) {
        all.add(run_each(setting, &[programs::PORT])?);
    }
    let too_few = Setting::new(PROCESSORS - 1, middle.quantum);
    all.add(run_each(too_few, &[programs::MISSING])?);
    Ok(all)
}

/// Runs the programs on a board with a port that was tested on another one: the effects of its
/// interrupt controller, and how its processors begin.
pub(super) fn programs_elsewhere(workspace: &Workspace, board: Board) -> Result<Tally> {
    let setting = |quantum| Setting::new(PROCESSORS, quantum);
    let runner = Runner::of(workspace, board)?;
    let run_each = |setting: Setting, cases: &[Case]| {
        programs::run_each(cases, |case| runner.run(case.words(), &setting))
    };
    let middle = setting(QUANTA[1]);
    let mut all = run_each(middle, programs::OVERFLOW_ON_EACH)?;
    let hunted = setting(HUNTED).hunting(SEEDS[0]);
    for setting in QUANTA.map(setting).into_iter().chain([hunted]) {
        all.add(run_each(setting, &[programs::PORT])?);
    }
    all.add(match board.machine {
        // It cannot have fewer.
        Machine::RASPBERRY_PI_4 => programs::run_each(&[programs::PORT], |case| {
            firmware::run(workspace, board, case.words().0, &middle)
        })?,
        _ => run_each(
            Setting::new(PROCESSORS - 1, middle.quantum),
            &[programs::MISSING],
        )?,
    });
    Ok(all)
}

/// The kernel's own suite on each processor, while the others are busy in the kernel, too.
pub(super) fn suite(workspace: &Workspace, board: Board) -> Result<Tally> {
    suite_on(workspace, board, 0..PROCESSORS)
}

/// Runs the suite on one of them.
pub(super) fn suite_elsewhere(workspace: &Workspace, board: Board) -> Result<Tally> {
    suite_on(workspace, board, 2..3)
}

fn suite_on(workspace: &Workspace, board: Board, places: Range<usize>) -> Result<Tally> {
    let runner = Runner::of(workspace, board)?;
    let mut all = Tally::default();
    for (place, quantum) in places.zip(QUANTA.into_iter().cycle()) {
        let argument = place.to_string();
        let what = ("suite", Some(argument.as_str()));
        let ended = runner.run(what, &Setting::new(PROCESSORS, quantum))?;
        all.add(count(place, ended)?);
    }
    Ok(all)
}

/// Counts the results of the suite; it must have run on the requested processor.
fn count(place: usize, ended: Ended) -> Result<Tally> {
    // The emulator may have warned of its machine before.
    let line = format!("on processor {place}");
    let is_there = ended.console.lines().any(|said| said == line);
    let mut tally = counted("@suite ", ended)?;
    if !is_there {
        tally.failed = tally.failed.max(1);
    }
    Ok(tally)
}

/// The policies, as the suite for several processors knows them.
pub(super) const POLICIES: [&str; 6] = [
    "edf",
    "simple",
    "priority",
    "priority-affinity",
    "strong-affinity",
    "cbs",
];

/// The kernel's suite for several processors, under each policy.
pub(super) fn suite_for_several(workspace: &Workspace, board: Board) -> Result<Tally> {
    let runner = Runner::of(workspace, board)?;
    let mut all = Tally::default();
    for (policy, quantum) in POLICIES.into_iter().zip(QUANTA.into_iter().cycle()) {
        let what = ("several", Some(policy));
        let ended = runner.run(what, &Setting::new(PROCESSORS, quantum))?;
        all.add(counted("@several ", ended)?);
    }
    Ok(all)
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
