//! Schedules computed by hand.

use super::{World, at};
use std::ops::Range;
use taktos_schedule::Cpu;
use taktos_schedule::smp::{PolicyKind, Thread};

fn alone(hard: bool) -> Vec<(u64, (u64, u64))> {
    let mut world = World::new(1, 1, PolicyKind::Cbs);
    let thread = world.server(3, 8, hard);
    world.work(thread, 10);
    let times = [0, 2, 3, 7, 8, 12, 16, 24, 25, 40];
    let found = times
        .into_iter()
        .map(|time| {
            world.run_until(at(time));
            (world.used(thread), world.state(thread))
        })
        .collect();
    assert_eq!(world.done, [(thread, at(if hard { 25 } else { 10 }))]);
    found
}

#[test]
fn a_soft_server_alone_runs_on_with_later_deadlines() {
    assert_eq!(
        alone(false),
        [
            (0, (3, 8)),
            (2, (1, 8)),
            (3, (3, 16)),
            (7, (2, 24)),
            (8, (1, 24)),
            (10, (2, 32)),
            (10, (2, 32)),
            (10, (2, 32)),
            (10, (2, 32)),
            (10, (2, 32)),
        ]
    );
}

#[test]
fn a_hard_server_alone_runs_three_in_eight() {
    assert_eq!(
        alone(true),
        [
            (0, (3, 8)),
            (2, (1, 8)),
            (3, (0, 8)),
            (3, (0, 8)),
            (3, (3, 16)),
            (6, (0, 16)),
            (6, (3, 24)),
            (9, (3, 32)),
            (10, (2, 32)),
            (10, (2, 32)),
        ]
    );
}

/// Returns the thread that runs on the first processor at each instant of a span.
fn trace(world: &mut World, names: &[(Thread, char)], span: Range<u64>) -> String {
    let mut found = String::new();
    for time in span {
        world.run_until(at(time));
        let heir = world.system.heir(Cpu::new(0).unwrap());
        let name = names.iter().find(|(thread, _)| Some(*thread) == heir);
        found.push(name.map_or('.', |(_, name)| *name));
    }
    found
}

/// A server of 2 in 6 that always has work next to a periodic thread of 3 in 6, which never
/// misses. The server's deadlines are 6 until it has used 2, then 12 and so on; at equal deadlines
/// the one comes first that got its own first.
#[test]
fn a_server_beside_a_periodic_thread() {
    let mut world = World::new(2, 1, PolicyKind::Cbs);
    let server = world.server(2, 6, false);
    let periodic = world.thread(None);
    world.work(server, 1000);
    let mut found = Vec::new();
    for start in [0, 6, 12, 18] {
        world.run_until(at(start));
        world
            .system
            .release_job(periodic, at(start + 6), at(start), &mut world.timers)
            .unwrap();
        world.work(periodic, 3);
        let names = [(server, 'S'), (periodic, 'p')];
        found.push(trace(&mut world, &names, start..start + 6));
    }
    assert_eq!(found, ["SSpppS", "SpppSS", "pppSSS", "pppSSS"]);
    assert_eq!(world.state(server), (1, 36));
}

/// It wakes before its deadline. With less than its share it continues with what it has; with more
/// it begins again.
#[test]
fn waking_keeps_or_renews_the_deadline() {
    let mut world = World::new(1, 1, PolicyKind::Cbs);
    let thread = world.server(4, 10, false);
    world.work(thread, 3);
    world.run_until(at(5));
    assert_eq!(world.state(thread), (1, 10));
    // 1 in 5 is less than 4 in 10.
    world.work(thread, 1);
    assert_eq!(world.state(thread), (1, 10));
    // That used it up exactly. It wakes with nothing left: the next budget is begun.
    world.run_until(at(8));
    assert_eq!(world.state(thread), (0, 10));
    world.work(thread, 1);
    assert_eq!(world.state(thread), (4, 20));
    // 3 in 9 is less than 4 in 10, and so is 2 in 6; but 2 in 5 is not.
    world.run_until(at(11));
    world.work(thread, 1);
    assert_eq!(world.state(thread), (3, 20));
    world.run_until(at(15));
    assert_eq!(world.state(thread), (2, 20));
    world.work(thread, 1);
    assert_eq!(world.state(thread), (4, 25));
}

/// Two hard servers on two processors, and a soft one that gets what they leave.
#[test]
fn throttled_servers_leave_their_processors_to_others() {
    let mut world = World::new(3, 2, PolicyKind::Cbs);
    let [first, second] = [(2, 10), (5, 10)].map(|(q, t)| world.server(q, t, true));
    let soft = world.server(1, 100, false);
    for thread in [first, second, soft] {
        world.work(thread, 1000);
    }
    world.run_until(at(10));
    assert_eq!(
        [first, second, soft].map(|thread| world.used(thread)),
        [2, 5, 8]
    );
    world.run_until(at(100));
    assert_eq!(
        [first, second, soft].map(|thread| world.used(thread)),
        [20, 50, 80]
    );
    assert_eq!(world.state(soft).1, 8_100);
}
