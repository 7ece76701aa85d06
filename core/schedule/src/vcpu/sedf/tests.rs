//! The bounds of the operations, counted.

extern crate std;

use super::*;
use crate::vcpu::kit::tests::probe::{Act, storm};
use crate::vcpu::kit::tests::{Bench, check_refusals};
use std::vec;

impl Sedf<'_> {
    /// The steps since the last time.
    fn steps(&mut self) -> u64 {
        let mut sum = self.requests.steps.take();
        for processor in self.processors.iter_mut() {
            sum += processor.run.steps.take();
            sum += processor.wait.steps.take();
            sum += processor.penalty.steps.take();
            sum += processor.utilisation.steps.take();
        }
        sum
    }
}

/// The documented bound; all units may be on one processor, and all periods due.
fn bound(act: Act, n: u64) -> u64 {
    let a_move = 2 * n + 4 * n + 16;
    match act {
        Act::Wake => 3 * n + 8,
        Act::Sleep | Act::Yield => 8,
        Act::Schedule => 2 * n * (n + 2) + 3 * n + 12,
        Act::Insert | Act::Affinity | Act::Saved => a_move,
        Act::AddCpu | Act::RemoveCpu => n * a_move,
        Act::Timer { .. } => 0,
    }
}

#[test]
#[cfg_attr(miri, ignore = "counts steps, which are the same there")]
fn no_operation_takes_more_steps_than_documented() {
    for (n, m) in [(3, 1), (12, 4), (40, 8)] {
        let (mut units, mut processors) = (vec![Unit::EMPTY; n], vec![Processor::EMPTY; m]);
        let mut policy = Sedf::new(&mut units, &mut processors);
        for (index, unit) in policy.units.iter_mut().enumerate() {
            let period = Duration::from_micros(500 + 700 * (index as u64 % 7));
            let slice = Duration::from_micros(60);
            unit.parameters = match index % 4 {
                0 => Parameters::BestEffort { weight: 3 },
                1 => Parameters::Weighted {
                    weight: 5,
                    extratime: true,
                },
                2 => Parameters::new(slice, period),
                _ => Parameters::new(slice, period).with_extratime(),
            };
        }
        let mut worst = 0;
        storm(
            &mut policy,
            (n, m),
            7,
            |_, _| 0,
            |policy, act| {
                let steps = policy.steps();
                let limit = bound(act, n as u64);
                assert!(
                    steps <= limit,
                    "{act:?}: {steps} steps, of {n} units and {m} processors"
                );
                worst = worst.max(steps);
            },
        );
        // The count counts: what is longest grows with the number of units.
        assert!(worst >= n as u64);
    }
}

#[test]
fn what_is_refused() {
    let (mut units, mut processors) = ([Unit::EMPTY; 2], [Processor::EMPTY; 2]);
    Bench::new(Sedf::new(&mut units, &mut processors), 2).with(2, check_refusals);
}
