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

    /// Returns the run queue for `cpu`, which joins: that of another thread of its core, if there
    /// is room; otherwise one of its scope that has not got its part yet; otherwise a new one. The
    /// processors of a scope, as far as the machine has them, are dealt out in equal parts to as
    /// few queues as their limit allows. Room is kept for the other threads of a core. None when
    /// the table of run queues is full. Checks each processor once, each run queue three times.
    pub(super) fn group_for(&mut self, cpu: Cpu, now: Instant) -> Option<u8> {
        let scope = self.scope_of(cpu);
        let siblings = self.processors[cpu.index()].near.core.and(scope);
        let group = self
            .with_room_beside(siblings)
            .or_else(|| self.emptiest(scope, siblings.count()))
            .or_else(|| self.new_queue(now))?;
        Some(group as u8)
    }

    /// The run queue with a processor of `siblings` that has room for one more.
    fn with_room_beside(&self, siblings: CpuSet) -> Option<usize> {
        let fits = |queue: &RunQueue| {
            !queue.cpus.and(siblings).is_empty() && queue.cpus.count() < self.grouping.largest
        };
        self.queues.iter().position(fits)
    }

    /// The run queue with the fewest processors of `scope`, but some, that has not
    /// got its part of them yet and has room for a core of `threads`.
    fn emptiest(&self, scope: CpuSet, threads: usize) -> Option<usize> {
        let parts = scope.count().div_ceil(self.grouping.largest);
        let part = scope.count().div_ceil(parts);
        let room = |&group: &usize| {
            let claimed = self.claimed(group, scope).count();
            claimed > 0 && claimed < part && claimed + threads <= self.grouping.largest
        };
        let groups = (0..self.queues.len()).filter(room);
        groups.min_by_key(|&group| self.queues[group].cpus.count())
    }

    /// The processors of `scope` on run queue `group`, with all threads of their cores.
    fn claimed(&self, group: usize, scope: CpuSet) -> CpuSet {
        let cpus = self.queues[group].cpus.and(scope).into_iter();
        let cores = cpus.map(|cpu| self.processors[cpu.index()].near.core.and(scope));
        cores.fold(CpuSet::EMPTY, CpuSet::or)
    }

    /// A run queue without processors. Units that are left on it are on their way elsewhere.
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
