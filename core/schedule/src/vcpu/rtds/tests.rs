//! The bounds of the operations, counted.

extern crate std;

use super::*;
use crate::vcpu::Domain;
use crate::vcpu::probe::{Act, Probe, storm};
use std::vec;
use taktos_time::Duration;

impl Rtds<'_> {
    /// The steps since the last time.
    fn steps(&mut self) -> u64 {
        let all = [
            self.run.steps.take(),
            self.depleted.steps.take(),
            self.refills.steps.take(),
            self.due.steps.take(),
            self.steps.take(),
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

#[test]
fn who_wakes_late_while_it_is_saved_is_refilled_in_its_place() {
    // Unit 0 has 4 of 10 ms and is switched out at 9 ms; the timer of 10 ms is late, and at
    // 11 ms the unit wakes, not saved yet. Unit 1's period ends at 15 ms.
    let ms = |count: u64| Instant::from_nanos(count * 1_000_000);
    let mut units = [Unit::EMPTY; 2];
    let mut fx = Probe::default();
    let mut rtds = Rtds::new(&mut units, Options::DEFAULT);
    let cpu = Cpu::new(0).unwrap();
    rtds.add_cpu(cpu, ms(0), &mut fx).unwrap();
    let [first, second] = [0, 1].map(Vcpu::new);
    for vcpu in [first, second] {
        let admission = Admission::anywhere(Domain::new(0));
        rtds.insert(vcpu, admission, ms(0), &mut fx).unwrap();
    }
    rtds.wake(first, ms(0), &mut fx);
    rtds.schedule(cpu, ms(0), false, &mut fx);
    rtds.wake(second, ms(5), &mut fx);
    rtds.sleep(first, ms(9), &mut fx);
    assert_eq!(rtds.schedule(cpu, ms(9), false, &mut fx).next, Some(second));
    fx.take();
    rtds.wake(first, ms(11), &mut fx);
    rtds.check_invariants().unwrap();
    let timer = (Timer::Replenishment, Some(ms(15)));
    assert_eq!(fx.take().timers, [timer]);
    assert_eq!(rtds.deadline(first), Some(ms(20)));
    rtds.context_saved(cpu, first, ms(11), &mut fx);
    rtds.check_invariants().unwrap();
}

#[test]
fn the_supply_of_a_unit_without_budget_is_its_refill() {
    // 4 of 10 ms; the second one with extra time. It runs from 0 on.
    let ms = |count: u64| Instant::from_nanos(count * 1_000_000);
    for extra in [false, true] {
        let mut units = [Unit::EMPTY; 1];
        let mut fx = Probe::default();
        let mut rtds = Rtds::new(&mut units, Options::DEFAULT);
        let (cpu, unit) = (Cpu::new(0).unwrap(), Vcpu::new(0));
        let server = Parameters::new(Duration::from_millis(4), Duration::from_millis(10));
        let server = server.with_extratime(extra);
        rtds.set_parameters(unit, server, Demand::Forced).unwrap();
        rtds.add_cpu(cpu, ms(0), &mut fx).unwrap();
        let admission = Admission::anywhere(Domain::new(0));
        rtds.insert(unit, admission, ms(0), &mut fx).unwrap();
        assert_eq!(rtds.supply(unit, ms(3), ms(0)), ms(3), "it has not begun");
        rtds.wake(unit, ms(0), &mut fx);
        rtds.schedule(cpu, ms(0), false, &mut fx);
        // It would sleep at 3 ms with something left, at 4 ms with nothing.
        let refill = if extra { 6 } else { 10 };
        let wakes = [(3, 6, 6), (4, 6, refill), (4, 10, 10), (4, 13, 13)];
        for (now, wake, supply) in wakes {
            let found = rtds.supply(unit, ms(wake), ms(now));
            assert_eq!(found, ms(supply), "{wake} at {now}, extra time: {extra}");
        }
        rtds.sleep(unit, ms(4), &mut fx);
        rtds.schedule(cpu, ms(4), false, &mut fx);
        rtds.context_saved(cpu, unit, ms(4), &mut fx);
        assert_eq!(
            rtds.supply(unit, ms(5), ms(4)),
            ms(if extra { 5 } else { 10 })
        );
    }
}
