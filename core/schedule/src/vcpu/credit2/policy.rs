//! Owns: what each event does to a CREDIT2 pool.
//! Must never know: the rules of credit, of budgets, of loads.

use super::Credit2;
use super::load::step_of;
use super::tables::Unit;
use crate::Cpu;
use crate::vcpu::kit::topology::{FIRST_CPU, home_in};
use crate::vcpu::kit::{Rules, State, parts};
use crate::vcpu::{Admission, Choice, Domain, Effects, Error, Timer, Vcpu, Violation, allowed};
use taktos_time::Instant;

impl Credit2<'_> {
    /// Puts unit `index`, which is runnable, on its run queue.
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

    /// If `cpu` was tickled for a unit and has not taken it, notifies an idle processor, from
    /// which the reservation may have kept it.
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

    /// Resets the credits of run queue `group`, and balances loads, unless unit `index`, which a
    /// processor of it has chosen, or the head of the queue has credit left.
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

impl Rules for Credit2<'_> {
    parts!(Unit: units, cpus, steps);

    const JOINS_BUSY: bool = true;

    fn chosen(&self, cpu: Cpu) -> Option<Vcpu> {
        let current = self.processors.get(cpu.index())?.current;
        current.map(Vcpu::new)
    }

    fn is_chosen(&self, vcpu: Vcpu, _: &Unit) -> bool {
        self.is_running(vcpu.index())
    }

    fn has_domain(&self, domain: Domain) -> bool {
        domain.index() < self.domains.len()
    }

    fn join(&mut self, cpu: Cpu, now: Instant, _: &mut impl Effects) -> Result<(), Error> {
        if cpu.index() >= self.processors.len() {
            return Err(Error::NoCpuRecord(cpu));
        }
        let group = self.group_for(cpu, now).ok_or(Error::TableFull {
            table: "the table of run queues",
            capacity: self.queues.len(),
        })?;
        let processor = &mut self.processors[cpu.index()];
        processor.group = Some(group);
        let queue = &mut self.queues[usize::from(group)];
        queue.cpus = queue.cpus.with(cpu);
        if processor.current.is_none() {
            queue.idle = queue.idle.with(cpu);
        }
        self.cpus = self.cpus.with(cpu);
        Ok(())
    }

    /// Units may wait on its run queue.
    fn joined(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        self.poke(cpu, None, fx);
    }

    fn leave(&mut self, cpu: Cpu, _: &mut impl Effects) {
        self.cpus = self.cpus.without(cpu);
        if let Some(group) = self.processors[cpu.index()].group.take() {
            let queue = &mut self.queues[usize::from(group)];
            queue.cpus = queue.cpus.without(cpu);
            queue.idle = queue.idle.without(cpu);
            queue.tickled = queue.tickled.without(cpu);
        }
    }

    /// The unit for which it was tickled is offered to another.
    fn left(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) {
        let promised = self.processors[cpu.index()].promised.take();
        let waits =
            |&index: &usize| self.units[index].queued && self.units[index].promise == Some(cpu);
        if let Some(index) = promised.map(usize::from).filter(waits) {
            self.units[index].promise = None;
            self.tickle(index, now, fx);
        }
    }

    /// It also leaves a run queue that its processor does not serve any more.
    fn settle(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let index = vcpu.index();
        let unit = &self.units[index];
        let here = self.processors[unit.cpu.index()].group;
        if here == unit.group && self.allowed(index).contains(unit.cpu) {
            return;
        }
        let running = self.is_running(index);
        if running || unit.state.saving {
            self.units[index].migrating = true;
            if running {
                self.poke(self.units[index].cpu, None, fx);
            }
        } else {
            let (group, cpu) = self.place(index, now);
            self.relocate(index, group, cpu, now, fx);
        }
    }

    fn enter(&mut self, vcpu: Vcpu, admission: Admission, now: Instant, _: &mut impl Effects) {
        let index = vcpu.index();
        let home = home_in(allowed(admission.hard, self.cpus), index);
        self.units[index] = Unit {
            state: State::entering(&admission),
            domain: admission.domain.index() as u16,
            cpu: home.unwrap_or(FIRST_CPU),
            average: self.parameters.held().whole_load() / 2,
            averaged: step_of(now),
            ..Unit::EMPTY
        };
        let (group, cpu) = self.place(index, now);
        self.assign(index, group, now);
        self.units[index].cpu = cpu;
        self.domains[admission.domain.index()].units += 1;
    }

    fn exit(&mut self, vcpu: Vcpu, now: Instant, _: &mut impl Effects) {
        let index = vcpu.index();
        self.domains[self.units[index].domain as usize].units -= 1;
        self.assign(index, None, now);
        self.units[index] = Unit::EMPTY;
    }

    fn woken(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let index = vcpu.index();
        let unit = &self.units[index];
        if !self.is_running(index) && !unit.state.saving && !unit.parked {
            self.start(index, now, fx);
        }
    }

    fn slept(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        self.stop(vcpu.index(), now, fx);
    }

    fn yielded(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        unit.yielding = true;
        let cpu = unit.cpu;
        self.poke(cpu, None, fx);
    }

    fn confined(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let index = vcpu.index();
        if self.units[index].queued {
            // Another processor may suit it now.
            let (group, cpu) = self.place(index, now);
            self.relocate(index, group, cpu, now, fx);
        } else {
            self.settle(vcpu, now, fx);
        }
    }

    fn choose(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
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
            self.pick(cpu, last, now)
        };
        if last != next {
            if let Some(index) = last {
                self.units[index].state.saving = true;
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

    fn saving(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        self.return_budget(vcpu.index(), now, fx);
    }

    fn saved(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let index = vcpu.index();
        if self.units[index].migrating {
            self.depart(index, now, fx);
        }
        if self.units[index].is_runnable() {
            self.start(index, now, fx);
        } else {
            self.count(index, false, now);
        }
    }

    fn expired(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        if let Timer::Refill(domain) = timer {
            self.refill(domain, now, fx);
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.check_all()
    }
}
