//! Owns: the queues of its processor that a unit is in, whether the processor has to look for it,
//! and the invariants of all that.
//! Must never know: what a slice is used for.

use super::parameters::Parameters;
use super::unit::{Run, Unit};
use super::{Processor, Sedf};
use crate::Cpu;
use crate::vcpu::kit::{Rules, laws};
use crate::vcpu::{Effects, Vcpu, Violation};
use taktos_time::{Duration, Instant};

impl Sedf<'_> {
    /// Puts `vcpu`, if it is runnable and at home, in the queues where it belongs.
    pub(super) fn list(&mut self, vcpu: Vcpu, now: Instant) {
        let unit = self.units[vcpu.index()];
        if !unit.is_listed() {
            return;
        }
        self.list_period(vcpu, now);
        let processor = &mut self.processors[unit.home.index()];
        if unit.wants_penalty() {
            processor
                .penalty
                .put(self.units, vcpu, |a, b| a.penalty_score < b.penalty_score);
        }
        if unit.parameters.has_extratime() {
            processor
                .utilisation
                .put(self.units, vcpu, |a, b| a.score < b.score);
        }
    }

    /// By deadline if its period has begun, else by its beginning.
    pub(super) fn list_period(&mut self, vcpu: Vcpu, now: Instant) {
        let unit = &self.units[vcpu.index()];
        let (begun, home) = (unit.has_begun(now), unit.home);
        let processor = &mut self.processors[home.index()];
        match begun {
            true => processor
                .run
                .put(self.units, vcpu, |a, b| a.deadline < b.deadline),
            false => processor
                .wait
                .put(self.units, vcpu, |a, b| a.begin() < b.begin()),
        }
    }

    /// Takes it out of the queue of its period.
    pub(super) fn unlist_period(&mut self, vcpu: Vcpu) {
        let home = self.units[vcpu.index()].home;
        let processor = &mut self.processors[home.index()];
        if !processor.run.take(self.units, vcpu) {
            processor.wait.take(self.units, vcpu);
        }
    }

    /// Takes it out of all queues.
    pub(super) fn unlist(&mut self, vcpu: Vcpu) {
        self.unlist_period(vcpu);
        let home = self.units[vcpu.index()].home;
        let processor = &mut self.processors[home.index()];
        processor.penalty.take(self.units, vcpu);
        processor.utilisation.take(self.units, vcpu);
    }

    /// Tickles the processor of `vcpu`, which has come into its queues, if it idles or should have
    /// looked already. Also tickles it if the period of `vcpu` begins before it looks again, or if
    /// it gives extra time to a unit with a weaker claim.
    pub(super) fn tickle_for(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let unit = &self.units[vcpu.index()];
        if !unit.state.awake {
            return;
        }
        let home = unit.home;
        let processor = &self.processors[home.index()];
        let current = processor
            .current
            .map(|current| &self.units[current.index()]);
        let weaker = match current {
            None => true,
            Some(current) => match current.running {
                Some(Run::Slice) | None => false,
                Some(Run::Penalty) => {
                    unit.wants_penalty() && unit.penalty_score < current.penalty_score
                }
                Some(Run::Utilisation) => unit.wants_penalty(),
            },
        };
        if weaker || unit.begin() < processor.planned || processor.planned <= now {
            self.requests.tickle(home, fx);
        }
    }

    /// Computes the slices of the units by weight on `cpu`: what those with periods leave of
    /// 100 ms, less 5 ms, by weight. Then tickles the processor, since another unit may be first.
    pub(super) fn share_out(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        let here = |unit: &&Unit| unit.state.present && unit.goal == cpu;
        let (mut weights, mut taken) = (0u64, 0u64);
        for unit in self.units.iter().filter(here) {
            self.requests.steps.one();
            match unit.parameters {
                Parameters::Weighted { weight, .. } => weights += u64::from(weight),
                Parameters::Periodic { period, slice, .. } => taken += scaled(slice, period),
                Parameters::BestEffort { .. } => {}
            }
        }
        if weights == 0 {
            return;
        }
        let whole = Parameters::WEIGHT_PERIOD.as_nanos() - Parameters::WEIGHT_SAFETY.as_nanos();
        let rest = whole.saturating_sub(taken);
        for unit in self.units.iter_mut().filter(|unit| here(&&**unit)) {
            self.requests.steps.one();
            if let Parameters::Weighted { weight, .. } = unit.parameters {
                unit.set_slice(Duration::from_nanos(rest * u64::from(weight) / weights));
            }
        }
        self.requests.tickle(cpu, fx);
    }

    /// All that has to be true between two calls.
    pub(super) fn check_all(&self) -> Result<(), Violation> {
        for index in 0..self.units.len() {
            self.check_unit(Vcpu::new(index as u16))?;
        }
        for (index, processor) in self.processors.iter().enumerate() {
            if let Some(cpu) = Cpu::new(index) {
                self.check_order(cpu, processor)?;
                self.check_choice(cpu, processor)?;
            }
        }
        Ok(())
    }

    fn check_unit(&self, vcpu: Vcpu) -> Result<(), Violation> {
        let unit = &self.units[vcpu.index()];
        let Some(processor) = self.processors.get(unit.home.index()) else {
            laws!(Some(vcpu), None; !unit.state.present => "a unit's home has a record");
            return Ok(());
        };
        let listed = unit.state.present && unit.is_listed();
        let period = processor.run.has(self.units, vcpu) || processor.wait.has(self.units, vcpu);
        let extra = listed && unit.parameters.has_extratime();
        laws!(Some(vcpu), Some(unit.home);
            period == listed => "a runnable unit at home waits in a queue of periods, and no other",
            processor.penalty.has(self.units, vcpu) == (listed && unit.wants_penalty())
                => "who lost time waits to have it back",
            processor.utilisation.has(self.units, vcpu) == extra
                => "who wants extra time waits for it",
            !unit.state.present || self.allowed(vcpu).contains(unit.goal)
                => "a unit is, or is on its way, where it may run",
            unit.used <= unit.slice => "no more is used of a slice than there is of it",
        );
        Ok(())
    }

    fn check_order(&self, cpu: Cpu, processor: &Processor) -> Result<(), Violation> {
        let units = &*self.units;
        let unit = |vcpu: Vcpu| &units[vcpu.index()];
        let sound = processor.run.is_sound(units)
            && processor.wait.is_sound(units)
            && processor.penalty.is_sound(units)
            && processor.utilisation.is_sound(units);
        let run = processor.run.iter(units).map(|v| unit(v).deadline);
        let wait = processor.wait.iter(units).map(|v| unit(v).begin());
        let penalty = processor.penalty.iter(units).map(|v| unit(v).penalty_score);
        let shares = processor.utilisation.iter(units).map(|v| unit(v).score);
        laws!(None, Some(cpu);
            sound => "links agree both ways",
            run.is_sorted() => "periods that have begun are in order of deadlines",
            wait.is_sorted() => "periods to come are in order of their beginning",
            penalty.is_sorted() => "who lost most of its period is first",
            shares.is_sorted() => "extra time is in order of scores",
        );
        Ok(())
    }

    /// Earliest deadline first, but where the processor was tickled and has not come.
    fn check_choice(&self, cpu: Cpu, processor: &Processor) -> Result<(), Violation> {
        if self.requests.unsettled().contains(cpu) {
            return Ok(());
        }
        let current = processor.current.map(|vcpu| &self.units[vcpu.index()]);
        let slice = current.is_some_and(|unit| unit.running == Some(Run::Slice));
        let next = processor
            .wait
            .first()
            .map(|vcpu| self.units[vcpu.index()].begin());
        laws!(processor.current, Some(cpu);
            current.is_none_or(|unit| unit.state.awake && unit.home == unit.goal)
                => "who must not run any more has its processor tickled",
            processor.run.first() == processor.current.filter(|_| slice)
                => "the earliest deadline of those that have begun runs",
            next.is_none_or(|begin| begin >= processor.planned)
                => "the processor looks again before the next period begins",
        );
        Ok(())
    }
}

/// `slice` in a `period`, as so much of the period of the units by weight. The longest slice times
/// that is 10¹⁸.
fn scaled(slice: Duration, period: Duration) -> u64 {
    const WHOLE: u64 = Parameters::WEIGHT_PERIOD.as_nanos();
    const { assert!(Parameters::PERIODS.1.as_nanos() < u64::MAX / WHOLE) };
    slice.as_nanos() * WHOLE / period.as_nanos()
}
