//! What the library asks of the world.
//!
//! Owns: which processors have something to dispatch, and their timers.
//! Must never know: why.

use taktos_schedule::smp::Effects;
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

/// The library's wishes that have not been fulfilled yet.
#[derive(Clone, Debug)]
pub(super) struct Noted {
    /// Processors that shall dispatch.
    pub pending: CpuSet,
    timers: [Option<Instant>; Cpu::COUNT],
}

impl Noted {
    /// All processors of the set shall dispatch.
    pub fn new(online: CpuSet) -> Self {
        Self {
            pending: online,
            timers: [None; Cpu::COUNT],
        }
    }

    /// The timer that expires first; the lowest processor's among several.
    pub fn next_timer(&self) -> Option<(Instant, Cpu)> {
        let timers = self.timers.iter().enumerate();
        let armed = timers.filter_map(|(index, at)| Some(((*at)?, Cpu::new(index)?)));
        armed.min_by_key(|(at, cpu)| (*at, cpu.index()))
    }

    /// The timer has expired.
    pub fn disarm(&mut self, cpu: Cpu) {
        self.timers[cpu.index()] = None;
    }
}

impl Effects for Noted {
    fn preempt(&mut self, cpu: Cpu) {
        self.pending = self.pending.with(cpu);
    }

    fn arm(&mut self, cpu: Cpu, at: Option<Instant>) {
        self.timers[cpu.index()] = at;
    }
}
