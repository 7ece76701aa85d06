//! Owns: what a processor without urgent work takes from others.
//! Must never know: what it does with it.

use super::Credit;
use super::tables::Rank;
use crate::vcpu::kit::topology::next_in;
use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

impl Credit<'_> {
    /// Returns whether `cpu`, with a best unit of class `rank`, may look for a better one.
    pub(super) fn may_steal(&self, cpu: Cpu, rank: Rank, now: Instant) -> bool {
        let limit = self.modes().balance_ratelimit;
        let rested = match self.processors[cpu.index()].balanced {
            Some(last) => limit == Duration::ZERO || now.since(last) > limit,
            None => true,
        };
        self.modes().stealing && rank <= Rank::Over && rested
    }

    /// Takes a unit of a higher class than `rank` off another processor's queue
    /// and makes it one of `cpu`'s. First units that prefer `cpu`, then those
    /// that may run there; each time the local node first, then the others in
    /// the order of their processors; in a node, the busy processors in turn.
    ///
    /// Checks each processor and each unit that waits twice at most.
    pub(super) fn steal(&mut self, cpu: Cpu, rank: Rank, now: Instant) -> Option<usize> {
        self.processors[cpu.index()].balanced = Some(now);
        for preferring in [true, false] {
            let mut left = self.cpus;
            let mut node = Some(cpu);
            while let Some(here) = node {
                let members = self.processors[here.index()].near.node.and(self.cpus);
                if let Some(found) = self.steal_in_node(members, cpu, rank, preferring, now) {
                    return Some(found);
                }
                left = left.minus(members);
                node = next_in(left, cpu);
            }
        }
        None
    }

    fn steal_in_node(
        &mut self,
        members: CpuSet,
        cpu: Cpu,
        rank: Rank,
        preferring: bool,
        now: Instant,
    ) -> Option<usize> {
        let keeper = members.lowest()?.index();
        let mut busy = members.minus(self.idlers).without(cpu);
        let mut last = self.processors[keeper].robbed;
        while let Some(peer) = next_in(busy, last) {
            self.steps.one();
            if let Some(found) = self.best_of(peer, cpu, rank, preferring, now) {
                self.processors[keeper].robbed = peer;
                self.dequeue(found);
                self.units[found].cpu = cpu;
                return Some(found);
            }
            busy = busy.without(peer);
            last = peer;
        }
        None
    }

    /// The first unit on the queue of `peer` that `cpu` may take.
    fn best_of(
        &mut self,
        peer: Cpu,
        cpu: Cpu,
        rank: Rank,
        preferring: bool,
        now: Instant,
    ) -> Option<usize> {
        let processor = &self.processors[peer.index()];
        // An idle processor with a queue is about to run what is on it.
        if processor.runnable() <= 1 || processor.current.is_none() {
            return None;
        }
        let mut at = processor.queue.first();
        while let Some(index) = at {
            self.steps.one();
            if self.units[index].rank <= rank {
                return None;
            }
            if self.may_take(index, cpu, preferring, now) {
                return Some(index);
            }
            at = self.behind(index);
        }
        None
    }

    fn may_take(&self, index: usize, cpu: Cpu, preferring: bool, now: Instant) -> bool {
        let unit = &self.units[index];
        let mask = if preferring {
            self.preferred(index)
        } else {
            Some(self.allowed(index))
        };
        let cold = unit
            .stopped
            .is_none_or(|stopped| now.since(stopped) >= self.modes().migration_delay);
        cold && !unit.yielding && !unit.state.saving && mask.is_some_and(|mask| mask.contains(cpu))
    }
}
