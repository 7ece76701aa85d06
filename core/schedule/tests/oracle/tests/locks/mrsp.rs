//! MrsP: ceilings for each cluster, spinning, stickiness, help, idle substitutes.

use crate::world::World;
use taktos_schedule::smp::{Obtained::*, *};

const POLICIES: [PolicyKind; 3] = [PolicyKind::Simple, PolicyKind::Priority, PolicyKind::Edf];

fn tell(clusters: &[usize], story: impl Fn(&mut World)) {
    for policy in POLICIES {
        let clusters: Vec<_> = clusters.iter().map(|count| (policy, *count)).collect();
        story(&mut World::new(&clusters));
    }
}

/// An owner (10, ceiling 5) in A, a spinner (9, ceiling 6) in B.
fn owner_and_spinner(world: &mut World) -> (Lock, Thread, Thread) {
    let owner = world.thread(0, 10);
    let spinner = world.thread(1, 9);
    let ceilings = [5, 6, 7].split_at(world.cpus.min(3)).0.to_vec();
    let lock = world.mrsp(owner, &ceilings);
    assert_eq!(world.obtain(lock, owner), Ok(Owned));
    assert_eq!(world.obtain(lock, spinner), Ok(Spinning));
    (lock, owner, spinner)
}

#[test]
fn an_owner_has_the_ceiling_until_it_releases() {
    tell(&[1], |world| {
        let thread = world.thread(0, 10);
        let lock = world.mrsp(thread, &[5]);
        assert_eq!(world.obtain(lock, thread), Ok(Owned));
        assert_eq!(world.priority(thread), 5);
        let rival = world.thread(0, 5);
        assert_eq!(world.running(), [Some(thread)], "{rival:?} is its equal");
        assert_eq!(world.surrender(lock, thread), Ok(None));
        assert_eq!(world.priority(thread), 10);
        assert_eq!(world.running(), [Some(rival)]);
    });
}

#[test]
fn a_thread_that_has_moved_is_under_the_ceiling_of_its_new_home() {
    tell(&[1, 1], |world| {
        let thread = world.thread(0, 10);
        let lock = world.lock(Protocol::MrsP, thread, 5);
        let there = Instance::new(1).unwrap();
        let move_to = |world: &mut World, priority| {
            world.act(|system, now, due| {
                system.set_scheduler(thread, there, Priority(priority), now, due)
            })
        };
        assert_eq!(world.obtain(lock, thread), Ok(Owned));
        assert_eq!(
            move_to(world, 10),
            Err(Error::ResourceInUse),
            "it has a ceiling"
        );
        assert_eq!(world.surrender(lock, thread), Ok(None));
        assert_eq!(move_to(world, 10), Ok(()));
        assert_eq!(world.obtain(lock, thread), Ok(Owned));
        assert_eq!(world.priority(thread), 0, "not set: the most urgent");
        assert_eq!(world.surrender(lock, thread), Ok(None));
        world.set_ceiling(lock, 1, 11).unwrap();
        assert_eq!(world.obtain(lock, thread), Err(Error::InvalidPriority));
        world.set_ceiling(lock, 1, 10).unwrap();
        assert_eq!(world.obtain(lock, thread), Ok(Owned));
    });
}

#[test]
fn inner_ceilings_are_as_urgent_as_outer_ones() {
    tell(&[1], |world| {
        let thread = world.thread(0, 10);
        let locks = [7, 5, 5, 6].map(|ceiling| world.mrsp(thread, &[ceiling]));
        assert_eq!(world.obtain(locks[0], thread), Ok(Owned));
        assert_eq!(world.obtain(locks[1], thread), Ok(Owned));
        assert_eq!(world.obtain(locks[2], thread), Ok(Owned));
        assert_eq!(world.obtain(locks[3], thread), Err(Error::InvalidPriority));
        assert_eq!(world.priority(thread), 5);
        // In any order; each takes its own ceiling away.
        assert_eq!(world.surrender(locks[1], thread), Ok(None));
        assert_eq!(world.priority(thread), 5);
        assert_eq!(world.surrender(locks[0], thread), Ok(None));
        assert_eq!(world.priority(thread), 5);
        assert_eq!(world.surrender(locks[2], thread), Ok(None));
        assert_eq!(world.priority(thread), 10);
    });
}

#[test]
fn a_spinner_is_ready_at_its_ceiling_and_lends_its_priority() {
    tell(&[1, 1], |world| {
        let (lock, owner, spinner) = owner_and_spinner(world);
        assert_eq!(world.running(), [Some(owner), Some(spinner)]);
        assert_eq!(world.system.reasons(spinner), Ok(Reasons::NONE));
        assert_eq!((world.priority(owner), world.priority(spinner)), (5, 6));
        assert_eq!(world.priority_in(owner, 1), 6);
        assert_eq!(world.outcome(spinner), None);
        assert_eq!(world.surrender(lock, owner), Ok(Some(spinner)));
        assert_eq!(world.outcome(spinner), Some(Outcome::Granted));
        assert_eq!((world.priority(owner), world.priority(spinner)), (10, 6));
        assert_eq!(world.surrender(lock, spinner), Ok(None));
        assert_eq!(world.priority(spinner), 9);
    });
}

#[test]
fn spinners_are_granted_in_the_order_of_their_coming() {
    tell(&[1, 1, 1, 1], |world| {
        let threads = [0, 1, 2, 3].map(|cluster| world.thread(cluster, 10));
        let lock = world.mrsp(threads[0], &[5, 9, 3, 7]);
        for (at, expected) in [(0, Owned), (2, Spinning), (1, Spinning), (3, Spinning)] {
            assert_eq!(world.obtain(lock, threads[at]), Ok(expected));
        }
        for (at, next) in [(0, 2), (2, 1), (1, 3)] {
            let granted = world.surrender(lock, threads[at]);
            assert_eq!(granted, Ok(Some(threads[next])));
        }
    });
}

#[test]
fn spinners_of_one_cluster_are_equals_first_in_first_out() {
    tell(&[3], |world| {
        let threads = [9, 8, 7].map(|priority| world.thread(0, priority));
        let lock = world.mrsp(threads[0], &[5]);
        assert_eq!(world.obtain(lock, threads[0]), Ok(Owned));
        assert_eq!(world.obtain(lock, threads[1]), Ok(Spinning));
        assert_eq!(world.obtain(lock, threads[2]), Ok(Spinning));
        assert_eq!(world.surrender(lock, threads[0]), Ok(Some(threads[1])));
        assert_eq!(world.surrender(lock, threads[1]), Ok(Some(threads[2])));
    });
}

#[test]
fn a_displaced_owner_runs_in_place_of_a_spinner() {
    tell(&[1, 1], |world| {
        let (lock, owner, spinner) = owner_and_spinner(world);
        let low = world.thread(0, 20);
        let urgent = world.thread(0, 1);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        // Its home processor keeps its place: an idle thread substitutes, at the ceiling.
        world.suspend(urgent);
        assert_eq!(world.running(), [None, Some(owner)], "{low:?} is kept off");
        assert_eq!(world.surrender(lock, owner), Ok(Some(spinner)));
        assert_eq!(world.running(), [Some(owner), Some(spinner)]);
        assert_eq!(world.surrender(lock, spinner), Ok(None));
        assert_eq!(world.running(), [Some(owner), Some(spinner)]);
    });
}

#[test]
fn an_owner_that_releases_on_a_helper_waits_at_home_by_its_own_priority() {
    tell(&[1, 1], |world| {
        let (lock, owner, spinner) = owner_and_spinner(world);
        let middle = world.thread(0, 7);
        let urgent = world.thread(0, 1);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        assert_eq!(world.surrender(lock, owner), Ok(Some(spinner)));
        assert_eq!(world.running(), [Some(urgent), Some(spinner)]);
        world.suspend(urgent);
        assert_eq!(world.running(), [Some(middle), Some(spinner)]);
        world.suspend(middle);
        assert_eq!(world.running(), [Some(owner), Some(spinner)]);
    });
}

#[test]
fn an_owner_displaced_on_one_helper_goes_to_the_next() {
    tell(&[1, 1, 1], |world| {
        let (lock, owner, _) = owner_and_spinner(world);
        let third = world.thread(2, 9);
        assert_eq!(world.obtain(lock, third), Ok(Spinning));
        let urgent_a = world.thread(0, 1);
        assert_eq!(world.running(), [Some(urgent_a), Some(owner), Some(third)]);
        let urgent_b = world.thread(1, 1);
        let expected = [Some(urgent_a), Some(urgent_b), Some(owner)];
        assert_eq!(world.running(), expected);
        let urgent_c = world.thread(2, 1);
        let expected = [Some(urgent_a), Some(urgent_b), Some(urgent_c)];
        assert_eq!(world.running(), expected);
        // Whichever is free first takes the owner, not the spinner.
        world.suspend(urgent_b);
        let expected = [Some(urgent_a), Some(owner), Some(urgent_c)];
        assert_eq!(world.running(), expected);
        // The home goes first where it is free when the owner is displaced again.
        world.suspend(urgent_a);
        assert_eq!(world.running(), [None, Some(owner), Some(urgent_c)]);
        world.resume(urgent_b);
        let expected = [Some(owner), Some(urgent_b), Some(urgent_c)];
        assert_eq!(world.running(), expected);
    });
}

#[test]
fn a_suspended_owner_leaves_its_place() {
    tell(&[1, 1], |world| {
        let (lock, owner, spinner) = owner_and_spinner(world);
        let low = world.thread(0, 20);
        for sleeps in [false, true] {
            let stop = |world: &mut World, thread| match sleeps {
                true => world.sleep(thread),
                false => world.suspend(thread),
            };
            let go = |world: &mut World, thread| match sleeps {
                true => world.wake(thread),
                false => world.resume(thread),
            };
            stop(world, owner);
            assert_eq!(world.running(), [Some(low), Some(spinner)]);
            let urgent = world.thread(0, 1);
            assert_eq!(world.running(), [Some(urgent), Some(spinner)]);
            go(world, owner);
            assert_eq!(world.running(), [Some(urgent), Some(owner)]);
            world
                .act(|system, now, due| system.delete(urgent, now, due))
                .unwrap();
            // While it is helped, its place at home is kept.
            assert_eq!(world.running(), [None, Some(owner)], "{low:?} is kept off");
            stop(world, owner);
            assert_eq!(world.running(), [Some(low), Some(spinner)]);
            go(world, owner);
            assert_eq!(world.running(), [Some(owner), Some(spinner)]);
        }
        assert_eq!(world.surrender(lock, owner), Ok(Some(spinner)));
    });
}

#[test]
fn a_suspended_spinner_leaves_its_place_helps_and_is_granted() {
    tell(&[1, 1], |world| {
        let (lock, owner, spinner) = owner_and_spinner(world);
        let low = world.thread(1, 20);
        world.suspend(spinner);
        assert_eq!(world.running(), [Some(owner), Some(low)]);
        let urgent = world.thread(0, 1);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        assert_eq!(world.surrender(lock, owner), Ok(Some(spinner)));
        assert_eq!(world.outcome(spinner), Some(Outcome::Granted));
        assert_eq!(world.running(), [Some(urgent), Some(low)], "it is an owner");
        world.resume(spinner);
        assert_eq!(world.running(), [Some(urgent), Some(spinner)]);
        assert_eq!(world.surrender(lock, spinner), Ok(None));
        world.suspend(spinner);
        assert_eq!(world.running(), [Some(urgent), Some(low)]);
    });
}

#[test]
fn a_preempted_spinner_does_not_hold_the_owner_up() {
    tell(&[1, 1], |world| {
        let (lock, owner, spinner) = owner_and_spinner(world);
        let urgent_b = world.thread(1, 1);
        assert_eq!(world.running(), [Some(owner), Some(urgent_b)]);
        assert_eq!(world.surrender(lock, owner), Ok(Some(spinner)));
        assert_eq!(world.running(), [Some(owner), Some(urgent_b)]);
        // The owner is now the one displaced; the thread that spins in A lends it A.
        assert_eq!(world.obtain(lock, owner), Ok(Spinning));
        assert_eq!(world.running(), [Some(spinner), Some(urgent_b)]);
        world.suspend(urgent_b);
        assert_eq!(world.running(), [Some(spinner), None]);
    });
}

#[test]
fn a_time_out_takes_ceiling_stickiness_and_help_away() {
    tell(&[1, 1], |world| {
        let (lock, owner, spinner) = owner_and_spinner(world);
        let urgent = world.thread(0, 1);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        world.time_out(spinner).unwrap();
        assert_eq!(world.outcome(spinner), Some(Outcome::Timeout));
        assert_eq!(world.priority(spinner), 9);
        assert_eq!(world.running(), [Some(urgent), Some(spinner)]);
        world.suspend(urgent);
        assert_eq!(world.running(), [Some(owner), Some(spinner)]);
        let low = world.thread(1, 20);
        world.suspend(spinner);
        assert_eq!(world.running(), [Some(owner), Some(low)]);
        assert_eq!(world.surrender(lock, owner), Ok(None));
    });
}

#[test]
fn a_refused_circle_leaves_no_stickiness() {
    tell(&[1, 1], |world| {
        let [a, b] = [0, 1].map(|cluster| world.thread(cluster, 10));
        let [first, second] = [0; 2].map(|_| world.mrsp(a, &[5, 5]));
        assert_eq!(world.obtain(first, a), Ok(Owned));
        assert_eq!(world.obtain(second, b), Ok(Owned));
        assert_eq!(world.obtain(first, b), Ok(Spinning));
        assert_eq!(world.obtain(second, a), Err(Error::IncorrectState));
        assert_eq!(world.surrender(first, a), Ok(Some(b)));
        assert_eq!(world.surrender(first, b), Ok(None));
        assert_eq!(world.surrender(second, b), Ok(None));
        let low = [0, 1].map(|cluster| world.thread(cluster, 20));
        world.suspend(a);
        world.suspend(b);
        assert_eq!(world.running(), low.map(Some));
    });
}

#[test]
fn an_owner_that_spins_for_another_is_helped_along_the_chain() {
    tell(&[1, 1, 1], |world| {
        let [a, b, c] = [0, 1, 2].map(|cluster| world.thread(cluster, 10));
        let [first, second] = [0; 2].map(|_| world.mrsp(a, &[5, 5, 5]));
        assert_eq!(world.obtain(first, a), Ok(Owned));
        assert_eq!(world.obtain(second, b), Ok(Owned));
        assert_eq!(world.obtain(first, b), Ok(Spinning));
        assert_eq!(world.obtain(second, c), Ok(Spinning));
        assert_eq!(world.running(), [Some(a), Some(b), Some(c)]);
        let [urgent_a, urgent_b] = [0, 1].map(|cluster| world.thread(cluster, 1));
        let expected = [Some(urgent_a), Some(urgent_b), Some(a)];
        assert_eq!(world.running(), expected);
        assert_eq!(world.surrender(first, a), Ok(Some(b)));
        let expected = [Some(urgent_a), Some(urgent_b), Some(b)];
        assert_eq!(world.running(), expected);
    });
}

#[test]
fn a_new_ceiling_leaves_owner_and_spinners_alone() {
    tell(&[1, 1], |world| {
        let (lock, owner, spinner) = owner_and_spinner(world);
        world.set_ceiling(lock, 0, 2).unwrap();
        world.set_ceiling(lock, 1, 3).unwrap();
        assert_eq!((world.priority(owner), world.priority(spinner)), (5, 6));
        assert_eq!(world.surrender(lock, owner), Ok(Some(spinner)));
        assert_eq!(world.priority(spinner), 6, "what it was raised to");
        assert_eq!(world.obtain(lock, owner), Ok(Spinning));
        assert_eq!(world.priority(owner), 2);
    });
}

#[test]
fn a_thread_sticks_though_it_obtains_the_lock_while_it_is_helped() {
    tell(&[1, 1], |world| {
        let owner = world.thread(0, 10);
        let mutex = world.lock(Protocol::Inheritance, owner, 1);
        let lock = world.mrsp(owner, &[5, 5]);
        assert_eq!(world.obtain(mutex, owner), Ok(Owned));
        let waiter = world.thread(1, 8);
        assert_eq!(world.obtain(mutex, waiter), Ok(Waiting));
        let urgent = world.thread(0, 1);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        // Its home processor is kept for it from now on.
        let low = world.thread(0, 20);
        world.suspend(urgent);
        assert_eq!(world.running(), [None, Some(owner)]);
        assert_eq!(world.surrender(lock, owner), Ok(None));
        assert_eq!(world.running(), [Some(low), Some(owner)], "no longer");
        assert_eq!(world.surrender(mutex, owner), Ok(Some(waiter)));
        assert_eq!(world.running(), [Some(owner), Some(waiter)]);
    });
}

#[test]
fn a_deadline_violates_every_ceiling() {
    let mut world = World::new(&[(PolicyKind::Edf, 1)]);
    let thread = world.thread(0, 10);
    let mrsp = world.mrsp(thread, &[0]);
    let icpp = world.lock(Protocol::Ceiling, thread, 0);
    let deadline = taktos_time::Instant::from_nanos(1_000_000);
    world
        .act(|system, now, due| system.release_job(thread, deadline, now, due))
        .unwrap();
    assert_eq!(world.obtain(mrsp, thread), Err(Error::InvalidPriority));
    assert_eq!(world.obtain(icpp, thread), Err(Error::InvalidPriority));
    world
        .act(|system, now, due| system.cancel_job(thread, now, due))
        .unwrap();
    assert_eq!(world.obtain(mrsp, thread), Ok(Owned));
    assert_eq!(world.obtain(icpp, thread), Ok(Owned));
}

#[test]
fn a_spinner_or_owner_is_not_moved() {
    tell(&[1, 1], |world| {
        let (_, owner, spinner) = owner_and_spinner(world);
        for thread in [owner, spinner] {
            let there = Instance::new(0).unwrap();
            let moved = world
                .act(|system, now, due| system.set_scheduler(thread, there, Priority(9), now, due));
            assert_eq!(moved, Err(Error::ResourceInUse));
        }
    });
}

#[test]
fn a_spinner_may_be_restarted_or_deleted() {
    tell(&[1, 1], |world| {
        let (lock, owner, spinner) = owner_and_spinner(world);
        world
            .act(|system, now, due| system.restart(spinner, now, due))
            .unwrap();
        assert_eq!(world.system.waits_for(spinner), Ok(None));
        assert_eq!(world.priority(spinner), 9);
        assert_eq!(world.obtain(lock, spinner), Ok(Spinning));
        let urgent = world.thread(0, 1);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        world
            .act(|system, now, due| system.delete(spinner, now, due))
            .unwrap();
        assert_eq!(world.running(), [Some(urgent), None]);
        let deleted = world.act(|system, now, due| system.delete(owner, now, due));
        assert_eq!(deleted, Err(Error::ResourceInUse));
    });
}
