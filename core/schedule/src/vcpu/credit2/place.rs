//! Owns: on which run queue a unit belongs.
//! Must never know: credit, time slices.

use super::Credit2;
use crate::vcpu::Profile;
use crate::vcpu::kit::topology::{nearest_in, next_in};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

impl Credit2<'_> {
    /// Where unit `index` may run now.
    pub(super) fn allowed(&self, index: usize) -> CpuSet {
        self.units[index].state.affinity.allowed(self.cpus)
    }

    /// Where unit `index` had better run, if it has a preference that is heeded.
    pub(super) fn preferred(&self, index: usize) -> Option<CpuSet> {
        if self.modes().profile == Profile::Xen45 {
            return None;
        }
        self.units[index].state.affinity.preferred(self.cpus)
    }

    /// Where unit `index` had better run: everywhere, without preference.
    pub(super) fn comfort_of(&self, index: usize) -> CpuSet {
        self.preferred(index).unwrap_or(CpuSet::ALL)
    }

    /// The two passes: where it had better run, then where it may.
    pub(super) fn passes(&self, index: usize) -> [Option<CpuSet>; 2] {
        [self.preferred(index), Some(self.allowed(index))]
    }

    /// Returns the run queue for unit `index`, and the processor there: the least loaded queue
    /// with a processor where it had better run, or else may; its own load does not count against
    /// its own queue. Without placement: that of its processor, or of the next that it may have.
    /// Checks each run queue twice.
    pub(super) fn place(&mut self, index: usize, now: Instant) -> (Option<u8>, Cpu) {
        if !self.modes().placement {
            let cpu = nearest_in(self.allowed(index), self.units[index].cpu);
            return (self.processors[cpu.index()].group, cpu);
        }
        for mask in self.passes(index).into_iter().flatten() {
            if let Some(group) = self.least_loaded(index, mask, now) {
                return (Some(group), self.place_in(index, group));
            }
        }
        (None, self.units[index].cpu)
    }

    fn least_loaded(&mut self, index: usize, mask: CpuSet, now: Instant) -> Option<u8> {
        let mut best: Option<(i64, u8)> = None;
        for number in 0..self.queues.len() {
            self.steps.one();
            if self.queues[number].cpus.and(mask).is_empty() {
                continue;
            }
            self.average_queue(number, now);
            let group = number as u8;
            let mut load = self.queues[number].balance;
            if self.units[index].group == Some(group) {
                load = (load - self.units[index].average).max(0);
            }
            if best.is_none_or(|(least, _)| load < least) {
                best = Some((load, group));
            }
        }
        best.map(|(_, group)| group)
    }

    /// The processor for unit `index` on run queue `group`: its own, if it is
    /// there and suits; otherwise an idle one; otherwise the next; each time
    /// where it had better run, if there is one.
    pub(super) fn place_in(&self, index: usize, group: u8) -> Cpu {
        let queue = &self.queues[usize::from(group)];
        let own = self.units[index].cpu;
        let masks = self.passes(index);
        let suitable = masks.into_iter().flatten().map(|mask| mask.and(queue.cpus));
        for set in suitable {
            if set.contains(own) {
                return own;
            }
            let free = set.and(queue.free());
            if let Some(cpu) = next_in(free, own).or_else(|| next_in(set, own)) {
                return cpu;
            }
        }
        own
    }
}
