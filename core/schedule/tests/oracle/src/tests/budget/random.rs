//! Random servers: isolation, guarantees, accounts.

use super::{World, at};
use taktos_schedule::smp::{PolicyKind, Thread};
use taktos_schedule::{Cpu, CpuSet};

/// A counter, scrambled (SplitMix64): roll i of seed s is the same for ever.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % sides
    }
}

#[derive(Clone, Copy, Debug)]
struct Server {
    thread: Thread,
    budget: u64,
    period: u64,
    hard: bool,
}

impl Server {
    fn share(&self) -> f64 {
        self.budget as f64 / self.period as f64
    }
}

/// Returns servers with a sum of shares of at most m − (m − 1)·max, which Goossens, Funk and Baruah
/// admit.
fn admitted(world: &mut World, dice: &mut Dice, cpus: usize) -> Vec<Server> {
    let mut servers: Vec<Server> = Vec::new();
    for _ in 0..12 {
        let period = 10 + dice.roll(90);
        let budget = 1 + dice.roll(period * 2 / 3);
        let shares = servers.iter().map(Server::share);
        let share = budget as f64 / period as f64;
        let sum = shares.clone().sum::<f64>() + share;
        let largest = shares.fold(share, f64::max);
        if sum <= cpus as f64 - (cpus - 1) as f64 * largest {
            let hard = dice.roll(3) == 0;
            let thread = world.server(budget, period, hard);
            servers.push(Server {
                thread,
                budget,
                period,
                hard,
            });
        }
    }
    servers
}

/// Advances by one event, and reports each server with a deadline that moved, with the old one.
fn step(
    world: &mut World,
    servers: &[Server],
    until: u64,
    mut moved: impl FnMut(&Server, u64, u64),
) {
    while world.now < at(until) {
        let next = world.next().map_or(at(until), |next| next.min(at(until)));
        world.now = next;
        loop {
            let before: Vec<_> = servers.iter().map(|s| world.state(s.thread).1).collect();
            let happened = world.happen();
            for (server, old) in servers.iter().zip(before) {
                if world.state(server.thread).1 != old {
                    moved(server, old, world.now.as_nanos());
                }
            }
            if !happened {
                break;
            }
            world.check();
        }
    }
}

/// How long each run is. The interpreter that looks for undefined behaviour is slow.
const END: u64 = if cfg!(miri) { 60 } else { 2400 };

fn runs(many: u64) -> u64 {
    if cfg!(miri) { 1 } else { many }
}

/// Each server always has work: each budget is served by its deadline.
#[test]
fn an_admitted_set_gets_its_budgets_by_its_deadlines() {
    for seed in 0..runs(300) {
        let mut dice = Dice(seed << 32);
        let cpus = 1 + dice.roll(4) as usize;
        let mut world = World::new(12, cpus, PolicyKind::Cbs);
        let servers = admitted(&mut world, &mut dice, cpus);
        for server in &servers {
            world.work(server.thread, u64::from(u32::MAX));
        }
        step(&mut world, &servers, END, |server, old, now| {
            if server.hard {
                assert_eq!(
                    now, old,
                    "a hard server is refilled at its deadline: seed {seed} {server:?}"
                );
            } else {
                assert!(now <= old, "served too late: seed {seed} {server:?}");
            }
        });
        for server in &servers {
            let used = world.used(server.thread);
            let whole = END / server.period * server.budget;
            assert!(used >= whole, "seed {seed} {server:?}: {used} < {whole}");
            // No more than its budget in each of its periods.
            let most = (END / server.period + 1) * server.budget;
            assert!(
                !server.hard || used <= most,
                "seed {seed} {server:?}: {used} > {most}"
            );
        }
    }
}

/// Some servers keep to what they promised, others get more work than they can do: the former
/// finish each job within a period.
#[test]
fn those_that_keep_their_promise_do_not_suffer_from_those_that_do_not() {
    for seed in 0..runs(300) {
        let mut dice = Dice(seed << 32 | 1);
        let cpus = 1 + dice.roll(4) as usize;
        let mut world = World::new(12, cpus, PolicyKind::Cbs);
        let servers = admitted(&mut world, &mut dice, cpus);
        let honest = servers.len().div_ceil(2);
        let mut releases: Vec<u64> = servers.iter().map(|_| dice.roll(50)).collect();
        let mut due: Vec<Option<u64>> = servers.iter().map(|_| None).collect();
        while let Some(now) = releases.iter().copied().min().filter(|&now| now < END) {
            step(&mut world, &servers, now, |_, _, _| {});
            for index in 0..servers.len() {
                let server = servers[index];
                if releases[index] != now {
                    continue;
                }
                if index < honest {
                    let last = world.done.iter().rev().find(|(id, _)| *id == server.thread);
                    let done = last.map_or(0, |(_, at)| at.as_nanos());
                    let working = world.jobs.iter().any(|job| job.thread == server.thread);
                    let kept = due[index].is_none_or(|due| done <= due && !working);
                    assert!(
                        kept,
                        "seed {seed} {server:?} at {now}: {done}, due {:?}",
                        due[index]
                    );
                    due[index] = Some(now + server.period);
                    world.work(server.thread, 1 + dice.roll(server.budget));
                    releases[index] += server.period + dice.roll(server.period);
                } else {
                    world.work(server.thread, 1 + dice.roll(server.budget * 4));
                    releases[index] += 1 + dice.roll(server.period);
                }
            }
        }
    }
}

/// Soft servers that always have work and have shares that sum up to one processor: none lags,
/// none stays ahead. Between its deadlines one may be ahead of its share, if the others have later
/// deadlines; over their common period none is.
#[test]
fn at_full_load_nobody_gets_more_than_its_share() {
    let sets: [(&[(u64, u64)], u64); 4] = [
        (&[(1, 2), (1, 4), (2, 8)], 8),
        (&[(3, 10), (4, 20), (15, 30)], 60),
        (&[(1, 3), (2, 6), (4, 12)], 12),
        (&[(50, 100), (1, 4), (3, 12)], 300),
    ];
    for (set, common) in sets {
        let mut world = World::new(3, 1, PolicyKind::Cbs);
        let servers: Vec<_> = set
            .iter()
            .map(|&(q, t)| (world.server(q, t, false), q, t))
            .collect();
        for (thread, _, _) in &servers {
            world.work(*thread, u64::from(u32::MAX));
        }
        for now in 1..=END {
            world.run_until(at(now));
            for &(thread, budget, period) in &servers {
                let used = world.used(thread);
                assert!(used >= now / period * budget, "{set:?} at {now}: {used}");
                let due = now % common != 0 || used == now / period * budget;
                assert!(due, "{set:?} at {now}: {used}");
            }
        }
    }
}

/// Soft servers that always have work and have shares that sum up to several processors: each has
/// its share up to a constant, which does not grow with time.
#[test]
fn at_full_load_of_several_processors_shares_are_kept() {
    let mut tried = 0;
    for seed in 0..runs(50) {
        let mut dice = Dice(seed << 32 | 4);
        let cpus = 2 + dice.roll(3);
        let mut world = World::new(12, cpus as usize, PolicyKind::Cbs);
        // Periods of 60; the budgets sum up to those of all processors, none is longer than a
        // period.
        let mut rest = cpus * 60;
        let mut servers = Vec::new();
        for index in 0..12 {
            let least = rest.saturating_sub((11 - index) * 60).max(1);
            let budget = (least + dice.roll(30)).min(rest).min(60);
            if budget > 0 {
                rest -= budget;
                servers.push((world.server(budget, 60, false), budget));
            }
        }
        if rest > 0 {
            continue;
        }
        tried += 1;
        for (thread, _) in &servers {
            world.work(*thread, u64::from(u32::MAX));
        }
        for round in 1..=END / 30 {
            world.run_until(at(round * 60));
            for &(thread, budget) in &servers {
                let off = world.used(thread).abs_diff(round * budget);
                assert!(off <= cpus * 60, "seed {seed}, round {round}: {off}");
            }
        }
    }
    assert!(tried > 0);
}

/// More than the processors can give: in any span as long as its period, a hard server gets no more
/// than two budgets, and in each of its own periods no more than one.
#[test]
fn hard_servers_never_get_more_under_any_load() {
    for seed in 0..runs(100) {
        let mut dice = Dice(seed << 32 | 2);
        let cpus = 1 + dice.roll(4) as usize;
        let mut world = World::new(12, cpus, PolicyKind::Cbs);
        let servers: Vec<_> = (0..12)
            .map(|_| {
                let period = 5 + dice.roll(30);
                let budget = 1 + dice.roll(period);
                let thread = world.server(budget, period, true);
                Server {
                    thread,
                    budget,
                    period,
                    hard: true,
                }
            })
            .collect();
        for server in &servers {
            world.work(server.thread, u64::from(u32::MAX));
        }
        let mut begun: Vec<u64> = servers.iter().map(|_| 0).collect();
        step(&mut world, &servers, END, |server, old, now| {
            assert!(
                now >= old,
                "refilled before its deadline: seed {seed} {server:?}"
            );
            let index = servers.iter().position(|s| s.thread == server.thread);
            begun[index.unwrap()] += 1;
        });
        for (server, begun) in servers.iter().zip(begun) {
            assert!(world.used(server.thread) <= (begun + 1) * server.budget);
            assert!(
                begun <= END / server.period,
                "seed {seed} {server:?}: {begun}"
            );
        }
    }
}

/// Threads of all kinds, some bound to a processor so that others are moved in the middle of a
/// budget. After every event, no account is overdrawn, so each timer came in time; and all time is
/// charged to a thread.
#[test]
fn accounts_are_exact_where_threads_are_moved() {
    for seed in 0..runs(200) {
        let mut dice = Dice(seed << 32 | 3);
        let cpus = 2 + dice.roll(3) as usize;
        let mut world = World::new(12, cpus, PolicyKind::Cbs);
        let threads: Vec<_> = (0..12)
            .map(|index| {
                let bound = (index % 3 == 0)
                    .then(|| CpuSet::of(Cpu::new(dice.roll(cpus as u64) as usize).unwrap()));
                let thread = world.thread(bound);
                let period = 5 + dice.roll(30);
                let budget = super::ns(1 + dice.roll(period / 2));
                let period = super::ns(period);
                match index % 4 {
                    0 => {}
                    1 => world
                        .system
                        .set_hard_server(thread, budget, period)
                        .unwrap(),
                    _ => world.system.set_server(thread, budget, period).unwrap(),
                }
                thread
            })
            .collect();
        let mut now = 0;
        while now < END {
            world.run_until(at(now));
            let thread = threads[dice.roll(12) as usize];
            if dice.roll(3) == 0 {
                let deadline = at(now + 1 + dice.roll(40));
                world
                    .system
                    .release_job(thread, deadline, at(now), &mut world.timers)
                    .unwrap();
            }
            world.work(thread, 1 + dice.roll(30));
            world.check();
            now += dice.roll(6);
        }
        let everybody = (0..12 + cpus).map(|index| Thread::new(index).unwrap());
        let total: u64 = everybody.map(|thread| world.used(thread)).sum();
        assert_eq!(total, world.now.as_nanos() * cpus as u64);
    }
}
