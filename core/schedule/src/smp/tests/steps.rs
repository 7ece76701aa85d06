//! The bounds, counted: how many links are followed and keys compared as the number of threads grows.

use super::common::*;
use crate::smp::{PolicyKind, Reasons, steps::counted};
use std::vec::Vec;

/// The most steps that any of the operations takes with so many threads on so many processors.
fn most(policy: PolicyKind, threads: usize, cpus: usize, bound: bool) -> u64 {
    let online = crate::CpuSet::first(cpus);
    let mut tables = Tables::new(threads, online, 1);
    let mut world = World::new(&mut tables, online, &[one(policy, cpus)]);
    let all: Vec<_> = (0..threads)
        .map(|index| {
            // All levels, in an order that does not suit a sorted list.
            let priority = (index * 37 % 250) as u32;
            let mask = (bound && index % 2 == 0).then(|| crate::CpuSet::of(cpu(index / 2 % cpus)));
            let thread = world
                .system
                .create(MAIN, crate::smp::Priority(priority), mask)
                .unwrap();
            let World {
                system, flags, now, ..
            } = &mut world;
            system.start(thread, *now, flags).unwrap();
            thread
        })
        .collect();
    let mut most = 0;
    let World {
        system, flags, now, ..
    } = &mut world;
    for &thread in &all {
        let mut count = |steps: u64| most = most.max(steps);
        count(counted(|| system.yield_now(thread, *now, flags)).1);
        count(counted(|| system.release_job(thread, at(thread.index() as u64), *now, flags)).1);
        count(counted(|| system.block(thread, Reasons::WAIT, *now, flags)).1);
        count(counted(|| system.unblock(thread, Reasons::WAIT, *now, flags)).1);
        count(counted(|| system.cancel_job(thread, *now, flags)).1);
        for cpu in online {
            count(counted(|| system.dispatch(cpu, *now, flags)).1);
        }
    }
    world.check();
    most
}

const SIZES: [usize; 4] = [8, 64, 512, 2_000];

fn log2(n: usize) -> u64 {
    u64::from((n + 1).next_power_of_two().trailing_zeros())
}

#[test]
fn levels_take_as_many_steps_for_any_number_of_threads() {
    for threads in SIZES {
        assert!(most(PolicyKind::Priority, threads, 4, false) <= 2 * 4);
    }
}

#[test]
fn deadlines_take_a_logarithm_and_the_processors() {
    for threads in SIZES {
        for bound in [false, true] {
            let steps = most(PolicyKind::Edf, threads, 4, bound);
            // A removal, an insertion, the place among those SCHEDULED, the queues that compete.
            let limit = 3 * log2(threads) + 3 * 4;
            assert!(steps <= limit, "{threads} threads: {steps} > {limit}");
        }
    }
}

#[test]
fn a_sorted_list_takes_as_many_steps_as_threads() {
    let steps = [8, 64, 512].map(|threads| (threads, most(PolicyKind::Simple, threads, 4, false)));
    for (threads, steps) in steps {
        assert!(steps <= threads as u64 + 2 * 4);
    }
    // The count counts: it does grow.
    assert!(steps[2].1 > 100);
}

#[test]
fn as_many_steps_as_processors_for_their_order() {
    for cpus in [1, 8, 32, 64] {
        assert!(most(PolicyKind::Priority, 200, cpus, false) <= 2 * cpus as u64);
    }
}
