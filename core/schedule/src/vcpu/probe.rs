//! Owns: a world for unit tests that only notes what a policy asks for.
//! Must never know: what comes of it.

extern crate std;

use super::{Effects, Timer};
use crate::Cpu;
use std::vec::Vec;
use taktos_time::Instant;

/// What a policy has asked for since the last [`Probe::take`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) tickles: Vec<Cpu>,
    pub(crate) timers: Vec<(Timer, Option<Instant>)>,
}

impl Probe {
    /// All that was asked for, and forgets it.
    pub(crate) fn take(&mut self) -> Self {
        core::mem::take(self)
    }
}

impl Effects for Probe {
    fn tickle(&mut self, cpu: Cpu) {
        self.tickles.push(cpu);
    }
    fn arm(&mut self, timer: Timer, at: Option<Instant>) {
        self.timers.push((timer, at));
    }
}
