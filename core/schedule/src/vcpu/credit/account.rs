//! Owns: credit: its spending, and its distribution.
//! Must never know: the order of queues, the unit that runs next.

use super::Credit;
use super::parameters::CREDITS_PER_MILLISECOND;
use super::tables::{ACTIVE, DOMAINS, Rank};
use crate::Cpu;
use crate::vcpu::kit::chain::Chain;
use crate::vcpu::{Effects, Timer};
use taktos_time::Instant;

/// Nanoseconds × credits a millisecond that make one credit.
const WHOLE: u64 = 1_000_000;

/// `value / divisor`, rounded up, for values that are not negative.
const fn divided_up(value: i64, divisor: i64) -> i64 {
    (value + divisor - 1) / divisor
}

/// One distribution of credit, as it goes from domain to domain.
struct Distribution {
    /// The credit to be handed out.
    pot: i64,
    /// The weight of all active units.
    weight: i64,
    /// The weight of the active units of domains that are still to come.
    weight_left: i64,
    /// The debt that the last distribution left to its units.
    owed: i64,
    /// Whether a domain could have used more than it got.
    someone_short: bool,
}

impl Credit<'_> {
    /// Charges unit `index`, which is running, for the time since it was last
    /// charged. A rest of less than a credit is kept for the next time, so all charges together are
    /// less than one credit off. Never changes the class.
    pub(super) fn burn(&mut self, index: usize, now: Instant) {
        let unit = &mut self.units[index];
        let elapsed = now.since(unit.charged).as_nanos().min(1 << 56);
        let used = elapsed * CREDITS_PER_MILLISECOND as u64 + unit.residue;
        unit.credit -= (used / WHOLE) as i64;
        unit.residue = used % WHOLE;
        unit.charged = now;
    }

    /// Handles the tick of `cpu`: samples the running unit and sorts the queue when there was an
    /// accounting since it was last sorted. Checks each unit on the queue once, and each processor
    /// twice (placement).
    pub(super) fn tick(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) {
        let Some(current) = self.processors[cpu.index()].current.map(usize::from) else {
            return; // Idle since: the tick starts again with the next unit.
        };
        if !self.cpus.contains(cpu) {
            return;
        }
        if self.units[current].rank == Rank::Boost {
            self.units[current].rank = Rank::Under;
        }
        self.burn(current, now);
        if !self.units[current].active {
            self.activate(current);
        } else if self.place(current) != cpu && !self.units[current].migrating {
            self.units[current].migrating = true;
            self.poke(cpu, fx);
        }
        if self.processors[cpu.index()].epoch != self.epoch {
            self.processors[cpu.index()].epoch = self.epoch;
            self.sort(cpu);
        }
        fx.arm(
            Timer::Tick(cpu),
            Some(now.saturating_add(self.modes().tick())),
        );
    }

    /// Unit `index` earns from now on. A fixed number of steps.
    fn activate(&mut self, index: usize) {
        let id = self.units[index].domain as usize;
        let domain = &mut self.domains[id];
        domain.active_units.push_front(self.units, index);
        domain.active_count += 1;
        let (weight, first) = (domain.weight, domain.active_count == 1);
        self.active_weight += i64::from(weight);
        if first {
            self.active_domains.push_front(self.domains, id);
        }
        self.units[index].active = true;
    }

    /// Unit `index` earns no more. A fixed number of steps.
    pub(super) fn deactivate(&mut self, index: usize) {
        let id = self.units[index].domain as usize;
        let domain = &mut self.domains[id];
        domain.active_units.remove(self.units, index);
        domain.active_count -= 1;
        let (weight, none_left) = (domain.weight, domain.active_count == 0);
        self.active_weight -= i64::from(weight);
        if none_left {
            self.active_domains.remove(self.domains, id);
        }
        self.units[index].active = false;
    }

    /// Hands out credit to the active units and classes them again. Checks each active domain and
    /// each active unit once; one that is paused or resumed costs a tickle, and a resumed one its
    /// way into a queue.
    pub(super) fn account(&mut self, now: Instant, fx: &mut impl Effects) {
        fx.arm(
            Timer::Accounting,
            Some(now.saturating_add(self.modes().slice())),
        );
        if self.active_weight == 0 {
            self.balance = 0;
            return;
        }
        let owed = (-self.balance).max(0);
        let mut round = Distribution {
            pot: self.modes().slice_credits() * self.cpus.count() as i64 + owed,
            weight: self.active_weight,
            weight_left: self.active_weight,
            owed,
            someone_short: false,
        };
        self.balance = 0;
        let mut next = self.active_domains.first();
        while let Some(id) = next {
            self.steps.one();
            next = Chain::<DOMAINS>::next(self.domains, id);
            let share = self.share(id, &mut round);
            self.pay(id, share, fx);
        }
        self.epoch += 1;
    }

    /// Returns the part of this distribution for each active unit of domain `id`, and how much each
    /// may owe before a cap pauses it.
    fn share(&mut self, id: usize, round: &mut Distribution) -> Share {
        let domain = &self.domains[id];
        let (weight, units) = (domain.active_weight(), domain.active_count);
        let slice = self.modes().slice_credits();
        round.weight_left -= weight;
        let mut peak = slice * units + divided_up(round.owed * weight, round.weight);
        let mut debt_allowed = None;
        if domain.cap != 0 {
            let capped = divided_up(i64::from(domain.cap) * slice, 100);
            peak = peak.min(capped);
            debt_allowed = Some(divided_up(capped, units));
        }
        let mut fair = divided_up(round.pot * weight, round.weight);
        if fair < peak {
            round.someone_short = true;
        } else {
            let surplus = fair - peak;
            if round.weight_left != 0 {
                round.pot += divided_up(surplus * round.weight, round.weight_left);
            }
            if round.someone_short {
                self.active_domains.remove(self.domains, id);
                self.active_domains.push_front(self.domains, id);
            }
            fair = peak;
        }
        Share {
            each: divided_up(fair, units),
            debt_allowed,
        }
    }

    fn pay(&mut self, id: usize, share: Share, fx: &mut impl Effects) {
        let mut next = self.domains[id].active_units.first();
        while let Some(index) = next {
            self.steps.one();
            next = Chain::<ACTIVE>::next(self.units, index);
            self.units[index].credit += share.each;
            if self.units[index].credit < 0 {
                self.class_over(index, share.debt_allowed, fx);
            } else {
                self.class_under(index, fx);
            }
            self.balance += self.units[index].credit;
        }
    }

    fn class_over(&mut self, index: usize, debt_allowed: Option<i64>, fx: &mut impl Effects) {
        let floor = -self.modes().slice_credits();
        let unit = &mut self.units[index];
        unit.rank = Rank::Over;
        let credit = unit.credit;
        unit.credit = credit.max(floor);
        if debt_allowed.is_some_and(|debt| credit < -debt) {
            self.park(index, fx);
        }
    }

    fn class_under(&mut self, index: usize, fx: &mut impl Effects) {
        self.units[index].rank = Rank::Under;
        if self.units[index].parked {
            self.unpark(index, fx);
        }
        if self.units[index].credit > self.modes().slice_credits() {
            self.deactivate(index);
            self.units[index].credit /= 2;
        }
    }

    /// Pauses unit `index` for its domain's cap.
    fn park(&mut self, index: usize, fx: &mut impl Effects) {
        if self.units[index].parked {
            return;
        }
        self.units[index].parked = true;
        self.stop(index, fx);
    }

    /// Ends the pause. The unit's class is not raised, as it is for one that wakes.
    fn unpark(&mut self, index: usize, fx: &mut impl Effects) {
        self.units[index].parked = false;
        if self.units[index].is_runnable() && !self.is_running(index) {
            self.start(index, fx);
        }
    }
}

/// The part of a distribution for a unit of a domain.
struct Share {
    each: i64,
    debt_allowed: Option<i64>,
}
