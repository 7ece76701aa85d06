//! Tables in vectors, for the tests of the library's system.
#![allow(dead_code, reason = "each test uses some of it")]

mod words;

use taktos_schedule::{
    Cpu, CpuSet,
    smp::{
        ContributionRecord, EndsRecord, InstanceRecord, LineRecord, LockMemory, LockRecord, Memory,
        NodeRecord, PlaceRecord, ProcessorRecord, ServerRecord, SideRecord, ThreadRecord,
        WaitRecord,
    },
};
pub use words::*;

/// The tables of a system.
#[derive(Default)]
pub struct Tables {
    pub threads: Vec<ThreadRecord>,
    pub nodes: Vec<NodeRecord>,
    pub instances: Vec<InstanceRecord>,
    pub processors: Vec<ProcessorRecord>,
    pub contributions: Vec<ContributionRecord>,
    pub locks: Vec<LockRecord>,
    pub ends: Vec<EndsRecord>,
    pub lines: Vec<LineRecord>,
    pub sides: Vec<SideRecord>,
    pub places: Vec<PlaceRecord>,
    pub waits: Vec<WaitRecord>,
    pub servers: Vec<ServerRecord>,
}

impl Tables {
    /// Creates it for `threads` threads, not counting the idle ones.
    pub fn new(threads: usize, online: CpuSet, instances: usize) -> Self {
        let rows = threads + online.count();
        Self {
            threads: vec![ThreadRecord::default(); rows],
            nodes: vec![NodeRecord::default(); rows * instances],
            instances: vec![InstanceRecord::default(); instances],
            processors: vec![ProcessorRecord::default(); Cpu::COUNT],
            contributions: vec![ContributionRecord::default(); LOCKS * instances + rows],
            locks: vec![LockRecord::default(); LOCKS],
            ends: vec![EndsRecord::default(); LOCKS],
            lines: vec![LineRecord::default(); LOCKS * instances],
            sides: vec![SideRecord::default(); LOCKS * instances],
            places: vec![PlaceRecord::default(); rows * instances],
            waits: vec![WaitRecord::default(); rows],
            servers: vec![ServerRecord::default(); rows],
        }
    }

    pub fn memory(&mut self) -> Memory<'_> {
        Memory {
            threads: &mut self.threads,
            nodes: &mut self.nodes,
            instances: &mut self.instances,
            processors: &mut self.processors,
            contributions: &mut self.contributions,
            locks: LockMemory {
                locks: &mut self.locks,
                ends: &mut self.ends,
                lines: &mut self.lines,
                sides: &mut self.sides,
                places: &mut self.places,
                waits: &mut self.waits,
            },
            servers: &mut self.servers,
        }
    }
}
