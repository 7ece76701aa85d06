extern crate std;
use super::*;
use crate::smp::steps::counted;
use proptest::prelude::*;
use std::vec::Vec;

const LOCKS: usize = 3;
const INSTANCES: usize = 3;

struct Tables {
    ends: Vec<EndsRecord>,
    lines: Vec<LineRecord>,
    places: Vec<PlaceRecord>,
}

impl Tables {
    fn new(threads: usize) -> Self {
        Self {
            ends: std::vec![EndsRecord::EMPTY; LOCKS],
            lines: std::vec![LineRecord::EMPTY; LOCKS * INSTANCES],
            places: std::vec![PlaceRecord::EMPTY; INSTANCES * threads],
        }
    }

    fn queues(&mut self) -> Queues<'_> {
        let threads = self.places.len() / INSTANCES;
        Queues::new(
            &mut self.ends,
            &mut self.lines,
            &mut self.places,
            INSTANCES,
            threads,
        )
    }
}

fn lock(index: usize) -> Lock {
    Lock::new(index).unwrap()
}

fn instance(index: usize) -> Instance {
    Instance::new(index).unwrap()
}

fn thread(index: usize) -> Thread {
    Thread::new(index).unwrap()
}

/// A model of the queues as lists: for each lock the instances in turn, and for each of them its
/// waiters sorted by priority, equal ones in the order of their coming.
type Model = Vec<Vec<(usize, Vec<(u64, usize)>)>>;

fn grant_order(queues: &mut Queues, lock_at: usize) -> Vec<usize> {
    let mut order = Vec::new();
    while let Some(turn) = queues.turn(lock(lock_at)) {
        let first = queues.first(lock(lock_at), turn).unwrap();
        queues.remove(lock(lock_at), turn, first);
        if queues.first(lock(lock_at), turn).is_some() {
            queues.end_turn(lock(lock_at), turn);
        }
        order.push(first.index());
    }
    order
}

#[test]
fn equals_in_one_instance_first_in_first_out() {
    let mut tables = Tables::new(8);
    let mut queues = tables.queues();
    for (at, priority) in [(4, 5), (2, 3), (6, 5), (1, 3), (7, 4), (0, 5)] {
        queues.insert(lock(0), instance(1), thread(at), Level(priority));
    }
    assert_eq!(grant_order(&mut queues, 0), [2, 1, 7, 4, 6, 0]);
    assert_eq!(queues.turn(lock(0)), None);
}

#[test]
fn instances_take_turns_whatever_the_priorities() {
    let mut tables = Tables::new(8);
    let mut queues = tables.queues();
    for (turn, at, priority) in [
        (2, 0, 9),
        (0, 1, 1),
        (0, 2, 2),
        (2, 3, 8),
        (1, 4, 0),
        (0, 5, 0),
    ] {
        queues.insert(lock(1), instance(turn), thread(at), Level(priority));
    }
    assert_eq!(grant_order(&mut queues, 1), [3, 5, 4, 0, 1, 2]);
}

#[test]
fn an_instance_that_empties_and_fills_again_goes_to_the_end() {
    let mut tables = Tables::new(8);
    let mut queues = tables.queues();
    for (turn, at) in [(0, 0), (1, 1), (2, 2)] {
        queues.insert(lock(2), instance(turn), thread(at), Level(1));
    }
    queues.remove(lock(2), instance(1), thread(1));
    queues.insert(lock(2), instance(1), thread(1), Level(1));
    let turns: Vec<_> = queues.turns(lock(2)).map(Instance::index).collect();
    assert_eq!(turns, [0, 2, 1]);
}

#[test]
fn the_only_waiter_of_an_instance_keeps_its_turn_when_its_priority_changes() {
    let mut tables = Tables::new(8);
    let mut queues = tables.queues();
    for (turn, at) in [(0, 0), (1, 1), (2, 2)] {
        queues.insert(lock(2), instance(turn), thread(at), Level(5));
    }
    for (turn, level) in [(0, 1), (1, 9), (0, 5), (2, 0)] {
        queues.reposition(lock(2), instance(turn), thread(turn), Some(Level(level)));
        let turns: Vec<_> = queues.turns(lock(2)).map(Instance::index).collect();
        assert_eq!(turns, [0, 1, 2]);
        assert_eq!(queues.highest(lock(2), instance(turn)), Some(Level(level)));
    }
    assert_eq!(grant_order(&mut queues, 2), [0, 1, 2]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 1 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    /// A thread waits for at most one lock, in any set of instances.
    #[test]
    fn agrees_with_lists(
        steps in proptest::collection::vec((0..12usize, 0..LOCKS, 0..INSTANCES, 0u64..4, 0..10u8), 1..if cfg!(miri) { 40 } else { 200 }),
    ) {
        let threads = 12;
        let mut tables = Tables::new(threads);
        let mut queues = tables.queues();
        let mut model: Model = std::vec![Vec::new(); LOCKS];
        for (at, lock_at, instance_at, priority, what) in steps {
            let waits_for = (0..LOCKS).find(|one| {
                model[*one].iter().any(|line| line.1.iter().any(|waiter| waiter.1 == at))
            });
            let lock_at = waits_for.unwrap_or(lock_at);
            if what == 0 {
                // The first instance ends its turn.
                if model[lock_at].is_empty() { continue; }
                let line = model[lock_at].remove(0);
                queues.end_turn(lock(lock_at), instance(line.0));
                model[lock_at].push(line);
            } else if what < 5 && queues.is_queued(instance(instance_at), thread(at)) {
                queues.reposition(lock(lock_at), instance(instance_at), thread(at), Some(Level(priority)));
                let line = model[lock_at].iter_mut().find(|line| line.0 == instance_at).unwrap();
                line.1.retain(|waiter| waiter.1 != at);
                line.1.push((priority, at));
                line.1.sort_by_key(|waiter| waiter.0);
            } else if queues.is_queued(instance(instance_at), thread(at)) {
                queues.remove(lock(lock_at), instance(instance_at), thread(at));
                let lines = &mut model[lock_at];
                let line = lines.iter_mut().find(|line| line.0 == instance_at).unwrap();
                line.1.retain(|waiter| waiter.1 != at);
                lines.retain(|line| !line.1.is_empty());
            } else {
                queues.insert(lock(lock_at), instance(instance_at), thread(at), Level(priority));
                let lines = &mut model[lock_at];
                if !lines.iter().any(|line| line.0 == instance_at) {
                    lines.push((instance_at, Vec::new()));
                }
                let line = lines.iter_mut().find(|line| line.0 == instance_at).unwrap();
                line.1.push((priority, at));
                line.1.sort_by_key(|waiter| waiter.0); // stable: equals stay in order
            }
            for (lock_at, lines) in model.iter().enumerate() {
                let turns: Vec<_> = queues.turns(lock(lock_at)).map(Instance::index).collect();
                let expected: Vec<_> = lines.iter().map(|line| line.0).collect();
                prop_assert_eq!(turns, expected);
                for (instance_at, waiters) in lines {
                    let at = instance(*instance_at);
                    let first = queues.first(lock(lock_at), at).map(Thread::index);
                    prop_assert_eq!(first, waiters.first().map(|waiter| waiter.1));
                    prop_assert_eq!(queues.highest(lock(lock_at), at), Some(Level(waiters[0].0)));
                    let mut all = Vec::new();
                    queues.for_each(lock(lock_at), at, &mut |thread| all.push(thread));
                    let places = &queues;
                    all.sort_by(|a, b| if places.precedes(at, *a, *b) { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater });
                    let all: Vec<_> = all.into_iter().map(Thread::index).collect();
                    let expected: Vec<_> = waiters.iter().map(|waiter| waiter.1).collect();
                    prop_assert_eq!(all, expected);
                }
            }
        }
    }
}

/// The stated bounds, for growing numbers of waiters.
#[test]
#[cfg_attr(miri, ignore = "counts steps, which are the same there")]
fn steps_grow_with_the_logarithm_of_the_waiters() {
    for count in [1usize, 7, 63, 511] {
        let mut tables = Tables::new(count + 1);
        let mut queues = tables.queues();
        let bound = (count + 1).ilog2() as u64;
        for at in 0..count {
            let level = Level((at as u64 * 7919) % 101);
            let ((), steps) = counted(|| queues.insert(lock(0), instance(0), thread(at), level));
            assert!(steps <= bound, "{steps} comparisons of {count}");
        }
        for at in (0..count).map(|at| (at * 5 + 3) % count.max(1)) {
            if !queues.is_queued(instance(0), thread(at)) {
                continue;
            }
            let level = Some(Level((at as u64 * 104_729) % 97));
            let ((), steps) =
                counted(|| queues.reposition(lock(0), instance(0), thread(at), level));
            assert!(steps <= 3 * bound, "{steps} comparisons of {count}");
            let ((), steps) = counted(|| queues.remove(lock(0), instance(0), thread(at)));
            assert!(steps <= 2 * bound, "{steps} comparisons of {count}");
        }
    }
}
