//! Owns: what happens when periods begin.
//! Must never know: what was done in the last ones.

use super::Rtds;
use crate::vcpu::{Effects, Vcpu};
use taktos_time::Instant;

impl Rtds<'_> {
    /// Refills every unit that is due at the head of the queue of refills, and then
    /// tickles: where one of them runs and another beats it now, and for those
    /// which had used up their guarantee and wait.
    pub(super) fn replenish(&mut self, now: Instant, fx: &mut impl Effects) {
        self.armed = None;
        while let Some(vcpu) = self.refills.first() {
            self.requests.steps.one();
            if now < self.units[vcpu.index()].deadline {
                break;
            }
            self.refills.take(self.units, vcpu);
            self.refill(vcpu, now);
            self.due.append(self.units, vcpu);
        }
        while let Some(vcpu) = self.due.first() {
            self.requests.steps.one();
            self.due.take(self.units, vcpu);
            self.put_refill(vcpu);
            match self.processor_of(vcpu) {
                Some(_) => self.relieve(vcpu, fx),
                None if self.units[vcpu.index()].lifted => self.tickle_for(vcpu, fx),
                None => {}
            }
        }
        self.arm(fx);
    }

    /// Begins the next period of `vcpu`, and puts it where it now belongs. Notes
    /// whether it was off its guarantee and waits.
    pub(super) fn refill(&mut self, vcpu: Vcpu, now: Instant) {
        let unit = &mut self.units[vcpu.index()];
        let spent = unit.level > 0 || !unit.is_able();
        if !unit.refresh(now) {
            return;
        }
        let queued = unit.state.awake && !unit.running && !unit.state.saving;
        unit.lifted = queued && spent;
        if queued {
            self.dequeue(vcpu);
            self.enqueue(vcpu);
        }
    }

    /// Tickles where `vcpu` runs, if a unit waits that may run there and beats it now;
    /// a better place for that unit is tickled before.
    fn relieve(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        let Some(cpu) = self.processor_of(vcpu) else {
            return;
        };
        let mut next = self.run.first();
        while let Some(other) = next {
            self.requests.steps.one();
            let beats = self.units[other.index()].beats(&self.units[vcpu.index()]);
            if !beats || self.requests.tickled.contains(cpu) {
                return;
            }
            if self.may_run(other, cpu) {
                self.tickle_for(other, fx);
            }
            next = self.run.after(self.units, other);
        }
    }

    /// Refills all that are due, by a check of each: as releases 4.5 and 4.6 do whenever a
    /// processor schedules.
    pub(super) fn scan(&mut self, now: Instant) {
        for index in 0..self.units.len() {
            self.requests.steps.one();
            if self.units[index].is_about() {
                self.refill(Vcpu::new(index as u16), now);
            }
        }
    }
}
