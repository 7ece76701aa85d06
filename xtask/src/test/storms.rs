//! The steps that run the stress tests of the kernel on four emulated processors: with several
//! quanta, and the race search.
//!
//! Owns: the stress tests, and how long they are. Must never know: what a stress test does.

use std::time::Duration;

use anyhow::Result;
use taktos_emulator::several::Setting;
use taktos_runner::several::{Board, QUANTA};
use taktos_runner::workspace::Workspace;

use super::runner::Runner;
use super::{Tally, seed};

/// A policy, a layout, and the rate of operations that span instances: one in this number of
/// choices may be such an operation.
type World = (&'static str, &'static str, u32);

/// One stress test: its world, how far a processor may run ahead, whether that varies, and how
/// many operations there are.
#[derive(Clone, Copy, Debug)]
struct Storm {
    world: World,
    quantum: u32,
    operations: u64,
    hunts: bool,
}

/// The worlds and quanta of stress tests in steady time: each policy, layout and quantum at least
/// once.
const STEADY: [(World, u32); 6] = [
    (("edf", "global", 1), 100),
    (("simple", "clustered", 1), 20),
    (("priority", "partitioned", 1), 1000),
    (("priority-affinity", "global", 1), 1000),
    (("strong-affinity", "clustered", 8), 100),
    (("cbs", "global", 1), 20),
];

/// The worlds in which races are hunted, with each quantum: instances that rarely lend seats, and
/// such as do so all the time, of one processor and of several. The number is the share of the
/// operations in per cent: the quick ones have more.
const HUNTED: [(World, u64); 5] = [
    (("priority", "partitioned", 60), 30),
    (("priority", "clustered", 8), 30),
    (("priority", "global", 60), 20),
    (("edf", "clustered", 8), 12),
    (("strong-affinity", "global", 1), 8),
];

/// Length of the stress tests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// A minute.
    Short,
    /// A million operations for each way of running that there is; hours.
    Long,
}

impl Length {
    fn steady(self) -> u64 {
        match self {
            Self::Short => 4_000,
            Self::Long => 1_000_000,
        }
    }

    /// With each quantum, in all worlds together.
    fn hunted(self) -> u64 {
        match self {
            Self::Short => 30_000,
            Self::Long => 1_000_000,
        }
    }

    /// The most real time of one stress test.
    fn limit(self) -> Duration {
        Duration::from_secs(match self {
            Self::Short => 240,
            Self::Long => 4 * 3600,
        })
    }
}

fn steady(length: Length) -> Vec<Storm> {
    let of = |(world, quantum): &(World, u32)| Storm {
        world: *world,
        quantum: *quantum,
        operations: length.steady(),
        hunts: false,
    };
    STEADY.iter().map(of).collect()
}

fn hunted(length: Length) -> Vec<Storm> {
    let with = |quantum| {
        HUNTED.map(|(world, share)| Storm {
            world,
            quantum,
            operations: length.hunted() * share / 100,
            hunts: true,
        })
    };
    QUANTA.into_iter().flat_map(with).collect()
}

/// Runs the stress tests in steady time on a board.
pub(super) fn rage(workspace: &Workspace, board: Board, length: Length) -> Result<Tally> {
    each(workspace, board, length, &steady(length))
}

/// Runs those that hunt for races: quanta have any length up to the given one, and begin with any
/// processor.
pub(super) fn hunt(workspace: &Workspace, board: Board, length: Length) -> Result<Tally> {
    each(workspace, board, length, &hunted(length))
}

fn each(workspace: &Workspace, board: Board, length: Length, storms: &[Storm]) -> Result<Tally> {
    let runner = Runner::of(workspace, board)?.for_at_most(length.limit());
    let seed = seed::fresh()?;
    let mut all = Tally::seeded(seed);
    for (storm, number) in storms.iter().zip(0..) {
        all.add(one(&runner, storm, seed::of(seed, number))?);
    }
    Ok(all)
}

fn one(runner: &Runner<'_>, storm: &Storm, seed: u32) -> Result<Tally> {
    let words = storm.words(seed);
    let setting = Setting::new(Board::PROCESSORS, storm.quantum);
    let (setting, how) = match storm.hunts {
        true => (setting.hunting(seed), ", hunting"),
        false => (setting, ""),
    };
    let ended = runner.run(("storm", Some(&words)), &setting)?;
    let passed = ended.exit_status == 0 && ended.console.contains("@storm passed ");
    Ok(match passed {
        true => Tally::pass(),
        false => Tally::fail(format!(
            "the storm {words}, quantum {}{how}: exit status {}\n{}",
            storm.quantum, ended.exit_status, ended.console
        )),
    })
}

impl Storm {
    /// Returns the arguments of the program.
    fn words(&self, seed: u32) -> String {
        let (policy, layout, calm) = self.world;
        let operations = self.operations;
        format!("policy={policy}+layout={layout}+calm={calm}+seed={seed}+operations={operations}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_layout_and_quantum_has_its_storm() {
        let storms = steady(Length::Short);
        let has = |is: &dyn Fn(&Storm) -> bool| assert!(storms.iter().any(is));
        for policy in [
            "simple",
            "priority",
            "edf",
            "priority-affinity",
            "strong-affinity",
            "cbs",
        ] {
            has(&|storm| storm.world.0 == policy);
        }
        for layout in ["global", "clustered", "partitioned"] {
            has(&|storm| storm.world.1 == layout);
        }
        for quantum in QUANTA {
            has(&|storm| storm.quantum == quantum);
        }
    }

    #[test]
    fn races_are_hunted_with_each_quantum_for_as_long_as_is_said() {
        for (length, operations) in [(Length::Short, 30_000), (Length::Long, 1_000_000)] {
            for quantum in QUANTA {
                let storms = hunted(length);
                let with = storms.iter().filter(|storm| storm.quantum == quantum);
                assert!(with.clone().all(|storm| storm.hunts));
                assert_eq!(with.map(|storm| storm.operations).sum::<u64>(), operations);
            }
        }
    }
}
