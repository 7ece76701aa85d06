//! Locks in the company of pins, affinities, clusters that lose processors.

use crate::world::World;
use taktos_schedule::smp::{Obtained::*, PolicyKind::Edf, *};
use taktos_schedule::{Cpu, CpuSet};

/// Creates an owner in A with a waiter in B. Both clusters have one processor and EDF.
fn owner_and_waiter(world: &mut World, protocol: Protocol) -> (Lock, Thread, Thread) {
    let owner = world.thread(0, 10);
    let lock = match protocol {
        Protocol::MrsP => world.mrsp(owner, &[6, 6]),
        _ => world.lock(protocol, owner, 0),
    };
    assert_eq!(world.obtain(lock, owner), Ok(Owned));
    let waiter = world.thread(1, 9);
    let _ = world.obtain(lock, waiter).unwrap();
    (lock, owner, waiter)
}

fn pin(world: &mut World, thread: Thread) {
    world.act(|system, _, _| system.pin(thread)).unwrap();
    world.settle();
}

fn unpin(world: &mut World, thread: Thread) {
    world
        .act(|system, now, due| system.unpin(thread, now, due))
        .unwrap();
}

const MIGRATORY: [Protocol; 3] = [Protocol::Inheritance, Protocol::Omip, Protocol::MrsP];

#[test]
fn a_thread_that_is_pinned_at_home_is_not_helped() {
    for protocol in MIGRATORY {
        let mut world = World::new(&[(Edf, 1), (Edf, 1)]);
        let (lock, owner, waiter) = owner_and_waiter(&mut world, protocol);
        pin(&mut world, owner);
        let urgent = world.thread(0, 1);
        let spins = (protocol == Protocol::MrsP).then_some(waiter);
        assert_eq!(world.running(), [Some(urgent), spins]);
        unpin(&mut world, owner);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        assert_eq!(world.surrender(lock, owner), Ok(Some(waiter)));
    }
}

#[test]
fn a_thread_that_is_pinned_while_it_is_helped_stays_there() {
    for protocol in MIGRATORY {
        let mut world = World::new(&[(Edf, 1), (Edf, 1)]);
        let (lock, owner, waiter) = owner_and_waiter(&mut world, protocol);
        let urgent = world.thread(0, 1);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        pin(&mut world, owner);
        // Neither a free home nor one that preempts it moves it.
        world.suspend(urgent);
        let there = world.thread(1, 1);
        let running = world.running();
        assert!(!running.contains(&Some(owner)), "{running:?}");
        world.suspend(there);
        assert_eq!(world.cpu_of(owner), Some(1));
        unpin(&mut world, owner);
        assert!(world.cpu_of(owner).is_some());
        assert_eq!(world.surrender(lock, owner), Ok(Some(waiter)));
        assert_eq!(world.running(), [Some(owner), Some(waiter)]);
    }
}

#[test]
fn affinity_binds_at_home_only() {
    for protocol in MIGRATORY {
        let mut world = World::new(&[(Edf, 2), (Edf, 1)]);
        let (lock, owner, waiter) = owner_and_waiter(&mut world, protocol);
        let bind = |world: &mut World, thread, cpu| {
            let cpus = CpuSet::of(Cpu::new(cpu).unwrap());
            world.act(|system, now, due| system.set_affinity(thread, cpus, now, due))
        };
        assert_eq!(bind(&mut world, owner, 1), Ok(()));
        assert_eq!(world.cpu_of(owner), Some(1));
        let urgent = world.thread(0, 1);
        assert_eq!(bind(&mut world, urgent, 1), Ok(()));
        assert_eq!(world.running(), [None, Some(urgent), Some(owner)]);
        assert_eq!(world.surrender(lock, owner), Ok(Some(waiter)));
        assert_eq!(world.running(), [None, Some(urgent), Some(waiter)]);
    }
}

#[test]
fn a_helper_keeps_its_last_processor_while_it_helps() {
    for protocol in MIGRATORY {
        let mut world = World::partitioned(3);
        let (lock, owner, waiter) = owner_and_waiter(&mut world, protocol);
        let there = Instance::new(1).unwrap();
        let take = |world: &mut World| {
            world.act(|system, now, due| {
                system.remove_processor(there, Cpu::new(1).unwrap(), now, due)
            })
        };
        assert_eq!(take(&mut world), Err(Error::ResourceInUse));
        assert_eq!(world.surrender(lock, owner), Ok(Some(waiter)));
        assert_eq!(world.surrender(lock, waiter), Ok(None));
        world
            .act(|system, now, due| system.delete(waiter, now, due))
            .unwrap();
        assert_eq!(take(&mut world), Ok(()));
    }
}

#[test]
fn an_owner_runs_on_where_it_is_helped_when_its_priority_there_changes() {
    for protocol in MIGRATORY {
        let mut world = World::partitioned(2);
        let (_, owner, waiter) = owner_and_waiter(&mut world, protocol);
        let low = world.thread(1, 20);
        let urgent = world.thread(0, 1);
        assert_eq!(world.running(), [Some(urgent), Some(owner)]);
        for priority in [5, 15, 9] {
            world.set_priority(waiter, priority);
            assert_eq!(
                world.running(),
                [Some(urgent), Some(owner)],
                "{low:?} waits"
            );
        }
        world.set_priority(waiter, 21);
        let helped = protocol == Protocol::MrsP; // the ceiling counts
        let there = if helped { owner } else { low };
        assert_eq!(world.running(), [Some(urgent), Some(there)]);
    }
}

#[test]
fn the_real_priority_may_change_while_an_inherited_one_counts() {
    for protocol in MIGRATORY {
        let mut world = World::partitioned(1);
        let owner = world.thread(0, 10);
        let lock = match protocol {
            Protocol::MrsP => world.mrsp(owner, &[4]),
            _ => world.lock(protocol, owner, 0),
        };
        assert_eq!(world.obtain(lock, owner), Ok(Owned));
        let waiter = world.thread(0, 4);
        let _ = world.obtain(lock, waiter).unwrap();
        world.set_priority(owner, 12);
        assert_eq!(world.priority(owner), 4);
        world.set_priority(owner, 3);
        assert_eq!(world.priority(owner), 3);
        world.set_priority(owner, 8);
        assert_eq!(world.priority(owner), 4);
        assert_eq!(world.surrender(lock, owner), Ok(Some(waiter)));
        assert_eq!(world.priority(owner), 8);
    }
}

#[test]
fn a_dormant_creator_may_own_its_lock_from_the_start() {
    for protocol in MIGRATORY {
        let mut world = World::partitioned(2);
        let home = Instance::new(0).unwrap();
        let owner = world.system.create(home, Priority(10), None).unwrap();
        let lock = world
            .act(|system, now, due| {
                system.create_lock(protocol, owner, Some(Priority(6)), true, now, due)
            })
            .unwrap();
        assert_eq!(world.system.reasons(owner), Ok(Reasons::DORMANT));
        world
            .act(|system, now, due| system.start(owner, now, due))
            .unwrap();
        assert_eq!(world.running(), [Some(owner), None]);
        assert_eq!(world.surrender(lock, owner), Ok(None));
        assert_eq!(world.priority(owner), 10);
    }
}

#[test]
fn a_wait_for_a_lock_is_ended_by_the_lock_alone() {
    let mut world = World::partitioned(2);
    let (_, owner, waiter) = owner_and_waiter(&mut world, Protocol::Inheritance);
    for thread in [owner, waiter] {
        let block = world.act(|system, now, due| system.block(thread, Reasons::LOCK, now, due));
        assert_eq!(block, Err(Error::IncorrectState));
        let unblock = world.act(|system, now, due| system.unblock(thread, Reasons::LOCK, now, due));
        assert_eq!(unblock, Err(Error::IncorrectState));
    }
    assert_eq!(world.system.reasons(waiter), Ok(Reasons::LOCK));
}
