//! Owns: the spending and renewal of credit, and its conversion to time.
//! Must never know: the unit that runs next.

use super::Credit2;
use super::parameters::{CREDIT_CEILING, CREDIT_FLOOR, CREDIT_INITIAL};
use taktos_time::Instant;

/// More than is ever worth charging: no unit can owe it. Keeps products in range.
const LONGEST: u64 = 1 << 40;

impl Credit2<'_> {
    /// Returns the cost of the time since unit `index`, which is running, was last charged: whole
    /// nanoseconds of credit, and the rest in parts of its weight. That is the time, times the
    /// greatest weight on its run queue over its own.
    pub(super) fn cost_of(&self, index: usize, now: Instant) -> (i64, u64) {
        let unit = &self.units[index];
        let weight = u64::from(self.weight_of(index));
        let heaviest = u64::from(self.queues[self.group_of(index)].heaviest);
        let elapsed = now.since(unit.charged).as_nanos().min(LONGEST);
        let used = elapsed * heaviest + unit.residue;
        ((used / weight) as i64, used % weight)
    }

    /// Charges unit `index`, which is running, for the time since it was last
    /// charged. A rest of less than a nanosecond is kept for the next time.
    pub(super) fn burn(&mut self, index: usize, now: Instant) {
        let (cost, residue) = self.cost_of(index, now);
        let capped = self.is_capped(index);
        let unit = &mut self.units[index];
        unit.credit = (unit.credit - cost).max(CREDIT_FLOOR);
        unit.residue = residue;
        if capped {
            unit.budget -= now.since(unit.charged).as_nanos() as i64;
        }
        unit.charged = now;
    }

    /// For how long, in nanoseconds, unit `index` can run with `credit`, which is
    /// not negative.
    pub(super) fn time_of(&self, credit: i64, index: usize) -> u64 {
        let weight = u64::from(self.weight_of(index));
        let heaviest = u64::from(self.queues[self.group_of(index)].heaviest);
        credit as u64 * weight / heaviest
    }

    /// Renews the credit of every member of run queue `group`, because of unit `chosen`: by 10 ms,
    /// and by 20 ms if that one owes as much as it can. Those that run are charged first. The
    /// order of those that wait stays right, for all gain the same, up to the same ceiling. Visits
    /// each member once.
    pub(super) fn reset(&mut self, group: usize, chosen: usize, now: Instant) {
        let floored = self.units[chosen].credit <= CREDIT_FLOOR;
        let gain = if floored { 2 } else { 1 } * CREDIT_INITIAL;
        let mut at = self.queues[group].members.first();
        while let Some(index) = at {
            self.steps.one();
            if self.is_running(index) {
                self.burn(index, now);
            }
            let unit = &mut self.units[index];
            unit.credit = (unit.credit + gain).min(CREDIT_CEILING);
            unit.charged = now;
            at = self.fellow(index);
        }
    }
}
