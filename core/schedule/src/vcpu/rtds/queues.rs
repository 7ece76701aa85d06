//! Owns: the queue that a unit is in, and the invariants of the queues.
//! Must never know: why it came.

use super::unit::Unit;
use super::{Enforcement, ReplenishBy, Rtds};
use crate::Cpu;
use crate::vcpu::kit::{Rules, laws};
use crate::vcpu::{Effects, Timer, Vcpu, Violation};

impl Rtds<'_> {
    /// Puts a runnable unit where it waits: to run, or for its refill.
    pub(super) fn enqueue(&mut self, vcpu: Vcpu) {
        if self.units[vcpu.index()].is_able() {
            self.run.put(self.units, vcpu, Unit::beats);
        } else {
            self.depleted.append(self.units, vcpu);
        }
    }

    /// Takes it out of either queue.
    pub(super) fn dequeue(&mut self, vcpu: Vcpu) {
        if !self.run.take(self.units, vcpu) {
            self.depleted.take(self.units, vcpu);
        }
    }

    /// Makes the refill of `vcpu` due at its deadline.
    pub(super) fn await_refill(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        self.refills.take(self.units, vcpu);
        self.put_refill(vcpu);
        self.arm(fx);
    }

    /// Puts the refill of `vcpu` where the order has it.
    pub(super) fn put_refill(&mut self, vcpu: Vcpu) {
        if !matches!(self.modes().enforcement, Enforcement::Events) {
            return;
        }
        match self.modes().replenish_by {
            ReplenishBy::Time => {
                self.refills
                    .put(self.units, vcpu, |a, b| a.deadline < b.deadline);
            }
            ReplenishBy::RunQueueOrder => self.refills.put(self.units, vcpu, Unit::beats),
        }
    }

    /// Sleeping units cost no refills.
    pub(super) fn cancel_refill(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        if self.refills.take(self.units, vcpu) {
            self.arm(fx);
        }
    }

    /// Sets the timer to the first refill, if it is not.
    pub(super) fn arm(&mut self, fx: &mut impl Effects) {
        let first = self.refills.first();
        let at = first.map(|vcpu| self.units[vcpu.index()].deadline);
        if at != self.armed {
            self.armed = at;
            fx.arm(Timer::Replenishment, at);
        }
    }

    /// All that has to be true between two calls.
    pub(super) fn check_all(&self) -> Result<(), Violation> {
        let sound = self.run.is_sound(self.units)
            && self.depleted.is_sound(self.units)
            && self.refills.is_sound(self.units);
        laws!(None, None;
            sound => "links agree both ways",
            self.due.first().is_none() => "no refill is half done",
        );
        for index in 0..self.units.len() {
            self.check_unit(Vcpu::new(index as u16))?;
        }
        self.check_order()?;
        self.check_processors()?;
        self.check_waiting()
    }

    fn check_unit(&self, vcpu: Vcpu) -> Result<(), Violation> {
        let unit = &self.units[vcpu.index()];
        let state = unit.state;
        let (run, depleted) = (
            self.run.has(self.units, vcpu),
            self.depleted.has(self.units, vcpu),
        );
        let waits = state.present && state.awake && !unit.running && !state.saving;
        let awaited = matches!(self.modes().enforcement, Enforcement::Events) && unit.is_about();
        laws!(Some(vcpu), unit.cpu;
            (run || depleted) == waits
                => "a unit is queued when it is runnable, off the processors and saved",
            !run || unit.is_able() => "who waits to run has something to run on",
            !depleted || !unit.is_able() => "who waits for a refill has nothing left",
            unit.left <= unit.parameters.budget => "no more is left than the budget",
            self.refills.has(self.units, vcpu) == awaited
                => "a refill is due for the units that do not sleep, and only for them",
        );
        Ok(())
    }

    fn check_order(&self) -> Result<(), Violation> {
        let mut before: Option<Vcpu> = None;
        for vcpu in self.run.iter(self.units) {
            let unit = &self.units[vcpu.index()];
            laws!(Some(vcpu), None;
                before.is_none_or(|before| !unit.beats(&self.units[before.index()]))
                    => "the run queue is in order of priority",
            );
            before = Some(vcpu);
        }
        let deadline = |vcpu: Vcpu| self.units[vcpu.index()].deadline;
        let by_time = self.modes().replenish_by == ReplenishBy::Time;
        let times = self.refills.iter(self.units).map(deadline);
        laws!(None, None;
            !by_time || times.is_sorted() => "refills are in order of time",
            self.armed == self.refills.first().map(deadline)
                => "the timer stands at the first refill",
        );
        Ok(())
    }

    /// Checks that only units run that may, unless a processor has been tickled and has not come
    /// yet.
    fn check_processors(&self) -> Result<(), Violation> {
        for cpu in (0..Cpu::COUNT).filter_map(Cpu::new) {
            let called = self.requests.tickled.contains(cpu);
            let (promised, current) = (self.promised[cpu.index()], self.chosen(cpu));
            laws!(promised, Some(cpu);
                promised.is_none() || called => "who was promised a processor has it tickled",
            );
            let stays = current
                .is_none_or(|vcpu| self.units[vcpu.index()].state.awake && self.may_run(vcpu, cpu));
            laws!(current, Some(cpu);
                current.is_none_or(|vcpu| self.units[vcpu.index()].cpu == Some(cpu))
                    => "who runs knows where",
                stays || called => "who must not run any more has its processor tickled",
            );
        }
        Ok(())
    }

    /// Checks global EDF: no unit waits where it could run at once, or in place of a weaker one,
    /// unless a processor has been tickled for it and has not come yet.
    fn check_waiting(&self) -> Result<(), Violation> {
        if !matches!(self.modes().enforcement, Enforcement::Events) {
            return Ok(());
        }
        for vcpu in self.run.iter(self.units) {
            let unit = &self.units[vcpu.index()];
            if self.promised.contains(&Some(vcpu)) {
                continue;
            }
            for cpu in self.allowed(vcpu).minus(self.requests.unsettled()) {
                let current = self.chosen(cpu);
                laws!(Some(vcpu), Some(cpu);
                    current.is_some_and(|at| !unit.beats(&self.units[at.index()]))
                        => "nobody waits who beats what a processor does that it may use",
                );
            }
        }
        Ok(())
    }
}
