//! SEDF: each processor serves its units by earliest deadline, a slice in every
//! period, and gives away what is left as extra time.
//!
//! Owns: periods and what is used of them, the queues of each processor, scores.
//! Must never know: what a unit does with its time.
//!
//! The behaviour is that of spec 05, section 4. There is no balancing: a unit's
//! processor is its number modulo those that it may use, when it comes and when it
//! has to leave its processor. Differences from the reference: a period is missed
//! at its deadline, not only after it; overruns by several slices use up several
//! periods; what a unit wants back is what its last short block lost.
//!
//! Bounds, with n units in the pool and p on the processor in question: links
//! followed and units compared.
//! | operation | bound |
//! |---|---|
//! | `wake`, `context_saved` of a unit that stays | 3p + 8 |
//! | `sleep`, `yield_now` | 8 |
//! | `schedule`, with d periods that begin or end | 2d · (p + 2) + 3p + 12 |
//! | `insert`, `remove`, `set_parameters`, a move | 2n + 4p + 16 |
//! | `add_cpu`, `remove_cpu` | n moves |
//!
//! There is no `timer`.

mod extra;
mod parameters;
mod queues;
mod schedule;
#[cfg(test)]
mod tests;
mod unit;

pub use parameters::Parameters;
pub use unit::Unit;

use super::admission::{self, Demand, Share};
use super::list::List;
use super::steps::Steps;
use super::{
    Admission, Choice, Effects, Error, PLAIN, Policy, Timer, Vcpu, Violation, allowed, clear,
};
use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};
use unit::{PENALTY, PERIOD, State, UTILISATION};

/// A processor's record in the caller's table.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    /// Units whose period has begun, by deadline.
    run: List<PERIOD>,
    /// Units whose period is to begin, by its beginning.
    wait: List<PERIOD>,
    /// Units that lost time by blocking, by score.
    penalty: List<PENALTY>,
    /// Units that share extra time, by score.
    utilisation: List<UTILISATION>,
    current: Option<Vcpu>,
    /// Since when the current unit runs.
    since: Instant,
    /// When the present choice ends by itself.
    planned: Instant,
}

impl Processor {
    /// A record that is not in use.
    pub const EMPTY: Self = Self::new(0);

    /// Lists have names of their own on each processor.
    const fn new(index: u16) -> Self {
        Self {
            run: List::new(2 * index + 1),
            wait: List::new(2 * index + 2),
            penalty: List::new(index + 1),
            utilisation: List::new(index + 1),
            current: None,
            since: Instant::START,
            planned: Instant::MAX,
        }
    }
}

impl Default for Processor {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// An instance of SEDF.
#[derive(Debug)]
pub struct Sedf<'a> {
    units: &'a mut [Unit],
    processors: &'a mut [Processor],
    cpus: CpuSet,
    /// Processors which have been asked to schedule and have not yet.
    tickled: CpuSet,
    /// Processors at which the idle unit does the hypervisor's work.
    working: CpuSet,
    steps: Steps,
}

impl<'a> Sedf<'a> {
    /// An instance without processors and units. `units` has a record for each unit
    /// there can be, by [`Vcpu::index`]; `processors` one for each processor.
    pub fn new(units: &'a mut [Unit], processors: &'a mut [Processor]) -> Self {
        clear(units, Unit::EMPTY);
        for (index, processor) in processors.iter_mut().enumerate() {
            *processor = Processor::new(index as u16);
        }
        Self {
            units,
            processors,
            cpus: CpuSet::EMPTY,
            tickled: CpuSet::EMPTY,
            working: CpuSet::EMPTY,
            steps: Steps::NONE,
        }
    }

    /// Gives `vcpu`, in the pool or not, other parameters from now on; its deadline
    /// stays where it is.
    ///
    /// Refused with [`Error::OutOfRange`], [`Error::NoRecord`], and unless `demand` is
    /// [`Demand::Forced`] with [`Error::NotAdmitted`], when the slices on its
    /// processor would be more than its periods hold (the one test that there
    /// is: who leaves time forfeits it, so it holds however units wake).
    pub fn set_parameters(
        &mut self,
        vcpu: Vcpu,
        parameters: Parameters,
        demand: Demand,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        parameters.check()?;
        let unit = *self.units.get(vcpu.index()).ok_or(Error::NoRecord(vcpu))?;
        if demand != Demand::Forced {
            let cpu = match unit.state.present {
                true => unit.goal,
                false => self.pick(vcpu).ok_or(Error::NoCpu)?,
            };
            self.admit(cpu, Some((vcpu, parameters)))?;
        }
        self.units[vcpu.index()].parameters = parameters;
        if unit.state.present {
            self.unlist(vcpu);
            self.units[vcpu.index()].take_parameters();
            self.share_out(unit.home, fx);
            self.list(vcpu, now);
            self.tickle(unit.home, fx);
        }
        Ok(())
    }

    /// What `vcpu` was given.
    pub fn parameters(&self, vcpu: Vcpu) -> Option<Parameters> {
        self.units.get(vcpu.index()).map(|unit| unit.parameters)
    }

    /// The slice and the period of `vcpu` that are in force.
    pub fn slice(&self, vcpu: Vcpu) -> Option<(Duration, Duration)> {
        let unit = self.unit(vcpu)?;
        Some((unit.slice, unit.period))
    }

    /// The end of the period of `vcpu` that has begun or is to begin next; none
    /// before it has been awake.
    pub fn deadline(&self, vcpu: Vcpu) -> Option<Instant> {
        let unit = self.unit(vcpu)?;
        unit.state.started.then_some(unit.deadline)
    }

    /// The processor of `vcpu`.
    pub fn processor_of(&self, vcpu: Vcpu) -> Option<Cpu> {
        self.unit(vcpu).map(|unit| unit.home)
    }

    /// Whether `vcpu` runs on its slice, and not on extra time.
    pub fn is_guaranteed(&self, vcpu: Vcpu) -> bool {
        self.unit(vcpu)
            .is_some_and(|unit| unit.running == Some(unit::Run::Slice))
    }

    /// In how many periods `vcpu` was awake at the deadline and had not had its slice.
    pub fn missed(&self, vcpu: Vcpu) -> u64 {
        self.unit(vcpu).map_or(0, |unit| unit.missed)
    }

    /// Checks for every processor that the slices fit: Σ slice/period ≤ 1. Refused
    /// with [`Error::NotAdmitted`]. Bound: n for each processor.
    pub fn check_admission(&self) -> Result<(), Error> {
        self.cpus
            .into_iter()
            .try_for_each(|cpu| self.admit(cpu, None))
    }

    /// The same for `cpu`, as it would be with `new` there. Units by weight take no
    /// more than is left.
    fn admit(&self, cpu: Cpu, new: Option<(Vcpu, Parameters)>) -> Result<(), Error> {
        let others = self.units.iter().enumerate().filter(|(index, unit)| {
            let counted = unit.state.present && unit.goal == cpu;
            counted && new.is_none_or(|(vcpu, _)| vcpu.index() != *index)
        });
        let shares = others
            .map(|(_, unit)| unit.parameters)
            .chain(new.map(|(_, parameters)| parameters))
            .filter_map(|parameters| match parameters {
                Parameters::Periodic { period, slice, .. } => Some(Share {
                    budget: slice,
                    period,
                }),
                _ => None,
            });
        admission::density(shares, 1)
    }

    fn unit(&self, vcpu: Vcpu) -> Option<&Unit> {
        self.units
            .get(vcpu.index())
            .filter(|unit| unit.state.present)
    }

    fn unit_mut(&mut self, vcpu: Vcpu) -> Option<&mut Unit> {
        self.units
            .get_mut(vcpu.index())
            .filter(|unit| unit.state.present)
    }

    fn tickle(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        if !self.tickled.contains(cpu) {
            self.tickled = self.tickled.with(cpu);
            fx.tickle(cpu);
        }
    }

    /// The processor that `vcpu` belongs on: its number modulo those that it may use.
    fn pick(&self, vcpu: Vcpu) -> Option<Cpu> {
        let may = allowed(self.units[vcpu.index()].hard, self.cpus);
        let count = may.count().max(1);
        may.into_iter().nth(vcpu.index() % count)
    }

    /// Moves `vcpu` off a processor that it may not use.
    fn settle(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let unit = &self.units[vcpu.index()];
        if allowed(unit.hard, self.cpus).contains(unit.goal) {
            return;
        }
        let Some(goal) = self.pick(vcpu) else { return };
        let unit = &mut self.units[vcpu.index()];
        unit.goal = goal;
        let (home, running, saving) = (unit.home, unit.running.is_some(), unit.state.saving);
        if running {
            return self.tickle(home, fx);
        }
        self.unlist(vcpu);
        if !saving || home == goal {
            self.arrive(vcpu, now, fx);
        }
    }

    /// Makes the goal of `vcpu`, which is in no queue, its home.
    fn arrive(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        let (from, to) = (unit.home, unit.goal);
        unit.home = to;
        if from != to {
            self.share_out(from, fx);
            self.share_out(to, fx);
        }
        self.list(vcpu, now);
        self.tickle_for(vcpu, now, fx);
    }

    fn settle_all(&mut self, now: Instant, fx: &mut impl Effects) {
        for index in 0..self.units.len() {
            self.steps.one();
            if self.units[index].state.present {
                self.settle(Vcpu::new(index as u16), now, fx);
            }
        }
    }
}

impl Policy for Sedf<'_> {
    fn add_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let record = self.processors.get_mut(cpu.index());
        let processor = record.ok_or(Error::NoCpuRecord(cpu))?;
        if self.cpus.contains(cpu) || processor.current.is_some() {
            return Err(Error::CpuPresent(cpu));
        }
        processor.planned = Instant::MAX;
        self.cpus = self.cpus.with(cpu);
        self.tickled = self.tickled.without(cpu);
        self.working = self.working.without(cpu);
        if !PLAIN {
            self.settle_all(now, fx);
        }
        Ok(())
    }

    fn remove_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if !self.cpus.contains(cpu) {
            return Err(Error::CpuAbsent(cpu));
        }
        if self.cpus == CpuSet::of(cpu) && self.units.iter().any(|unit| unit.state.present) {
            return Err(Error::LastCpu(cpu));
        }
        self.cpus = self.cpus.without(cpu);
        self.settle_all(now, fx);
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
        if unit.state.present {
            return Err(Error::Present(vcpu));
        }
        *unit = Unit {
            parameters: unit.parameters,
            hard: admission.hard,
            state: State {
                present: true,
                ..State::default()
            },
            ..Unit::EMPTY
        };
        unit.take_parameters();
        let home = self.pick(vcpu).ok_or(Error::NoCpu)?;
        let unit = &mut self.units[vcpu.index()];
        (unit.home, unit.goal) = (home, home);
        self.share_out(home, fx);
        Ok(())
    }

    fn remove(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let unit = self.unit_mut(vcpu).ok_or(Error::Absent(vcpu))?;
        if unit.state.awake || unit.state.saving || unit.running.is_some() {
            return Err(Error::Busy(vcpu));
        }
        unit.state = State::default();
        let home = unit.home;
        self.share_out(home, fx);
        Ok(())
    }

    /// In the period in which it blocked, it loses what is left of the slice; after
    /// the deadline, its period begins now.
    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| !unit.state.awake) else {
            return;
        };
        unit.state.awake = true;
        if unit.running.is_some() {
            return;
        }
        unit.unblock(now);
        if unit.home == unit.goal {
            self.list(vcpu, now);
            self.tickle_for(vcpu, now, fx);
        }
    }

    fn sleep(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| unit.state.awake) else {
            return;
        };
        unit.state.awake = false;
        let (running, home) = (unit.running.is_some(), unit.home);
        match running {
            true => self.tickle(home, fx),
            false => self.unlist(vcpu),
        }
    }

    /// Its processor schedules; a unit on its slice goes on all the same.
    fn yield_now(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let running = self.unit(vcpu).filter(|unit| unit.running.is_some());
        if let Some(home) = running.map(|unit| unit.home) {
            self.tickle(home, fx);
        }
    }

    /// `soft` is of no effect. The unit moves only off a processor that it may not use.
    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        _: CpuSet,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        self.unit_mut(vcpu).ok_or(Error::Absent(vcpu))?.hard = hard;
        self.settle(vcpu, now, fx);
        Ok(())
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, _: &mut impl Effects) -> Choice {
        self.choose(cpu, now, work)
    }

    fn context_saved(&mut self, _: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| unit.state.saving) else {
            return;
        };
        unit.state.saving = false;
        // In an image nobody moves: processors stay, and affinities.
        if !PLAIN && unit.home != unit.goal {
            self.arrive(vcpu, now, fx);
        }
    }

    fn timer(&mut self, _: Timer, _: Instant, _: &mut impl Effects) {}

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        self.processors.get(cpu.index())?.current
    }

    fn cpus(&self) -> CpuSet {
        self.cpus
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        self.check()
    }
}
