//! The exchange of units between run queues.

use super::super::Capacity;
use super::*;

const WHOLE: i64 = 1 << 18;

/// One run queue for each of `cpus` processors; unit i is on the queue `on[i]`, has
/// the load average `eighths[i]`/8, and sleeps; the queues' balance averages are
/// the sums.
fn arranged(
    cpus: usize,
    on: &[usize],
    eighths: &[i64],
    parameters: Parameters,
    test: impl FnOnce(&mut Bench),
) {
    with(&flat(cpus), each_alone(), on.len(), parameters, |b| {
        for (index, &on) in on.iter().enumerate() {
            b.affinity(index, 1 << on, u64::MAX);
            b.policy.units[index].state.affinity.hard = CpuSet::ALL;
        }
        for queue in b.policy.queues.iter_mut() {
            queue.balance = 0;
        }
        for (index, &on) in on.iter().enumerate() {
            b.policy.units[index].average = eighths[index] * WHOLE / 8;
            b.policy.queues[on].balance += eighths[index] * WHOLE / 8;
        }
        test(b);
    });
}

/// Where the units are after processor 0 has balanced.
fn balanced(cpus: usize, on: &[usize], eighths: &[i64], parameters: Parameters) -> Vec<usize> {
    let mut places = Vec::new();
    arranged(cpus, on, eighths, parameters, |b| {
        b.call(|p, now, fx| p.balance(0, now, fx));
        places = (0..on.len()).map(|index| b.on(index)).collect();
    });
    places
}

const P: Parameters = Parameters::DEFAULT;

#[test]
fn below_capacity_a_whole_unit_of_difference_is_needed() {
    // 7/8 against 0, on queues of one processor each.
    assert_eq!(balanced(2, &[0, 0], &[4, 3], P), [0, 0]);
    // 1 against 0 is at capacity: an eighth is enough; half and half it is.
    assert_eq!(balanced(2, &[0, 0], &[4, 4], P), [1, 0]);
}

#[test]
fn at_capacity_an_eighth_of_a_unit_is_enough() {
    assert_eq!(balanced(2, &[0, 0, 1], &[4, 5, 8], P), [0, 0, 1]);
    // 10/8 against 8/8; moving 1/8 makes it even.
    let even = balanced(2, &[0, 0, 0, 1], &[6, 3, 1, 8], P);
    assert_eq!(even, [0, 0, 1, 1]);
    // A sixteenth of difference is left alone.
    let fine = balanced(2, &[0, 1], &[16, 15], P.with_tolerances(0, -2).unwrap());
    assert_eq!(fine, [0, 1]);
}

#[test]
fn it_pulls_and_swaps_too() {
    // A pull: 0 here, 16/8 there.
    assert_eq!(balanced(2, &[1, 1, 1], &[8, 4, 4], P), [0, 1, 1]);
    // 12 against 6: to swap 5 for 2 makes 9 and 9; no single move does.
    let swapped = balanced(2, &[0, 0, 1, 1, 1], &[7, 5, 2, 3, 1], P);
    assert_eq!(swapped, [0, 1, 0, 1, 1]);
}

#[test]
fn only_an_improvement_is_worth_a_move() {
    // 16/8 in one unit against 2/8: there and back again is no better.
    assert_eq!(balanced(2, &[0, 1], &[16, 2], P), [0, 1]);
}

#[test]
fn the_most_different_queue_is_the_partner() {
    let on = [0, 0, 1, 2, 3];
    let eighths = [8, 8, 4, 0, 6];
    assert_eq!(balanced(4, &on, &eighths, P), [2, 0, 1, 2, 3]);
}

#[test]
fn hard_affinity_holds() {
    arranged(2, &[0, 0], &[8, 8], P, |b| {
        b.policy.units[0].state.affinity.hard = set(0b01);
        b.call(|p, now, fx| p.balance(0, now, fx));
        assert_eq!((b.on(0), b.on(1)), (0, 1));
    });
}

#[test]
fn the_reference_asks_the_queue_visited_last_for_capacity() {
    // Queue 0 has 6/8; queue 1, the most different, 14/8; queue 2 has 5/8.
    // Queue 1 is over its one processor, so an eighth is enough, and 2/8 come
    // here. By queue 2 it would look as if all were below capacity.
    let on = [0, 1, 1, 2];
    let eighths = [6, 12, 2, 5];
    assert_eq!(balanced(3, &on, &eighths, P), [0, 1, 0, 2]);
    let reference = P.with_capacity(Capacity::LastVisited);
    // 14/8 − 6/8 is a whole unit: even so it acts; 13/8 − 6/8 is not.
    let eighths = [6, 11, 2, 5];
    assert_eq!(balanced(3, &on, &eighths, P), [0, 1, 0, 2]);
    assert_eq!(balanced(3, &on, &eighths, reference), [0, 1, 1, 2]);
}

#[test]
fn what_waits_moves_at_once_what_runs_when_it_is_saved() {
    arranged(2, &[0, 0], &[8, 8], P, |b| {
        b.wake(0);
        b.switch(0);
        b.policy.units[1].state.affinity.hard = set(0b01);
        b.tickles();
        b.call(|p, now, fx| p.balance(0, now, fx));
        assert_eq!((b.tickles(), b.on(0)), ([0].to_vec(), 0));
        assert_eq!(b.schedule(0).next, None);
        assert_eq!(b.on(0), 0);
        b.saved(0, 0);
        assert_eq!((b.tickles(), b.on(0)), ([1].to_vec(), 1));
        assert_eq!(b.switch(1), Some(0));
    });
    arranged(2, &[0, 0], &[8, 8], P, |b| {
        b.wake(0);
        b.switch(0);
        b.policy.units[0].state.affinity.hard = set(0b01);
        b.wake(1);
        b.tickles();
        b.call(|p, now, fx| p.balance(0, now, fx));
        assert_eq!((b.tickles(), b.queue(1)), ([1].to_vec(), [1].to_vec()));
    });
}

#[test]
fn loads_are_balanced_at_resets_only() {
    let reset = |parameters| {
        let mut place = 0;
        arranged(2, &[0, 0], &[16, 16], parameters, |b| {
            b.wake(0);
            b.switch(0);
            assert_eq!(b.on(1), 0, "no reset yet");
            b.set_credit(0, 0);
            b.switch(0);
            assert_eq!(b.credit(0), 10 * CREDIT_MS);
            place = b.on(1);
            // The other thing that may have moved.
            b.tickles();
            b.policy.units[0].migrating = false;
            b.policy.units[0].target = None;
        });
        place
    };
    assert_eq!(reset(P.with_balancing(false)), 0);
    let moved = {
        let mut moved = false;
        arranged(2, &[0, 0], &[16, 16], P, |b| {
            b.wake(0);
            b.switch(0);
            b.set_credit(0, 0);
            b.switch(0);
            moved = b.on(1) == 1 || b.policy.units[0].target == Some(1);
        });
        moved
    };
    assert!(moved);
}

#[test]
fn a_unit_comes_to_the_least_loaded_queue_its_own_load_aside() {
    arranged(3, &[0, 1, 2, 2], &[8, 4, 2, 3], P, |b| {
        // Queue 2 has 5/8, queue 1 has 4/8: but unit 3's own 3/8 do not count.
        let (group, cpu) = b.call(|p, now, _| p.place(3, now));
        assert_eq!((group, cpu.index()), (Some(2), 2));
        let (group, _) = b.call(|p, now, _| p.place(0, now));
        assert_eq!(group, Some(0), "without it, its own queue is empty");
        b.policy.units[0].state.affinity.soft = set(0b110);
        let (group, _) = b.call(|p, now, _| p.place(0, now));
        assert_eq!(group, Some(1), "where it prefers to be");
        b.policy.units[0].state.affinity.hard = set(0b100);
        let (group, _) = b.call(|p, now, _| p.place(0, now));
        assert_eq!(group, Some(2));
        b.policy.units[0].state.affinity.hard = CpuSet::ALL;
    });
    arranged(2, &[0, 0], &[8, 8], P.without_balancing(), |b| {
        let (group, _) = b.call(|p, now, _| p.place(1, now));
        assert_eq!(group, Some(0), "without placement it stays");
    });
}
