//! The bounds of the operations, counted.

extern crate std;

use super::*;
use crate::vcpu::kit::tests::probe::{Act, storm};
use crate::vcpu::kit::tests::{self, MS, check_refusals, vcpu};
use std::vec;
use taktos_time::Duration;

type Bench<'a> = tests::Bench<Rtds<'a>>;

impl Rtds<'_> {
    /// The steps since the last time.
    fn steps(&mut self) -> u64 {
        let all = [
            self.run.steps.take(),
            self.depleted.steps.take(),
            self.refills.steps.take(),
            self.due.steps.take(),
            self.requests.steps.take(),
        ];
        all.iter().sum()
    }
}

/// The documented bound.
fn bound(act: Act, n: u64, m: u64) -> u64 {
    match act {
        Act::Wake => 2 * n + m + 8,
        Act::Insert | Act::Sleep => 8,
        Act::Saved => n + m + 8,
        Act::Schedule => n + m + 8,
        Act::Timer { due } => due * (3 * n + 8) + (due + m) * (n + m),
        Act::Affinity | Act::Yield => m + 8,
        Act::AddCpu | Act::RemoveCpu => (n + 1) * (m + 1) + n,
    }
}

#[test]
#[cfg_attr(miri, ignore = "counts steps, which are the same there")]
fn no_operation_takes_more_steps_than_documented() {
    for (n, m) in [(3, 1), (12, 4), (40, 8)] {
        let mut units = vec![Unit::EMPTY; n];
        let mut policy = Rtds::new(&mut units, Options::DEFAULT);
        for index in 0..n {
            let period = Duration::from_micros(500 + 700 * (index as u64 % 7));
            let server = Parameters::new(Duration::from_micros(100), period);
            let vcpu = Vcpu::new(index as u16);
            let server = server.with_extratime(index % 2 == 0);
            policy.set_parameters(vcpu, server, Demand::Forced).unwrap();
        }
        let mut worst = 0;
        let due = |policy: &Rtds, now: Instant| {
            let due = policy.units.iter().filter(|unit| unit.deadline <= now);
            due.count() as u64
        };
        storm(&mut policy, (n, m), 7, due, |policy, act| {
            let steps = policy.steps();
            let limit = bound(act, n as u64, m as u64);
            assert!(
                steps <= limit,
                "{act:?}: {steps} steps, of {n} units and {m} processors"
            );
            worst = worst.max(steps);
        });
        // The count counts: what is longest grows with the number of units.
        assert!(worst >= n as u64);
    }
}

/// A pool of one processor with `server` for each unit.
fn pool(units: &mut [Unit], server: Parameters) -> Bench<'_> {
    let count = units.len();
    let mut rtds = Rtds::new(units, Options::DEFAULT);
    for index in 0..count {
        let set = rtds.set_parameters(vcpu(index), server, Demand::Forced);
        set.unwrap();
    }
    Bench::new(rtds, 1)
}

#[test]
fn what_is_refused() {
    Bench::new(Rtds::new(&mut [Unit::EMPTY; 2], Options::DEFAULT), 2).with(2, check_refusals);
}

#[test]
fn a_unit_that_wakes_late_while_it_is_saved_is_refilled_in_its_place() {
    // Unit 0 has 4 of 10 ms and is switched out at 9 ms; the timer of 10 ms is late, and at
    // 11 ms the unit wakes, not saved yet. Unit 1's period ends at 15 ms.
    pool(&mut [Unit::EMPTY; 2], Parameters::DEFAULT).with(2, |b| {
        b.wake(0);
        b.schedule(0);
        b.now = 5 * MS;
        b.wake(1);
        b.now = 9 * MS;
        b.sleep(0);
        assert_eq!(b.next(0), Some(1));
        b.probe.take();
        b.now = 11 * MS;
        b.wake(0);
        b.check();
        let ms = |count| Instant::from_nanos(count * MS);
        let timer = (Timer::Replenishment, Some(ms(15)));
        assert_eq!(b.probe.take().timers, [timer]);
        assert_eq!(b.policy.deadline(vcpu(0)), Some(ms(20)));
        b.saved(0, 0);
    });
}

#[test]
fn the_supply_of_a_unit_without_budget_is_its_refill() {
    // 4 of 10 ms; the second one with extra time. It runs from 0 on.
    for extra in [false, true] {
        let server = Parameters::DEFAULT.with_extratime(extra);
        pool(&mut [Unit::EMPTY; 1], server).with(1, |b| {
            assert_eq!(b.supply(0, 3 * MS, 0), 3 * MS, "it has not begun");
            b.wake(0);
            b.schedule(0);
            // It would sleep at 3 ms with something left, at 4 ms with nothing.
            let refill = if extra { 6 } else { 10 };
            let wakes = [(3, 6, 6), (4, 6, refill), (4, 10, 10), (4, 13, 13)];
            for (now, wake, supply) in wakes {
                let found = b.supply(0, wake * MS, now * MS);
                let case = std::format!("{wake} at {now}, extra time: {extra}");
                assert_eq!(found, supply * MS, "{case}");
            }
            b.now = 4 * MS;
            b.sleep(0);
            assert_eq!(b.switch(0), None);
            let supply = if extra { 5 } else { 10 };
            assert_eq!(b.supply(0, 5 * MS, 4 * MS), supply * MS);
        });
    }
}
