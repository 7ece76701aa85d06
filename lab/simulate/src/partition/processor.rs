//! Owns: the present activity of a processor of the hypervisor, and its activities so far.
//! Must never know: the virtual processor that should run on it.

use super::HostCpuStatistics;
use crate::engine::tournament::NEVER;

/// Use of a processor's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Idle,
    Guest,
    Hypervisor,
}

/// A processor of a pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Processor {
    pub pool: usize,
    /// Which virtual processor it executes, or will after the switch.
    pub current: Option<usize>,
    /// Which one's registers it saves.
    pub leaving: Option<usize>,
    /// Whether the present choice is another one than that before.
    pub switched: bool,
    /// When the hypervisor is done with its decision and its switch; [`NEVER`]: it is not at it.
    pub busy_until: u64,
    /// Since when the hypervisor is at it.
    pub entered: u64,
    /// When a tickle arrives.
    pub tickle: u64,
    /// When it has to look again.
    pub until: u64,
    doing: Use,
    since: u64,
    pub statistics: HostCpuStatistics,
}

impl Processor {
    pub fn new(cpu: u8, pool: usize) -> Self {
        Self {
            pool,
            current: None,
            leaving: None,
            switched: false,
            busy_until: NEVER,
            entered: 0,
            tickle: NEVER,
            until: NEVER,
            doing: Use::Idle,
            since: 0,
            statistics: HostCpuStatistics {
                cpu,
                ..HostCpuStatistics::default()
            },
        }
    }

    /// When something happens on it next.
    pub fn next(&self) -> u64 {
        match self.busy_until {
            NEVER => self.tickle.min(self.until),
            end => end,
        }
    }

    /// From `at` on it does something else.
    pub fn begin(&mut self, doing: Use, at: u64) {
        let passed = at - self.since;
        self.since = at;
        match self.doing {
            Use::Idle => self.statistics.idle += passed,
            Use::Guest => self.statistics.busy += passed,
            Use::Hypervisor => self.statistics.overhead += passed,
        }
        self.doing = doing;
    }
}
