//! Caps: budgets, quotas, debts.

use super::*;
use crate::vcpu::{Error, Profile};
use std::string::ToString;

/// `units` units of domain 0 on as many processors of one run queue.
fn one_domain(units: usize, parameters: Parameters, test: impl FnOnce(&mut Bench)) {
    with(&flat(units), Grouping::DEFAULT, units, parameters, |b| {
        for index in 0..units {
            b.remove(index).unwrap();
        }
        for index in 0..units {
            b.insert(index, Admission::anywhere(Domain::new(0)));
        }
        b.probe.take();
        test(b);
    });
}

fn budget(b: &Bench, index: usize) -> i64 {
    b.policy.budget(vcpu(index)).unwrap()
}

fn pool(b: &Bench) -> i64 {
    b.policy.domains[0].pool
}

#[test]
fn a_cap_is_at_most_100_percent_a_unit() {
    one_domain(2, P, |b| {
        let domain = Domain::new(0);
        let refused = b.call(|p, now, fx| p.set_cap(domain, 201, now, fx));
        assert_eq!(
            refused.unwrap_err().to_string(),
            "cap is 201 %: give 0 to 200 %"
        );
        assert!(b.call(|p, now, fx| p.set_cap(domain, 200, now, fx)).is_ok());
        let none = Domain::new(99);
        let refused = b.call(|p, now, fx| p.set_cap(none, 1, now, fx));
        assert_eq!(refused, Err(Error::NoDomain(none)));
    });
    one_domain(1, Parameters::of(Profile::Xen45), |b| {
        let refused = b.call(|p, now, fx| p.set_cap(Domain::new(0), 1, now, fx));
        assert_eq!(refused.unwrap_err().to_string(), "cap is 1 %: give 0 %");
    });
}

const P: Parameters = Parameters::DEFAULT;

#[test]
fn a_unit_takes_its_part_when_it_is_chosen() {
    one_domain(2, unlimited(), |b| {
        b.cap(0, 50);
        let refill = Some(Instant::from_nanos(10 * MS));
        let timer = (Timer::Refill(Domain::new(0)), refill);
        assert_eq!(b.probe.take().timers, [timer]);
        assert_eq!(pool(b), 5 * CREDIT_MS);
        b.wake(0);
        b.wake(1);
        b.switch(0);
        // At once, not as it runs.
        assert_eq!((budget(b, 0), pool(b)), (2_500_000, 2_500_000));
        b.switch(1);
        assert_eq!((budget(b, 1), pool(b)), (2_500_000, 0));
    });
}

#[test]
fn half_a_millisecond_at_least_or_whatever_is_left() {
    one_domain(2, unlimited(), |b| {
        b.cap(0, 8); // 800 µs a period, 400 µs a unit.
        b.wake(0);
        b.wake(1);
        b.switch(0);
        b.switch(1);
        assert_eq!((budget(b, 0), budget(b, 1)), (500_000, 300_000));
        // A slice is as long as the budget, but no shorter than a slice is.
        assert_eq!((b.slice(0), b.slice(1)), (500 * US, 500 * US));
    });
}

#[test]
fn without_budget_it_is_parked_until_the_refill() {
    one_domain(1, unlimited(), |b| {
        b.cap(0, 20);
        b.wake(0);
        b.switch(0);
        assert_eq!(b.slice(0), 2 * MS);
        b.now = 2 * MS + 300 * US;
        assert_eq!(b.switch(0), None);
        assert!(b.policy.is_parked(vcpu(0)));
        // The overrun is a debt.
        assert_eq!((budget(b, 0), pool(b)), (0, -300_000));
        b.tickles();
        b.now = 10 * MS;
        b.refill(0);
        assert_eq!(pool(b), 1_700_000);
        let wishes = b.probe.take();
        assert_eq!(wishes.tickles, [cpu(0)]);
        let next = Some(Instant::from_nanos(20 * MS));
        assert_eq!(wishes.timers, [(Timer::Refill(Domain::new(0)), next)]);
        assert_eq!(b.switch(0), Some(0));
        assert_eq!(b.slice(0), 1_700_000);
    });
}

#[test]
fn a_late_refill_makes_up_for_all_periods_but_gives_one_at_most() {
    one_domain(1, unlimited(), |b| {
        b.cap(0, 20);
        b.policy.domains[0].pool = -5 * CREDIT_MS;
        b.tickles();
        b.now = 32 * MS;
        b.refill(0);
        // Three periods have passed: −5 + 3 · 2.
        assert_eq!(pool(b), CREDIT_MS);
        let timers = b.probe.take().timers;
        assert_eq!(timers[0].1, Some(Instant::from_nanos(40 * MS)));
        b.now = 95 * MS;
        b.refill(0);
        assert_eq!(pool(b), 2 * CREDIT_MS);
    });
}

#[test]
fn what_is_not_used_returns_and_lets_others_run() {
    one_domain(2, unlimited(), |b| {
        b.cap(0, 10); // One millisecond: two quotas of 500 µs.
        b.policy.domains[0].pool = 500_000;
        b.wake(0);
        b.switch(0);
        b.wake(1);
        assert_eq!(b.switch(1), None, "unit 0 has it all");
        assert!(b.policy.is_parked(vcpu(1)));
        b.now = 100 * US;
        b.tickles();
        b.sleep(0);
        assert_eq!(b.schedule(0).next, None);
        assert!(b.policy.is_parked(vcpu(1)));
        b.saved(0, 0);
        assert!(!b.policy.is_parked(vcpu(1)));
        assert_eq!(pool(b), 400_000);
        let on = *b.tickles().last().unwrap();
        assert_eq!(b.switch(on), Some(1));
        assert_eq!((budget(b, 1), pool(b)), (400_000, 0));
    });
}

#[test]
fn the_rate_limit_comes_before_the_cap() {
    one_domain(1, P, |b| {
        b.cap(0, 6);
        b.wake(0);
        b.switch(0);
        // 600 µs of budget, but it runs for a millisecond once started.
        assert_eq!(b.slice(0), MS);
        b.now = 700 * US;
        assert_eq!(b.switch(0), Some(0));
        b.now = MS;
        assert_eq!(b.switch(0), None);
        assert_eq!(pool(b), -400_000);
    });
}

#[test]
fn a_unit_that_sleeps_waits_for_no_budget() {
    one_domain(1, unlimited(), |b| {
        b.cap(0, 20);
        b.wake(0);
        b.switch(0);
        b.now = 2 * MS;
        b.switch(0);
        b.sleep(0);
        assert!(!b.policy.is_parked(vcpu(0)));
        b.now = 10 * MS;
        b.refill(0);
        assert_eq!(b.queue(0), []);
        b.wake(0);
        assert_eq!(b.switch(0), Some(0));
    });
}

#[test]
fn a_cap_that_comes_or_goes_holds_at_once() {
    one_domain(1, unlimited(), |b| {
        b.wake(0);
        b.switch(0);
        b.now = 3 * MS;
        b.tickles();
        b.cap(0, 10);
        assert_eq!(b.tickles(), [0]);
        assert_eq!(budget(b, 0), 0, "the past is free");
        b.switch(0);
        assert_eq!(budget(b, 0), CREDIT_MS);
        b.now = 4 * MS;
        assert_eq!(b.switch(0), None);
        b.tickles();
        b.cap(0, 0);
        let wishes = b.probe.take();
        assert_eq!(wishes.timers, [(Timer::Refill(Domain::new(0)), None)]);
        assert_eq!(wishes.tickles, [cpu(0)]);
        assert_eq!(b.switch(0), Some(0));
        assert!(b.slice(0) > MS);
    });
}
