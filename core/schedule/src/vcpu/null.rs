//! NULL: each unit has a processor of its own, or waits for one and never runs.
//!
//! Owns: which unit has which processor.
//! Must never know: budgets, priorities, timers: it has none.
//!
//! The behaviour is that of spec 05, section 5. A unit moves only when its
//! affinity or the pool makes it.
//!
//! Bounds, with n units and m processors: `schedule`, `wake`, `sleep`,
//! `yield_now`, `context_saved` and `insert` take a fixed number of steps;
//! `remove` and `set_affinity` two passes over those that wait (2n);
//! `add_cpu` and `remove_cpu` n + 2n·m. There is no `timer`.

use super::list::{List, Place, Places};
use super::{
    Admission, Choice, Effects, Error, PLAIN, Policy, Timer, Vcpu, Violation, allowed, clear,
};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;

/// A unit's record in the caller's table.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    present: bool,
    awake: bool,
    /// Taken off a processor, and not saved yet.
    saving: bool,
    hard: CpuSet,
    soft: CpuSet,
    /// Its own processor; none while it waits.
    home: Option<Cpu>,
    /// Where it runs.
    running: Option<Cpu>,
    /// The processor that it had last.
    last: Option<Cpu>,
    place: Place,
}

impl Unit {
    /// A record that is not in use.
    pub const EMPTY: Self = Self {
        present: false,
        awake: false,
        saving: false,
        hard: CpuSet::ALL,
        soft: CpuSet::ALL,
        home: None,
        running: None,
        last: None,
        place: Place::OUT,
    };
}

impl Default for Unit {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Places<0> for Unit {
    fn place(&self) -> &Place {
        &self.place
    }
    fn place_mut(&mut self) -> &mut Place {
        &mut self.place
    }
}

/// An instance of NULL.
#[derive(Debug)]
pub struct Null<'a> {
    units: &'a mut [Unit],
    cpus: CpuSet,
    /// Processors of the pool that no unit owns.
    free: CpuSet,
    tickled: CpuSet,
    working: CpuSet,
    owner: [Option<Vcpu>; Cpu::COUNT],
    current: [Option<Vcpu>; Cpu::COUNT],
    waiting: List<0>,
}

impl<'a> Null<'a> {
    /// An instance without processors and units. `units` has a record for each unit
    /// there can be, by [`Vcpu::index`].
    pub fn new(units: &'a mut [Unit]) -> Self {
        clear(units, Unit::EMPTY);
        Self {
            units,
            cpus: CpuSet::EMPTY,
            free: CpuSet::EMPTY,
            tickled: CpuSet::EMPTY,
            working: CpuSet::EMPTY,
            owner: [None; Cpu::COUNT],
            current: [None; Cpu::COUNT],
            waiting: List::new(1),
        }
    }

    /// The processor that `vcpu` has; none while it waits for one.
    pub fn processor_of(&self, vcpu: Vcpu) -> Option<Cpu> {
        self.units.get(vcpu.index())?.home
    }

    /// The units that wait for a processor, longest first.
    pub fn for_each_waiting(&self, mut visit: impl FnMut(Vcpu)) {
        self.waiting.iter(self.units).for_each(&mut visit);
    }

    fn unit_mut(&mut self, vcpu: Vcpu) -> Option<&mut Unit> {
        self.units.get_mut(vcpu.index()).filter(|unit| unit.present)
    }

    fn tickle(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        if !self.tickled.contains(cpu) {
            self.tickled = self.tickled.with(cpu);
            fx.tickle(cpu);
        }
    }

    /// Where `vcpu` may run, first where it had better, then where else.
    fn passes(&self, vcpu: Vcpu) -> [CpuSet; 2] {
        let unit = &self.units[vcpu.index()];
        let may = allowed(unit.hard, self.cpus);
        [may.and(unit.soft), may]
    }

    /// Gives `vcpu`, which has no processor, a free one: its last if it may, else the
    /// lowest that it had better use, else the lowest that it may use. If
    /// there is none, it waits.
    fn place(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        let [better, may] = self.passes(vcpu).map(|pass| pass.and(self.free));
        let last = self.units[vcpu.index()].last;
        let kept = last.filter(|&cpu| may.contains(cpu));
        match kept.or(better.lowest()).or(may.lowest()) {
            Some(cpu) => self.assign(vcpu, cpu, fx),
            None => self.waiting.append(self.units, vcpu),
        }
    }

    fn assign(&mut self, vcpu: Vcpu, cpu: Cpu, fx: &mut impl Effects) {
        self.free = self.free.without(cpu);
        self.owner[cpu.index()] = Some(vcpu);
        let unit = &mut self.units[vcpu.index()];
        unit.home = Some(cpu);
        unit.last = Some(cpu);
        if unit.awake {
            self.tickle(cpu, fx);
        }
    }

    /// Takes its processor away from `vcpu`, which is then neither placed nor waiting.
    fn unassign(&mut self, vcpu: Vcpu, fx: &mut impl Effects) -> Option<Cpu> {
        let unit = &mut self.units[vcpu.index()];
        let cpu = unit.home.take()?;
        let running = unit.running == Some(cpu);
        self.owner[cpu.index()] = None;
        self.free = self.free.with(cpu).and(self.cpus);
        if running {
            self.tickle(cpu, fx);
        }
        Some(cpu)
    }

    /// Gives the free `cpu` to the first that waits and had better run there, else
    /// to the first that may.
    fn fill(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        for pass in 0..2 {
            let first = self
                .waiting
                .iter(self.units)
                .find(|&vcpu| self.passes(vcpu)[pass].contains(cpu));
            if let Some(vcpu) = first {
                self.waiting.take(self.units, vcpu);
                return self.assign(vcpu, cpu, fx);
            }
        }
    }

    /// After the pool has changed: who has a processor that it may not use waits,
    /// and free processors are given away.
    fn review(&mut self, fx: &mut impl Effects) {
        for cpu in (0..Cpu::COUNT).filter_map(Cpu::new) {
            let owner = self.owner[cpu.index()];
            if let Some(vcpu) = owner.filter(|&vcpu| !self.passes(vcpu)[1].contains(cpu)) {
                self.unassign(vcpu, fx);
                self.waiting.append(self.units, vcpu);
            }
        }
        for cpu in self.free {
            self.fill(cpu, fx);
        }
    }

    /// The owner of `cpu`, if it can run there now.
    fn ready(&self, cpu: Cpu) -> Option<Vcpu> {
        self.owner[cpu.index()].filter(|vcpu| {
            let unit = &self.units[vcpu.index()];
            unit.awake && !unit.saving && unit.running.is_none_or(|at| at == cpu)
        })
    }
}

impl Policy for Null<'_> {
    fn add_cpu(&mut self, cpu: Cpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if self.cpus.contains(cpu) || self.current[cpu.index()].is_some() {
            return Err(Error::CpuPresent(cpu));
        }
        self.cpus = self.cpus.with(cpu);
        self.free = self.free.with(cpu);
        self.tickled = self.tickled.without(cpu);
        self.working = self.working.without(cpu);
        if !PLAIN {
            self.review(fx);
        }
        Ok(())
    }

    fn remove_cpu(&mut self, cpu: Cpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if !self.cpus.contains(cpu) {
            return Err(Error::CpuAbsent(cpu));
        }
        if self.cpus == CpuSet::of(cpu) && self.units.iter().any(|unit| unit.present) {
            return Err(Error::LastCpu(cpu));
        }
        self.cpus = self.cpus.without(cpu);
        self.free = self.free.without(cpu);
        if self.current[cpu.index()].is_some() {
            self.tickle(cpu, fx);
        }
        self.review(fx);
        Ok(())
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        _: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        if self.cpus.is_empty() {
            return Err(Error::NoCpu);
        }
        let unit = self
            .units
            .get_mut(vcpu.index())
            .ok_or(Error::NoRecord(vcpu))?;
        if unit.present {
            return Err(Error::Present(vcpu));
        }
        *unit = Unit {
            present: true,
            hard: admission.hard,
            soft: admission.soft,
            last: unit.last,
            ..Unit::EMPTY
        };
        self.place(vcpu, fx);
        Ok(())
    }

    fn remove(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let unit = self.unit_mut(vcpu).ok_or(Error::Absent(vcpu))?;
        if unit.awake || unit.saving || unit.running.is_some() {
            return Err(Error::Busy(vcpu));
        }
        unit.present = false;
        self.waiting.take(self.units, vcpu);
        if let Some(cpu) = self.unassign(vcpu, fx) {
            self.fill(cpu, fx);
        }
        Ok(())
    }

    fn wake(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| !unit.awake) else {
            return;
        };
        unit.awake = true;
        if let (Some(cpu), None) = (unit.home, unit.running) {
            self.tickle(cpu, fx);
        }
    }

    fn sleep(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| unit.awake) else {
            return;
        };
        unit.awake = false;
        if let Some(cpu) = unit.running {
            self.tickle(cpu, fx);
        }
    }

    /// There is nobody to yield to.
    fn yield_now(&mut self, _: Vcpu, _: Instant, _: &mut impl Effects) {}

    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        soft: CpuSet,
        _: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let unit = self.unit_mut(vcpu).ok_or(Error::Absent(vcpu))?;
        unit.hard = hard;
        unit.soft = soft;
        let home = unit.home;
        match home {
            Some(cpu) if self.passes(vcpu)[1].contains(cpu) => {}
            Some(cpu) => {
                self.unassign(vcpu, fx);
                self.fill(cpu, fx);
                self.place(vcpu, fx);
            }
            None => {
                self.waiting.take(self.units, vcpu);
                self.place(vcpu, fx);
            }
        }
        Ok(())
    }

    fn schedule(&mut self, cpu: Cpu, _: Instant, work: bool, _: &mut impl Effects) -> Choice {
        self.tickled = self.tickled.without(cpu);
        self.working = self.working.without(cpu);
        if work {
            self.working = self.working.with(cpu);
        }
        let before = self.current[cpu.index()];
        let next = self.ready(cpu).filter(|_| !work);
        if before != next {
            if let Some(vcpu) = before {
                self.units[vcpu.index()].running = None;
                self.units[vcpu.index()].saving = true;
            }
            if let Some(vcpu) = next {
                self.units[vcpu.index()].running = Some(cpu);
            }
            self.current[cpu.index()] = next;
        }
        Choice { next, until: None }
    }

    fn context_saved(&mut self, _: Cpu, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| unit.saving) else {
            return;
        };
        unit.saving = false;
        if let (Some(cpu), true) = (unit.home, unit.awake) {
            self.tickle(cpu, fx);
        }
    }

    fn timer(&mut self, _: Timer, _: Instant, _: &mut impl Effects) {}

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        self.current[cpu.index()]
    }

    fn cpus(&self) -> CpuSet {
        self.cpus
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        let sound = self.waiting.is_sound(self.units);
        Violation::unless(sound, "links agree both ways", None, None)?;
        for index in 0..self.units.len() {
            self.check_unit(Vcpu::new(index as u16))?;
        }
        for cpu in self.cpus {
            let free = self.owner[cpu.index()].is_none();
            let law = |holds, law| Violation::unless(holds, law, None, Some(cpu));
            law(
                free == self.free.contains(cpu),
                "a processor is free when nobody has it",
            )?;
            let current = self.current[cpu.index()];
            let waits = self.tickled.or(self.working).contains(cpu);
            law(
                waits || self.ready(cpu) == current,
                "a processor runs its unit when that can run",
            )?;
        }
        Ok(())
    }
}

impl Null<'_> {
    fn check_unit(&self, vcpu: Vcpu) -> Result<(), Violation> {
        let unit = &self.units[vcpu.index()];
        let law = |holds, law| Violation::unless(holds, law, Some(vcpu), unit.home);
        let waits = self.waiting.has(self.units, vcpu);
        law(
            unit.present == (waits != unit.home.is_some()),
            "a unit has a processor or waits for one",
        )?;
        let owned = (self.owner.iter()).filter(|&&owner| owner == Some(vcpu));
        law(
            owned.count() == usize::from(unit.home.is_some()),
            "a unit has at most one processor, and that one knows it",
        )?;
        let [_, may] = self.passes(vcpu);
        law(
            unit.home.is_none_or(|cpu| may.contains(cpu)),
            "a unit has a processor that it may use",
        )?;
        law(
            !waits || may.and(self.free).is_empty(),
            "nobody waits while a processor that it may use is free",
        )
    }
}

#[cfg(test)]
#[path = "null_tests.rs"]
mod tests;
