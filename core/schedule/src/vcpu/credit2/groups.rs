//! Owns: which processors share a run queue.
//! Must never know: units.

use super::Credit2;
use super::load::step_of;
use super::parameters::Scope;
use super::tables::RunQueue;
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

impl Credit2<'_> {
    /// Those of the machine that would share a run queue with `cpu`, were there no
    /// limit to its size.
    fn scope_of(&self, cpu: Cpu) -> CpuSet {
        let near = &self.processors[cpu.index()].near;
        match self.grouping.scope {
            Scope::Cpu => CpuSet::of(cpu),
            Scope::Core => near.core,
            Scope::Socket => near.socket,
            Scope::Node => near.node,
            Scope::All => CpuSet::first(self.processors.len()),
        }
    }

    /// The run queue for `cpu`, which joins. That of another thread of its core,
    /// if there is room; otherwise one of its scope that has not got its part yet;
    /// otherwise a new one. The processors of a scope, as far as the machine has
    /// them, are dealt out in equal parts to as few queues as their limit allows.
    /// None when the table of run queues is full. Looks at each run queue twice.
    pub(super) fn group_for(&mut self, cpu: Cpu, now: Instant) -> Option<u8> {
        let scope = self.scope_of(cpu);
        let siblings = self.processors[cpu.index()].near.core.and(scope);
        let largest = self.grouping.largest;
        let parts = scope.count().div_ceil(largest);
        let part = scope.count().div_ceil(parts);
        let together = siblings.count().min(largest);
        let group = self
            .fullest(siblings, largest)
            .or_else(|| self.emptiest(scope, part.min(largest + 1 - together)))
            .or_else(|| self.new_queue(now))?;
        Some(group as u8)
    }

    /// The run queue with a processor of `siblings` that has room for one more.
    fn fullest(&self, siblings: CpuSet, largest: usize) -> Option<usize> {
        let fits =
            |queue: &RunQueue| !queue.cpus.and(siblings).is_empty() && queue.cpus.count() < largest;
        self.queues.iter().position(fits)
    }

    /// The run queue with processors of `scope`, but fewer than `below`, with the fewest.
    fn emptiest(&self, scope: CpuSet, below: usize) -> Option<usize> {
        let fits =
            |queue: &RunQueue| !queue.cpus.and(scope).is_empty() && queue.cpus.count() < below;
        let groups = 0..self.queues.len();
        groups
            .filter(|&group| fits(&self.queues[group]))
            .min_by_key(|&group| self.queues[group].cpus.count())
    }

    /// A run queue without processors. What is left on it is on its way elsewhere.
    fn new_queue(&mut self, now: Instant) -> Option<usize> {
        let is_unused = |queue: &RunQueue| queue.cpus.is_empty();
        let group = self.queues.iter().position(is_unused)?;
        let queue = &mut self.queues[group];
        if queue.members.is_empty() {
            *queue = RunQueue {
                averaged: step_of(now),
                ..RunQueue::EMPTY
            };
        }
        Some(group)
    }
}
