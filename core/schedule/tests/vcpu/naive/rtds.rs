//! RTDS from the description alone (spec 05, section 3), event-driven: it keeps only the state of
//! each unit, and finds the first by sorting, each time.

use taktos_schedule::vcpu::rtds::Parameters;
use taktos_schedule::vcpu::{
    Admission, Choice, Effects, Error, Policy, Timer, Vcpu, Violation, allowed,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

#[derive(Clone, Default)]
struct Unit {
    present: bool,
    awake: bool,
    running: Option<Cpu>,
    saving: bool,
    started: bool,
    hard: CpuSet,
    wanted: (u64, u64, bool),
    now: (u64, u64, bool),
    deadline: u64,
    left: u64,
    level: u32,
    since: u64,
    last: usize,
    /// When it came into its queue, and when its refill was set.
    came: u64,
    set: u64,
}

impl Unit {
    fn waits(&self) -> bool {
        self.present && self.awake && self.running.is_none() && !self.saving
    }

    fn key(&self) -> (u32, u64) {
        (self.level, self.deadline)
    }

    fn next_period(&mut self, now: u64) -> bool {
        if self.started && self.deadline > now {
            return false;
        }
        if !self.started {
            self.deadline = now;
        }
        self.started = true;
        self.now = self.wanted;
        while self.deadline <= now {
            self.deadline += self.now.1;
        }
        self.left = self.now.0;
        self.level = 0;
        self.since = now;
        true
    }
}

pub struct Naive {
    units: Vec<Unit>,
    cpus: CpuSet,
    tickled: Vec<Option<Option<usize>>>,
    working: CpuSet,
    clock: u64,
    armed: Option<u64>,
}

impl Naive {
    pub fn new(units: usize) -> Self {
        Self {
            units: vec![Unit::default(); units],
            cpus: CpuSet::EMPTY,
            tickled: vec![None; 64],
            working: CpuSet::EMPTY,
            clock: 0,
            armed: None,
        }
    }

    pub fn set(&mut self, vcpu: Vcpu, p: Parameters) {
        let wanted = (p.budget.as_nanos(), p.period.as_nanos(), p.extratime);
        self.units[vcpu.index()].wanted = wanted;
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn may(&self, unit: usize, cpu: Cpu) -> bool {
        allowed(self.units[unit].hard, self.cpus).contains(cpu)
    }

    /// Returns the units that wait and can run, the first first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.units.len())
            .filter(|&u| self.units[u].waits() && self.units[u].left > 0)
            .collect();
        order.sort_by_key(|&u| (self.units[u].key(), self.units[u].came));
        order
    }

    fn running(&self, cpu: Cpu) -> Option<usize> {
        self.units.iter().position(|u| u.running == Some(cpu))
    }

    fn tickle(&mut self, cpu: Cpu, promised: Option<usize>, fx: &mut impl Effects) {
        if self.tickled[cpu.index()].is_none() {
            self.tickled[cpu.index()] = Some(promised);
            fx.tickle(cpu);
        }
    }

    fn tickle_for(&mut self, unit: usize, fx: &mut impl Effects) {
        if self.units[unit].left == 0 {
            return;
        }
        let mut open: Vec<Cpu> = self
            .cpus
            .into_iter()
            .filter(|&c| self.may(unit, c) && self.tickled[c.index()].is_none())
            .filter(|&c| !self.working.contains(c))
            .collect();
        open.sort_by_key(|c| (c.index() + 64 - self.units[unit].last) % 64);
        if let Some(&idle) = open.iter().find(|&&c| self.running(c).is_none()) {
            return self.tickle(idle, Some(unit), fx);
        }
        open.reverse();
        let key = |&c: &Cpu| self.units[self.running(c).unwrap()].key();
        if let Some(&weakest) = open.iter().max_by_key(|c| key(c))
            && self.units[unit].key() < key(&weakest)
        {
            self.tickle(weakest, Some(unit), fx);
        }
    }

    fn enqueue(&mut self, unit: usize) {
        self.units[unit].came = self.tick();
    }

    fn set_timer(&mut self, fx: &mut impl Effects) {
        let first = self.refills().first().map(|&u| self.units[u].deadline);
        if first != self.armed {
            self.armed = first;
            fx.arm(Timer::Replenishment, first.map(Instant::from_nanos));
        }
    }

    fn refills(&self) -> Vec<usize> {
        let mut refills: Vec<usize> = (0..self.units.len())
            .filter(|&u| {
                let unit = &self.units[u];
                unit.awake || unit.running.is_some() || unit.saving
            })
            .collect();
        refills.sort_by_key(|&u| (self.units[u].deadline, self.units[u].set));
        refills
    }

    fn set_refill(&mut self, unit: usize, fx: &mut impl Effects) {
        self.units[unit].set = self.tick();
        self.set_timer(fx);
    }

    fn review(&mut self, fx: &mut impl Effects) {
        for cpu in CpuSet::ALL {
            if self.running(cpu).is_some_and(|u| !self.may(u, cpu)) {
                self.tickle(cpu, None, fx);
            }
        }
        for unit in self.order() {
            self.tickle_for(unit, fx);
        }
    }
}

impl Policy for Naive {
    fn add_cpu(&mut self, cpu: Cpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        self.cpus = self.cpus.with(cpu);
        self.tickled[cpu.index()] = None;
        self.working = self.working.without(cpu);
        self.review(fx);
        Ok(())
    }

    fn remove_cpu(&mut self, cpu: Cpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if self.cpus == CpuSet::of(cpu) && self.units.iter().any(|u| u.present) {
            return Err(Error::LastCpu(cpu));
        }
        self.cpus = self.cpus.without(cpu);
        if self.running(cpu).is_some() {
            self.tickle(cpu, None, fx);
        } else {
            self.tickled[cpu.index()] = None;
        }
        self.review(fx);
        Ok(())
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        _: Instant,
        _: &mut impl Effects,
    ) -> Result<(), Error> {
        let old = &self.units[vcpu.index()];
        let (wanted, last) = (old.wanted, old.last);
        self.units[vcpu.index()] = Unit {
            present: true,
            hard: admission.hard,
            wanted,
            last,
            ..Unit::default()
        };
        Ok(())
    }

    fn remove(&mut self, vcpu: Vcpu, _: Instant, _: &mut impl Effects) -> Result<(), Error> {
        let unit = &mut self.units[vcpu.index()];
        if unit.awake || unit.saving || unit.running.is_some() {
            return Err(Error::Busy(vcpu));
        }
        unit.present = false;
        Ok(())
    }

    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        if unit.awake || !unit.present {
            return;
        }
        unit.awake = true;
        if unit.running.is_some() {
            return;
        }
        let saving = unit.saving;
        if unit.next_period(now.as_nanos()) || !saving {
            self.set_refill(vcpu.index(), fx);
        }
        if !saving {
            self.enqueue(vcpu.index());
            self.tickle_for(vcpu.index(), fx);
        }
    }

    fn sleep(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        if !unit.awake {
            return;
        }
        unit.awake = false;
        match unit.running {
            Some(cpu) => self.tickle(cpu, None, fx),
            None => self.set_timer(fx),
        }
    }

    fn yield_now(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        if let Some(cpu) = self.units[vcpu.index()].running {
            self.tickle(cpu, None, fx);
        }
    }

    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        _: CpuSet,
        _: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        self.units[vcpu.index()].hard = hard;
        match self.units[vcpu.index()].running {
            Some(cpu) if !self.may(vcpu.index(), cpu) => self.tickle(cpu, None, fx),
            None if self.units[vcpu.index()].waits() => self.tickle_for(vcpu.index(), fx),
            _ => {}
        }
        Ok(())
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
        let promised = self.tickled[cpu.index()].take().flatten();
        self.working = match work {
            true => self.working.with(cpu),
            false => self.working.without(cpu),
        };
        let now = now.as_nanos();
        let current = self.running(cpu);
        if let Some(unit) = current.map(|u| &mut self.units[u]) {
            unit.left = unit.left.saturating_sub(now - unit.since);
            unit.since = now;
            if unit.left == 0 && unit.now.2 {
                unit.level += 1;
                unit.left = unit.now.0;
            }
        }
        let stays = current.filter(|&u| {
            let unit = &self.units[u];
            unit.awake && unit.left > 0 && self.may(u, cpu)
        });
        let order = self.order();
        let queued = order.into_iter().find(|&u| self.may(u, cpu));
        let best = match (stays, queued) {
            (Some(s), Some(q)) if self.units[s].key() < self.units[q].key() => Some(s),
            (_, Some(q)) => Some(q),
            (s, None) => s,
        };
        let next = best.filter(|_| !work && self.cpus.contains(cpu));
        if next != current {
            if let Some(unit) = current {
                self.units[unit].running = None;
                self.units[unit].saving = true;
            }
            if let Some(unit) = next {
                let unit = &mut self.units[unit];
                (unit.running, unit.since, unit.last) = (Some(cpu), now, cpu.index());
            }
        }
        if let Some(unit) = promised.filter(|&u| self.units[u].waits()) {
            self.tickle_for(unit, fx);
        }
        Choice {
            next: next.map(|u| Vcpu::new(u as u16)),
            until: next.map(|u| Instant::from_nanos(now + self.units[u].left)),
        }
    }

    fn context_saved(&mut self, _: Cpu, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        unit.saving = false;
        if unit.awake {
            self.enqueue(vcpu.index());
            self.tickle_for(vcpu.index(), fx);
        } else {
            self.set_timer(fx);
        }
    }

    fn timer(&mut self, _: Timer, now: Instant, fx: &mut impl Effects) {
        self.armed = None;
        let now = now.as_nanos();
        let mut due = self.refills();
        due.retain(|&u| self.units[u].deadline <= now);
        let mut spent = Vec::new();
        for &unit in &due {
            let before = &self.units[unit];
            let waits = before.waits();
            spent.push(waits && (before.level > 0 || before.left == 0));
            self.units[unit].next_period(now);
            if waits {
                self.enqueue(unit);
            }
        }
        for (&unit, &lifted) in due.iter().zip(&spent) {
            self.units[unit].set = self.tick();
            let Some(cpu) = self.units[unit].running else {
                if lifted {
                    self.tickle_for(unit, fx);
                }
                continue;
            };
            for other in self.order() {
                let beats = self.units[other].key() < self.units[unit].key();
                if !beats || self.tickled[cpu.index()].is_some() {
                    break;
                }
                if self.may(other, cpu) {
                    self.tickle_for(other, fx);
                }
            }
        }
        self.set_timer(fx);
    }

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        self.running(cpu).map(|u| Vcpu::new(u as u16))
    }

    fn cpus(&self) -> CpuSet {
        self.cpus
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        Ok(())
    }
}
