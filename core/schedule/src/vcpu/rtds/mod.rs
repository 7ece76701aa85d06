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
//! - a refill that lifts a waiting unit out of extra time tickles for it, as it does for a depleted
//!   one;
//! - a processor that does hypervisor work is not taken for an idle one;
//! - when the processor that was tickled for a unit takes another one, another processor is looked
//!   for.
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
use super::kit::list::List;
use super::kit::{Requests, Rules, State, parts};
use super::{Admission, Choice, Effects, Error, PLAIN, Timer, Vcpu, Violation, table};
use crate::{Cpu, CpuSet};
use taktos_time::Instant;
use unit::{REFILL, WAITING};

/// An instance of RTDS.
#[derive(Debug)]
pub struct Rtds<'a> {
    units: &'a mut [Unit],
    options: Options,
    requests: Requests,
    current: [Option<Vcpu>; Cpu::COUNT],
    /// Processors with a current unit.
    busy: CpuSet,
    /// The unit for which each of them got the request, if it was for one that waits.
    promised: [Option<Vcpu>; Cpu::COUNT],
    run: List<WAITING>,
    depleted: List<WAITING>,
    refills: List<REFILL>,
    due: List<REFILL>,
    armed: Option<Instant>,
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
        Self {
            units: table(units, usize::MAX),
            options,
            requests: Requests::NONE,
            current: [None; Cpu::COUNT],
            busy: CpuSet::EMPTY,
            promised: [None; Cpu::COUNT],
            run: List::new(1),
            depleted: List::new(2),
            refills: List::new(1),
            due: List::new(2),
            armed: None,
        }
    }

    /// Gives the server of `vcpu`, in the pool or not, new parameters from its next
    /// refill on, or from its first activation.
    ///
    /// Refused with [`Error::OutOfRange`], and, if `demand` requires a test, with the result of
    /// [`Rtds::check_admission`] for the set with them. Bound: that test's.
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
        unit.started.then_some(unit.deadline)
    }

    /// Whether `vcpu` is on its guarantee: not depleted and not on extra time.
    /// Time that it ran since the last [`schedule`](super::Policy::schedule) is not counted yet.
    pub fn is_guaranteed(&self, vcpu: Vcpu) -> bool {
        self.units
            .get(vcpu.index())
            .is_some_and(|unit| unit.is_able() && unit.level == 0)
    }

    /// Applies the test that `demand` names to the units in the pool. Refused with
    /// [`Error::NotAdmitted`], [`Error::NoCpu`].
    ///
    /// The density test needs units with affinities that are the same or apart; the interference
    /// test takes any: a unit has as many processors as it may use, shared with every unit that may
    /// use one of them. Bound: n².
    pub fn check_admission(&self, demand: Demand) -> Result<(), Error> {
        if self.requests.cpus.is_empty() && demand != Demand::Forced {
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

    /// Where `unit` may run now.
    fn reach(&self, unit: &Unit) -> CpuSet {
        unit.state.affinity.allowed(self.requests.cpus)
    }

    /// The density of the units that have the same processors as `own`.
    fn density(&self, own: &Unit) -> Result<(), Error> {
        let cpus = self.reach(own);
        let meeting = self
            .present()
            .map(|unit| (unit, self.reach(unit)))
            .filter(|(_, theirs)| !theirs.and(cpus).is_empty());
        if meeting.clone().any(|(_, theirs)| theirs != cpus) {
            return Err(Error::NoTest);
        }
        admission::density(meeting.map(|(unit, _)| share(unit)), cpus.count())
    }

    fn interference(&self, own: &Unit) -> Result<(), Error> {
        let cpus = self.reach(own);
        let others = self
            .present()
            .filter(|unit| !core::ptr::eq(*unit, own) && !self.reach(unit).and(cpus).is_empty());
        admission::interference(share(own), others.map(share), cpus.count())
    }
}

fn share(unit: &Unit) -> Share {
    Share {
        budget: unit.wanted.budget,
        period: unit.wanted.period,
    }
}

impl Rules for Rtds<'_> {
    parts!(Unit: units, requests.cpus, requests.steps);

    fn chosen(&self, cpu: Cpu) -> Option<Vcpu> {
        self.current[cpu.index()]
    }

    fn is_chosen(&self, _: Vcpu, unit: &Unit) -> bool {
        unit.running
    }

    fn join(&mut self, cpu: Cpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        self.requests.join(cpu);
        self.promised[cpu.index()] = None;
        self.start_quantum(cpu, fx);
        Ok(())
    }

    fn leave(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        self.requests.cpus = self.requests.cpus.without(cpu);
        match self.busy.contains(cpu) {
            true => self.requests.tickle(cpu, fx),
            false => self.forget(cpu),
        }
    }

    /// A unit that runs where it may not is tickled away, and those that wait may have other
    /// processors now.
    fn review(&mut self, _: Instant, fx: &mut impl Effects) {
        self.tickle_away(fx);
        let mut next = self.run.first();
        while let Some(vcpu) = next {
            self.requests.steps.one();
            self.tickle_for(vcpu, fx);
            next = self.run.after(self.units, vcpu);
        }
    }

    fn enter(&mut self, vcpu: Vcpu, admission: Admission, _: Instant, _: &mut impl Effects) {
        self.units[vcpu.index()].state = State::entering(&admission);
    }

    fn exit(&mut self, vcpu: Vcpu, _: Instant, _: &mut impl Effects) {
        self.units[vcpu.index()].started = false;
    }

    /// A unit that is asleep gets a fresh period if its deadline has passed.
    fn woken(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let unit = &mut self.units[vcpu.index()];
        if unit.running {
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
    fn slept(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let unit = &self.units[vcpu.index()];
        match unit.cpu {
            Some(cpu) if unit.running => self.requests.tickle(cpu, fx),
            _ if unit.state.saving => {}
            _ => {
                self.dequeue(vcpu);
                self.cancel_refill(vcpu, fx);
            }
        }
    }

    /// Its processor schedules: a queued unit of the same priority goes first.
    fn yielded(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        if let Some(cpu) = self.units[vcpu.index()].cpu {
            self.requests.tickle(cpu, fx);
        }
    }

    /// Soft affinity is of no effect.
    fn confined(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        match self.processor_of(vcpu) {
            Some(cpu) if !self.may_run(vcpu, cpu) => self.requests.tickle(cpu, fx),
            Some(_) => {}
            None if self.run.has(self.units, vcpu) => self.tickle_for(vcpu, fx),
            None => {}
        }
    }

    fn choose(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
        let promised = self.promised[cpu.index()].take();
        let choice = self.decide(cpu, now, work);
        let waiting = promised.filter(|&vcpu| self.run.has(self.units, vcpu));
        if let Some(vcpu) = waiting {
            self.tickle_for(vcpu, fx);
        }
        choice
    }

    fn saved(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        if self.units[vcpu.index()].state.awake {
            self.enqueue(vcpu);
            self.tickle_for(vcpu, fx);
        } else {
            self.cancel_refill(vcpu, fx);
        }
    }

    fn expired(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        if timer == Timer::Replenishment {
            self.replenish(now, fx);
        }
    }

    /// With nothing left of its budget, and no extra time, not before its refill.
    fn supplied(&self, vcpu: Vcpu, at: Instant, now: Instant) -> Instant {
        let Some(unit) = self.unit(vcpu).filter(|unit| unit.started) else {
            return at;
        };
        let spent = !unit.is_able() || unit.running && unit.left <= now.since(unit.charged);
        let extra = self.modes().extratime && unit.parameters.extratime;
        match spent && !extra {
            true => at.max(unit.deadline),
            false => at,
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.check_all()
    }
}
