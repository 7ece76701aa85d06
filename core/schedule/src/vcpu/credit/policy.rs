//! Owns: what each event does to a CREDIT pool.
//! Must never know: the rules of credit, of placement, of stealing.

use super::tables::Unit;
use super::{Credit, Rank, SHORTEST_CHECK};
use crate::vcpu::affinity::Affinity;
use crate::vcpu::topology::home_in;
use crate::vcpu::{
    Admission, Choice, Effects, Error, PLAIN, Policy, Timer, Vcpu, Violation, allowed,
};
use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

impl Credit<'_> {
    /// Unit `index`, which has become runnable and is not running, goes on its
    /// processor's queue.
    pub(super) fn start(&mut self, index: usize, fx: &mut impl Effects) {
        self.enqueue(index);
        if self.units[index].saving {
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

    /// Makes unit `index` leave a processor on which it may not be any more.
    fn settle(&mut self, index: usize, fx: &mut impl Effects) {
        if self.allowed(index).contains(self.units[index].cpu) {
            return;
        }
        if self.is_running(index) || self.units[index].saving {
            self.units[index].migrating = true;
            self.stop(index, fx);
        } else {
            self.stop(index, fx);
            self.arrive(index, fx);
        }
    }

    fn settle_all(&mut self, fx: &mut impl Effects) {
        for index in 0..self.units.len() {
            self.steps.one();
            if self.units[index].present {
                self.settle(index, fx);
            }
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
    fn choose(&mut self, cpu: Cpu, now: Instant) -> Option<usize> {
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
            unit.saving = true;
            unit.stopped = Some(now);
        }
        if let Some(index) = next {
            let unit = &mut self.units[index];
            unit.saving = false;
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

    fn find(&self, vcpu: Vcpu) -> Option<usize> {
        self.unit(vcpu).map(|_| vcpu.index())
    }
}

impl Policy for Credit<'_> {
    fn add_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let Some(processor) = self.processors.get_mut(cpu.index()) else {
            return Err(Error::NoCpuRecord(cpu));
        };
        if self.online.contains(cpu) {
            return Err(Error::CpuPresent(cpu));
        }
        processor.balanced = None;
        processor.epoch = self.epoch;
        if processor.current.is_none() {
            self.idlers = self.idlers.with(cpu);
        }
        if self.online.is_empty() {
            let first = now.saturating_add(self.modes().slice());
            fx.arm(Timer::Accounting, Some(first));
        }
        self.online = self.online.with(cpu);
        if !PLAIN {
            self.settle_all(fx);
        }
        // It may find work to steal.
        self.poke(cpu, fx);
        Ok(())
    }

    fn remove_cpu(&mut self, cpu: Cpu, _now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if !self.online.contains(cpu) {
            return Err(Error::CpuAbsent(cpu));
        }
        if self.online.count() == 1 && self.population != 0 {
            return Err(Error::LastCpu(cpu));
        }
        self.online = self.online.without(cpu);
        self.idlers = self.idlers.without(cpu);
        fx.arm(Timer::Tick(cpu), None);
        if self.online.is_empty() {
            fx.arm(Timer::Accounting, None);
        }
        self.settle_all(fx);
        Ok(())
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        _now: Instant,
        _fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let index = vcpu.index();
        let Some(unit) = self.units.get_mut(index) else {
            return Err(Error::NoRecord(vcpu));
        };
        if self.domains.len() <= admission.domain.index() {
            return Err(Error::NoDomain(admission.domain));
        }
        if unit.present {
            return Err(Error::Present(vcpu));
        }
        let Some(home) = home_in(allowed(admission.hard, self.online), index) else {
            return Err(Error::NoCpu);
        };
        *unit = Unit {
            present: true,
            domain: admission.domain.index() as u16,
            affinity: Affinity {
                hard: admission.hard,
                soft: admission.soft,
            },
            cpu: home,
            ..Unit::EMPTY
        };
        self.population += 1;
        self.units[index].cpu = self.place(index);
        Ok(())
    }

    fn remove(&mut self, vcpu: Vcpu, _now: Instant, _fx: &mut impl Effects) -> Result<(), Error> {
        let Some(index) = self.find(vcpu) else {
            return Err(Error::Absent(vcpu));
        };
        let unit = &self.units[index];
        if unit.awake || unit.saving || self.is_running(index) {
            return Err(Error::Busy(vcpu));
        }
        if unit.active {
            self.deactivate(index);
        }
        self.units[index] = Unit::EMPTY;
        self.population -= 1;
        Ok(())
    }

    fn wake(&mut self, vcpu: Vcpu, _now: Instant, fx: &mut impl Effects) {
        let Some(index) = self.find(vcpu) else { return };
        let running = self.is_running(index);
        let unit = &mut self.units[index];
        unit.awake = true;
        if !unit.is_runnable() || unit.queued || running {
            return;
        }
        if unit.rank == Rank::Under {
            unit.rank = Rank::Boost;
        }
        self.start(index, fx);
    }

    fn sleep(&mut self, vcpu: Vcpu, _now: Instant, fx: &mut impl Effects) {
        let Some(index) = self.find(vcpu) else { return };
        if self.units[index].awake {
            self.units[index].awake = false;
            self.stop(index, fx);
        }
    }

    fn yield_now(&mut self, vcpu: Vcpu, _now: Instant, fx: &mut impl Effects) {
        let Some(index) = self.find(vcpu) else { return };
        if self.is_running(index) {
            self.units[index].yielding = true;
            self.poke(self.units[index].cpu, fx);
        }
    }

    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        soft: CpuSet,
        _now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let Some(index) = self.find(vcpu) else {
            return Err(Error::Absent(vcpu));
        };
        self.units[index].affinity = Affinity { hard, soft };
        if self.units[index].queued && !self.units[index].saving {
            // Another processor may suit it now.
            self.stop(index, fx);
            self.arrive(index, fx);
        } else {
            self.settle(index, fx);
        }
        Ok(())
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
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
        let online = self.online.contains(cpu);
        let next = if work || !online {
            None
        } else {
            self.choose(cpu, now)
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

    fn context_saved(&mut self, _cpu: Cpu, vcpu: Vcpu, _now: Instant, fx: &mut impl Effects) {
        let Some(index) = self.find(vcpu) else { return };
        let unit = &mut self.units[index];
        if !unit.saving {
            return;
        }
        unit.saving = false;
        let woken_early = core::mem::take(&mut unit.woken_early);
        if unit.migrating {
            self.arrive(index, fx);
        } else if woken_early {
            self.tickle(index, fx);
        }
    }

    fn timer(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        match timer {
            Timer::Tick(cpu) if cpu.index() < self.processors.len() => self.tick(cpu, now, fx),
            Timer::Accounting if !self.online.is_empty() => self.account(now, fx),
            _ => {}
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
