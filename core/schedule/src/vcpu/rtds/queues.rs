//! Owns: which queue a unit stands in, and what has to be true of the queues.
//! Must never know: why it came.

use super::unit::Unit;
use super::{Enforcement, Options, ReplenishBy, Rtds};
use crate::Cpu;
use crate::vcpu::{Effects, Timer, Vcpu, Violation, allowed};

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
    pub(super) fn check(&self) -> Result<(), Violation> {
        let sound = self.run.is_sound(self.units)
            && self.depleted.is_sound(self.units)
            && self.refills.is_sound(self.units);
        Violation::unless(sound, "links agree both ways", None, None)?;
        Violation::unless(
            self.due.first().is_none(),
            "no refill is half done",
            None,
            None,
        )?;
        for index in 0..self.units.len() {
            self.check_unit(Vcpu::new(index as u16))?;
        }
        self.check_order()?;
        self.check_processors()
    }

    fn check_unit(&self, vcpu: Vcpu) -> Result<(), Violation> {
        let unit = &self.units[vcpu.index()];
        let state = unit.state;
        let law = |holds, law| Violation::unless(holds, law, Some(vcpu), unit.cpu);
        let (run, depleted) = (
            self.run.has(self.units, vcpu),
            self.depleted.has(self.units, vcpu),
        );
        let waits = state.present && state.awake && !state.running && !state.saving;
        law(
            (run || depleted) == waits,
            "a unit is queued when it is runnable, off the processors and saved",
        )?;
        law(
            !run || unit.is_able(),
            "who waits to run has something to run on",
        )?;
        law(
            !depleted || !unit.is_able(),
            "who waits for a refill has nothing left",
        )?;
        law(
            unit.left <= unit.parameters.budget,
            "no more is left than the budget",
        )?;
        let count = self.current.iter().filter(|&&at| at == Some(vcpu)).count();
        law(
            count == usize::from(state.running),
            "a unit runs on one processor, and that one knows it",
        )?;
        let awaited = state.awake || state.running || state.saving;
        let events = matches!(self.modes().enforcement, Enforcement::Events);
        law(
            self.refills.has(self.units, vcpu) == (events && awaited),
            "a refill is due for the units that do not sleep, and only for them",
        )
    }

    fn check_order(&self) -> Result<(), Violation> {
        let mut before: Option<Vcpu> = None;
        for vcpu in self.run.iter(self.units) {
            let ordered =
                before.is_none_or(|b| !self.units[vcpu.index()].beats(&self.units[b.index()]));
            Violation::unless(
                ordered,
                "the run queue is in order of priority",
                Some(vcpu),
                None,
            )?;
            before = Some(vcpu);
        }
        if matches!(
            self.modes(),
            Options {
                replenish_by: ReplenishBy::Time,
                ..
            }
        ) {
            let times = self
                .refills
                .iter(self.units)
                .map(|v| self.units[v.index()].deadline);
            Violation::unless(
                times.is_sorted(),
                "refills are in order of time",
                None,
                None,
            )?;
        }
        let first = self.refills.first().map(|v| self.units[v.index()].deadline);
        Violation::unless(
            self.armed == first,
            "the timer stands at the first refill",
            None,
            None,
        )
    }

    /// Global EDF: nobody waits where it could run at once, or in place of a weaker
    /// one, unless a processor has been tickled for it and has not come yet.
    fn check_processors(&self) -> Result<(), Violation> {
        let deaf = self.tickled.or(self.working);
        for cpu in (0..Cpu::COUNT).filter_map(Cpu::new) {
            Violation::unless(
                self.promised[cpu.index()].is_none() || self.tickled.contains(cpu),
                "who was promised a processor has it tickled",
                self.promised[cpu.index()],
                Some(cpu),
            )?;
        }
        for (index, current) in self.current.iter().enumerate() {
            let Some(vcpu) = *current else { continue };
            let unit = &self.units[vcpu.index()];
            let cpu = unit.cpu.filter(|cpu| cpu.index() == index);
            let stays = unit.state.awake && cpu.is_some_and(|cpu| self.may_run(vcpu, cpu));
            let called = cpu.is_some_and(|cpu| self.tickled.contains(cpu));
            Violation::unless(
                stays || called,
                "who must not run any more has its processor tickled",
                Some(vcpu),
                cpu,
            )?;
        }
        if !matches!(self.modes().enforcement, Enforcement::Events) {
            return Ok(());
        }
        for vcpu in self.run.iter(self.units) {
            let unit = &self.units[vcpu.index()];
            if self.promised.contains(&Some(vcpu)) {
                continue;
            }
            for cpu in allowed(unit.hard, self.cpus).minus(deaf) {
                let current = self.current[cpu.index()];
                let fair = current.is_some_and(|at| !unit.beats(&self.units[at.index()]));
                Violation::unless(
                    fair,
                    "nobody waits who beats what a processor does that it may use",
                    Some(vcpu),
                    Some(cpu),
                )?;
            }
        }
        Ok(())
    }
}
