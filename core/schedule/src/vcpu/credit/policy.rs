//! Owns: what each event does to a CREDIT pool.
//! Must never know: the rules of credit, of placement, of stealing.

use super::tables::Unit;
use super::{Credit, Rank, SHORTEST_CHECK};
use crate::Cpu;
use crate::vcpu::kit::topology::{FIRST_CPU, home_in};
use crate::vcpu::kit::{Rules, State, parts};
use crate::vcpu::{Admission, Choice, Domain, Effects, Error, Timer, Vcpu, Violation, allowed};
use taktos_time::{Duration, Instant};

impl Credit<'_> {
    /// Puts unit `index`, which has become runnable and is not running, on its processor's queue.
    pub(super) fn start(&mut self, index: usize, fx: &mut impl Effects) {
        self.enqueue(index);
        if self.units[index].state.saving {
            self.units[index].woken_early = true;
        } else {
            self.tickle(index, fx);
        }
    }

    /// Unit `index` is no longer runnable: it leaves its queue, or its processor soon.
    pub(super) fn stop(&mut self, index: usize, fx: &mut impl Effects) {
        self.units[index].woken_early = false;
        if self.is_running(index) {
            self.poke(self.units[index].cpu, fx);
        } else if self.units[index].queued {
            self.dequeue(index);
        }
    }

    /// Unit `index`, which neither runs nor waits, goes where it belongs now; on
    /// the queue there, if it is runnable. It is not boosted for that.
    fn arrive(&mut self, index: usize, fx: &mut impl Effects) {
        self.units[index].migrating = false;
        self.units[index].cpu = self.place(index);
        if self.units[index].is_runnable() {
            self.start(index, fx);
        }
    }

    /// Until when the rate limit keeps `index` on its processor.
    fn kept_until(&self, index: usize, now: Instant) -> Option<Instant> {
        let unit = &self.units[index];
        let (limit, ran) = (self.modes().ratelimit, now.since(unit.started));
        if limit == Duration::ZERO || ran >= limit || unit.yielding || !unit.is_runnable() {
            return None;
        }
        let rest = if ran < SHORTEST_CHECK {
            SHORTEST_CHECK
        } else {
            limit.saturating_sub(ran)
        };
        Some(now.saturating_add(rest))
    }

    /// Takes the best unit for `cpu` off its queue, or off another's.
    fn take(&mut self, cpu: Cpu, now: Instant) -> Option<usize> {
        let head = self.processors[cpu.index()].queue.first();
        let rank = head.map_or(Rank::Idle, |index| self.units[index].rank);
        if self.may_steal(cpu, rank, now) {
            let stolen = self.steal(cpu, rank, now);
            if stolen.is_some() {
                return stolen;
            }
        }
        if let Some(index) = head {
            self.dequeue(index);
        }
        head
    }

    /// Makes `next` the unit that runs on `cpu`, instead of `last`.
    fn switch(
        &mut self,
        cpu: Cpu,
        last: Option<usize>,
        next: Option<usize>,
        now: Instant,
        fx: &mut impl Effects,
    ) {
        self.processors[cpu.index()].current = next.map(|index| index as u16);
        if last == next {
            return;
        }
        if let Some(index) = last {
            let unit = &mut self.units[index];
            unit.state.saving = true;
            unit.stopped = Some(now);
        }
        if let Some(index) = next {
            let unit = &mut self.units[index];
            unit.state.saving = false;
            unit.woken_early = false;
            unit.started = now;
            unit.charged = now;
        }
        match (last, next) {
            (None, Some(_)) => {
                let tick = self.modes().tick().as_nanos();
                let multiple = (now.as_nanos() / tick + 1) * tick;
                fx.arm(Timer::Tick(cpu), Some(Instant::from_nanos(multiple)));
            }
            (Some(_), None) => fx.arm(Timer::Tick(cpu), None),
            _ => {}
        }
    }
}

impl Rules for Credit<'_> {
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

    fn join(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let record = self.processors.get_mut(cpu.index());
        let processor = record.ok_or(Error::NoCpuRecord(cpu))?;
        processor.balanced = None;
        processor.epoch = self.epoch;
        if processor.current.is_none() {
            self.idlers = self.idlers.with(cpu);
        }
        if self.cpus.is_empty() {
            let first = now.saturating_add(self.modes().slice());
            fx.arm(Timer::Accounting, Some(first));
        }
        self.cpus = self.cpus.with(cpu);
        Ok(())
    }

    /// It may find work to steal.
    fn joined(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        self.poke(cpu, fx);
    }

    fn leave(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        self.cpus = self.cpus.without(cpu);
        self.idlers = self.idlers.without(cpu);
        fx.arm(Timer::Tick(cpu), None);
        if self.cpus.is_empty() {
            fx.arm(Timer::Accounting, None);
        }
    }

    fn settle(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let index = vcpu.index();
        if self.allowed(index).contains(self.units[index].cpu) {
            return;
        }
        if self.is_running(index) || self.units[index].state.saving {
            self.units[index].migrating = true;
            self.stop(index, fx);
        } else {
            self.stop(index, fx);
            self.arrive(index, fx);
        }
    }

    fn enter(&mut self, vcpu: Vcpu, admission: Admission, _: Instant, _: &mut impl Effects) {
        let index = vcpu.index();
        let home = home_in(allowed(admission.hard, self.cpus), index);
        self.units[index] = Unit {
            state: State::entering(&admission),
            domain: admission.domain.index() as u16,
            cpu: home.unwrap_or(FIRST_CPU),
            ..Unit::EMPTY
        };
        self.units[index].cpu = self.place(index);
    }

    fn exit(&mut self, vcpu: Vcpu, _: Instant, _: &mut impl Effects) {
        if self.units[vcpu.index()].active {
            self.deactivate(vcpu.index());
        }
        self.units[vcpu.index()] = Unit::EMPTY;
    }

    fn woken(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let index = vcpu.index();
        if !self.units[index].is_runnable() || self.is_running(index) {
            return;
        }
        if self.units[index].rank == Rank::Under {
            self.units[index].rank = Rank::Boost;
        }
        self.start(index, fx);
    }

    fn slept(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        self.stop(vcpu.index(), fx);
    }

    fn yielded(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        unit.yielding = true;
        let cpu = unit.cpu;
        self.poke(cpu, fx);
    }

    fn confined(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let index = vcpu.index();
        if self.units[index].queued && !self.units[index].state.saving {
            // Another processor may suit it now.
            self.stop(index, fx);
            self.arrive(index, fx);
        } else {
            self.settle(vcpu, now, fx);
        }
    }

    fn choose(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
        let Some(processor) = self.processors.get(cpu.index()) else {
            return Choice::default();
        };
        let last = processor.current.map(usize::from);
        if let Some(index) = last {
            self.burn(index, now);
            if !work && let Some(until) = self.kept_until(index, now) {
                return Choice {
                    next: Some(Vcpu::new(index as u16)),
                    until: Some(until),
                };
            }
            if self.units[index].is_runnable() {
                self.enqueue(index);
            } else {
                self.units[index].yielding = false;
            }
        }
        let online = self.cpus.contains(cpu);
        let next = if work || !online {
            None
        } else {
            self.take(cpu, now)
        };
        self.switch(cpu, last, next, now, fx);
        self.idlers = if online && next.is_none() && !work {
            self.idlers.with(cpu)
        } else {
            self.idlers.without(cpu)
        };
        Choice {
            next: next.map(|index| Vcpu::new(index as u16)),
            until: next.map(|_| now.saturating_add(self.modes().slice())),
        }
    }

    fn saved(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let index = vcpu.index();
        let woken_early = core::mem::take(&mut self.units[index].woken_early);
        if self.units[index].migrating {
            self.arrive(index, fx);
        } else if woken_early {
            self.tickle(index, fx);
        }
    }

    fn expired(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        match timer {
            Timer::Tick(cpu) if cpu.index() < self.processors.len() => self.tick(cpu, now, fx),
            Timer::Accounting if !self.cpus.is_empty() => self.account(now, fx),
            _ => {}
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.check_all()
    }
}
