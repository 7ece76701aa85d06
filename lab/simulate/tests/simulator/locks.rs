//! Locks of task sets: ceilings that are chosen for them, and what a hand-over costs.

use crate::common::random::Dice;
use crate::common::{UNIT, global, in_units, partitioned, run_for, simulate, tasks, workload};
use taktos_simulate::file::parse;
use taktos_simulate::{
    Arrival, LockId, LockSpec, Plan, Policy, Protocol, Step, Task, Workload, run,
};
use taktos_time::Duration;

/// Returns locks of these protocols, with ceilings that the simulator chooses.
fn locks(protocols: &[Protocol]) -> Vec<LockSpec> {
    let lock = |(at, protocol): (usize, &Protocol)| LockSpec {
        name: format!("l{at}"),
        protocol: *protocol,
        ceilings: Vec::new(),
    };
    protocols.iter().enumerate().map(lock).collect()
}

/// `inner` between the calls for the lock `at`.
fn within(at: u16, inner: Vec<Step>) -> Vec<Step> {
    let mut steps = vec![Step::Lock(LockId(at)), run_for(1)];
    steps.extend(inner);
    steps.push(Step::Unlock(LockId(at)));
    steps
}

#[test]
fn a_ceiling_is_that_of_the_locks_outside_it_too() {
    for protocol in [Protocol::Ceiling, Protocol::MrsP] {
        let mut set = tasks(&[(2, 10), (3, 50)]);
        // The second requests the inner one at the first one's priority.
        set[0].body = within(0, Vec::new());
        set[1].body = within(0, within(1, Vec::new()));
        let mut load = workload(set);
        load.locks = locks(&[protocol, protocol]);
        let outcome = simulate(&load, &global(Policy::Priority, 1, 100));
        assert_eq!(in_units(&outcome), [Some(1), Some(3)], "{protocol:?}");
    }
}

#[test]
fn a_ceiling_is_that_of_those_who_wait_for_what_its_user_holds() {
    for protocol in [Protocol::Inheritance, Protocol::Omip] {
        // The third holds a lock that the first waits for, when it requests a lock that the first
        // never takes.
        let mut set = tasks(&[(2, 100), (3, 100), (4, 100)]);
        set[0].body = within(0, Vec::new());
        set[1].body = within(0, within(1, Vec::new()));
        set[2].body = within(1, within(2, Vec::new()));
        for (task, offset) in set.iter_mut().zip([3, 1, 0]) {
            let Arrival::Periodic { offset: first, .. } = &mut task.arrival else {
                panic!("periodic")
            };
            // The third has its lock, the second comes and waits for it, then the first for the
            // second.
            *first = Duration::from_nanos(offset * UNIT / 2);
        }
        let mut load = workload(set);
        load.locks = locks(&[protocol, protocol, Protocol::Ceiling]);
        let outcome = simulate(&load, &global(Policy::Priority, 1, 100));
        assert_eq!(outcome.missed(), 0, "{protocol:?}");
    }
}

#[test]
fn a_lock_that_no_task_uses_is_no_error() {
    for protocol in [Protocol::Ceiling, Protocol::MrsP] {
        for ceilings in [Vec::new(), vec![("c1".to_owned(), 3)]] {
            let mut load = workload(tasks(&[(1, 10)]));
            load.locks = locks(&[protocol]);
            load.locks[0].ceilings = ceilings;
            let setup = partitioned(Policy::Priority, 2, Duration::from_nanos(100 * UNIT));
            assert_eq!(
                in_units(&simulate(&load, &setup)),
                [Some(1)],
                "{protocol:?}"
            );
        }
    }
}

/// Tasks in clusters that ask for locks of any protocols within each other, in the order of their
/// numbers.
fn nested(dice: &mut Dice, clusters: u64) -> Workload {
    use Protocol::{Ceiling, Inheritance, MrsP, None, Omip};
    let any = |dice: &mut Dice| [None, Inheritance, Omip, Ceiling, MrsP][dice.throw(0, 4) as usize];
    let protocols: Vec<Protocol> = (0..6).map(|_| any(dice)).collect();
    // The threads of one cluster alone may use an immediate ceiling.
    let homes: Vec<u64> = protocols.iter().map(|_| dice.throw(1, clusters)).collect();
    let mut set = tasks(&[(1, 1); 8]);
    for task in &mut set {
        let cluster = dice.throw(1, clusters);
        task.cluster = Some(format!("c{}", cluster - 1));
        task.priority = Some(dice.throw(1, 20) as u32);
        task.arrival = Arrival::Periodic {
            period: Duration::from_nanos(dice.throw(20, 80) * UNIT),
            offset: Duration::from_nanos(dice.throw(0, 40) * UNIT / 2),
            jitter: Duration::ZERO,
        };
        task.body = vec![run_for(dice.throw(1, 2))];
        let mut open: Vec<u16> = Vec::new();
        for (at, protocol) in (0u16..).zip(&protocols) {
            let may = *protocol != Ceiling || homes[usize::from(at)] == cluster;
            if may && dice.once_in(2) {
                task.body.push(Step::Lock(LockId(at)));
                task.body.push(run_for(dice.throw(1, 2)));
                open.push(at);
            }
            // In any order.
            if !open.is_empty() && dice.once_in(3) {
                let given = open.remove(dice.throw(1, open.len() as u64) as usize - 1);
                task.body.push(Step::Unlock(LockId(given)));
                task.body.push(run_for(1));
            }
        }
        let rest = open.into_iter().rev();
        task.body.extend(rest.map(|at| Step::Unlock(LockId(at))));
    }
    Workload {
        locks: locks(&protocols),
        ..workload(set)
    }
}

#[test]
fn ceilings_that_are_chosen_refuse_nobody() {
    let seed = taktos_random::seed();
    for try_ in 0..400 {
        let clusters = 1 + try_ % 3;
        let load = nested(&mut Dice::new(seed, try_), clusters);
        let horizon = Duration::from_nanos(600 * UNIT);
        let setup = partitioned(Policy::Priority, clusters as usize, horizon);
        let plan = Plan::new(&load, &setup).unwrap();
        if let Err(error) = run(&plan, 0, &mut ()) {
            panic!("try {try_}: {error}\n{load:?}");
        }
    }
}

/// A lock is transferred to a waiter that does not run yet. So a more urgent task that requests it
/// again waits again: for each less urgent task once, though there is only one lock. (Once for each
/// lock is the bound if a lock that is released is free.)
#[test]
fn under_hand_over_inheritance_blocks_once_for_each_less_urgent_task() {
    for others in 1..=6_u64 {
        let section = 10;
        let count = others as usize + 1;
        let mut set: Vec<Task> = tasks(&vec![(1, 1_000); count]);
        set[0].body = Vec::new();
        for _ in 0..others {
            set[0].body.extend(within(0, Vec::new()));
            set[0].body.push(run_for(1));
        }
        for task in &mut set[1..] {
            task.body = vec![
                run_for(1),
                Step::Lock(LockId(0)),
                run_for(section),
                Step::Unlock(LockId(0)),
            ];
        }
        // The least urgent comes first, and takes the lock; the others come one after the other,
        // and wait for it.
        for (at, task) in set.iter_mut().enumerate() {
            let Arrival::Periodic { offset, .. } = &mut task.arrival else {
                panic!("periodic")
            };
            *offset = Duration::from_nanos((others - at as u64) * 2 * UNIT);
        }
        let mut load = workload(set);
        load.locks = locks(&[Protocol::Inheritance]);
        let outcome = simulate(&load, &global(Policy::Priority, 1, 1_000));
        println!("{others} others: {:?}", in_units(&outcome));
        let own = 2 * others;
        let response = in_units(&outcome)[0].unwrap();
        let (a_lock, a_task) = (own + section, own + others * section);
        assert!(response <= a_task, "{response} of at most {a_task}");
        assert!(
            others == 1 || response > a_lock,
            "{response}: once a lock is {a_lock}"
        );
    }
}

/// Checks the statement of the book about its own example.
#[test]
fn the_books_example_of_a_hand_over_is_true() {
    let book = include_str!("../../../../docs/scheduling.md");
    assert!(book.contains("`high` needs 4 ms and answers after 22 ms"));
    let (_, rest) = book.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let set = parse(example, "scheduling.md").unwrap_or_else(|error| panic!("{error}"));
    let outcome = simulate(&set.workload, &global(Policy::Priority, 1, 100_000));
    let high = outcome.tasks[0].response.max();
    assert_eq!(high, Some(Duration::from_millis(22).as_nanos()));
}
