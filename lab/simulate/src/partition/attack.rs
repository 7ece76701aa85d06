//! Owns: the attacks of hostile guests on a hypervisor, in addition to their use of time, and when.
//! Must never know: which guests there are, and the reaction of a scheduler.
//!
//! A guest that loops, blocks and wakes is a guest like any other: its tasks say how.
//! Here is what no task does.

use taktos_time::Duration;

use crate::Execution;
use crate::engine::draw::{Draw, Row};

/// Something that a guest does over and over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attack {
    /// The guest, by its place in the workload's partitions.
    pub partition: usize,
    /// Action of the guest.
    pub act: Act,
    /// From one time to the next, at least 1 ns.
    pub every: Execution,
}

/// Action of a hostile guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Each of its virtual processors that executes lets others go first once.
    Yield,
    /// All its virtual processors stop, and start again some time later: a fault and a
    /// restart, a reset.
    Restart {
        /// How long they are away.
        away: Duration,
    },
}

/// An attack in progress.
pub(super) struct Campaign {
    pub partition: usize,
    pub act: Act,
    /// When it comes next.
    pub next: u64,
    every: Draw,
    count: u64,
}

impl Campaign {
    /// Attack `index`, which begins one distance after the start.
    pub fn new(index: usize, attack: &Attack, seed: u64) -> Self {
        let row = Row::cost(FIRST_ROW + index as u64);
        let mut campaign = Self {
            partition: attack.partition,
            act: attack.act,
            next: 0,
            every: Draw::execution(&attack.every, row),
            count: 0,
        };
        campaign.pass(seed);
        campaign
    }

    /// It has come: the next one is a distance later.
    pub fn pass(&mut self, seed: u64) {
        self.next += self.every.at(seed, self.count).max(1);
        self.count += 1;
    }
}

/// Beyond the rows of the host's costs.
const FIRST_ROW: u64 = 16;
