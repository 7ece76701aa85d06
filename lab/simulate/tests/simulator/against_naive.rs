//! The engine with the library against a model that sorts all jobs at every event.

use crate::common::naive::{self, By};
use crate::common::record::{Recorder, Said};
use crate::common::{UNIT, check_accounts, workload};
use taktos_schedule::{Cpu, CpuSet};
use taktos_simulate::random::Stream;
use taktos_simulate::{Arrival, Plan, Policy, Setup, Task, run};
use taktos_time::Duration;

/// Draws of one random set.
struct Dice {
    stream: Stream,
    thrown: u64,
}

impl Dice {
    fn new(set: u64) -> Self {
        Self {
            stream: Stream::new(2_026, set),
            thrown: 0,
        }
    }

    fn throw(&mut self, from: u64, to: u64) -> u64 {
        self.thrown += 1;
        from + self.stream.below_or_at(self.thrown, to - from)
    }
}

/// How a random task's affinity is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Affinity {
    None,
    OneOrAll,
    Any,
}

/// Tasks on a coarse grid of time, so that much happens at the same instant.
/// Total utilisation is drawn too: some sets are overloaded.
fn random_tasks(dice: &mut Dice, cpus: usize, affinity: Affinity, levels: u64) -> Vec<Task> {
    let count = dice.throw(1, 3 * cpus as u64 + 4);
    let (load, grid) = (dice.throw(20, 120), dice.throw(0, 2));
    (0..count)
        .map(|index| {
            let period = dice.throw(2, 24) * UNIT;
            let share = period * load * cpus as u64 / 100 / count;
            // On the coarsest grid nearly everything coincides, on the finest nothing does.
            let step = [UNIT, UNIT / 4, 1][grid as usize];
            let execution = (dice.throw(1, 2 * share.max(step)) / step * step).clamp(step, period);
            let offset = if dice.throw(0, 1) == 0 {
                0
            } else {
                dice.throw(0, 5 * UNIT) / step * step
            };
            let mut task = Task::periodic(&format!("t{index}"), ns(execution), ns(period));
            task.arrival = Arrival::Periodic {
                period: ns(period),
                offset: ns(offset),
                jitter: ns(0),
            };
            task.deadline = Some(ns(dice.throw(1, 2 * period / step) * step));
            task.priority = Some(dice.throw(1, levels) as u32);
            task.affinity = draw_affinity(dice, cpus, affinity);
            task
        })
        .collect()
}

fn draw_affinity(dice: &mut Dice, cpus: usize, affinity: Affinity) -> Option<CpuSet> {
    let one = Cpu::new(dice.throw(0, cpus as u64 - 1) as usize)?;
    match affinity {
        Affinity::None => None,
        Affinity::OneOrAll => (dice.throw(0, 2) == 0).then(|| CpuSet::of(one)),
        Affinity::Any => {
            let mask = CpuSet::from_bits(dice.throw(0, CpuSet::first(cpus).bits() - 1));
            Some(mask.with(one))
        }
    }
}

fn ns(count: u64) -> Duration {
    Duration::from_nanos(count)
}

/// Compares `sets` random sets on one to five processors; how many jobs were done in all.
fn compare(policy: Policy, by: By, affinity: Affinity, levels: u64, sets: u64) -> u64 {
    compare_on([1, 5], policy, by, affinity, levels, sets)
}

/// Compares `sets` random sets, on `fewest` to `most` processors. Returns how many jobs were done
/// in all.
fn compare_on(
    [fewest, most]: [u64; 2],
    policy: Policy,
    by: By,
    affinity: Affinity,
    levels: u64,
    sets: u64,
) -> u64 {
    let (mut jobs, mut ambiguous) = (0, 0);
    for set in 0..sets {
        let mut dice = Dice::new(set);
        let cpus = dice.throw(fewest, most) as usize;
        let mut tasks = random_tasks(&mut dice, cpus, affinity, levels);
        if levels == u64::from(u32::MAX >> 2) {
            // Priorities that are all different.
            for (index, task) in tasks.iter_mut().enumerate() {
                task.priority = Some(index as u32 + 1);
            }
        }
        let horizon = 200 * UNIT;
        let Some(expected) = naive::simulate(&tasks, by, cpus, horizon) else {
            ambiguous += 1;
            continue;
        };
        let setup = Setup::global(policy, cpus, ns(horizon));
        let plan = Plan::new(&workload(tasks.clone()), &setup).expect("a good workload");
        let mut recorder = Recorder::default();
        let outcome = run(&plan, 0, &mut recorder).expect("a run");
        check_accounts(&outcome);
        let mut found = recorder.finish();
        // An execution that begins at the horizon is beyond the model.
        found.retain(|said| !matches!(said, Said::Executing(at, _) if *at == horizon));
        for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(
                found, expected,
                "{policy}, set {set}, {cpus} processors, event {place}: {tasks:#?}"
            );
        }
        assert_eq!(found.len(), expected.len(), "{policy}, set {set}");
        jobs += outcome.jobs();
    }
    assert!(
        ambiguous * 5 < sets,
        "{ambiguous} of {sets} sets tell nothing"
    );
    jobs
}

const SETS: u64 = 3_000;
/// Number of levels, large enough that two tasks rarely share one.
const DISTINCT: u64 = u32::MAX as u64 >> 2;

#[test]
fn simple_is_the_first_in_order_of_priority() {
    assert!(compare(Policy::Simple, By::Priority, Affinity::None, 4, SETS) > 100_000);
}

#[test]
fn priority_is_the_first_in_order_of_priority() {
    assert!(compare(Policy::Priority, By::Priority, Affinity::None, 4, SETS) > 100_000);
}

#[test]
fn edf_is_the_first_in_order_of_deadline() {
    assert!(compare(Policy::Edf, By::Deadline, Affinity::None, 4, SETS) > 100_000);
}

#[test]
fn edf_with_bound_tasks_is_the_best_set() {
    assert!(compare(Policy::Edf, By::Deadline, Affinity::OneOrAll, 4, SETS) > 100_000);
}

#[test]
fn weak_affinity_without_masks_is_priority() {
    assert!(
        compare(
            Policy::PriorityAffinity,
            By::Priority,
            Affinity::None,
            4,
            SETS
        ) > 100_000
    );
}

#[test]
fn strong_affinity_is_the_best_set() {
    assert!(
        compare(
            Policy::StrongAffinity,
            By::Priority,
            Affinity::Any,
            DISTINCT,
            SETS
        ) > 100_000
    );
}

#[test]
fn strong_affinity_among_equals_is_the_best_set() {
    assert!(compare(Policy::StrongAffinity, By::Priority, Affinity::Any, 4, SETS) > 100_000);
}

/// Numbers of processors for which masks and seats need words of their own.
const MANY: [u64; 2] = [9, 64];
const FEW_SETS: u64 = 25;

#[test]
fn strong_affinity_of_many_processors_is_the_best_set() {
    for levels in [4, DISTINCT] {
        let (policy, by) = (Policy::StrongAffinity, By::Priority);
        let jobs = compare_on(MANY, policy, by, Affinity::Any, levels, FEW_SETS);
        assert!(jobs > 20_000, "{jobs} jobs");
    }
}

#[test]
fn bound_tasks_of_many_processors_are_the_best_set() {
    for policy in [Policy::Edf, Policy::Cbs] {
        let jobs = compare_on(MANY, policy, By::Deadline, Affinity::OneOrAll, 4, FEW_SETS);
        assert!(jobs > 20_000, "{jobs} jobs");
    }
}

#[test]
fn cbs_without_budgets_is_edf() {
    assert!(compare(Policy::Cbs, By::Deadline, Affinity::None, 4, SETS) > 100_000);
}
