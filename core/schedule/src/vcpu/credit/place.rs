//! Owns: on which processor a unit belongs.
//! Must never know: credit, classes, time.

use super::Credit;
use crate::vcpu::kit::topology::{nearest_in, next_in};
use crate::{Cpu, CpuSet};

impl Credit<'_> {
    /// Where unit `index` may run now.
    pub(super) fn allowed(&self, index: usize) -> CpuSet {
        self.units[index].state.affinity.allowed(self.cpus)
    }

    /// Where unit `index` had better run, if it has a preference.
    pub(super) fn preferred(&self, index: usize) -> Option<CpuSet> {
        self.units[index].state.affinity.preferred(self.cpus)
    }

    /// The two passes: where it had better run, then where it may.
    pub(super) fn passes(&self, index: usize) -> [Option<CpuSet>; 2] {
        [self.preferred(index), Some(self.allowed(index))]
    }

    /// Whether unit `index` is the only one that could run on its processor.
    fn is_alone(&self, index: usize) -> bool {
        self.is_running(index) && self.processors[self.units[index].cpu.index()].waiting == 0
    }

    /// Returns the processor for unit `index`: its own when that is idle, or it is alone there;
    /// otherwise an idle one; among idle ones, the one with the idlest neighbours. If none is
    /// idle, its own, or the next that it may have.
    ///
    /// Without placement: its own, or the next that it may have. Checks each processor twice at
    /// most.
    pub(super) fn place(&mut self, index: usize) -> Cpu {
        let own = self.units[index].cpu;
        let mut place = own;
        if !self.modes().placement {
            return nearest_in(self.allowed(index), own);
        }
        let mut idle = self.idlers;
        if self.is_alone(index) {
            idle = idle.with(own);
        }
        for mask in self.passes(index).into_iter().flatten() {
            place = self.idlest(nearest_in(mask, own), mask.and(idle), idle);
            if idle.contains(place) {
                break;
            }
        }
        place
    }

    /// The processor of `suitable`, all of which are `idle`, with the idlest
    /// neighbours; `start` when it is as good as any, or there is none.
    fn idlest(&mut self, start: Cpu, suitable: CpuSet, idle: CpuSet) -> Cpu {
        let mut best = nearest_in(suitable, start);
        let mut left = suitable.without(best);
        while let Some(other) = next_in(left, best) {
            self.steps.one();
            let near = self.processors[best.index()].near;
            let theirs = self.processors[other.index()].near;
            let (mine, others, factor) = if near.socket.contains(other) {
                (near.core.and(idle), theirs.core.and(idle), 1)
            } else {
                (near.socket.and(idle), theirs.socket.and(idle), 2)
            };
            let better = if self.modes().power_saving {
                mine.count() > others.count()
            } else {
                mine.count() * factor < others.count()
            };
            if better {
                best = other;
                left = left.minus(theirs.core);
            } else {
                // The others in its company are no better than it.
                left = left.minus(others);
            }
        }
        best
    }
}
