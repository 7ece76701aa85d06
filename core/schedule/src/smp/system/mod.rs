//! Owns: the rows of threads, instances and processors, and the check that a name is valid. The
//! modules below operate on them. Must never know: the decider of an instance, and its rules.

mod affinity;
mod budget;
mod help;
mod invariants;
mod lifecycle;
mod membership;
mod new;
mod noted;
mod pin;
mod priority;
mod query;

pub use invariants::Violation;
pub(crate) use noted::Executing;

use super::{
    ContributionRecord, Error, Instance, InstanceRecord, NodeRecord, ProcessorRecord, ServerRecord,
    Thread, ThreadRecord, lock::Table, policy::Member,
};
use crate::CpuSet;

/// All threads, instances and processors.
///
/// Bounds are given in steps: a link followed, a comparison made.
#[derive(Debug)]
pub struct System<'a> {
    pub(crate) threads: &'a mut [ThreadRecord],
    pub(crate) nodes: &'a mut [NodeRecord],
    pub(crate) instances: &'a mut [InstanceRecord],
    pub(crate) processors: &'a mut [ProcessorRecord],
    pub(crate) contributions: &'a mut [ContributionRecord],
    pub(crate) locks: Table<'a>,
    pub(crate) servers: &'a mut [ServerRecord],
    /// The first of the servers that are throttled.
    pub(crate) throttled: Option<Member>,
    /// Rows from here on are idle threads.
    pub(crate) idle_from: u16,
    /// First of the rows of threads that do not exist, linked by `next_free`.
    pub(crate) free_thread: u16,
    /// First of the unused contributions.
    pub(crate) free_contribution: u16,
    pub(crate) online: CpuSet,
}

impl System<'_> {
    /// The row of a thread that exists and is not an idle one.
    #[inline(always)]
    pub(crate) fn known(&self, thread: Thread) -> Result<u16, Error> {
        match self.threads.get(thread.index()) {
            Some(record) if record.exists && thread.0 < self.idle_from => Ok(thread.0),
            _ => Err(Error::InvalidId),
        }
    }

    /// The row of an instance that exists.
    pub(crate) fn known_instance(&self, instance: Instance) -> Result<u8, Error> {
        if instance.index() < self.instances.len() {
            Ok(instance.0)
        } else {
            Err(Error::InvalidId)
        }
    }

    #[inline(always)]
    pub(crate) fn thread(&self, id: u16) -> &ThreadRecord {
        &self.threads[id as usize]
    }

    #[inline(always)]
    pub(crate) fn thread_mut(&mut self, id: u16) -> &mut ThreadRecord {
        &mut self.threads[id as usize]
    }

    #[inline(always)]
    pub(crate) fn node(&self, instance: u8, id: u16) -> &NodeRecord {
        &self.nodes[instance as usize * self.threads.len() + id as usize]
    }

    #[inline(always)]
    pub(crate) fn node_mut(&mut self, instance: u8, id: u16) -> &mut NodeRecord {
        &mut self.nodes[instance as usize * self.threads.len() + id as usize]
    }

    #[inline(always)]
    pub(crate) fn is_idle_row(&self, id: u16) -> bool {
        id >= self.idle_from
    }
}
