//! Owns: the choice at one processor.
//! Must never know: the caller that requests it.

use super::Rtds;
use super::options::{Enforcement, Ties};
use crate::Cpu;
use crate::vcpu::{Choice, Vcpu};
use taktos_time::Instant;

impl Rtds<'_> {
    /// Charges what ran on `cpu`, and takes the first unit in the run queue that may
    /// run here unless the one that runs is better.
    pub(super) fn decide(&mut self, cpu: Cpu, now: Instant, work: bool) -> Choice {
        self.requests.follow(cpu, work);
        let current = self.current[cpu.index()];
        if let Some(vcpu) = current {
            self.units[vcpu.index()].charge(now, self.modes().extratime);
        }
        if matches!(self.modes().enforcement, Enforcement::Quantum(_)) {
            self.scan(now);
        }
        let next = match work || !self.requests.cpus.contains(cpu) {
            true => None,
            false => self.best(cpu, current),
        };
        self.switch(cpu, current, next, now);
        Choice {
            next,
            until: self.until(cpu, next, now),
        }
    }

    /// The best that may run on `cpu`: queued, or running there.
    fn best(&mut self, cpu: Cpu, current: Option<Vcpu>) -> Option<Vcpu> {
        let stays = current.filter(|&vcpu| {
            let unit = &self.units[vcpu.index()];
            unit.state.awake && unit.is_able() && self.may_run(vcpu, cpu)
        });
        let mut queued = self.run.first();
        while let Some(vcpu) = queued {
            self.requests.steps.one();
            if self.may_run(vcpu, cpu) {
                break;
            }
            queued = self.run.after(self.units, vcpu);
        }
        match (stays, queued) {
            (Some(running), Some(queued)) if self.keeps(running, queued) => Some(running),
            (running, None) => running,
            (_, queued) => queued,
        }
    }

    fn keeps(&self, running: Vcpu, queued: Vcpu) -> bool {
        let (running, queued) = (&self.units[running.index()], &self.units[queued.index()]);
        match self.modes().ties {
            Ties::Queued => running.beats(queued),
            Ties::Running => !queued.beats(running),
        }
    }

    fn switch(&mut self, cpu: Cpu, current: Option<Vcpu>, next: Option<Vcpu>, now: Instant) {
        if current == next {
            return;
        }
        if let Some(vcpu) = current {
            let unit = &mut self.units[vcpu.index()];
            unit.running = false;
            unit.state.saving = true;
            self.busy = self.busy.without(cpu);
        }
        if let Some(vcpu) = next {
            self.run.take(self.units, vcpu);
            let unit = &mut self.units[vcpu.index()];
            unit.running = true;
            unit.cpu = Some(cpu);
            unit.charged = now;
            self.busy = self.busy.with(cpu);
        }
        self.current[cpu.index()] = next;
    }

    fn until(&self, cpu: Cpu, next: Option<Vcpu>, now: Instant) -> Option<Instant> {
        let unit = next.map(|vcpu| &self.units[vcpu.index()]);
        let span = match self.modes().enforcement {
            Enforcement::Events => unit?.left,
            Enforcement::Quantum(quantum) => match unit {
                Some(unit) => unit.parameters.budget.min(quantum),
                None if self.requests.working.contains(cpu)
                    || !self.requests.cpus.contains(cpu) =>
                {
                    return None;
                }
                None => quantum,
            },
        };
        Some(now.saturating_add(span))
    }
}
