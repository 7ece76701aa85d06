//! SEDF: each processor serves its units by earliest deadline, a slice in every
//! period, and gives away what is left as extra time.
//!
//! Owns: periods and what is used of them, the queues of each processor, scores.
//! Must never know: what a unit does with its time.
//!
//! The behaviour is that of spec 05, section 4. There is no balancing: a unit's processor is its
//! number modulo those that it may use, when it comes and when it has to leave its processor. It
//! moves only off a processor that it may not use, and soft affinity is of no effect. Differences
//! from the reference: a period is missed at its deadline, not only after it; overruns by several
//! slices use up several periods; what a unit wants back is what its last short block lost.
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
use super::kit::list::List;
use super::kit::topology::{FIRST_CPU, home_in};
use super::kit::{Requests, Rules, State, default_is, parts};
use super::{Admission, Choice, Effects, Error, PLAIN, Vcpu, Violation, table};
use crate::Cpu;
use taktos_time::{Duration, Instant};
use unit::{PENALTY, PERIOD, UTILISATION};

/// A processor's record in the caller's table.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    /// Units in a period that has begun, by deadline.
    run: List<PERIOD>,
    /// Units with a period that is to begin, by its beginning.
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

default_is!(Processor: EMPTY);

/// An instance of SEDF.
#[derive(Debug)]
pub struct Sedf<'a> {
    units: &'a mut [Unit],
    processors: &'a mut [Processor],
    requests: Requests,
}

impl<'a> Sedf<'a> {
    /// An instance without processors and units. `units` has a record for each unit
    /// there can be, by [`Vcpu::index`]; `processors` one for each processor.
    pub fn new(units: &'a mut [Unit], processors: &'a mut [Processor]) -> Self {
        for (index, processor) in processors.iter_mut().enumerate() {
            *processor = Processor::new(index as u16);
        }
        Self {
            units: table(units, usize::MAX),
            processors,
            requests: Requests::NONE,
        }
    }

    /// Gives `vcpu`, in the pool or not, other parameters from now on; its deadline
    /// stays where it is.
    ///
    /// Refused with [`Error::OutOfRange`], [`Error::NoRecord`], and unless `demand` is
    /// [`Demand::Forced`] with [`Error::NotAdmitted`], if the slices on its processor would be more
    /// than its periods hold. That is the only test: a unit that leaves time forfeits it, so the
    /// test holds however units wake.
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
            self.requests.tickle(unit.home, fx);
        }
        Ok(())
    }

    /// Returns the parameters that `vcpu` was given.
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
        unit.started.then_some(unit.deadline)
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
        let cpus = self.requests.cpus;
        cpus.into_iter().try_for_each(|cpu| self.admit(cpu, None))
    }

    /// Checks that the slices fit on `cpu`, as it would be with `new` there. Units by weight take
    /// no more than is left.
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

    /// The processor that `vcpu` belongs on: its number modulo those that it may use.
    fn pick(&self, vcpu: Vcpu) -> Option<Cpu> {
        home_in(self.allowed(vcpu), vcpu.index())
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
}

impl Rules for Sedf<'_> {
    parts!(Unit: units, requests.cpus, requests.steps);

    fn chosen(&self, cpu: Cpu) -> Option<Vcpu> {
        self.processors.get(cpu.index())?.current
    }

    fn is_chosen(&self, _: Vcpu, unit: &Unit) -> bool {
        unit.running.is_some()
    }

    fn join(&mut self, cpu: Cpu, _: Instant, _: &mut impl Effects) -> Result<(), Error> {
        let record = self.processors.get_mut(cpu.index());
        record.ok_or(Error::NoCpuRecord(cpu))?.planned = Instant::MAX;
        self.requests.join(cpu);
        Ok(())
    }

    fn leave(&mut self, cpu: Cpu, _: &mut impl Effects) {
        self.requests.cpus = self.requests.cpus.without(cpu);
    }

    fn settle(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        if self.allowed(vcpu).contains(self.units[vcpu.index()].goal) {
            return;
        }
        let Some(goal) = self.pick(vcpu) else { return };
        let unit = &mut self.units[vcpu.index()];
        unit.goal = goal;
        let (home, running, saving) = (unit.home, unit.running.is_some(), unit.state.saving);
        if running {
            return self.requests.tickle(home, fx);
        }
        self.unlist(vcpu);
        if !saving || home == goal {
            self.arrive(vcpu, now, fx);
        }
    }

    fn enter(&mut self, vcpu: Vcpu, admission: Admission, _: Instant, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        *unit = Unit {
            parameters: unit.parameters,
            state: State::entering(&admission),
            ..Unit::EMPTY
        };
        unit.take_parameters();
        let home = self.pick(vcpu).unwrap_or(FIRST_CPU);
        let unit = &mut self.units[vcpu.index()];
        (unit.home, unit.goal) = (home, home);
        self.share_out(home, fx);
    }

    fn exit(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        self.share_out(self.units[vcpu.index()].home, fx);
    }

    /// In the period in which it blocked, it loses what is left of the slice; after
    /// the deadline, its period begins now.
    fn woken(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        if unit.running.is_some() {
            return;
        }
        unit.unblock(now);
        if unit.home == unit.goal {
            self.list(vcpu, now);
            self.tickle_for(vcpu, now, fx);
        }
    }

    fn slept(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let unit = &self.units[vcpu.index()];
        match unit.running {
            Some(_) => self.requests.tickle(unit.home, fx),
            None => self.unlist(vcpu),
        }
    }

    /// Its processor schedules; a unit on its slice continues all the same.
    fn yielded(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        self.requests.tickle(self.units[vcpu.index()].home, fx);
    }

    fn choose(&mut self, cpu: Cpu, now: Instant, work: bool, _: &mut impl Effects) -> Choice {
        self.decide(cpu, now, work)
    }

    fn saved(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        // In an image no unit moves: processors stay, and affinities.
        let unit = &self.units[vcpu.index()];
        if !PLAIN && unit.home != unit.goal {
            self.arrive(vcpu, now, fx);
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.check_all()
    }
}
