//! Short names, and a world that takes notes, for the tests of seats and of the oracle.

use taktos_schedule::{Cpu, CpuSet};
use taktos_schedule_oracle::Effects;
use taktos_time::Instant;

/// How many locks there can be.
pub const LOCKS: usize = 6;

/// Remembers which processors want to be dispatched, and when timers shall fire.
pub struct Flags(pub CpuSet, pub [Option<Instant>; Cpu::COUNT]);

impl Default for Flags {
    fn default() -> Self {
        Self(CpuSet::EMPTY, [None; Cpu::COUNT])
    }
}

impl Effects for Flags {
    fn preempt(&mut self, cpu: Cpu) {
        self.0 = self.0.with(cpu);
    }
    fn arm(&mut self, cpu: Cpu, at: Option<Instant>) {
        self.1[cpu.index()] = at;
    }
}

pub fn cpu(index: usize) -> Cpu {
    Cpu::new(index).unwrap()
}

pub fn set<const N: usize>(indices: [usize; N]) -> CpuSet {
    indices.into_iter().map(cpu).collect()
}

pub fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}
