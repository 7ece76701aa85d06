//! The immediate ceiling.

use crate::world::World;
use taktos_schedule::smp::{Obtained::*, *};

fn tell(clusters: &[usize], story: impl Fn(&mut World)) {
    for policy in [PolicyKind::Simple, PolicyKind::Priority, PolicyKind::Edf] {
        let clusters: Vec<_> = clusters.iter().map(|count| (policy, *count)).collect();
        story(&mut World::new(&clusters));
    }
}

#[test]
fn an_owner_is_at_the_ceiling_at_once() {
    tell(&[1], |world| {
        let owner = world.thread(0, 10);
        let lock = world.lock(Protocol::Ceiling, owner, 5);
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        let middle = world.thread(0, 7);
        assert_eq!(world.running(), [Some(owner)]);
        let urgent = world.thread(0, 4);
        assert_eq!(world.running(), [Some(urgent)]);
        world.suspend(urgent);
        assert_eq!(world.surrender(lock, owner), Ok(None));
        assert_eq!(world.running(), [Some(middle)]);
    });
}

#[test]
fn a_thread_that_falls_from_the_ceiling_goes_before_its_equals() {
    tell(&[1], |world| {
        let owner = world.thread(0, 10);
        let equal = world.thread(0, 10);
        let lock = world.lock(Protocol::Ceiling, owner, 5);
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        assert_eq!(world.surrender(lock, owner), Ok(None));
        assert_eq!(world.running(), [Some(owner)], "not {equal:?}");
    });
}

#[test]
fn a_waiter_is_not_checked_and_has_the_ceiling_when_it_is_granted() {
    tell(&[1], |world| {
        let owner = world.thread(0, 10);
        let lock = world.lock(Protocol::Ceiling, owner, 5);
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        let [low, urgent] = [8, 3].map(|priority| world.thread(0, priority));
        assert_eq!(world.obtain(lock, urgent), Ok(Waiting));
        assert_eq!(world.obtain(lock, low), Ok(Waiting));
        assert_eq!(world.priority(owner), 5, "it inherits nothing");
        assert_eq!(world.surrender(lock, owner), Ok(Some(urgent)));
        assert_eq!(world.priority(urgent), 3);
        assert_eq!(world.surrender(lock, urgent), Ok(Some(low)));
        assert_eq!(world.priority(low), 5);
        assert_eq!(world.obtain(lock, urgent), Ok(Waiting));
        assert_eq!(world.surrender(lock, low), Ok(Some(urgent)));
        assert_eq!(world.surrender(lock, urgent), Ok(None));
        assert_eq!(
            world.obtain(lock, urgent),
            Err(Error::InvalidPriority),
            "free"
        );
    });
}

#[test]
fn a_new_ceiling_acts_on_the_owner() {
    tell(&[1], |world| {
        let owner = world.thread(0, 10);
        let rival = world.thread(0, 7);
        let lock = world.lock(Protocol::Ceiling, owner, 5);
        world.suspend(rival);
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        world.resume(rival);
        assert_eq!(world.running(), [Some(owner)]);
        assert_eq!(world.set_ceiling(lock, 0, 8), Ok(Priority(5)));
        assert_eq!(world.priority(owner), 8);
        assert_eq!(world.running(), [Some(rival)]);
        assert_eq!(world.set_ceiling(lock, 0, 7), Ok(Priority(8)));
        assert_eq!(world.running(), [Some(rival)], "behind its equals");
        assert_eq!(world.set_ceiling(lock, 0, 6), Ok(Priority(7)));
        assert_eq!(world.running(), [Some(owner)]);
    });
}

#[test]
fn its_own_priority_acts_when_it_is_more_urgent() {
    tell(&[1], |world| {
        let owner = world.thread(0, 10);
        let lock = world.lock(Protocol::Ceiling, owner, 5);
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        world.set_priority(owner, 2);
        assert_eq!(world.priority(owner), 2);
        world.set_priority(owner, 30);
        assert_eq!(world.priority(owner), 5);
        assert_eq!(world.surrender(lock, owner), Ok(None));
        assert_eq!(world.priority(owner), 30);
    });
}

#[test]
fn nested_ceilings_in_any_order() {
    tell(&[1], |world| {
        let owner = world.thread(0, 10);
        let [outer, inner] = [7, 5].map(|ceiling| world.lock(Protocol::Ceiling, owner, ceiling));
        assert_eq!(world.obtain(outer, owner), Ok(Owned));
        assert_eq!(world.obtain(inner, owner), Ok(Owned));
        assert_eq!(world.obtain(outer, owner), Ok(Owned), "recursion");
        assert_eq!(world.surrender(outer, owner), Ok(None));
        assert_eq!(world.surrender(outer, owner), Ok(None));
        assert_eq!(world.owner(outer), None);
        assert_eq!(world.priority(owner), 5);
        assert_eq!(world.surrender(inner, owner), Ok(None));
        assert_eq!(world.priority(owner), 10);
    });
}

#[test]
fn a_thread_of_another_cluster_has_no_ceiling() {
    tell(&[1, 1], |world| {
        let owner = world.thread(0, 10);
        let stranger = world.thread(1, 10);
        let lock = world.lock(Protocol::Ceiling, owner, 5);
        assert_eq!(world.obtain(lock, stranger), Err(Error::NotDefined));
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        assert_eq!(world.obtain(lock, stranger), Err(Error::NotDefined));
        let here = Instance::new(0).unwrap();
        world
            .act(|system, now, due| system.set_scheduler(stranger, here, Priority(9), now, due))
            .unwrap();
        assert_eq!(world.obtain(lock, stranger), Ok(Waiting));
    });
}
