//! Owns: what the tests of both affinity policies have in common: short names, a die.

mod model;
mod reference;
mod scenarios;
mod storm;

use crate::System;
use taktos_schedule::smp::{Instance, InstanceConfig, PolicyKind, Priority, Thread};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

/// A time at which nothing is measured.
const NOW: Instant = Instant::START;

fn cpu(index: usize) -> Cpu {
    Cpu::new(index).unwrap()
}

fn cpus(indices: &[usize]) -> CpuSet {
    indices.iter().map(|&index| cpu(index)).collect()
}

fn instance(index: usize) -> Instance {
    Instance::new(index).unwrap()
}

/// A system with these processors for each instance, all of one policy.
fn system(threads: usize, cpus: usize, policy: PolicyKind, shares: &[CpuSet]) -> System {
    let names = (0..).map(|index| [b'C', b'P', b'U', index]);
    let configs: Vec<_> = shares
        .iter()
        .zip(names)
        .map(|(&cpus, name)| InstanceConfig { name, policy, cpus })
        .collect();
    System::new(threads, 0, CpuSet::first(cpus), &configs).unwrap()
}

/// A thread of the first instance that is ready.
fn started(system: &mut System, priority: u32, affinity: &[usize]) -> Thread {
    let thread = system
        .create(instance(0), Priority(priority), Some(cpus(affinity)))
        .unwrap();
    system.start(thread, NOW, &mut ()).unwrap();
    thread
}

/// On which processor each of them is, by number.
fn places<const N: usize>(system: &System, threads: [Thread; N]) -> [Option<usize>; N] {
    threads.map(|thread| system.processor_of(thread).map(Cpu::index))
}

/// A counter, scrambled (SplitMix64): roll i of seed s is the same for ever.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % sides as u64) as usize
    }

    /// All, one or two, or about a third of the processors.
    fn mask(&mut self, cpus: usize) -> CpuSet {
        let all = CpuSet::first(cpus);
        match self.roll(4) {
            0 => all,
            1 => CpuSet::of(cpu(self.roll(cpus))).with(cpu(self.roll(cpus))),
            _ => all
                .into_iter()
                .filter(|_| self.roll(3) == 0)
                .collect::<CpuSet>()
                .with(cpu(self.roll(cpus))),
        }
    }
}
