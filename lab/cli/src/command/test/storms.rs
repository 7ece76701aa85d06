//! The steps that let the storm rage over the kernel on four emulated processors: with several quanta, and hunting for races.

use std::time::Duration;

use anyhow::{Context, Result};
use taktos_emulator::Options;
use taktos_emulator::several::{Setting, Virt};

use super::{Tally, four};
use crate::image;
use crate::workspace::Workspace;

const PROCESSORS: usize = 4;

/// One storm: its words for the program, how far a processor may run ahead, and whether that varies.
struct Storm {
    policy: &'static str,
    layout: &'static str,
    quantum: u32,
    hunts: bool,
}

const fn storm(policy: &'static str, layout: &'static str, quantum: u32, hunts: bool) -> Storm {
    Storm {
        policy,
        layout,
        quantum,
        hunts,
    }
}

/// Each policy, layout and quantum at least once.
const STORMS: [Storm; 9] = [
    storm("edf", "global", 100, false),
    storm("simple", "clustered", 20, false),
    storm("priority", "partitioned", 1000, false),
    storm("priority-affinity", "global", 1000, false),
    storm("strong-affinity", "clustered", 100, false),
    storm("cbs", "global", 20, false),
    storm("edf", "clustered", 20, true),
    storm("strong-affinity", "global", 100, true),
    storm("priority", "clustered", 1000, true),
];

/// How long storms are.
#[derive(Clone, Copy)]
pub(super) enum Length {
    /// Seconds.
    Short,
    /// A million operations for each way of running that there is; hours.
    Long,
}

impl Length {
    fn operations(self, storm: &Storm) -> u64 {
        match (self, storm.hunts) {
            (Self::Short, false) => 4_000,
            (Self::Short, true) => 1_000,
            (Self::Long, _) => 1_000_000,
        }
    }

    /// The most real time of one storm.
    fn limit(self) -> Duration {
        Duration::from_secs(match self {
            Self::Short => 120,
            Self::Long => 4 * 3600,
        })
    }
}

/// All storms on a board, each with a seed of its own.
pub(super) fn rage(workspace: &Workspace, board: Virt, length: Length) -> Result<Tally> {
    let image = image::build_for(workspace, (&four::name(board), board.triple()), "storm")?;
    let emulator = crate::emulator::several(board)?;
    let mut all = Tally::default();
    for (storm, seed) in STORMS.iter().zip(1u32..) {
        let words = format!(
            "policy={}+layout={}+seed={seed}+operations={}",
            storm.policy,
            storm.layout,
            length.operations(storm)
        );
        let setting = Setting::new(PROCESSORS, storm.quantum);
        let setting = if storm.hunts {
            setting.hunting(seed)
        } else {
            setting
        };
        let options = Options {
            argument: Some(words.clone()),
            real_time: length.limit(),
            ..Options::default()
        };
        let ended = emulator
            .run_as(&image.path, &setting, &options)
            .with_context(|| format!("the storm {words}, quantum {}", storm.quantum))?;
        let passed = ended.exit_status == 0 && ended.console.contains("@storm passed ");
        all.add(if passed {
            Tally::pass()
        } else {
            Tally::fail(format!(
                "{words}, quantum {}{}: exit status {}\n{}",
                storm.quantum,
                if storm.hunts { ", hunting" } else { "" },
                ended.exit_status,
                ended.console
            ))
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_layout_and_quantum_has_its_storm() {
        let has = |is: &dyn Fn(&Storm) -> bool| assert!(STORMS.iter().any(is));
        for policy in [
            "simple",
            "priority",
            "edf",
            "priority-affinity",
            "strong-affinity",
            "cbs",
        ] {
            has(&|storm| storm.policy == policy);
        }
        for layout in ["global", "clustered", "partitioned"] {
            has(&|storm| storm.layout == layout);
        }
        for hunts in [false, true] {
            for quantum in [20, 100, 1000] {
                has(&|storm| storm.quantum == quantum && storm.hunts == hunts);
            }
        }
    }
}
