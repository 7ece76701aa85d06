//! Mutexes that block: the order of grants, inheritance in and across clusters, OMIP.

use crate::world::{Cluster, World};
use taktos_schedule::smp::*;
use taktos_schedule::smp::{Obtained::*, PolicyKind::Edf};

/// The policies under which the stories must come out alike: no deadlines, no affinities.
/// Those that agree if no thread is overtaken.
const MIGRATORY: [Protocol; 2] = [Protocol::Inheritance, Protocol::Omip];

const POLICIES: [PolicyKind; 3] = [PolicyKind::Simple, PolicyKind::Priority, Edf];

fn tell(clusters: &[usize], story: impl Fn(&mut World, Protocol)) {
    for (policy, migratory) in POLICIES
        .into_iter()
        .flat_map(|one| MIGRATORY.map(|two| (one, two)))
    {
        let clusters: Vec<Cluster> = clusters.iter().map(|count| (policy, *count)).collect();
        story(&mut World::new(&clusters), migratory);
    }
}

/// Gives the lock up until no thread waits. Returns the owners after the first.
fn grants(world: &mut World, lock: Lock) -> Vec<Thread> {
    let mut order = Vec::new();
    while let Some(owner) = world.owner(lock) {
        let next = world.surrender(lock, owner).unwrap();
        assert_eq!(world.owner(lock), next);
        if let Some(next) = next {
            assert_eq!(world.outcome(next), Some(Outcome::Granted));
        }
        order.extend(next);
    }
    order
}

#[test]
fn in_one_cluster_the_most_urgent_is_next_and_equals_in_order() {
    for protocol in [Protocol::None, Protocol::Inheritance, Protocol::Ceiling] {
        tell(&[1], |world, _| {
            let owner = world.thread(0, 20);
            let lock = world.lock(protocol, owner, 1);
            assert_eq!(world.obtain(lock, owner), Ok(Owned));
            let waiters = [7, 5, 7, 3, 5].map(|priority| {
                let waiter = world.thread(0, priority);
                assert_eq!(world.obtain(lock, waiter), Ok(Waiting));
                waiter
            });
            let expected = [3, 1, 4, 0, 2].map(|at| waiters[at]);
            assert_eq!(grants(world, lock), expected);
        });
    }
}

#[test]
fn two_clusters_take_turns() {
    for protocol in [Protocol::None, Protocol::Inheritance] {
        tell(&[1, 1], |world, _| {
            let owner = world.thread(0, 20);
            let lock = world.lock(protocol, owner, 1);
            assert_eq!(world.obtain(lock, owner), Ok(Owned));
            let waiters = [(1, 9), (0, 7), (1, 2), (0, 5), (0, 3)].map(|(cluster, priority)| {
                let waiter = world.thread(cluster, priority);
                assert_eq!(world.obtain(lock, waiter), Ok(Waiting));
                waiter
            });
            let expected = [2, 4, 0, 3, 1].map(|at| waiters[at]);
            assert_eq!(grants(world, lock), expected);
        });
    }
}

#[test]
fn a_waiter_whose_priority_changes_is_queued_anew() {
    tell(&[1], |world, _| {
        let owner = world.thread(0, 20);
        let lock = world.lock(Protocol::None, owner, 1);
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        let [a, b, c] = [5, 6, 7].map(|priority| {
            let waiter = world.thread(0, priority);
            assert_eq!(world.obtain(lock, waiter), Ok(Waiting));
            waiter
        });
        world.set_priority(c, 4);
        world.set_priority(a, 6); // behind b, its equal
        assert_eq!(grants(world, lock), [c, b, a]);
    });
}

#[test]
fn an_owner_has_in_each_cluster_the_priority_of_its_waiters_there() {
    tell(&[1, 1], |world, migratory| {
        let owner = world.thread(0, 20);
        let lock = world.lock(migratory, owner, 1);
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        let there = world.thread(1, 4);
        assert_eq!(world.obtain(lock, there), Ok(Waiting));
        assert_eq!(
            (world.priority(owner), world.priority_in(owner, 1)),
            (20, 4)
        );
        let here = world.thread(0, 6);
        assert_eq!(world.obtain(lock, here), Ok(Waiting));
        assert_eq!((world.priority(owner), world.priority_in(owner, 1)), (6, 4));
        // The waiter that remains is the next owner's.
        assert_eq!(world.surrender(lock, owner), Ok(Some(there)));
        assert_eq!(world.priority(owner), 20);
        assert_eq!((world.priority(there), world.priority_in(there, 0)), (4, 6));
    });
}

#[test]
fn priorities_follow_a_chain_of_owners_through_clusters() {
    tell(&[1, 1, 1], |world, migratory| {
        let [a, b, c] = [0, 1, 2].map(|cluster| world.thread(cluster, 10 + cluster as u32));
        let first = world.lock(migratory, a, 1);
        let second = world.lock(migratory, b, 1);
        assert_eq!(world.obtain(first, a), Ok(Owned));
        assert_eq!(world.obtain(second, b), Ok(Owned));
        // The longer end first: b inherits from c, and brings it along when it waits.
        assert_eq!(world.obtain(second, c), Ok(Waiting));
        assert_eq!(world.priority_in(b, 2), 12);
        assert_eq!(world.obtain(first, b), Ok(Waiting));
        assert_eq!((world.priority_in(a, 1), world.priority_in(a, 2)), (11, 12));
        // A change at the end is felt at the other at once.
        world.set_priority(c, 3);
        assert_eq!((world.priority_in(b, 2), world.priority_in(a, 2)), (3, 3));
        world.set_priority(c, 30);
        assert_eq!((world.priority_in(b, 2), world.priority_in(a, 2)), (30, 30));
        // So is its end.
        world.time_out(c).unwrap();
        assert_eq!(world.outcome(c), Some(Outcome::Timeout));
        assert_eq!((world.priority(a), world.priority_in(a, 1)), (10, 11));
        assert_eq!(world.surrender(first, a), Ok(Some(b)));
        assert_eq!(world.surrender(first, b), Ok(None));
        assert_eq!(world.surrender(second, b), Ok(None));
    });
}

#[test]
fn a_waiter_is_granted_by_virtue_of_a_priority_that_it_inherits() {
    tell(&[1, 1], |world, migratory| {
        let [owner, holder, rival] = [20, 15, 10].map(|priority| world.thread(0, priority));
        let wanted = world.lock(migratory, owner, 1);
        let inner = world.lock(migratory, owner, 1);
        assert_eq!(world.obtain(wanted, owner), Ok(Owned));
        assert_eq!(world.obtain(inner, holder), Ok(Owned));
        assert_eq!(world.obtain(wanted, holder), Ok(Waiting));
        assert_eq!(world.obtain(wanted, rival), Ok(Waiting));
        // Cluster B wants what the holder has: B's turn comes after A's first grant.
        let foreigner = world.thread(1, 9);
        assert_eq!(world.obtain(inner, foreigner), Ok(Waiting));
        let mut turns = Vec::new();
        world
            .system
            .for_each_waiter(wanted, |instance, thread| {
                turns.push((instance.index(), thread))
            })
            .unwrap();
        assert!(turns.contains(&(1, holder)), "it waits in B's tree too");
        assert_eq!(world.priority_in(owner, 1), 9, "and helps the owner there");
        assert_eq!(grants(world, wanted), [rival, holder]);
    });
}

#[test]
fn locks_are_released_in_any_order_and_each_takes_its_own_away() {
    tell(&[1], |world, migratory| {
        let owner = world.thread(0, 20);
        let locks = [0; 3].map(|_| world.lock(migratory, owner, 1));
        for (lock, priority) in locks.into_iter().zip([5, 3, 4]) {
            assert_eq!(world.obtain(lock, owner), Ok(Owned));
            let waiter = world.thread(0, priority);
            assert_eq!(world.obtain(lock, waiter), Ok(Waiting));
        }
        assert_eq!(world.priority(owner), 3);
        assert!(world.surrender(locks[0], owner).unwrap().is_some());
        assert_eq!(world.priority(owner), 3);
        assert!(world.surrender(locks[1], owner).unwrap().is_some());
        assert_eq!(world.priority(owner), 4);
        assert!(world.surrender(locks[2], owner).unwrap().is_some());
        assert_eq!(world.priority(owner), 20);
    });
}

#[test]
fn an_owner_that_loses_a_priority_goes_before_its_equals() {
    tell(&[1], |world, migratory| {
        let owner = world.thread(0, 9);
        let equal = world.thread(0, 9);
        let lock = world.lock(migratory, owner, 1);
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        let waiter = world.thread(0, 5);
        assert_eq!(world.obtain(lock, waiter), Ok(Waiting));
        assert_eq!(world.running(), [Some(owner)]);
        assert_eq!(world.surrender(lock, owner), Ok(Some(waiter)));
        world.suspend(waiter);
        assert_eq!(world.running(), [Some(owner)], "not {equal:?}");
    });
}

/// A low owner at home in A, preempted there; a waiter in B, where a less urgent thread runs.
fn preempted_owner(world: &mut World, migratory: Protocol) -> (Lock, [Thread; 4]) {
    let owner = world.thread(0, 10);
    let low = world.thread(1, 8);
    let lock = world.lock(migratory, owner, 1);
    assert_eq!(world.obtain(lock, owner), Ok(Owned));
    let waiter = world.thread(1, 5);
    assert_eq!(world.obtain(lock, waiter), Ok(Waiting));
    assert_eq!(world.running(), [Some(owner), Some(low)]);
    let urgent = world.thread(0, 1);
    (lock, [owner, waiter, urgent, low])
}

#[test]
fn a_preempted_owner_runs_where_it_is_waited_for() {
    tell(&[1, 1], |world, migratory| {
        let (lock, [owner, waiter, urgent, _]) = preempted_owner(world, migratory);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        // No thread is pulled back when the home is free again.
        world.suspend(urgent);
        assert_eq!(world.running(), [None, Some(owner)]);
        assert_eq!(world.surrender(lock, owner), Ok(Some(waiter)));
        assert_eq!(world.running(), [Some(owner), Some(waiter)]);
    });
}

#[test]
fn an_owner_that_releases_on_a_helper_may_have_to_wait_at_home() {
    tell(&[1, 1], |world, migratory| {
        let (lock, [owner, waiter, urgent, _]) = preempted_owner(world, migratory);
        assert_eq!(world.surrender(lock, owner), Ok(Some(waiter)));
        assert_eq!(world.running(), [Some(urgent), Some(waiter)]);
        world.suspend(urgent);
        assert_eq!(world.running(), [Some(owner), Some(waiter)]);
    });
}

#[test]
fn a_new_waiter_rescues_an_owner_that_was_preempted_before() {
    tell(&[1, 1], |world, migratory| {
        let owner = world.thread(0, 10);
        let low = world.thread(1, 8);
        let lock = world.lock(migratory, owner, 1);
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        let urgent = world.thread(0, 1);
        assert_eq!(world.running(), [Some(urgent), Some(low)]);
        let waiter = world.thread(1, 5);
        assert_eq!(world.obtain(lock, waiter), Ok(Waiting));
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        // A second one, more urgent, is displaced by no thread but takes nothing away either.
        let second = world.thread(1, 3);
        assert_eq!(world.obtain(lock, second), Ok(Waiting));
        assert_eq!(world.priority_in(owner, 1), 3);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
    });
}

#[test]
fn help_ends_with_the_wait_that_gave_it() {
    tell(&[1, 1], |world, migratory| {
        let (lock, [owner, waiter, urgent, _]) = preempted_owner(world, migratory);
        world.time_out(waiter).unwrap();
        assert_eq!(world.outcome(waiter), Some(Outcome::Timeout));
        assert_eq!(world.running(), [Some(urgent), Some(waiter)]);
        world.suspend(urgent);
        assert_eq!(world.running(), [Some(owner), Some(waiter)]);
        assert_eq!(world.surrender(lock, owner), Ok(None));
    });
}

#[test]
fn a_flush_ends_help_too() {
    tell(&[1, 1], |world, migratory| {
        let (lock, [owner, waiter, urgent, _]) = preempted_owner(world, migratory);
        let second = world.thread(1, 4);
        assert_eq!(world.obtain(lock, second), Ok(Waiting));
        world.flush(lock).unwrap();
        assert_eq!(world.running(), [Some(urgent), Some(second)]);
        assert_eq!(world.outcome(waiter), Some(Outcome::Flushed));
        assert_eq!(world.outcome(second), Some(Outcome::Flushed));
        assert_eq!(world.owner(lock), Some(owner));
    });
}

#[test]
fn a_yield_acts_at_home_only() {
    tell(&[1, 1], |world, migratory| {
        let (_, [owner, _, urgent, _]) = preempted_owner(world, migratory);
        world
            .act(|system, now, due| system.yield_now(owner, now, due))
            .unwrap();
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
    });
}

#[test]
fn an_owner_displaced_on_the_helper_asks_at_home_first() {
    tell(&[1, 1], |world, migratory| {
        let (_, [owner, _, urgent, _]) = preempted_owner(world, migratory);
        world.suspend(urgent);
        let there = world.thread(1, 2);
        assert_eq!(world.running(), [Some(owner), Some(there)]);
    });
}

#[test]
fn an_owner_that_sleeps_on_the_helper_wakes_at_home_or_there() {
    tell(&[1, 1], |world, migratory| {
        let (_, [owner, _, urgent, low]) = preempted_owner(world, migratory);
        world.sleep(owner);
        assert_eq!(world.running(), [Some(urgent), Some(low)]);
        world.wake(owner);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        world.sleep(owner);
        world.suspend(urgent);
        world.wake(owner);
        assert_eq!(world.running(), [Some(owner), Some(low)]);
    });
}

#[test]
fn a_suspended_waiter_still_helps_and_is_granted() {
    tell(&[1, 1], |world, migratory| {
        let (lock, [owner, waiter, urgent, low]) = preempted_owner(world, migratory);
        world.suspend(waiter);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        assert_eq!(world.surrender(lock, owner), Ok(Some(waiter)));
        assert_eq!(world.running(), [Some(urgent), Some(low)]);
        world.resume(waiter);
        assert_eq!(world.running(), [Some(urgent), Some(waiter)]);
    });
}

#[test]
fn a_cluster_helps_through_a_thread_that_is_helped_itself() {
    tell(&[1, 1, 1], |world, migratory| {
        // c waits for b, which waits for a: c's cluster takes a in.
        let [a, b, c] = [0, 1, 2].map(|cluster| world.thread(cluster, 10));
        let first = world.lock(migratory, a, 1);
        let second = world.lock(migratory, b, 1);
        assert_eq!(world.obtain(first, a), Ok(Owned));
        assert_eq!(world.obtain(second, b), Ok(Owned));
        assert_eq!(world.obtain(first, b), Ok(Waiting));
        assert_eq!(world.obtain(second, c), Ok(Waiting));
        let [urgent_a, urgent_b] = [0, 1].map(|cluster| world.thread(cluster, 1));
        let expected = [Some(urgent_a), Some(urgent_b), Some(a)];
        assert_eq!(world.running(), expected);
        // Once a has released, b is the one to be helped there.
        assert_eq!(world.surrender(first, a), Ok(Some(b)));
        let expected = [Some(urgent_a), Some(urgent_b), Some(b)];
        assert_eq!(world.running(), expected);
        assert_eq!(world.surrender(second, b), Ok(Some(c)));
        let expected = [Some(urgent_a), Some(urgent_b), Some(c)];
        assert_eq!(world.running(), expected);
    });
}

#[test]
fn a_waiting_thread_that_is_deleted_or_restarted_leaves_the_queue() {
    tell(&[1, 1], |world, migratory| {
        let (lock, [owner, waiter, urgent, low]) = preempted_owner(world, migratory);
        world
            .act(|system, now, due| system.restart(waiter, now, due))
            .unwrap();
        assert_eq!(world.running(), [Some(urgent), Some(waiter)]);
        assert_eq!(world.obtain(lock, waiter), Ok(Waiting));
        world
            .act(|system, now, due| system.delete(waiter, now, due))
            .unwrap();
        assert_eq!(world.running(), [Some(urgent), Some(low)]);
        let delete = world.act(|system, now, due| system.delete(owner, now, due));
        assert_eq!(delete, Err(Error::ResourceInUse), "it owns the lock");
    });
}

#[test]
fn jobs_lend_their_deadlines() {
    let mut world = World::new(&[(Edf, 1)]);
    let at = taktos_time::Instant::from_nanos;
    let [owner, middle, urgent] = [9; 3].map(|priority| world.thread(0, priority));
    let lock = world.lock(Protocol::Inheritance, owner, 1);
    let release = |world: &mut World, thread, deadline| {
        world
            .act(|system, now, due| system.release_job(thread, at(deadline), now, due))
            .unwrap();
    };
    assert_eq!(world.obtain(lock, owner), Ok(Owned));
    release(&mut world, middle, 200);
    assert_eq!(world.running(), [Some(middle)]);
    release(&mut world, urgent, 100);
    assert_eq!(world.obtain(lock, urgent), Ok(Waiting));
    assert_eq!(
        world.running(),
        [Some(owner)],
        "by the deadline that it inherits"
    );
    // The waiter's deadline changes: the owner's does.
    release(&mut world, urgent, 300);
    assert_eq!(world.running(), [Some(middle)]);
    release(&mut world, urgent, 150);
    assert_eq!(world.running(), [Some(owner)]);
    world
        .act(|system, now, due| system.cancel_job(urgent, now, due))
        .unwrap();
    assert_eq!(world.running(), [Some(middle)]);
}
