//! The stated bounds, held against counted steps, for growing chains, trees and instances.

extern crate std;
use super::*;
use crate::smp::steps::counted;
use crate::smp::*;
use crate::{CpuSet, smp::PolicyKind};
use std::{vec, vec::Vec};
use taktos_time::Instant;

const NOW: Instant = Instant::START;

struct Tables {
    threads: Vec<ThreadRecord>,
    nodes: Vec<NodeRecord>,
    instances: Vec<InstanceRecord>,
    processors: Vec<ProcessorRecord>,
    contributions: Vec<ContributionRecord>,
    locks: Vec<LockRecord>,
    ends: Vec<EndsRecord>,
    lines: Vec<LineRecord>,
    sides: Vec<SideRecord>,
    places: Vec<PlaceRecord>,
    waits: Vec<WaitRecord>,
}

impl Tables {
    /// One processor an instance.
    fn new(threads: usize, instances: usize, locks: usize) -> Self {
        let threads = threads + instances;
        Self {
            threads: vec![ThreadRecord::EMPTY; threads],
            nodes: vec![NodeRecord::EMPTY; threads * instances],
            instances: vec![InstanceRecord::EMPTY; instances],
            processors: vec![ProcessorRecord::EMPTY; instances],
            contributions: vec![ContributionRecord::EMPTY; locks * instances + threads],
            locks: vec![LockRecord::EMPTY; locks],
            ends: vec![EndsRecord::EMPTY; locks],
            lines: vec![LineRecord::EMPTY; locks * instances],
            sides: vec![SideRecord::EMPTY; locks * instances],
            places: vec![PlaceRecord::EMPTY; threads * instances],
            waits: vec![WaitRecord::EMPTY; threads],
        }
    }

    fn memory(&mut self) -> Memory<'_> {
        Memory {
            threads: &mut self.threads,
            nodes: &mut self.nodes,
            instances: &mut self.instances,
            processors: &mut self.processors,
            contributions: &mut self.contributions,
            locks: LockMemory {
                locks: &mut self.locks,
                ends: &mut self.ends,
                lines: &mut self.lines,
                sides: &mut self.sides,
                places: &mut self.places,
                waits: &mut self.waits,
            },
            servers: &mut [],
        }
    }

    fn system(&mut self) -> System<'_> {
        let count = self.instances.len();
        let config = |at: usize| InstanceConfig {
            name: [at as u8; 4],
            policy: PolicyKind::Priority,
            cpus: CpuSet::from_bits(1 << at),
        };
        let configs: Vec<_> = (0..count).map(config).collect();
        System::new(self.memory(), CpuSet::first(count), &configs).unwrap()
    }
}

fn thread(system: &mut System, home: usize, priority: u32) -> Thread {
    let home = Instance::new(home).unwrap();
    let thread = system.create(home, Priority(priority), None).unwrap();
    system.start(thread, NOW, &mut ()).unwrap();
    thread
}

fn mutex(system: &mut System, creator: Thread) -> Lock {
    system
        .create_lock(Protocol::Inheritance, creator, None, false, NOW, &mut ())
        .unwrap()
}

fn obtain(system: &mut System, lock: Lock, thread: Thread) -> Result<Obtained, Error> {
    system.obtain(lock, thread, true, NOW, &mut ())
}

fn log(n: usize) -> u64 {
    u64::from((n + 1).ilog2())
}

/// The bound of an operation that follows a chain of `owners` with at most `waiters` in a
/// tree, `shares` contributions to a node. Under levels and with one processor an
/// instance, the policy's update of a node takes at most 2 steps.
fn chain(owners: usize, instances: usize, waiters: usize, shares: usize) -> u64 {
    let per_instance = 3 * log(waiters) + 8 * shares as u64 + 4;
    (owners + 2) as u64 * instances as u64 * (per_instance + 2) + (owners * owners) as u64
}

/// Owners in a row, spread over the instances: the first waits for the second, and so on.
/// The lock of the first, the thread before them all.
fn row(system: &mut System, owners: usize, instances: usize) -> (Vec<Lock>, Vec<Thread>) {
    let threads: Vec<_> = (0..owners)
        .map(|at| thread(system, at % instances, 100))
        .collect();
    let locks: Vec<_> = threads.iter().map(|one| mutex(system, *one)).collect();
    for (lock, owner) in locks.iter().zip(&threads) {
        assert_eq!(obtain(system, *lock, *owner), Ok(Obtained::Owned));
    }
    for at in 1..owners {
        let waits = obtain(system, locks[at], threads[at - 1]);
        assert_eq!(waits, Ok(Obtained::Waiting));
    }
    (locks, threads)
}

#[test]
fn a_chain_takes_as_many_steps_as_owners_and_instances() {
    let sizes = if cfg!(miri) { 2 } else { 4 };
    for instances in [1, 2, 4] {
        for owners in [1, 2, 8, 32].into_iter().take(sizes) {
            let mut tables = Tables::new(owners + 1, instances, owners);
            let mut system = tables.system();
            let (locks, threads) = row(&mut system, owners, instances);
            let last = thread(&mut system, 0, 50);
            let bound = chain(owners, instances, 1, 1);
            let (waits, steps) = counted(|| obtain(&mut system, locks[0], last));
            assert_eq!(waits, Ok(Obtained::Waiting));
            assert!(steps <= bound, "obtain: {steps} of {bound}");
            // The end of the chain has it.
            let home = Instance::new(0).unwrap();
            let at_the_end = system.priority_in(threads[owners - 1], home);
            assert_eq!(at_the_end, Ok(Priority(50)));
            let (set, steps) = counted(|| system.set_priority(last, Priority(40), NOW, &mut ()));
            assert_eq!(set, Ok(Priority(50)));
            assert!(steps <= bound, "set_priority: {steps} of {bound}");
            // The walk that finds a circle takes a step for each owner.
            let (refused, steps) = counted(|| obtain(&mut system, locks[0], threads[owners - 1]));
            let circle = if owners > 1 {
                Err(Error::IncorrectState)
            } else {
                Ok(Obtained::Owned)
            };
            assert_eq!(refused, circle);
            assert!(steps <= owners as u64, "refused: {steps} of {owners}");
            let (ended, steps) = counted(|| system.time_out(last, NOW, &mut ()));
            assert_eq!(ended, Ok(()));
            assert!(steps <= bound, "time_out: {steps} of {bound}");
            assert_eq!(system.check_invariants(), Ok(()));
        }
    }
}

#[test]
fn a_hand_over_takes_the_logarithm_of_the_waiters() {
    let sizes = if cfg!(miri) { 2 } else { 4 };
    for instances in [1, 2, 4] {
        for waiters in [1usize, 15, 255, 1023].into_iter().take(sizes) {
            let mut tables = Tables::new(waiters + 1, instances, 1);
            let mut system = tables.system();
            let mut owner = thread(&mut system, 0, 200);
            let lock = mutex(&mut system, owner);
            assert_eq!(obtain(&mut system, lock, owner), Ok(Obtained::Owned));
            let bound = chain(1, instances, waiters, 1);
            for at in 0..waiters {
                let waiter = thread(&mut system, at % instances, (at * 37 % 200) as u32);
                let (waits, steps) = counted(|| obtain(&mut system, lock, waiter));
                assert_eq!(waits, Ok(Obtained::Waiting));
                assert!(steps <= bound, "obtain: {steps} of {bound}");
            }
            for _ in 0..waiters {
                let (next, steps) = counted(|| system.surrender(lock, owner, NOW, &mut ()));
                owner = next.unwrap().unwrap();
                assert!(steps <= bound, "surrender: {steps} of {bound}");
            }
        }
    }
}

#[test]
fn what_contributes_to_a_node_is_counted() {
    for owned in [1usize, 8, 64] {
        let mut tables = Tables::new(owned + 1, 1, owned);
        let mut system = tables.system();
        let owner = thread(&mut system, 0, 200);
        let locks: Vec<_> = (0..owned).map(|_| mutex(&mut system, owner)).collect();
        for lock in &locks {
            assert_eq!(obtain(&mut system, *lock, owner), Ok(Obtained::Owned));
            let waiter = thread(&mut system, 0, 100);
            let (waits, steps) = counted(|| obtain(&mut system, *lock, waiter));
            assert_eq!(waits, Ok(Obtained::Waiting));
            let bound = chain(1, 1, 1, owned);
            assert!(steps <= bound, "obtain: {steps} of {bound}");
        }
    }
}

#[test]
fn a_table_that_is_too_short_is_refused_at_the_start() {
    let shorten: [fn(&mut Tables); 7] = [
        |tables| {
            tables.contributions.pop();
        },
        |tables| {
            tables.ends.pop();
        },
        |tables| {
            tables.lines.pop();
        },
        |tables| {
            tables.sides.pop();
        },
        |tables| {
            tables.places.pop();
        },
        |tables| {
            tables.waits.pop();
        },
        |tables| {
            tables.threads.pop();
        },
    ];
    for (at, shorten) in shorten.into_iter().enumerate() {
        let mut tables = Tables::new(3, 2, 2);
        shorten(&mut tables);
        let configs = [
            InstanceConfig {
                name: *b"ONE ",
                policy: PolicyKind::Simple,
                cpus: CpuSet::first(1),
            },
            InstanceConfig {
                name: *b"TWO ",
                policy: PolicyKind::Simple,
                cpus: CpuSet::from_bits(2),
            },
        ];
        let made = System::new(tables.memory(), CpuSet::first(2), &configs);
        // With a row of the threads less, everything else is long enough.
        let expected = (at < 6).then_some(Error::TooMany);
        assert_eq!(made.err(), expected);
    }
}
