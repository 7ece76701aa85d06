//! Which of several idle processors an arrival gets, under each policy: what docs/scenarios.md says
//! of it.

mod common;

use common::{MAIN, World, cpu, one};
use std::hash::{BuildHasher, Hasher, RandomState};
use taktos_schedule::{
    CpuSet,
    smp::{PolicyKind, Thread},
};

const CPUS: usize = 6;

/// Of the idle processors that a thread may have.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Taken {
    /// The one that became idle last; at the beginning the lowest.
    Last,
    Lowest,
}

/// Fewer threads than processors come and go, each bound to some of them; `masks` says to which.
fn holds(
    policy: PolicyKind,
    taken: Taken,
    masks: [CpuSet; CPUS - 1],
    draws: &mut dyn FnMut() -> usize,
) {
    let online = CpuSet::first(CPUS);
    let mut world = World::new(CPUS, online, &[one(policy, CPUS)]);
    world.settle();
    // The one that became idle last is last.
    let mut idle: Vec<usize> = (0..CPUS).rev().collect();
    let threads = masks.map(|mask| {
        let thread = world.thread(MAIN, 5, Some(mask));
        world.block(thread);
        thread
    });
    // Each was alone: a processor that it took is the last to become idle again.
    for mask in masks {
        let at = place(&idle, taken, mask).unwrap();
        let cpu = idle.remove(at);
        idle.push(cpu);
    }
    let mut ready = [false; CPUS - 1];
    for step in 0..400 {
        let who = draws() % threads.len();
        if ready[who] {
            let found = on(&world, threads[who]);
            world.block(threads[who]);
            idle.extend(found);
            ready[who] = false;
            continue;
        }
        // A place at which it would have to displace another is no business of this test.
        let Some(at) = place(&idle, taken, masks[who]) else {
            continue;
        };
        let expected = idle.remove(at);
        world.unblock(threads[who]);
        ready[who] = true;
        let found = on(&world, threads[who]);
        assert_eq!(
            found,
            Some(expected),
            "{policy:?}, {taken:?}, step {step}, {masks:?}"
        );
    }
}

/// Which of the idle ones is taken.
fn place(idle: &[usize], taken: Taken, mask: CpuSet) -> Option<usize> {
    let may = |index: &usize| mask.contains(cpu(*index));
    match taken {
        Taken::Last => idle.iter().rposition(may),
        Taken::Lowest => {
            let lowest = idle.iter().copied().filter(may).min()?;
            idle.iter().position(|one| *one == lowest)
        }
    }
}

fn on(world: &World, thread: Thread) -> Option<usize> {
    let running = world.running(CPUS);
    running.iter().position(|one| *one == Some(thread))
}

/// Random numbers from a seed that is new each time.
fn draws() -> impl FnMut() -> usize {
    let seed = std::env::var("TAKTOS_SEED").ok();
    let seed = seed.and_then(|seed| seed.parse().ok());
    let mut state: u64 = seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()) | 1;
    println!("TAKTOS_SEED={state}");
    move || {
        // Xorshift (Marsaglia 2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as usize
    }
}

/// Sets of processors that are not empty.
fn masks(draws: &mut dyn FnMut() -> usize) -> [CpuSet; CPUS - 1] {
    ANYWHERE.map(|_| CpuSet::from_bits(1 + draws() as u64 % ((1 << CPUS) - 1)))
}

/// Threads that are bound take the idle processor that became idle last of those that they may
/// have.
#[test]
#[cfg_attr(miri, ignore = "random and long")]
fn threads_that_are_bound_under_weak_affinity() {
    let mut draws = draws();
    for _ in 0..20 {
        let masks = masks(&mut draws);
        holds(PolicyKind::PriorityAffinity, Taken::Last, masks, &mut draws);
    }
}

const ANYWHERE: [CpuSet; CPUS - 1] = [CpuSet::ALL; CPUS - 1];

#[test]
#[cfg_attr(miri, ignore = "random and long")]
fn threads_that_may_be_anywhere() {
    use PolicyKind::{Cbs, Edf, Priority, PriorityAffinity, Simple, StrongAffinity};
    let mut draws = draws();
    for policy in [Simple, Priority, PriorityAffinity, Edf, Cbs] {
        holds(policy, Taken::Last, ANYWHERE, &mut draws);
    }
    holds(StrongAffinity, Taken::Lowest, ANYWHERE, &mut draws);
}

#[test]
fn a_processor_that_came_while_another_was_busy() {
    use PolicyKind::{Cbs, Edf, Priority, Simple};
    for policy in [Simple, Priority, Edf, Cbs] {
        let online = CpuSet::first(2);
        let mut world = World::new(2, online, &[one(policy, 2)]);
        world.settle();
        let thread = world.thread(MAIN, 5, None);
        let busy = on(&world, thread).unwrap();
        let other = cpu(1 - busy);
        world.act(|system, now, fx| system.remove_processor(MAIN, other, now, fx));
        world.act(|system, now, fx| system.add_processor(MAIN, other, now, fx));
        world.block(thread);
        world.unblock(thread);
        assert_eq!(
            on(&world, thread),
            Some(busy),
            "{policy:?}: it became idle last"
        );
    }
}
