//! CREDIT in virtual time: stress tests against naive models, shares, caps.

use crate::random_run::{RandomRun, blow, plain, watched};
use crate::world::{Costs, FOREVER, Random, World, cpu, vcpu};
use std::collections::BTreeSet;
use taktos_schedule::vcpu::credit::{
    Credit, DomainRecord, Memory, Parameters, Processor, Rank, Unit,
};
use taktos_schedule::vcpu::{
    Admission, Choice, Domain, Effects, Error, Place, Policy, Timer, Vcpu, Violation,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

/// Credits of a slice, and nanoseconds of a credit.
const SLICE: i64 = 300;
const CREDIT: u64 = 100_000;

/// The tables of a pool.
struct Tables {
    units: Vec<Unit>,
    domains: Vec<DomainRecord>,
    processors: Vec<Processor>,
}

impl Tables {
    fn new(cpus: usize, units: usize) -> Self {
        Self {
            units: vec![Unit::EMPTY; units],
            domains: vec![DomainRecord::EMPTY; units],
            processors: vec![Processor::EMPTY; cpus],
        }
    }

    fn policy(&mut self, topology: &[Place], parameters: Parameters) -> Credit<'_> {
        let memory = Memory {
            units: &mut self.units,
            domains: &mut self.domains,
            processors: &mut self.processors,
        };
        Credit::new(memory, topology, parameters)
    }
}

/// The ledger's facts about a unit.
#[derive(Clone, Debug, Default)]
struct Account {
    domain: usize,
    present: bool,
    /// Nanoseconds executed, as far as charged.
    used: u64,
    since: Option<u64>,
    /// Credits earned, less those forfeited, more those forgiven.
    earned: i64,
    active: bool,
    parked: bool,
    /// Yielded, and not queued since.
    yielding: bool,
}

impl Account {
    fn credit(&self) -> i64 {
        self.earned - (self.used / CREDIT) as i64
    }
}

/// CREDIT and a naive book-keeper next to it. The book-keeper sees every event, and computes each
/// unit's credit from all that it has ever executed, and each queue from the one before. After
/// every call both have to agree.
struct Ledger<'a> {
    inner: Credit<'a>,
    cpus: usize,
    accounts: Vec<Account>,
    weights: Vec<i64>,
    caps: Vec<i64>,
    /// Domains with active units, the first to be served first; and their units.
    order: Vec<(usize, Vec<usize>)>,
    balance: i64,
    unsorted: BTreeSet<usize>,
    /// Credits that units lost because they had more than a slice's worth, and
    /// that they were forgiven because they owed more.
    forfeited: Vec<i64>,
    forgiven: Vec<i64>,
}

/// A moment of a pool: every queue, every class.
struct Moment {
    queues: Vec<Vec<usize>>,
    ranks: Vec<Option<Rank>>,
    current: Vec<Option<usize>>,
}

impl<'a> Ledger<'a> {
    fn new(inner: Credit<'a>, cpus: usize, units: usize) -> Self {
        Self {
            inner,
            cpus,
            accounts: vec![Account::default(); units],
            weights: vec![256; units],
            caps: vec![0; units],
            order: Vec::new(),
            balance: 0,
            unsorted: BTreeSet::new(),
            forfeited: vec![0; units],
            forgiven: vec![0; units],
        }
    }

    fn set_weight(&mut self, domain: usize, weight: u32) {
        self.weights[domain] = weight.into();
        let id = Domain::new(domain as u16);
        self.inner.set_weight(id, weight).unwrap();
    }

    fn set_cap(&mut self, domain: usize, cap: u32) {
        self.caps[domain] = cap.into();
        let id = Domain::new(domain as u16);
        self.inner.set_cap(id, cap).unwrap();
    }

    fn moment(&self) -> Moment {
        let queue = |on| self.inner.queue(cpu(on)).map(Vcpu::index).collect();
        let current = |on| self.inner.current(cpu(on)).map(Vcpu::index);
        Moment {
            queues: (0..self.cpus).map(queue).collect(),
            ranks: (0..self.accounts.len())
                .map(|index| self.inner.rank(vcpu(index)))
                .collect(),
            current: (0..self.cpus).map(current).collect(),
        }
    }

    fn charge(&mut self, index: usize, now: Instant) {
        let account = &mut self.accounts[index];
        if let Some(since) = account.since {
            account.used += now.as_nanos() - since;
            account.since = Some(now.as_nanos());
        }
    }

    fn activate(&mut self, index: usize) {
        let account = &mut self.accounts[index];
        if std::mem::replace(&mut account.active, true) {
            return;
        }
        let domain = account.domain;
        match self.order.iter_mut().find(|(id, _)| *id == domain) {
            Some((_, units)) => units.insert(0, index),
            None => self.order.insert(0, (domain, vec![index])),
        }
    }

    fn deactivate(&mut self, index: usize) {
        self.accounts[index].active = false;
        for (_, units) in &mut self.order {
            units.retain(|&other| other != index);
        }
        self.order.retain(|(_, units)| !units.is_empty());
    }

    /// The rules of accounting, written down a second time.
    fn account(&mut self) {
        let up =
            |value: i64, by: i64| (value as i128 + by as i128 - 1).div_euclid(by as i128) as i64;
        let visits = self.order.clone();
        let weights = self.weights.clone();
        let weight_of = |(id, units): &(usize, Vec<usize>)| weights[*id] * units.len() as i64;
        let total: i64 = visits.iter().map(weight_of).sum();
        if total == 0 {
            self.balance = 0;
            return;
        }
        let owed = (-self.balance).max(0);
        let mut pot = SLICE * self.inner.cpus().count() as i64 + owed;
        let mut short = false;
        let mut balance = 0;
        for (place, visit) in visits.iter().enumerate() {
            let weight = weight_of(visit);
            let (id, units) = visit;
            let count = units.len() as i64;
            let left: i64 = visits[place + 1..].iter().map(weight_of).sum();
            let mut peak = count * SLICE + up(owed * weight, total);
            let cap = (self.caps[*id] > 0).then(|| up(self.caps[*id] * SLICE, 100));
            peak = cap.map_or(peak, |cap| peak.min(cap));
            let fair = up(pot * weight, total);
            if fair < peak {
                short = true;
            } else {
                if left > 0 {
                    pot += up((fair - peak) * total, left);
                }
                if short {
                    let at = self
                        .order
                        .iter()
                        .position(|(other, _)| other == id)
                        .unwrap();
                    let domain = self.order.remove(at);
                    self.order.insert(0, domain);
                }
            }
            let each = up(fair.min(peak), count);
            for &index in units {
                balance += self.pay(index, each, cap.map(|cap| up(cap, count)));
            }
        }
        self.balance = balance;
        self.unsorted = (0..self.cpus).collect();
    }

    fn pay(&mut self, index: usize, gain: i64, debt: Option<i64>) -> i64 {
        self.accounts[index].earned += gain;
        let credit = self.accounts[index].credit();
        if credit < 0 {
            if debt.is_some_and(|debt| credit < -debt) {
                self.accounts[index].parked = true;
            }
            let forgiven = (-SLICE - credit).max(0);
            self.accounts[index].earned += forgiven;
            self.forgiven[index] += forgiven;
        } else {
            self.accounts[index].parked = false;
            if credit > SLICE {
                let lost = credit - credit / 2;
                self.accounts[index].earned -= lost;
                self.forfeited[index] += lost;
                self.deactivate(index);
            }
        }
        self.accounts[index].credit()
    }

    /// Both agree on every unit.
    fn compare(&self, what: &str) {
        for (index, account) in self.accounts.iter().enumerate() {
            if !account.present {
                continue;
            }
            let id = vcpu(index);
            assert_eq!(
                self.inner.credit(id),
                Some(account.credit()),
                "{what}: unit {index}"
            );
            assert_eq!(
                self.inner.is_active(id),
                account.active,
                "{what}: unit {index}"
            );
            assert_eq!(
                self.inner.is_parked(id),
                account.parked,
                "{what}: unit {index}"
            );
        }
    }

    /// Every queue follows from the one before: those that stay keep their order, and one that
    /// comes is before the first of a lower class.
    fn compare_queues(&mut self, before: &Moment, sorted: Option<usize>, moved: Option<usize>) {
        let after = self.moment();
        for (index, account) in self.accounts.iter_mut().enumerate() {
            // A yield is over when the queue is left.
            let waited = before.queues.iter().any(|queue| queue.contains(&index));
            account.yielding &= waited && moved != Some(index) || account.since.is_some();
        }
        for on in 0..self.cpus {
            let old = &before.queues[on];
            let new = &after.queues[on];
            // A unit that leaves does so after the other one has come.
            let stays = |index: &&usize| moved != Some(**index);
            let mut kept: Vec<usize> = old.iter().filter(stays).copied().collect();
            if sorted == Some(on) {
                kept.sort_by_key(|&index| after.ranks[index] <= Some(Rank::Over));
            }
            let came: Vec<usize> = new
                .iter()
                .filter(|index| !kept.contains(index))
                .copied()
                .collect();
            if let [index] = came[..] {
                let lower = |other: &usize| after.ranks[*other] < after.ranks[index];
                let mut at = kept.iter().position(lower).unwrap_or(kept.len());
                if self.accounts[index].yielding {
                    at = (at + 1).min(kept.len());
                }
                kept.insert(at, index);
            }
            kept.retain(|index| new.contains(index));
            if came.len() < 2 {
                assert_eq!(new, &kept, "processor {on}: {came:?} to {old:?}");
            }
        }
    }

    /// Only the events that may change a class have changed it.
    fn compare_ranks(&self, before: &Moment, may: impl Fn(usize, Rank, Rank) -> bool) {
        for (index, &old) in before.ranks.iter().enumerate() {
            if let (Some(old), Some(new)) = (old, self.inner.rank(vcpu(index))) {
                assert!(
                    old == new || may(index, old, new),
                    "{index}: {old:?}, {new:?}"
                );
            }
        }
    }

    /// The choice of `on` is the head of its queue, or was kept, or was stolen.
    fn compare_choice(&self, on: usize, before: &Moment, next: Option<usize>, kept: bool) {
        let last = before.current[on];
        let Some(next) = next else { return };
        if kept || last == Some(next) {
            return;
        }
        let from = (0..self.cpus).find(|&other| before.queues[other].contains(&next));
        let from = from.expect("who is chosen has waited");
        let head = before.queues[on].first().copied();
        if from == on {
            assert_eq!(Some(next), head, "who waits longest in the best class");
        } else {
            let mine = self.inner.queue(cpu(on)).next();
            let mine = mine.and_then(|index| before.ranks[index.index()]);
            assert!(mine <= Some(Rank::Over), "it has urgent work of its own");
            assert!(mine < before.ranks[next], "what it steals is better");
            let mut ahead = before.queues[from]
                .iter()
                .take_while(|&&other| other != next);
            assert!(
                ahead.all(|&other| before.ranks[other] > mine),
                "it stops at the first that is no better"
            );
        }
    }

    fn waits(&self, index: usize) -> bool {
        (0..self.cpus).any(|on| self.inner.queue(cpu(on)).any(|id| id.index() == index))
    }
}

impl Policy for Ledger<'_> {
    fn add_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let result = self.inner.add_cpu(cpu, now, fx);
        if result.is_ok() {
            self.unsorted.remove(&cpu.index());
        }
        self.compare("a processor joins");
        result
    }

    fn remove_cpu(&mut self, cpu: Cpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let result = self.inner.remove_cpu(cpu, now, fx);
        self.compare("a processor leaves");
        result
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let result = self.inner.insert(vcpu, admission, now, fx);
        self.accounts[vcpu.index()] = Account {
            present: true,
            domain: admission.domain.index(),
            ..Account::default()
        };
        self.compare("insert");
        result
    }

    fn remove(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        let result = self.inner.remove(vcpu, now, fx);
        if result.is_ok() {
            self.deactivate(vcpu.index());
            self.accounts[vcpu.index()].present = false;
        }
        self.compare("remove");
        result
    }

    fn wake(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let before = self.moment();
        self.inner.wake(vcpu, now, fx);
        self.compare_queues(&before, None, None);
        let boost = (Rank::Under, Rank::Boost);
        self.compare_ranks(&before, |index, old, new| {
            index == vcpu.index() && (old, new) == boost
        });
    }

    fn sleep(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let before = self.moment();
        self.inner.sleep(vcpu, now, fx);
        self.compare_queues(&before, None, None);
        self.compare_ranks(&before, |_, _, _| false);
    }

    fn yield_now(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let runs = self.accounts[vcpu.index()].since.is_some();
        self.accounts[vcpu.index()].yielding |= runs;
        self.inner.yield_now(vcpu, now, fx);
    }

    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        soft: CpuSet,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let before = self.moment();
        let result = self.inner.set_affinity(vcpu, hard, soft, now, fx);
        self.compare_queues(&before, None, Some(vcpu.index()));
        self.compare_ranks(&before, |_, _, _| false);
        result
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, fx: &mut impl Effects) -> Choice {
        let before = self.moment();
        let last = before.current[cpu.index()];
        if let Some(index) = last {
            self.charge(index, now);
        }
        let choice = self.inner.schedule(cpu, now, work, fx);
        let next = choice.next.map(Vcpu::index);
        let kept = next.is_some() && next == last;
        self.compare_queues(&before, None, None);
        self.compare_choice(cpu.index(), &before, next, kept);
        self.compare_ranks(&before, |_, _, _| false);
        if let Some(index) = last.filter(|_| last != next) {
            self.accounts[index].since = None;
            if !self.waits(index) {
                self.accounts[index].yielding = false;
            }
        }
        if let Some(index) = next {
            let account = &mut self.accounts[index];
            account.since = Some(now.as_nanos());
            account.yielding = false;
        }
        self.compare("schedule");
        choice
    }

    fn context_saved(&mut self, cpu: Cpu, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let before = self.moment();
        self.inner.context_saved(cpu, vcpu, now, fx);
        self.compare_queues(&before, None, None);
        self.compare_ranks(&before, |_, _, _| false);
    }

    fn timer(&mut self, timer: Timer, now: Instant, fx: &mut impl Effects) {
        let before = self.moment();
        self.inner.timer(timer, now, fx);
        match timer {
            Timer::Tick(cpu) => {
                let current = before.current[cpu.index()];
                let current = current.filter(|_| self.inner.cpus().contains(cpu));
                if let Some(index) = current {
                    self.charge(index, now);
                    self.activate(index);
                    let sorts = self.unsorted.remove(&cpu.index());
                    self.compare_queues(&before, sorts.then_some(cpu.index()), None);
                }
                self.compare_ranks(&before, |index, old, new| {
                    current == Some(index) && (old, new) == (Rank::Boost, Rank::Under)
                });
            }
            _ => {
                self.account();
                for (index, account) in self.accounts.iter().enumerate() {
                    if account.present && account.active {
                        let over = self.inner.rank(vcpu(index)) == Some(Rank::Over);
                        assert_eq!(over, account.credit() < 0, "unit {index}");
                        assert!(over || self.inner.rank(vcpu(index)) == Some(Rank::Under));
                    }
                }
            }
        }
        self.compare("a timer");
    }

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        self.inner.current(cpu)
    }

    fn cpus(&self) -> CpuSet {
        self.inner.cpus()
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        self.inner.check_invariants()
    }
}

fn parameters(seed: u64) -> Parameters {
    let base = Parameters::DEFAULT;
    match seed % 4 {
        0 => base,
        1 => base.with_balance_ratelimit(Duration::ZERO).unwrap(),
        2 => base.with_ratelimit(Duration::ZERO).unwrap(),
        _ => base.without_balancing(),
    }
}

/// Runs a stress test over CREDIT, with or without the ledger. Returns the number of events.
fn storm(setup: RandomRun, watched: bool) -> u64 {
    let mut tables = Tables::new(setup.cpus, setup.units);
    let topology = crate::random_run::topology(setup.cpus);
    let policy = tables.policy(&topology, parameters(setup.seed));
    let draw = |random: &mut Random| {
        let domain = random.between(0, setup.units as u64 / 2) as usize;
        let weight = random.between(1, 1024) as u32;
        let cap = if random.once_in(2) {
            0
        } else {
            random.between(1, 250)
        };
        (domain, weight, cap as u32)
    };
    if watched {
        let mut world =
            crate::random_run::world(Ledger::new(policy, setup.cpus, setup.units), setup);
        blow(&mut world, setup, |world, random| {
            let (domain, weight, cap) = draw(random);
            world.policy.set_weight(domain, weight);
            world.policy.set_cap(domain, cap);
        });
        world.events
    } else {
        let mut world = crate::random_run::world(policy, setup);
        blow(&mut world, setup, |world, random| {
            let (domain, weight, cap) = draw(random);
            let id = Domain::new(domain as u16);
            world.policy.set_weight(id, weight).unwrap();
            world.policy.set_cap(id, cap).unwrap();
        });
        world.events
    }
}

#[test]
fn invariants_hold_in_stress_tests() {
    let events: u64 = plain().map(|setup| storm(setup, false)).sum();
    assert!(events >= 1_200_000);
}

#[test]
fn ledger_agrees_in_stress_tests() {
    for setup in watched(12) {
        storm(setup, true);
    }
}

/// The invariant of the module's head, with the book-keeper's own figures. Whatever the weights,
/// if no more was forfeited and forgiven than rounding had added, the time of each unit is its
/// part within three slices and that rounding.
#[test]
fn where_nothing_is_lost_time_follows_weight() {
    let mut random = Random::new(67);
    let (mut kept, mut lost) = (0, 0);
    for _ in 0..150 {
        let units = random.between(2, 6) as usize;
        let weights: Vec<u64> = (0..units).map(|_| random.between(1, 4096)).collect();
        let mut tables = Tables::new(1, units);
        let policy = tables.policy(&[Place::flat(0)], Parameters::DEFAULT);
        let ledger = Ledger::new(policy, 1, units);
        let mut world = World::new(ledger, 1, units, Costs::default());
        for (index, &weight) in weights.iter().enumerate() {
            world.policy.set_weight(index, weight as u32);
            world.give(0, index, FOREVER);
        }
        let accountings = 300;
        world.run_until(accountings * SLICE as u64 * CREDIT);
        let rounding = accountings * 2 * units as u64;
        let ledger = &world.policy;
        let adjusted: i64 = ledger.forfeited.iter().chain(&ledger.forgiven).sum();
        if adjusted as u64 > rounding {
            lost += 1;
            continue;
        }
        kept += 1;
        let sum: u64 = weights.iter().sum();
        for (index, &weight) in weights.iter().enumerate() {
            let part = world.now * weight / sum;
            let apart = part.abs_diff(world.served(index));
            let bound = (3 * SLICE as u64 + rounding) * CREDIT;
            assert!(apart <= bound, "{weights:?}: {apart} of {bound} ns");
        }
    }
    assert!(kept >= 50 && lost >= 10, "{kept} kept, {lost} lost");
}
