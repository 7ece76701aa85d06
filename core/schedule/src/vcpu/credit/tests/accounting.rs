//! Spending and earning.

use super::*;
use taktos_time::Duration;

fn unlimited() -> Parameters {
    Parameters::DEFAULT.with_ratelimit(Duration::ZERO).unwrap()
}

#[test]
fn a_millisecond_costs_ten_credits_and_no_part_is_lost() {
    with(&flat(1), 1, unlimited(), |b| {
        b.wake(0);
        b.switch(0);
        // Ten charges of 1.5 credits each.
        for charge in 1..=10 {
            b.now = charge * 150 * US;
            b.switch(0);
            assert_eq!(b.credit(0), -(charge as i64 * 15 / 10));
        }
    });
}

#[test]
fn only_accounting_changes_the_class_downwards() {
    with(&flat(1), 1, unlimited(), |b| {
        b.wake(0);
        b.switch(0);
        b.now = 10 * MS;
        b.tick(0);
        // Owes 100, and has lost the boost to the tick, but is not OVER.
        assert_eq!((b.credit(0), b.rank(0)), (-100, Rank::Under));
        b.now = 25 * MS;
        b.switch(0);
        assert_eq!((b.credit(0), b.rank(0)), (-250, Rank::Under));
        // At 35 ms it has used 350 and earns 300 for the one processor.
        b.now = 35 * MS;
        b.switch(0);
        b.account();
        assert_eq!((b.credit(0), b.rank(0)), (-50, Rank::Over));
    });
}

#[test]
fn boost_and_activity_are_sampled_by_ticks() {
    with(&flat(1), 2, unlimited(), |b| {
        // Runs between ticks only: boosted every time, never active, never paid.
        for turn in 0..5 {
            b.now = (10 * turn + 1) * MS;
            b.wake(0);
            assert_eq!(b.rank(0), Rank::Boost);
            b.switch(0);
            b.now += 8 * MS;
            b.sleep(0);
            b.switch(0);
        }
        assert!(!b.policy.is_active(vcpu(0)));
        b.account();
        assert_eq!((b.credit(0), b.rank(0)), (-400, Rank::Boost));
        b.wake(1);
        b.switch(0);
        b.tick(0);
        assert!(b.policy.is_active(vcpu(1)));
        assert_eq!(b.rank(1), Rank::Under);
    });
}

#[test]
fn the_pot_is_shared_by_weight() {
    with(&flat(1), 2, unlimited(), |b| {
        b.weight(1, 512);
        b.activate(0);
        b.activate(1);
        b.account();
        assert_eq!((b.credit(0), b.credit(1)), (100, 200));
        // A weight counts from when it is set: 300 · 256/1024 = 75.
        b.weight(1, 768);
        b.account();
        assert_eq!((b.credit(0), b.credit(1)), (175, 425 / 2));
    });
}

#[test]
fn a_weight_counts_once_for_each_active_unit() {
    let mut records = [Unit::EMPTY; 3];
    let mut domains = [DomainRecord::EMPTY; 2];
    let mut processors = [Processor::EMPTY; 1];
    let memory = Memory {
        units: &mut records,
        domains: &mut domains,
        processors: &mut processors,
    };
    let mut b = Bench::new(Credit::new(memory, &flat(1), unlimited()), 1);
    for (index, domain) in [(0, 0), (1, 0), (2, 1)] {
        b.insert(index, Admission::anywhere(Domain::new(domain)));
    }
    // One active unit each: halves. Then two of the first domain: thirds.
    b.activate(0);
    b.activate(2);
    b.account();
    assert_eq!([0, 1, 2].map(|index| b.credit(index)), [150, 0, 150]);
    b.activate(1);
    b.account();
    assert_eq!([0, 1, 2].map(|index| b.credit(index)), [250, 100, 250]);
}

#[test]
fn what_a_cap_leaves_goes_to_those_after_it_who_are_served_first_next_time() {
    with(&flat(1), 2, unlimited(), |b| {
        b.cap(0, 10);
        b.activate(0);
        b.activate(1);
        // Unit 1 comes first and is short of its peak: 150 of 300. Unit 0 takes
        // its 30; what it leaves is lost, but it goes to the head.
        b.account();
        assert_eq!((b.credit(0), b.credit(1)), (30, 150));
        // Unit 0 first: 120 are left, the pot grows by 120 · 512/256 = 240, and
        // unit 1 gets 540 · 256/512 = 270: beyond a slice, so it earns no more.
        b.account();
        assert_eq!((b.credit(0), b.credit(1)), (60, 420 / 2));
        assert!(!b.policy.is_active(vcpu(1)));
    });
}

#[test]
fn debt_makes_the_next_pot_greater() {
    with(&flat(1), 1, unlimited(), |b| {
        b.activate(0);
        b.wake(0);
        b.switch(0);
        b.now = 40 * MS;
        b.sleep(0);
        b.switch(0);
        b.account();
        assert_eq!((b.credit(0), b.rank(0)), (300 - 400, Rank::Over));
        // Pot and peak are 300 + 100.
        b.account();
        assert_eq!((b.credit(0), b.rank(0)), (300, Rank::Under));
        assert!(b.policy.is_active(vcpu(0)));
        // More than a slice's worth: inactive, and half of it is gone.
        b.account();
        assert_eq!(b.credit(0), 600 / 2);
        assert!(!b.policy.is_active(vcpu(0)));
        b.account();
        assert_eq!(b.credit(0), 300);
    });
}

#[test]
fn nobody_owes_more_than_a_slice() {
    with(&flat(1), 1, unlimited(), |b| {
        b.activate(0);
        b.wake(0);
        b.switch(0);
        b.now = 100 * MS;
        b.switch(0);
        assert_eq!(b.credit(0), -1000);
        b.account();
        assert_eq!(b.credit(0), -300);
    });
}

#[test]
fn a_cap_parks_and_unparks_at_accounting() {
    with(&flat(1), 1, unlimited(), |b| {
        b.cap(0, 20); // 60 credits a slice.
        b.activate(0);
        b.wake(0);
        b.switch(0);
        b.now = 10 * MS;
        b.switch(0);
        b.account();
        // −100 + 60: OVER, but no more than a cap's worth.
        assert_eq!((b.credit(0), b.policy.is_parked(vcpu(0))), (-40, false));
        b.now = 24 * MS;
        b.switch(0);
        b.probe.take();
        b.account();
        // −40 − 140 + 60.
        assert_eq!((b.credit(0), b.policy.is_parked(vcpu(0))), (-120, true));
        assert_eq!(b.tickles(), [0]);
        assert_eq!(b.switch(0), None);
        // Its events continue, but it does not run.
        b.sleep(0);
        b.wake(0);
        assert!(b.tickles().is_empty() && b.queue(0).is_empty());
        b.account();
        assert_eq!((b.credit(0), b.policy.is_parked(vcpu(0))), (-60, true));
        b.account();
        assert_eq!((b.credit(0), b.policy.is_parked(vcpu(0))), (0, false));
        // It runs on, without boost.
        assert_eq!((b.rank(0), b.queue(0)), (Rank::Under, [0].to_vec()));
        assert_eq!(b.tickles(), [0]);
        assert_eq!(b.switch(0), Some(0));
    });
}

#[test]
fn a_parked_unit_that_slept_meanwhile_stays_asleep() {
    with(&flat(1), 1, unlimited(), |b| {
        b.cap(0, 1);
        b.activate(0);
        b.wake(0);
        b.switch(0);
        b.now = 10 * MS;
        b.switch(0);
        b.account();
        assert!(b.policy.is_parked(vcpu(0)));
        b.sleep(0);
        b.switch(0);
        while b.policy.is_parked(vcpu(0)) {
            b.account();
        }
        assert!(b.queue(0).is_empty());
        // Awake again, it is boosted like any other.
        b.wake(0);
        assert_eq!(b.rank(0), Rank::Boost);
    });
}

#[test]
fn accounting_is_armed_from_its_own_execution() {
    with(&flat(1), 1, unlimited(), |b| {
        b.now = 30 * MS + 17;
        b.account();
        let next = Some(Instant::from_nanos(60 * MS + 17));
        assert_eq!(b.probe.take().timers, [(Timer::Accounting, next)]);
    });
}
