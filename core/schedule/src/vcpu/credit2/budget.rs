//! Owns: the budgets of capped domains: quotas, debts, refills, the units that wait for one.
//! Must never know: credit.

use super::Credit2;
use super::parameters::{CAP_PERIOD, SLICE_MINIMUM};
use super::tables::DomainRecord;
use crate::vcpu::{Domain, Effects, Error, Profile, Timer, in_range};
use taktos_time::Instant;

impl DomainRecord {
    /// A period's budget, in nanoseconds.
    pub(super) const fn whole_budget(&self) -> i64 {
        (CAP_PERIOD.as_nanos() / 100) as i64 * self.cap as i64
    }

    /// Returns the part of the budget that a unit takes at a time.
    fn quota(&self) -> i64 {
        let part = self.whole_budget() / i64::from(self.units.max(1));
        part.max(SLICE_MINIMUM.as_nanos() as i64)
    }
}

impl Credit2<'_> {
    /// Whether the domain of unit `index` has a cap.
    pub(super) fn is_capped(&self, index: usize) -> bool {
        self.domains[self.units[index].domain as usize].cap != 0
    }

    /// Whether unit `index` may run as far as a cap goes: it has budget left, or
    /// there is some to take; its debt is paid first. A fixed number of steps.
    pub(super) fn grab_budget(&mut self, index: usize) -> bool {
        if !self.is_capped(index) || self.units[index].budget > 0 {
            return true;
        }
        let unit = &mut self.units[index];
        let domain = &mut self.domains[unit.domain as usize];
        domain.pool += unit.budget;
        unit.budget = domain.pool.clamp(0, domain.quota());
        domain.pool -= unit.budget;
        unit.budget > 0
    }

    /// Unit `index`, which is on no queue, waits for budget.
    pub(super) fn park(&mut self, index: usize) {
        let domain = self.units[index].domain as usize;
        self.domains[domain].parked.push_back(self.units, index);
        self.units[index].parked = true;
    }

    /// Unit `index` no longer waits for budget.
    pub(super) fn unpark(&mut self, index: usize) {
        let domain = self.units[index].domain as usize;
        self.domains[domain].parked.remove(self.units, index);
        self.units[index].parked = false;
    }

    /// Unit `index`, which was switched out, returns what it has not used (lost,
    /// as far as a refill has made the period's budget whole meanwhile), and those
    /// that wait for it may try again.
    pub(super) fn return_budget(&mut self, index: usize, now: Instant, fx: &mut impl Effects) {
        let domain = self.units[index].domain as usize;
        let record = &mut self.domains[domain];
        let returned = record.pool + core::mem::take(&mut self.units[index].budget);
        record.pool = returned.min(record.whole_budget());
        if record.pool > 0 {
            self.unpark_all(domain, now, fx);
        }
    }

    /// Lets all that wait for budget of `domain` try again. For each: its way on
    /// the run queue, and a tickle.
    fn unpark_all(&mut self, domain: usize, now: Instant, fx: &mut impl Effects) {
        while let Some(index) = self.domains[domain].parked.first() {
            self.steps.one();
            self.unpark(index);
            if self.units[index].is_runnable() && !self.units[index].state.saving {
                self.start(index, now, fx);
            }
        }
    }

    /// The timer of `domain` has gone off: one period's budget for each period
    /// that has passed, but never more than one period's worth.
    pub(super) fn refill(&mut self, domain: Domain, now: Instant, fx: &mut impl Effects) {
        let id = domain.index();
        let Some(record) = self.domains.get_mut(id).filter(|record| record.cap != 0) else {
            return;
        };
        let period = CAP_PERIOD.as_nanos();
        if now >= record.refill {
            let periods = 1 + now.since(record.refill).as_nanos() / period;
            let gain = record
                .whole_budget()
                .saturating_mul(periods.min(1 << 32) as i64);
            record.pool = record.pool.saturating_add(gain).min(record.whole_budget());
            record.refill = Instant::from_nanos(record.refill.as_nanos() + periods * period);
        }
        fx.arm(Timer::Refill(domain), Some(record.refill));
        if self.domains[id].pool > 0 {
            self.unpark_all(id, now, fx);
        }
    }

    /// Sets the cap of `domain` in percent of one processor: 0 (none) to 100 for each of its units
    /// in the pool; only 0 in release 4.5. Checks each unit of the table once when a cap comes or
    /// goes.
    pub fn set_cap(
        &mut self,
        domain: Domain,
        cap: u32,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = domain.index();
        let Some(record) = self.domains.get(id) else {
            return Err(Error::NoDomain(domain));
        };
        let most = match self.modes().profile {
            Profile::Current => 100 * u64::from(record.units),
            Profile::Xen45 => 0,
        };
        in_range("cap", cap.into(), 0, most, "%")?;
        let was_capped = record.cap != 0;
        if was_capped == (cap != 0) {
            let record = &mut self.domains[id];
            record.cap = cap;
            record.pool = record.pool.min(record.whole_budget());
            return Ok(());
        }
        self.charge_domain(id, now);
        let record = &mut self.domains[id];
        record.cap = cap;
        record.pool = record.whole_budget();
        record.refill = now.saturating_add(CAP_PERIOD);
        let refill = record.refill;
        fx.arm(Timer::Refill(domain), (cap != 0).then_some(refill));
        self.restart_budgets(id, fx);
        if was_capped {
            self.unpark_all(id, now, fx);
        }
        Ok(())
    }

    /// Charges all running units of domain `id`.
    pub(super) fn charge_domain(&mut self, id: usize, now: Instant) {
        for index in 0..self.units.len() {
            self.steps.one();
            let unit = &self.units[index];
            if unit.group.is_some() && unit.domain as usize == id && self.is_running(index) {
                self.burn(index, now);
            }
        }
    }

    /// Lets every unit of domain `id` begin without budget; those that run request some at once.
    fn restart_budgets(&mut self, id: usize, fx: &mut impl Effects) {
        for index in 0..self.units.len() {
            self.steps.one();
            let unit = &mut self.units[index];
            if unit.group.is_none() || unit.domain as usize != id {
                continue;
            }
            unit.budget = 0;
            if self.is_running(index) {
                self.poke(self.units[index].cpu, None, fx);
            }
        }
    }
}
