//! Owns: the units that have extra time, and its cost.
//! Must never know: slices.

use super::Sedf;
use super::unit::Run;
use crate::Cpu;
use crate::vcpu::Vcpu;
use taktos_time::Duration;

impl Sedf<'_> {
    /// Returns the unit that has its turn: one that lost time, the greatest part of its period
    /// first; then by weight.
    pub(super) fn extra(&self, cpu: Cpu) -> Option<(Vcpu, Run)> {
        let processor = &self.processors[cpu.index()];
        let penalty = processor.penalty.first().map(|vcpu| (vcpu, Run::Penalty));
        let share = processor.utilisation.first();
        penalty.or(share.map(|vcpu| (vcpu, Run::Utilisation)))
    }

    /// A unit that lost time has one piece for it, however long that was.
    pub(super) fn end_penalty(&mut self, cpu: Cpu, vcpu: Vcpu) {
        self.units[vcpu.index()].lost = Duration::ZERO;
        self.processors[cpu.index()].penalty.take(self.units, vcpu);
    }

    /// Weighted round robin: all the others come nearer by the score that was
    /// served, and the unit starts again at that of its weight.
    pub(super) fn end_utilisation(&mut self, cpu: Cpu, vcpu: Vcpu) {
        let list = &mut self.processors[cpu.index()].utilisation;
        if !list.take(self.units, vcpu) {
            return;
        }
        let served = self.units[vcpu.index()].score;
        let mut next = list.first();
        while let Some(other) = next {
            self.requests.steps.one();
            let score = &mut self.units[other.index()].score;
            *score = score.saturating_sub(served);
            next = list.after(self.units, other);
        }
        self.units[vcpu.index()].score = self.units[vcpu.index()].next_score();
        list.put(self.units, vcpu, |a, b| a.score < b.score);
    }
}
