//! NULL: each unit has a processor of its own, or waits for one and never runs.
//!
//! Owns: which unit has which processor.
//! Must never know: budgets, priorities, timers: it has none.
//!
//! The behaviour is that of spec 05, section 5. A unit moves only when its
//! affinity or the pool makes it. There is no other unit to yield to.
//!
//! Bounds, with n units and m processors: `schedule`, `wake`, `sleep`,
//! `yield_now`, `context_saved` and `insert` take a fixed number of steps;
//! `remove` and `set_affinity` two passes over those that wait (2n);
//! `add_cpu` and `remove_cpu` n + 2n·m. There is no `timer`.

use super::kit::list::List;
use super::kit::{Homes, Rules, State, at_home, laws};
use super::{Admission, Choice, Effects, Error, Vcpu, Violation};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

pub use super::kit::Unit;

/// An instance of NULL.
#[derive(Debug)]
pub struct Null<'a> {
    homes: Homes<'a>,
    /// Processors of the pool that no unit owns.
    free: CpuSet,
    owner: [Option<Vcpu>; Cpu::COUNT],
    waiting: List<0>,
}

impl<'a> Null<'a> {
    /// An instance without processors and units. `units` has a record for each unit
    /// there can be, by [`Vcpu::index`].
    pub fn new(units: &'a mut [Unit]) -> Self {
        Self {
            homes: Homes::new(units),
            free: CpuSet::EMPTY,
            owner: [None; Cpu::COUNT],
            waiting: List::new(1),
        }
    }

    /// The processor that `vcpu` has; none while it waits for one.
    pub fn processor_of(&self, vcpu: Vcpu) -> Option<Cpu> {
        self.homes.processor_of(vcpu)
    }

    /// The units that wait for a processor, longest first.
    pub fn for_each_waiting(&self, mut visit: impl FnMut(Vcpu)) {
        self.waiting.iter(self.homes.units).for_each(&mut visit);
    }

    /// Where `vcpu` may run, first where it had better, then where else.
    fn passes(&self, vcpu: Vcpu) -> [CpuSet; 2] {
        let may = self.allowed(vcpu);
        [
            may.and(self.homes.units[vcpu.index()].state.affinity.soft),
            may,
        ]
    }

    /// Gives `vcpu`, which has no processor, a free one: its last if it may, else the
    /// lowest that it had better use, else the lowest that it may use. If
    /// there is none, it waits.
    fn place(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        let [better, may] = self.passes(vcpu).map(|pass| pass.and(self.free));
        let last = self.homes.units[vcpu.index()].last;
        let kept = last.filter(|&cpu| may.contains(cpu));
        match kept.or(better.lowest()).or(may.lowest()) {
            Some(cpu) => self.assign(vcpu, cpu, fx),
            None => self.waiting.append(self.homes.units, vcpu),
        }
    }

    fn assign(&mut self, vcpu: Vcpu, cpu: Cpu, fx: &mut impl Effects) {
        self.free = self.free.without(cpu);
        self.owner[cpu.index()] = Some(vcpu);
        let unit = &mut self.homes.units[vcpu.index()];
        unit.home = Some(cpu);
        unit.last = Some(cpu);
        if unit.state.awake {
            self.homes.requests.tickle(cpu, fx);
        }
    }

    /// Takes its processor away from `vcpu`, which is then neither placed nor waiting.
    fn unassign(&mut self, vcpu: Vcpu, fx: &mut impl Effects) -> Option<Cpu> {
        let unit = &mut self.homes.units[vcpu.index()];
        let cpu = unit.home.take()?;
        let running = unit.running == Some(cpu);
        self.owner[cpu.index()] = None;
        self.free = self.free.with(cpu).and(self.homes.requests.cpus);
        if running {
            self.homes.requests.tickle(cpu, fx);
        }
        Some(cpu)
    }

    /// Gives the free `cpu` to the first that waits and had better run there, else
    /// to the first that may.
    fn fill(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        for pass in 0..2 {
            let first = self
                .waiting
                .iter(self.homes.units)
                .find(|&vcpu| self.passes(vcpu)[pass].contains(cpu));
            if let Some(vcpu) = first {
                self.waiting.take(self.homes.units, vcpu);
                return self.assign(vcpu, cpu, fx);
            }
        }
    }

    /// The owner of `cpu`, if it can run there now.
    fn ready(&self, cpu: Cpu) -> Option<Vcpu> {
        self.owner[cpu.index()].filter(|&vcpu| self.homes.is_ready(vcpu, cpu))
    }
}

impl Rules for Null<'_> {
    at_home!();

    fn join(&mut self, cpu: Cpu, _: Instant, _: &mut impl Effects) -> Result<(), Error> {
        self.homes.requests.join(cpu);
        self.free = self.free.with(cpu);
        Ok(())
    }

    fn leave(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        let requests = &mut self.homes.requests;
        requests.cpus = requests.cpus.without(cpu);
        self.free = self.free.without(cpu);
        if self.homes.current[cpu.index()].is_some() {
            self.homes.requests.tickle(cpu, fx);
        }
    }

    /// A unit with a processor that it may not use waits, and free processors are given away.
    fn review(&mut self, _: Instant, fx: &mut impl Effects) {
        for cpu in (0..Cpu::COUNT).filter_map(Cpu::new) {
            let owner = self.owner[cpu.index()];
            if let Some(vcpu) = owner.filter(|&vcpu| !self.allowed(vcpu).contains(cpu)) {
                self.unassign(vcpu, fx);
                self.waiting.append(self.homes.units, vcpu);
            }
        }
        for cpu in self.free {
            self.fill(cpu, fx);
        }
    }

    fn enter(&mut self, vcpu: Vcpu, admission: Admission, _: Instant, fx: &mut impl Effects) {
        let unit = &mut self.homes.units[vcpu.index()];
        *unit = Unit {
            state: State::entering(&admission),
            last: unit.last,
            ..Unit::EMPTY
        };
        self.place(vcpu, fx);
    }

    fn exit(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        self.waiting.take(self.homes.units, vcpu);
        if let Some(cpu) = self.unassign(vcpu, fx) {
            self.fill(cpu, fx);
        }
    }

    fn confined(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        match self.homes.units[vcpu.index()].home {
            Some(cpu) if self.allowed(vcpu).contains(cpu) => {}
            Some(cpu) => {
                self.unassign(vcpu, fx);
                self.fill(cpu, fx);
                self.place(vcpu, fx);
            }
            None => {
                self.waiting.take(self.homes.units, vcpu);
                self.place(vcpu, fx);
            }
        }
    }

    fn choose(&mut self, cpu: Cpu, _: Instant, work: bool, _: &mut impl Effects) -> Choice {
        self.homes.requests.follow(cpu, work);
        let next = self.ready(cpu).filter(|_| !work);
        self.homes.switch(cpu, next);
        Choice { next, until: None }
    }

    fn check(&self) -> Result<(), Violation> {
        let sound = self.waiting.is_sound(self.homes.units);
        laws!(None, None; sound => "links agree both ways");
        for index in 0..self.homes.units.len() {
            self.check_unit(Vcpu::new(index as u16))?;
        }
        let waits = self.homes.requests.unsettled();
        for cpu in self.homes.requests.cpus {
            let free = self.owner[cpu.index()].is_none();
            laws!(None, Some(cpu);
                free == self.free.contains(cpu) => "a processor is free when nobody has it",
                waits.contains(cpu) || self.ready(cpu) == self.chosen(cpu)
                    => "a processor runs its unit when that can run",
            );
        }
        Ok(())
    }
}

impl Null<'_> {
    fn check_unit(&self, vcpu: Vcpu) -> Result<(), Violation> {
        let unit = &self.homes.units[vcpu.index()];
        let waits = self.waiting.has(self.homes.units, vcpu);
        let owned = (self.owner.iter()).filter(|&&owner| owner == Some(vcpu));
        let may = self.allowed(vcpu);
        laws!(Some(vcpu), unit.home;
            unit.state.present == (waits != unit.home.is_some())
                => "a unit has a processor or waits for one",
            owned.count() == usize::from(unit.home.is_some())
                => "a unit has at most one processor, and that one knows it",
            unit.home.is_none_or(|cpu| may.contains(cpu))
                => "a unit has a processor that it may use",
            !waits || may.and(self.free).is_empty()
                => "nobody waits while a processor that it may use is free",
        );
        Ok(())
    }
}

#[cfg(test)]
#[path = "null_tests.rs"]
mod tests;
