//! The tables that the library works on.
//!
//! Owns: their memory and their lengths.
//! Must never know: the contents of the tables.

use taktos_schedule::smp::{
    ContributionRecord, EndsRecord, InstanceRecord, LineRecord, LockMemory, LockRecord, Memory,
    NodeRecord, PlaceRecord, ProcessorRecord, ServerRecord, SideRecord, ThreadRecord, WaitRecord,
};

/// The tables of one target.
pub(super) struct Tables {
    threads: Vec<ThreadRecord>,
    nodes: Vec<NodeRecord>,
    instances: Vec<InstanceRecord>,
    processors: Vec<ProcessorRecord>,
    contributions: Vec<ContributionRecord>,
    servers: Vec<ServerRecord>,
    locks: Vec<LockRecord>,
    ends: Vec<EndsRecord>,
    lines: Vec<LineRecord>,
    sides: Vec<SideRecord>,
    places: Vec<PlaceRecord>,
    waits: Vec<WaitRecord>,
}

/// Returns `count` empty rows.
fn empty<T: Default>(count: usize) -> Vec<T> {
    let mut rows = Vec::new();
    rows.resize_with(count, T::default);
    rows
}

impl Tables {
    /// Returns tables that are long enough for these numbers of threads (the idle ones among them),
    /// processors, instances and locks; for budgets too, if they are wanted.
    pub fn new(
        threads: usize,
        processors: usize,
        instances: usize,
        locks: usize,
        budgets: bool,
    ) -> Self {
        let each = locks * instances;
        Self {
            threads: empty(threads),
            nodes: empty(threads * instances),
            instances: empty(instances),
            processors: empty(processors),
            contributions: empty(each + threads),
            servers: empty(if budgets { threads } else { 0 }),
            locks: empty(locks),
            ends: empty(locks),
            lines: empty(each),
            sides: empty(each),
            places: empty(threads * instances),
            waits: empty(threads),
        }
    }

    /// The tables, lent to the library.
    pub fn memory(&mut self) -> Memory<'_> {
        Memory {
            threads: &mut self.threads,
            nodes: &mut self.nodes,
            instances: &mut self.instances,
            processors: &mut self.processors,
            contributions: &mut self.contributions,
            servers: &mut self.servers,
            locks: LockMemory {
                locks: &mut self.locks,
                ends: &mut self.ends,
                lines: &mut self.lines,
                sides: &mut self.sides,
                places: &mut self.places,
                waits: &mut self.waits,
            },
        }
    }
}
