//! RTDS: global EDF over a pool, where each unit is a deferrable server.
//!
//! Owns: servers, their budgets and deadlines; the run queue, the queue of the
//! depleted and that of the refills.
//! Must never know: what a unit does with its time.
//!
//! The behaviour is that of spec 05, section 3. Differences from the reference,
//! each for the guarantee that an admitted server gets its budget:
//! - refills are ordered by time ([`ReplenishBy`]: the reference's order is an option);
//! - what a unit ran before its refill is not charged to the fresh budget;
//! - a refill that lifts a waiting unit out of extra time tickles for it, as it
//!   does for a depleted one;
//! - a processor that does hypervisor work is not taken for an idle one;
//! - when the processor that was tickled for a unit takes another one, another
//!   processor is looked for.
//!
//! Bounds, with n units and m processors: links followed and units compared.
//! | operation | bound |
//! |---|---|
//! | `wake` | 2n + m + 8 |
//! | `sleep` | 8 |
//! | `context_saved` | n + m + 8 |
//! | `schedule` | n + m + 8; with a quantum n² + 2n + m + 8 |
//! | `timer`, with d units due | d · (3n + 8) + (d + m) · (n + m) |
//! | `set_affinity`, `yield_now` | m + 8 |
//! | `supply` | 1 |
//! | `add_cpu`, `remove_cpu` | (n + 1) · (m + 1) + n |
//!
//! Two lists in order keep the queues, because a processor takes the first unit
//! that its affinity allows: a heap could not be walked in order.

mod options;
mod queues;
mod replenish;
mod schedule;
#[cfg(test)]
mod tests;
mod tickle;
mod unit;

pub use options::{Enforcement, Options, Parameters, ReplenishBy, Ties};
pub use unit::Unit;

use super::admission::{self, Demand, Share};
use super::list::List;
use super::steps::Steps;
use super::{
    Admission, Choice, Effects, Error, PLAIN, Policy, Timer, Vcpu, Violation, allowed, clear,
};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;
use unit::{REFILL, State, WAITING};

/// An instance of RTDS.
#[derive(Debug)]
pub struct Rtds<'a> {
    units: &'a mut [Unit],
    options: Options,
    cpus: CpuSet,
    current: [Option<Vcpu>; Cpu::COUNT],
    /// Processors with a current unit.
    busy: CpuSet,
    /// Processors which have been asked to schedule and have not yet.
    tickled: CpuSet,
    /// For whom each of them was asked, if it was for one that waits.
    promised: [Option<Vcpu>; Cpu::COUNT],
    /// Processors at which the idle unit does the hypervisor's work.
    working: CpuSet,
    run: List<WAITING>,
    depleted: List<WAITING>,
    refills: List<REFILL>,
    due: List<REFILL>,
    armed: Option<Instant>,
    steps: Steps,
}

impl<'a> Rtds<'a> {
    /// The modes that hold: in images those of [`Options::DEFAULT`].
    #[inline(always)]
    const fn modes(&self) -> Options {
        match PLAIN {
            true => Options::DEFAULT,
            false => self.options,
        }
    }

    /// An instance without processors and units, in the modes of `options`.
    /// `units` has a record for each unit there can be, by [`Vcpu::index`].
    pub fn new(units: &'a mut [Unit], options: Options) -> Self {
        clear(units, Unit::EMPTY);
        Self {
            units,
            options,
            cpus: CpuSet::EMPTY,
            current: [None; Cpu::COUNT],
            busy: CpuSet::EMPTY,
            tickled: CpuSet::EMPTY,
            promised: [None; Cpu::COUNT],
            working: CpuSet::EMPTY,
            run: List::new(1),
            depleted: List::new(2),
            refills: List::new(1),
            due: List::new(2),
            armed: None,
            steps: Steps::NONE,
        }
    }

    /// Gives the server of `vcpu`, in the pool or not, new parameters from its next
    /// refill on, or from its first activation.
    ///
    /// Refused with [`Error::OutOfRange`], and where `demand` asks for a test with
    /// what [`Rtds::check_admission`] says of the set with them. Bound: that test's.
    pub fn set_parameters(
        &mut self,
        vcpu: Vcpu,
        parameters: Parameters,
        demand: Demand,
    ) -> Result<(), Error> {
        parameters.check()?;
        let unit = self.units.get(vcpu.index()).ok_or(Error::NoRecord(vcpu))?;
        let (before, present) = (unit.wanted, unit.state.present);
        // The set is tested as it would be.
        let unit = &mut self.units[vcpu.index()];
        unit.wanted = parameters;
        unit.state.present = true;
        let verdict = self.check_admission(demand);
        let unit = &mut self.units[vcpu.index()];
        unit.state.present = present;
        if verdict.is_err() {
            unit.wanted = before;
        }
        verdict
    }

    /// The parameters of `vcpu` from its next refill on.
    pub fn parameters(&self, vcpu: Vcpu) -> Option<Parameters> {
        self.units.get(vcpu.index()).map(|unit| unit.wanted)
    }

    /// The end of the current period of `vcpu`; none before its first activation.
    pub fn deadline(&self, vcpu: Vcpu) -> Option<Instant> {
        let unit = self.units.get(vcpu.index())?;
        unit.state.started.then_some(unit.deadline)
    }

    /// Whether `vcpu` is on its guarantee: not depleted and not on extra time.
    /// What it ran since the last [`Policy::schedule`] is not counted yet.
    pub fn is_guaranteed(&self, vcpu: Vcpu) -> bool {
        self.units
            .get(vcpu.index())
            .is_some_and(|unit| unit.is_able() && unit.level == 0)
    }

    /// Applies the test that `demand` names to the units in the pool. Refused with
    /// [`Error::NotAdmitted`], [`Error::NoCpu`].
    ///
    /// The density test needs units whose affinities are the same or apart; the
    /// interference test takes any: a unit has as many processors as it may use,
    /// shared with every unit that may use one of them. Bound: n².
    pub fn check_admission(&self, demand: Demand) -> Result<(), Error> {
        if self.cpus.is_empty() && demand != Demand::Forced {
            return Err(Error::NoCpu);
        }
        match demand {
            Demand::Forced => Ok(()),
            Demand::Density => self.all(|own| self.density(own)),
            Demand::Interference => self.all(|own| self.interference(own)),
        }
    }

    fn all(&self, test: impl Fn(&Unit) -> Result<(), Error>) -> Result<(), Error> {
        self.present().try_for_each(test)
    }

    fn present(&self) -> impl Iterator<Item = &Unit> + Clone {
        self.units.iter().filter(|unit| unit.state.present)
    }

    /// The density of the units that have the same processors as `own`.
    fn density(&self, own: &Unit) -> Result<(), Error> {
        let cpus = allowed(own.hard, self.cpus);
        let meeting = self
            .present()
            .map(|unit| (unit, allowed(unit.hard, self.cpus)))
            .filter(|(_, theirs)| !theirs.and(cpus).is_empty());
        if meeting.clone().any(|(_, theirs)| theirs != cpus) {
            return Err(Error::NoTest);
        }
        admission::density(meeting.map(|(unit, _)| share(unit)), cpus.count())
    }

    fn interference(&self, own: &Unit) -> Result<(), Error> {
        let cpus = allowed(own.hard, self.cpus);
        let others = self.present().filter(|unit| {
            !core::ptr::eq(*unit, own) && !allowed(unit.hard, self.cpus).and(cpus).is_empty()
        });
        admission::interference(share(own), others.map(share), cpus.count())
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
}

fn share(unit: &Unit) -> Share {
    Share {
        budget: unit.wanted.budget,
        period: unit.wanted.period,
    }
}

impl Policy for Rtds<'_> {
    fn add_cpu(&mut self, cpu: Cpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if self.cpus.contains(cpu) || self.busy.contains(cpu) {
            return Err(Error::CpuPresent(cpu));
        }
        self.cpus = self.cpus.with(cpu);
        self.forget(cpu);
        self.working = self.working.without(cpu);
        self.start_quantum(cpu, fx);
        if !PLAIN {
            self.review(fx);
        }
        Ok(())
    }

    fn remove_cpu(&mut self, cpu: Cpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if !self.cpus.contains(cpu) {
            return Err(Error::CpuAbsent(cpu));
        }
        if self.cpus == CpuSet::of(cpu) && self.present().next().is_some() {
            return Err(Error::LastCpu(cpu));
        }
        self.cpus = self.cpus.without(cpu);
        match self.busy.contains(cpu) {
            true => self.tickle(cpu, fx),
            false => self.forget(cpu),
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
        unit.hard = admission.hard;
        unit.state = State {
            present: true,
            ..State::default()
        };
        Ok(())
    }

    fn remove(&mut self, vcpu: Vcpu, _: Instant, _: &mut impl Effects) -> Result<(), Error> {
        let unit = self.unit_mut(vcpu).ok_or(Error::Absent(vcpu))?;
        if unit.state.awake || unit.state.running || unit.state.saving {
            return Err(Error::Busy(vcpu));
        }
        unit.state = State::default();
        Ok(())
    }

    /// A unit that is asleep gets a fresh period if its deadline has passed.
    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| !unit.state.awake) else {
            return;
        };
        unit.state.awake = true;
        if unit.state.running {
            return;
        }
        let (fresh, saving) = (unit.refresh(now), unit.state.saving);
        if fresh || !saving {
            self.await_refill(vcpu, fx);
        }
        if !saving {
            self.enqueue(vcpu);
            self.tickle_for(vcpu, fx);
        }
    }

    /// Its budget is kept as it is; its refill is cancelled once it is switched out.
    fn sleep(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| unit.state.awake) else {
            return;
        };
        unit.state.awake = false;
        let (state, cpu) = (unit.state, unit.cpu);
        match cpu {
            Some(cpu) if state.running => self.tickle(cpu, fx),
            _ if state.saving => {}
            _ => {
                self.dequeue(vcpu);
                self.cancel_refill(vcpu, fx);
            }
        }
    }

    /// Its processor schedules: a queued unit of the same priority goes first.
    fn yield_now(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        if let Some(cpu) = self.processor_of(vcpu) {
            self.tickle(cpu, fx);
        }
    }

    /// `soft` is of no effect.
    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        _: CpuSet,
        _: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let unit = self.unit_mut(vcpu).ok_or(Error::Absent(vcpu))?;
        unit.hard = hard;
        match self.processor_of(vcpu) {
            Some(cpu) if !self.may_run(vcpu, cpu) => self.tickle(cpu, fx),
            Some(_) => {}
            None if self.run.has(self.units, vcpu) => self.tickle_for(vcpu, fx),
            None => {}
        }
        Ok(())
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
        let promised = self.promised[cpu.index()].take();
        let choice = self.choose(cpu, now, work);
        let waiting = promised.filter(|&vcpu| self.run.has(self.units, vcpu));
        if let Some(vcpu) = waiting {
            self.tickle_for(vcpu, fx);
        }
        choice
    }

    fn context_saved(&mut self, _: Cpu, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| unit.state.saving) else {
            return;
        };
        unit.state.saving = false;
        if unit.state.awake {
            self.enqueue(vcpu);
            self.tickle_for(vcpu, fx);
        } else {
            self.cancel_refill(vcpu, fx);
        }
    }

    fn timer(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        if timer == Timer::Replenishment {
            self.replenish(now, fx);
        }
    }

    /// With nothing left of its budget, and no extra time, not before its refill.
    fn supply(&self, vcpu: Vcpu, at: Instant, now: Instant) -> Instant {
        let Some(unit) = self.unit(vcpu).filter(|unit| unit.state.started) else {
            return at;
        };
        let running = unit.state.running;
        let spent = !unit.is_able() || running && unit.left <= now.since(unit.charged);
        let extra = self.modes().extratime && unit.parameters.extratime;
        match spent && !extra {
            true => at.max(unit.deadline),
            false => at,
        }
    }

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        self.current[cpu.index()]
    }

    fn cpus(&self) -> CpuSet {
        self.cpus
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        self.check()
    }
}
