//! Owns: the order of the run queues.
//! Must never know: why a unit waits.

use super::Credit;
use super::tables::{QUEUE, Rank};
use crate::Cpu;
use crate::vcpu::kit::chain::Chain;

impl Credit<'_> {
    /// Returns the unit after `index` on its queue.
    pub(super) fn behind(&self, index: usize) -> Option<usize> {
        Chain::<QUEUE>::next(self.units, index)
    }

    /// Puts unit `index` on its processor's queue: before the first unit of a lower class, and one
    /// further when it yields. Each unit on the queue is checked once at most.
    pub(super) fn enqueue(&mut self, index: usize) {
        let unit = &self.units[index];
        let (rank, cpu, yielding) = (unit.rank, unit.cpu, unit.yielding);
        let queue = &self.processors[cpu.index()].queue;
        let mut at = queue.place_of(self.units, &mut self.steps, |other| rank > other.rank);
        if yielding {
            at = at.and_then(|other| self.behind(other));
        }
        let processor = &mut self.processors[cpu.index()];
        processor.queue.insert_before(self.units, index, at);
        processor.waiting += 1;
        self.units[index].queued = true;
    }

    /// Takes unit `index` off its processor's queue; a yield is over by that.
    pub(super) fn dequeue(&mut self, index: usize) {
        let processor = &mut self.processors[self.units[index].cpu.index()];
        processor.queue.remove(self.units, index);
        processor.waiting -= 1;
        self.units[index].queued = false;
        self.units[index].yielding = false;
    }

    /// Moves the units of class OVER after all others, which keep their order among themselves, as
    /// they do. Checks each unit on the queue once.
    pub(super) fn sort(&mut self, cpu: Cpu) {
        let mut first_over = None;
        let mut at = self.processors[cpu.index()].queue.first();
        while let Some(index) = at {
            self.steps.one();
            at = self.behind(index);
            if self.units[index].rank <= Rank::Over {
                first_over = first_over.or(Some(index));
            } else if first_over.is_some() {
                let queue = &mut self.processors[cpu.index()].queue;
                queue.remove(self.units, index);
                queue.insert_before(self.units, index, first_over);
            }
        }
    }
}
