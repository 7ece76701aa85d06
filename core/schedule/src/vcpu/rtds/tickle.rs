//! Owns: which processor is asked to schedule for whom.
//! Must never know: when it will.

use super::Rtds;
use super::options::Enforcement;
use crate::vcpu::{Effects, Vcpu, allowed};
use crate::{Cpu, CpuSet};

impl Rtds<'_> {
    /// Whether `vcpu` may run on `cpu`, which is in the pool.
    pub(super) fn may_run(&self, vcpu: Vcpu, cpu: Cpu) -> bool {
        allowed(self.units[vcpu.index()].hard, self.cpus).contains(cpu)
    }

    /// Where `vcpu` runs.
    pub(super) fn processor_of(&self, vcpu: Vcpu) -> Option<Cpu> {
        let unit = self.unit(vcpu).filter(|unit| unit.state.running)?;
        unit.cpu
    }

    /// Asks `cpu` to schedule, unless it has been asked and has not yet.
    pub(super) fn tickle(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        if !self.tickled.contains(cpu) {
            self.tickled = self.tickled.with(cpu);
            fx.tickle(cpu);
        }
    }

    /// Takes back what `cpu`, which has left or comes anew, was asked for.
    pub(super) fn forget(&mut self, cpu: Cpu) {
        self.tickled = self.tickled.without(cpu);
        self.promised[cpu.index()] = None;
    }

    /// With a quantum, an idle processor too has to look for refills.
    pub(super) fn start_quantum(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        if matches!(self.modes().enforcement, Enforcement::Quantum(_)) {
            self.tickle(cpu, fx);
        }
    }

    /// Tickles for `vcpu`, which waits to run: the first idle processor of those
    /// that it may use and that have not been tickled, from its last one on;
    /// otherwise the one with the weakest unit, if `vcpu` beats that.
    pub(super) fn tickle_for(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        let unit = &self.units[vcpu.index()];
        if !unit.is_able() {
            return;
        }
        let (last, cpus) = (unit.cpu, allowed(unit.hard, self.cpus));
        let open = cpus.minus(self.tickled).minus(self.working);
        let target = match first_from(open.minus(self.busy), last) {
            Some(idle) => Some(idle),
            None => self.weakest(open, vcpu, last),
        };
        if let Some(cpu) = target {
            self.tickle(cpu, fx);
            self.promised[cpu.index()] = Some(vcpu);
        }
    }

    /// The processor of `cpus` with the weakest unit, if `vcpu` beats it; the first
    /// from `last` on among equals.
    fn weakest(&mut self, cpus: CpuSet, vcpu: Vcpu, last: Option<Cpu>) -> Option<Cpu> {
        let mut weakest: Option<(Cpu, Vcpu)> = None;
        let (behind, before) = split(cpus, last);
        for cpu in behind.into_iter().chain(before) {
            self.steps.one();
            let Some(here) = self.current[cpu.index()] else {
                continue;
            };
            let weaker =
                weakest.is_none_or(|(_, w)| self.units[w.index()].beats(&self.units[here.index()]));
            if weaker {
                weakest = Some((cpu, here));
            }
        }
        weakest
            .filter(|(_, weak)| self.units[vcpu.index()].beats(&self.units[weak.index()]))
            .map(|(cpu, _)| cpu)
    }

    /// After the pool has changed: who runs where it may not is tickled away, and
    /// those that wait may have other processors now.
    pub(super) fn review(&mut self, fx: &mut impl Effects) {
        for cpu in self.busy {
            let away = self.current[cpu.index()].is_some_and(|vcpu| !self.may_run(vcpu, cpu));
            if away {
                self.tickle(cpu, fx);
            }
        }
        let mut next = self.run.first();
        while let Some(vcpu) = next {
            self.steps.one();
            self.tickle_for(vcpu, fx);
            next = self.run.after(self.units, vcpu);
        }
    }
}

/// The first of `cpus` from `start` on, round to the lowest.
fn first_from(cpus: CpuSet, start: Option<Cpu>) -> Option<Cpu> {
    let (behind, before) = split(cpus, start);
    behind.lowest().or(before.lowest())
}

/// Those of `cpus` from `start` on, and those before it.
fn split(cpus: CpuSet, start: Option<Cpu>) -> (CpuSet, CpuSet) {
    let before = CpuSet::first(start.map_or(0, Cpu::index));
    (cpus.minus(before), cpus.and(before))
}
