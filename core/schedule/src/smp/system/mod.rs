//! Owns: the tables, and who may be named. What is done with them is in the modules below.
//! Must never know: how a policy keeps its READY nodes.

mod affinity;
mod budget;
#[cfg(test)]
mod budget_tests;
mod closed;
mod cluster;
mod dispatch;
mod help;
mod idle;
mod invariants;
mod kept;
mod lifecycle;
mod membership;
mod new;
mod pin;
mod place;
mod priority;
mod query;
mod ready;

pub(crate) use closed::{Executing, Held};
pub use invariants::Violation;

use super::{
    ContributionRecord, Error, Instance, InstanceRecord, NodeRecord, ProcessorRecord, ServerRecord,
    Thread, ThreadRecord, lock::Table, node::State, policy::Member,
};
use crate::{Cpu, CpuSet};

/// All threads, instances and processors.
///
/// Every operation takes `now` and tells its consequences by [`Effects`](super::Effects). Bounds are given in steps (a link
/// followed, a comparison made) with n READY nodes and m processors of the instance; "insert" stands for the policy's own
/// bound: n for [`Simple`](super::PolicyKind::Simple), 1 for [`Priority`](super::PolicyKind::Priority), 2·log₂(n + 1) + m for
/// [`Edf`](super::PolicyKind::Edf).
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
    /// First of the rows of threads that do not exist, linked by `ask_next`.
    pub(crate) free_thread: u16,
    /// First of the unused contributions.
    pub(crate) free_contribution: u16,
    /// The processor that acts: it carries out the requests for help that its calls bring about.
    pub(crate) acting: Cpu,
    pub(crate) online: CpuSet,
}

impl System<'_> {
    /// The calls that follow are made on `cpu`: its next dispatch carries out the requests for help that they bring about.
    /// At the start it is the lowest one online; a dispatch makes it the one that it is for.
    #[inline(always)]
    pub fn act_on(&mut self, cpu: Cpu) {
        if self.online.contains(cpu) {
            self.acting = cpu;
        }
    }

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

    /// An instance and its nodes.
    #[inline(always)]
    pub(crate) fn split(&mut self, instance: u8) -> (&mut InstanceRecord, &mut [NodeRecord]) {
        let rows = self.threads.len();
        let from = instance as usize * rows;
        (
            &mut self.instances[instance as usize],
            &mut self.nodes[from..from + rows],
        )
    }

    #[inline(always)]
    pub(crate) fn state(&self, instance: u8, id: u16) -> State {
        self.node(instance, id).state
    }

    #[inline(always)]
    pub(crate) fn is_idle_row(&self, id: u16) -> bool {
        id >= self.idle_from
    }
}
