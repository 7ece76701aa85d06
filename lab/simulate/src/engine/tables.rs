//! Owns: the memory of the library's tables for one run.
//! Must never know: the contents of the tables.

use taktos_schedule::smp::{
    ContributionRecord, EndsRecord, InstanceRecord, LineRecord, LockMemory, LockRecord, Memory,
    NodeRecord, PlaceRecord, ProcessorRecord, ServerRecord, SideRecord, ThreadRecord, WaitRecord,
};

use super::board::Home;
use super::plan::Plan;

/// The tables of one run; they can serve another one after it.
pub struct Tables {
    homes: Vec<Home>,
    threads: Vec<ThreadRecord>,
    nodes: Vec<NodeRecord>,
    instances: Vec<InstanceRecord>,
    processors: Vec<ProcessorRecord>,
    contributions: Vec<ContributionRecord>,
    locks: Locks,
    servers: Vec<ServerRecord>,
}

/// Those of the locks; all empty without locks.
#[derive(Debug)]
struct Locks {
    locks: Vec<LockRecord>,
    ends: Vec<EndsRecord>,
    lines: Vec<LineRecord>,
    sides: Vec<SideRecord>,
    places: Vec<PlaceRecord>,
    waits: Vec<WaitRecord>,
}

impl Tables {
    /// As long as `plan` needs them.
    pub fn new(plan: &Plan) -> Self {
        let clusters = plan.clusters.len();
        let cpus = plan.cpus();
        let threads = plan.tasks.len() + cpus.count();
        Self {
            homes: core::iter::repeat_with(|| Home::EMPTY)
                .take(clusters)
                .collect(),
            threads: rows(threads),
            nodes: rows(threads * clusters),
            instances: rows(clusters),
            processors: rows(cpus.highest().map_or(0, |cpu| cpu.index() + 1)),
            contributions: rows(match plan.locks.len() {
                0 => 0,
                locks => locks * clusters + threads,
            }),
            locks: Locks::new(plan.locks.len(), threads, clusters),
            servers: rows(if plan.serves() { threads } else { 0 }),
        }
    }

    /// The library's memory, and what decides about each cluster.
    pub(super) fn parts(&mut self) -> (Memory<'_>, &[Home]) {
        let memory = Memory {
            threads: &mut self.threads,
            nodes: &mut self.nodes,
            instances: &mut self.instances,
            processors: &mut self.processors,
            contributions: &mut self.contributions,
            locks: self.locks.memory(),
            servers: &mut self.servers,
        };
        (memory, &self.homes)
    }
}

impl core::fmt::Debug for Tables {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut tables = f.debug_struct("Tables");
        tables.field("threads", &self.threads.len());
        tables.finish_non_exhaustive()
    }
}

impl Locks {
    fn new(locks: usize, threads: usize, clusters: usize) -> Self {
        let threads = if locks == 0 { 0 } else { threads };
        Self {
            locks: rows(locks),
            ends: rows(locks),
            lines: rows(locks * clusters),
            sides: rows(locks * clusters),
            places: rows(threads * clusters),
            waits: rows(threads),
        }
    }

    fn memory(&mut self) -> LockMemory<'_> {
        LockMemory {
            locks: &mut self.locks,
            ends: &mut self.ends,
            lines: &mut self.lines,
            sides: &mut self.sides,
            places: &mut self.places,
            waits: &mut self.waits,
        }
    }
}

fn rows<T: Default>(count: usize) -> Vec<T> {
    core::iter::repeat_with(T::default).take(count).collect()
}
