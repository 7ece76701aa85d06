//! Owns: what each event does to a CREDIT2 pool.
//! Must never know: the rules of credit, of budgets, of loads.

use super::Credit2;
use super::load::step_of;
use super::tables::Unit;
use crate::vcpu::affinity::Affinity;
use crate::vcpu::topology::home_in;
use crate::vcpu::{
    Admission, Choice, Effects, Error, PLAIN, Policy, Timer, Vcpu, Violation, allowed,
};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

impl Credit2<'_> {
    /// Unit `index`, which is runnable, goes on its run queue.
    pub(super) fn start(&mut self, index: usize, now: Instant, fx: &mut impl Effects) {
        self.count(index, true, now);
        self.enqueue(index);
        self.tickle(index, now, fx);
    }

    /// Unit `index` sleeps: it leaves its queue, or its processor soon.
    fn stop(&mut self, index: usize, now: Instant, fx: &mut impl Effects) {
        if self.units[index].parked {
            self.unpark(index);
        }
        if self.is_running(index) {
            self.poke(self.units[index].cpu, None, fx);
        } else if self.units[index].queued {
            self.dequeue(index);
            self.count(index, false, now);
        }
    }

    /// Makes unit `index` leave a processor, or a run queue, where it may not be
    /// any more.
    fn settle(&mut self, index: usize, now: Instant, fx: &mut impl Effects) {
        let unit = &self.units[index];
        let here = self.processors[unit.cpu.index()].group;
        if here == unit.group && self.allowed(index).contains(unit.cpu) {
            return;
        }
        let running = self.is_running(index);
        if running || unit.saving {
            self.units[index].migrating = true;
            if running {
                self.poke(self.units[index].cpu, None, fx);
            }
        } else {
            let (group, cpu) = self.place(index, now);
            self.relocate(index, group, cpu, now, fx);
        }
    }

    fn settle_all(&mut self, now: Instant, fx: &mut impl Effects) {
        for index in 0..self.units.len() {
            self.steps.one();
            if self.units[index].group.is_some() {
                self.settle(index, now, fx);
            }
        }
    }

    /// Unit `index`, which had to leave and is saved, goes where it was sent, or
    /// where it belongs now.
    fn depart(&mut self, index: usize, now: Instant, fx: &mut impl Effects) {
        let target = self.units[index].target.take();
        let allowed = self.allowed(index);
        let reached =
            target.filter(|&group| !self.queues[usize::from(group)].cpus.and(allowed).is_empty());
        let (group, cpu) = match reached {
            Some(group) => (Some(group), self.place_in(index, group)),
            None => self.place(index, now),
        };
        self.units[index].migrating = false;
        self.relocate(index, group, cpu, now, fx);
    }

    /// If `cpu` was tickled for a unit and has not taken it, tells an idle
    /// processor, which the promise may have kept from it.
    fn pass_on(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        let Some(index) = self.processors[cpu.index()].promised.take() else {
            return;
        };
        let index = usize::from(index);
        let unit = &mut self.units[index];
        if unit.queued && unit.promise == Some(cpu) {
            unit.promise = None;
            self.tickle_free(index, fx);
        }
    }

    fn find(&self, vcpu: Vcpu) -> Option<usize> {
        self.unit(vcpu).map(|_| vcpu.index())
    }

    /// What follows when `cpu`, of run queue `group`, has chosen unit `index`.
    fn renew(&mut self, group: usize, index: usize, now: Instant, fx: &mut impl Effects) {
        let head = self.queues[group].queue.first();
        let most = [Some(index), head].into_iter().flatten();
        if most.map(|index| self.units[index].credit).max() > Some(0) {
            return;
        }
        self.reset(group, index, now);
        if self.modes().balancing {
            self.balance(group, now, fx);
        }
    }
}

impl Policy for Credit2<'_> {
    fn add_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if cpu.index() >= self.processors.len() {
            return Err(Error::NoCpuRecord(cpu));
        }
        if self.online.contains(cpu) {
            return Err(Error::CpuPresent(cpu));
        }
        let Some(group) = self.group_for(cpu, now) else {
            return Err(Error::TableFull {
                table: "the table of run queues",
                capacity: self.queues.len(),
            });
        };
        let processor = &mut self.processors[cpu.index()];
        processor.group = Some(group);
        let queue = &mut self.queues[usize::from(group)];
        queue.cpus = queue.cpus.with(cpu);
        if processor.current.is_none() {
            queue.idle = queue.idle.with(cpu);
        }
        self.online = self.online.with(cpu);
        if !PLAIN {
            self.settle_all(now, fx);
        }
        // Units may wait on its run queue.
        self.poke(cpu, None, fx);
        Ok(())
    }

    fn remove_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if !self.online.contains(cpu) {
            return Err(Error::CpuAbsent(cpu));
        }
        if self.online.count() == 1 && self.population != 0 {
            return Err(Error::LastCpu(cpu));
        }
        self.online = self.online.without(cpu);
        let processor = &mut self.processors[cpu.index()];
        let promised = processor.promised.take().map(usize::from);
        if let Some(group) = processor.group.take() {
            let queue = &mut self.queues[usize::from(group)];
            queue.cpus = queue.cpus.without(cpu);
            queue.idle = queue.idle.without(cpu);
            queue.tickled = queue.tickled.without(cpu);
        }
        self.settle_all(now, fx);
        let waits =
            |&index: &usize| self.units[index].queued && self.units[index].promise == Some(cpu);
        if let Some(index) = promised.filter(waits) {
            self.units[index].promise = None;
            self.tickle(index, now, fx);
        }
        Ok(())
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        now: Instant,
        _fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let index = vcpu.index();
        let Some(unit) = self.units.get_mut(index) else {
            return Err(Error::NoRecord(vcpu));
        };
        if self.domains.len() <= admission.domain.index() {
            return Err(Error::NoDomain(admission.domain));
        }
        if unit.group.is_some() {
            return Err(Error::Present(vcpu));
        }
        let Some(home) = home_in(allowed(admission.hard, self.online), index) else {
            return Err(Error::NoCpu);
        };
        *unit = Unit {
            domain: admission.domain.index() as u16,
            affinity: Affinity {
                hard: admission.hard,
                soft: admission.soft,
            },
            cpu: home,
            average: self.parameters.held().whole_load() / 2,
            averaged: step_of(now),
            ..Unit::EMPTY
        };
        let (group, cpu) = self.place(index, now);
        self.assign(index, group, now);
        self.units[index].cpu = cpu;
        self.domains[admission.domain.index()].units += 1;
        self.population += 1;
        Ok(())
    }

    fn remove(&mut self, vcpu: Vcpu, now: Instant, _fx: &mut impl Effects) -> Result<(), Error> {
        let Some(index) = self.find(vcpu) else {
            return Err(Error::Absent(vcpu));
        };
        let unit = &self.units[index];
        if unit.awake || unit.saving || self.is_running(index) {
            return Err(Error::Busy(vcpu));
        }
        self.domains[unit.domain as usize].units -= 1;
        self.assign(index, None, now);
        self.units[index] = Unit::EMPTY;
        self.population -= 1;
        Ok(())
    }

    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let Some(index) = self.find(vcpu) else { return };
        let running = self.is_running(index);
        let unit = &mut self.units[index];
        unit.awake = true;
        if !running && !unit.queued && !unit.saving && !unit.parked {
            self.start(index, now, fx);
        }
    }

    fn sleep(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let Some(index) = self.find(vcpu) else { return };
        if self.units[index].awake {
            self.units[index].awake = false;
            self.stop(index, now, fx);
        }
    }

    fn yield_now(&mut self, vcpu: Vcpu, _now: Instant, fx: &mut impl Effects) {
        let Some(index) = self.find(vcpu) else { return };
        if self.is_running(index) {
            self.units[index].yielding = true;
            self.poke(self.units[index].cpu, None, fx);
        }
    }

    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        soft: CpuSet,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let Some(index) = self.find(vcpu) else {
            return Err(Error::Absent(vcpu));
        };
        self.units[index].affinity = Affinity { hard, soft };
        if self.units[index].queued {
            // Another processor may suit it now.
            let (group, cpu) = self.place(index, now);
            self.relocate(index, group, cpu, now, fx);
        } else {
            self.settle(index, now, fx);
        }
        Ok(())
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
        let Some(processor) = self.processors.get(cpu.index()) else {
            return Choice::default();
        };
        let last = processor.current.map(usize::from);
        let group = processor.group.map(usize::from);
        if let Some(group) = group {
            self.queues[group].tickled = self.queues[group].tickled.without(cpu);
        }
        if let Some(index) = last {
            self.burn(index, now);
        }
        let next = if work || group.is_none() {
            None
        } else {
            self.choose(cpu, last, now)
        };
        if last != next {
            if let Some(index) = last {
                self.units[index].saving = true;
                self.units[index].yielding = false;
            }
            if let Some(index) = next {
                self.begin(index, cpu, now);
            }
        }
        self.processors[cpu.index()].current = next.map(|index| index as u16);
        let Some(group) = group else {
            return Choice::default();
        };
        let queue = &mut self.queues[group];
        queue.idle = if next.is_none() && !work {
            queue.idle.with(cpu)
        } else {
            queue.idle.without(cpu)
        };
        self.pass_on(cpu, fx);
        let Some(index) = next else {
            return Choice::default();
        };
        self.renew(group, index, now, fx);
        let slice = self.slice(index, last, now);
        Choice {
            next: Some(Vcpu::new(index as u16)),
            until: Some(now.saturating_add(slice)),
        }
    }

    fn context_saved(&mut self, _cpu: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let Some(index) = self.find(vcpu) else { return };
        if !self.units[index].saving {
            return;
        }
        self.return_budget(index, now, fx);
        self.units[index].saving = false;
        if self.units[index].migrating {
            self.depart(index, now, fx);
        }
        if self.units[index].is_runnable() {
            self.start(index, now, fx);
        } else {
            self.count(index, false, now);
        }
    }

    fn timer(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        if let Timer::Refill(domain) = timer {
            self.refill(domain, now, fx);
        }
    }

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        let current = self.processors.get(cpu.index())?.current;
        current.map(Vcpu::new)
    }

    fn cpus(&self) -> CpuSet {
        self.online
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        self.check()
    }
}
