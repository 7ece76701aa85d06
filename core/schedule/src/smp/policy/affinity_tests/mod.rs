//! Owns: what the tests of both affinity policies have in common: tables, short names, a die.

extern crate std;

// Steps are counted, which are the same in the interpreter.
#[cfg(not(miri))]
mod bounds;
mod model;
mod reference;
mod scenarios;
mod storm;

use crate::{
    Cpu, CpuSet,
    smp::{
        Instance, InstanceConfig, InstanceRecord, Memory, NodeRecord, PolicyKind, Priority,
        ProcessorRecord, System, Thread, ThreadRecord,
    },
};
use std::vec::Vec;
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

/// The rows that a system borrows.
struct Tables {
    threads: Vec<ThreadRecord>,
    nodes: Vec<NodeRecord>,
    instances: Vec<InstanceRecord>,
    processors: Vec<ProcessorRecord>,
}

impl Tables {
    fn new(threads: usize, cpus: usize, instances: usize) -> Self {
        Self {
            threads: std::vec![ThreadRecord::EMPTY; threads + cpus],
            nodes: std::vec![NodeRecord::EMPTY; (threads + cpus) * instances],
            instances: std::vec![InstanceRecord::EMPTY; instances],
            processors: std::vec![ProcessorRecord::EMPTY; cpus],
        }
    }

    /// A system with these processors for each instance, all of one policy.
    fn system(&mut self, policy: PolicyKind, shares: &[CpuSet]) -> System<'_> {
        let names = (0..).map(|index| [b'C', b'P', b'U', index]);
        let configs: Vec<_> = shares
            .iter()
            .zip(names)
            .map(|(&cpus, name)| InstanceConfig { name, policy, cpus })
            .collect();
        let online = CpuSet::first(self.processors.len());
        let memory = Memory {
            threads: &mut self.threads,
            nodes: &mut self.nodes,
            instances: &mut self.instances,
            processors: &mut self.processors,
            ..Memory::default()
        };
        System::new(memory, online, &configs).unwrap()
    }
}

/// A thread of the first instance that is ready.
fn started(system: &mut System<'_>, priority: u32, affinity: &[usize]) -> Thread {
    let thread = system
        .create(instance(0), Priority(priority), Some(cpus(affinity)))
        .unwrap();
    system.start(thread, NOW, &mut ()).unwrap();
    thread
}

/// On which processor each of them is, by number.
fn places<const N: usize>(system: &System<'_>, threads: [Thread; N]) -> [Option<usize>; N] {
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
