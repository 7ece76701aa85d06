//! Owns: which processor receives a request to schedule, for which unit.
//! Must never know: when it will.

use super::Rtds;
use super::options::Enforcement;
use crate::vcpu::kit::Rules;
use crate::vcpu::{Effects, Vcpu};
use crate::{Cpu, CpuSet};

impl Rtds<'_> {
    /// Whether `vcpu` may run on `cpu`, which is in the pool.
    pub(super) fn may_run(&self, vcpu: Vcpu, cpu: Cpu) -> bool {
        self.allowed(vcpu).contains(cpu)
    }

    /// Where `vcpu` runs.
    pub(super) fn processor_of(&self, vcpu: Vcpu) -> Option<Cpu> {
        let unit = self.unit(vcpu).filter(|unit| unit.running)?;
        unit.cpu
    }

    /// Takes back the request to `cpu`, which has left or comes again.
    pub(super) fn forget(&mut self, cpu: Cpu) {
        self.requests.tickled = self.requests.tickled.without(cpu);
        self.promised[cpu.index()] = None;
    }

    /// With a quantum, an idle processor too has to look for refills.
    pub(super) fn start_quantum(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        if matches!(self.modes().enforcement, Enforcement::Quantum(_)) {
            self.requests.tickle(cpu, fx);
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
        let (last, cpus) = (unit.cpu, self.allowed(vcpu));
        let open = cpus.minus(self.requests.unsettled());
        let target = match first_from(open.minus(self.busy), last) {
            Some(idle) => Some(idle),
            None => self.weakest(open, vcpu, last),
        };
        if let Some(cpu) = target {
            self.requests.tickle(cpu, fx);
            self.promised[cpu.index()] = Some(vcpu);
        }
    }

    /// The processor of `cpus` with the weakest unit, if `vcpu` beats it; the first
    /// from `last` on among equals.
    fn weakest(&mut self, cpus: CpuSet, vcpu: Vcpu, last: Option<Cpu>) -> Option<Cpu> {
        let mut weakest: Option<(Cpu, Vcpu)> = None;
        let (behind, before) = split(cpus, last);
        for cpu in behind.into_iter().chain(before) {
            self.requests.steps.one();
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

    /// Tickles where a unit runs that may not run there any more.
    pub(super) fn tickle_away(&mut self, fx: &mut impl Effects) {
        for cpu in self.busy {
            let away = self.current[cpu.index()].is_some_and(|vcpu| !self.may_run(vcpu, cpu));
            if away {
                self.requests.tickle(cpu, fx);
            }
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
