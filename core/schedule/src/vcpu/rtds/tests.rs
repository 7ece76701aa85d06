//! The bounds of the operations, counted.

extern crate std;

use super::*;
use crate::vcpu::probe::{Act, storm};
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
