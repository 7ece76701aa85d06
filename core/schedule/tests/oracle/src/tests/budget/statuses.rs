//! Refused calls, and the effects on a throttled thread that is suspended, restarted, deleted.

use super::{World, at, ns};
use taktos_schedule::smp::{Error, Instance, PolicyKind, Priority, Reasons};
use taktos_schedule::{Cpu, CpuSet};

#[test]
fn servers_are_given_to_blocked_threads_of_instances_that_have_servers() {
    let mut world = World::new(2, 1, PolicyKind::Edf);
    let thread = world.thread(None);
    assert_eq!(
        world.system.set_server(thread, ns(1), ns(2)),
        Err(Error::NotDefined)
    );
    assert_eq!(world.system.server(thread, at(0)), Err(Error::NotDefined));

    let mut world = World::new(2, 1, PolicyKind::Cbs);
    let thread = world.thread(None);
    for (budget, period) in [(0, 5), (6, 5)] {
        let refused = world.system.set_server(thread, ns(budget), ns(period));
        assert_eq!(refused, Err(Error::InvalidNumber));
    }
    assert_eq!(world.system.set_hard_server(thread, ns(5), ns(5)), Ok(()));
    world.work(thread, 100);
    assert_eq!(
        world.system.set_server(thread, ns(1), ns(5)),
        Err(Error::IncorrectState)
    );
    assert_eq!(
        world.system.remove_server(thread),
        Err(Error::IncorrectState)
    );
    let moved = world.system.set_scheduler(
        thread,
        Instance::new(0).unwrap(),
        Priority(3),
        at(0),
        &mut world.timers,
    );
    assert_eq!(moved, Err(Error::ResourceInUse));
    let nowhere = Cpu::new(5).unwrap();
    let refused = world.system.expire(nowhere, at(0), &mut world.timers);
    assert_eq!(refused, Err(Error::InvalidNumber));
}

/// Also one that has not woken yet stays where its server counts.
#[test]
fn a_thread_with_a_server_stays_in_its_instance() {
    let mut world = World::new(2, 1, PolicyKind::Cbs);
    let home = Instance::new(0).unwrap();
    let [thread, plain] = [0, 1].map(|_| world.system.create(home, Priority(1), None).unwrap());
    world.system.set_server(thread, ns(1), ns(5)).unwrap();
    let moved = [thread, plain].map(|thread| {
        world
            .system
            .set_scheduler(thread, home, Priority(3), at(0), &mut world.timers)
    });
    assert_eq!(moved, [Err(Error::ResourceInUse), Ok(())]);
}

/// Time that the thread used before is no debt.
#[test]
fn a_server_counts_from_the_next_wake_up_on() {
    let mut world = World::new(1, 1, PolicyKind::Cbs);
    let thread = world.thread(None);
    world.work(thread, 7);
    world.run_until(at(20));
    world.system.set_hard_server(thread, ns(2), ns(10)).unwrap();
    world.work(thread, 2);
    assert_eq!(world.state(thread), (2, 30));
    // Another server for it: what was left of the former is gone.
    world.run_until(at(21));
    world
        .system
        .suspend(thread, at(21), &mut world.timers)
        .unwrap();
    world.system.set_server(thread, ns(3), ns(5)).unwrap();
    world
        .system
        .resume(thread, at(21), &mut world.timers)
        .unwrap();
    assert_eq!(world.state(thread), (3, 26));
}

#[test]
fn one_processor_keeps_the_time_of_refills() {
    let mut world = World::new(2, 2, PolicyKind::Cbs);
    let thread = world.server(2, 10, true);
    world.work(thread, 100);
    world.run_until(at(3));
    assert_eq!(world.timers.armed[..2], [Some(at(10)), None]);
    let other = world.thread(Cpu::new(1).map(CpuSet::of));
    world.work(other, 2);
    world.run_until(at(6));
    assert_eq!(world.timers.armed[..2], [Some(at(10)), None]);
}

#[test]
fn only_a_refill_ends_a_throttling() {
    let mut world = World::new(1, 1, PolicyKind::Cbs);
    let thread = world.server(2, 10, true);
    world.work(thread, 100);
    world.run_until(at(3));
    assert_eq!(world.system.reasons(thread), Ok(Reasons::BUDGET));
    let cleared = world
        .system
        .unblock(thread, Reasons::BUDGET, at(3), &mut world.timers);
    assert_eq!(cleared, Err(Error::IncorrectState));
    world
        .system
        .restart(thread, at(3), &mut world.timers)
        .unwrap();
    assert_eq!(world.system.reasons(thread), Ok(Reasons::BUDGET));
    // Suspended at its refill: it is refilled, and wakes by the rules.
    world
        .system
        .suspend(thread, at(3), &mut world.timers)
        .unwrap();
    world.run_until(at(12));
    assert_eq!(world.system.reasons(thread), Ok(Reasons::SUSPENDED));
    assert_eq!(world.state(thread), (2, 20));
    world
        .system
        .resume(thread, at(12), &mut world.timers)
        .unwrap();
    assert_eq!(world.state(thread), (2, 22));
    world.run_until(at(100));
    assert_eq!(world.used(thread), 2 + 2 * 9);
}

#[test]
fn resumed_before_its_refill_it_still_waits() {
    let mut world = World::new(1, 1, PolicyKind::Cbs);
    let thread = world.server(2, 10, true);
    world.work(thread, 100);
    world.run_until(at(3));
    world
        .system
        .suspend(thread, at(3), &mut world.timers)
        .unwrap();
    world.run_until(at(6));
    world
        .system
        .resume(thread, at(6), &mut world.timers)
        .unwrap();
    assert_eq!(world.system.reasons(thread), Ok(Reasons::BUDGET));
    world.run_until(at(10));
    assert_eq!(world.system.reasons(thread), Ok(Reasons::NONE));
    assert_eq!(world.state(thread), (2, 20));
}

#[test]
fn a_thread_that_wakes_with_nothing_left_is_throttled_at_once() {
    let mut world = World::new(1, 1, PolicyKind::Cbs);
    let thread = world.server(2, 10, true);
    world.work(thread, 2);
    // Done and used up at the same instant: it blocks, and is refilled at its deadline all the
    // same.
    world.run_until(at(5));
    assert_eq!(world.state(thread), (0, 10));
    world.work(thread, 1);
    assert_eq!(world.system.reasons(thread), Ok(Reasons::BUDGET));
    world.run_until(at(30));
    assert_eq!(world.done.last(), Some(&(thread, at(11))));
}

#[test]
fn deleted_or_without_a_server_it_is_never_refilled() {
    let mut world = World::new(2, 1, PolicyKind::Cbs);
    let [first, second] = [2, 3].map(|budget| world.server(budget, 10, true));
    world.work(first, 100);
    world.work(second, 100);
    world.run_until(at(6));
    for thread in [first, second] {
        assert_eq!(world.system.reasons(thread), Ok(Reasons::BUDGET));
    }
    world.jobs.clear();
    world
        .system
        .delete(first, at(6), &mut world.timers)
        .unwrap();
    world
        .system
        .suspend(second, at(6), &mut world.timers)
        .unwrap();
    world.system.remove_server(second).unwrap();
    assert_eq!(world.system.reasons(second), Ok(Reasons::SUSPENDED));
    world.run_until(at(50));
    // Without a server its priority counts again, and nothing stops it.
    world
        .system
        .resume(second, at(50), &mut world.timers)
        .unwrap();
    assert_eq!(world.system.priority(second), Ok(Priority(1)));
    world.run_until(at(90));
    assert_eq!(world.used(second), 3 + 40);
    assert_eq!(world.timers.armed[0], None);
}

#[test]
fn jobs_of_a_thread_with_a_server_have_its_deadline() {
    let mut world = World::new(2, 1, PolicyKind::Cbs);
    let server = world.server(5, 20, false);
    let other = world.thread(None);
    world
        .system
        .release_job(server, at(1), at(0), &mut world.timers)
        .unwrap();
    world
        .system
        .release_job(other, at(10), at(0), &mut world.timers)
        .unwrap();
    world.work(server, 5);
    world.work(other, 5);
    let first = Cpu::new(0).unwrap();
    assert_eq!(world.system.heir(first), Some(other));
    world
        .system
        .release_job(server, at(1), at(0), &mut world.timers)
        .unwrap();
    assert_eq!(world.system.heir(first), Some(other));
    world
        .system
        .cancel_job(server, at(0), &mut world.timers)
        .unwrap();
    assert_eq!(world.state(server), (5, 20));
    world.run_until(at(20));
    assert_eq!(world.done, [(other, at(5)), (server, at(10))]);
}

/// A world that is late: what was used too much is paid by the budgets to come.
#[test]
fn coming_late_or_early_is_made_up_for() {
    let mut world = World::new(1, 1, PolicyKind::Cbs);
    let thread = world.server(2, 10, false);
    world.work(thread, 100);
    let cpu = Cpu::new(0).unwrap();
    // Too early: the requested time is 2.
    world.now = at(1);
    world.system.expire(cpu, at(1), &mut world.timers).unwrap();
    assert_eq!(world.timers.armed[0], Some(at(2)));
    assert_eq!(world.state(thread), (1, 10));
    // Three too late: a budget more is gone.
    world.now = at(5);
    world.system.expire(cpu, at(5), &mut world.timers).unwrap();
    assert_eq!(world.state(thread), (1, 30));
    assert_eq!(world.timers.armed[0], Some(at(6)));
}
