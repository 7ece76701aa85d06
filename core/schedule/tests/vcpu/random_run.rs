//! Stress tests over a pool: units wake, sleep, yield, move, leave and come back, so do
//! processors, and the hypervisor has work of its own.

use crate::world::{Costs, FOREVER, Random, World, cpu, vcpu};
use taktos_schedule::CpuSet;
use taktos_schedule::vcpu::{Admission, Domain, Place, Policy};

/// The size and the parameters of a stress test.
#[derive(Clone, Copy, Debug)]
pub struct RandomRun {
    pub seed: u64,
    pub cpus: usize,
    pub units: usize,
    pub events: u64,
    /// Whether affinities and the pool stay as they are.
    pub calm: bool,
}

/// The stress tests of a policy alone.
pub fn plain() -> impl Iterator<Item = RandomRun> {
    const SIZES: [(usize, usize); 4] = [(1, 4), (4, 12), (8, 20), (16, 40)];
    (0..24).map(|number| {
        let (cpus, units) = SIZES[number as usize % SIZES.len()];
        RandomRun {
            seed: number * 7 + 1,
            cpus,
            units,
            events: 50_000,
            calm: false,
        }
    })
}

/// So many stress tests of a policy beside a model of it.
pub fn watched(count: u64) -> impl Iterator<Item = RandomRun> {
    const SIZES: [(usize, usize); 4] = [(1, 4), (2, 7), (4, 10), (6, 14)];
    (0..count).map(|number| {
        let (cpus, units) = SIZES[number as usize % SIZES.len()];
        RandomRun {
            seed: number * 5 + 2,
            cpus,
            units,
            events: 25_000,
            calm: number % 3 == 0,
        }
    })
}

/// A topology of `cpus` processors: pairs of threads, four to a socket and node.
pub fn topology(cpus: usize) -> Vec<Place> {
    let place = |index: usize| Place {
        core: index as u16 / 2,
        socket: index as u16 / 4,
        node: index as u16 / 4,
    };
    (0..cpus).map(place).collect()
}

/// Returns the costs of events, one kind for every third seed: nothing; microseconds; milliseconds.
pub fn costs(seed: u64) -> Costs {
    let (tickle, switch, slop) = match seed % 3 {
        0 => (0, 0, 0),
        1 => (700, 2_000, 50_000),
        _ => (300_000, 200_000, 0),
    };
    Costs {
        tickle,
        switch,
        slop,
    }
}

/// Admits unit `index`, two units to a domain.
pub fn admit<P: Policy>(world: &mut World<P>, index: usize) {
    let admission = Admission::anywhere(Domain::new(index as u16 / 2));
    world.insert(index, admission);
}

/// A world with all processors and units in it.
pub fn world<P: Policy>(policy: P, setup: RandomRun) -> World<P> {
    let mut world = World::empty(policy, setup.cpus, setup.units, costs(setup.seed));
    for index in 0..setup.cpus {
        world.add_cpu(index);
    }
    for index in 0..setup.units {
        admit(&mut world, index);
    }
    world
}

/// Lets it loose; `tune` now and then does what only its policy understands.
pub fn blow<P: Policy>(
    world: &mut World<P>,
    setup: RandomRun,
    mut tune: impl FnMut(&mut World<P>, &mut Random),
) {
    let mut random = Random::new(setup.seed);
    let mut absent = vec![false; setup.units];
    while world.events < setup.events {
        let pause = random.between(
            0,
            [50_000, 300_000, 3_000_000][world.events as usize / 64 % 3],
        );
        world.run_until(world.now + pause);
        let unit = random.between(0, setup.units as u64 - 1) as usize;
        turn(world, setup, &mut random, &mut absent, unit);
        if random.once_in(100) {
            tune(world, &mut random);
        }
        world.check();
    }
}

fn turn<P: Policy>(
    world: &mut World<P>,
    setup: RandomRun,
    random: &mut Random,
    absent: &mut [bool],
    unit: usize,
) {
    let processor = random.between(0, setup.cpus as u64 - 1) as usize;
    let now = world.now;
    match random.between(0, if setup.calm { 12 } else { 22 }) {
        0..=6 if !absent[unit] => world.give(now, unit, random.between(1, 4_000_000)),
        7 if !absent[unit] => world.give(now, unit, FOREVER),
        8..=10 if !absent[unit] => world.stop(now, unit),
        11..=12 => world.call(|p, now, fx| p.yield_now(vcpu(unit), now, fx)),
        13..=15 if !absent[unit] => {
            let hard = CpuSet::from_bits(random.next() & random.next());
            let soft = CpuSet::from_bits(random.next());
            world
                .call(|p, now, fx| p.set_affinity(vcpu(unit), hard, soft, now, fx))
                .unwrap();
        }
        16 => world.work(processor, random.once_in(3)),
        17..=18 => {
            // Refused for those that are not there, or the last one.
            let _ = world.call(|p, now, fx| p.remove_cpu(cpu(processor), now, fx));
        }
        19..=20 => {
            let _ = world.call(|p, now, fx| p.add_cpu(cpu(processor), now, fx));
        }
        21..=22 if absent[unit] && !world.policy.cpus().is_empty() => {
            absent[unit] = false;
            admit(world, unit);
        }
        21 if !absent[unit] => {
            world.run_until(now);
            // Refused while it is awake or being switched out.
            absent[unit] = world
                .call(|p, now, fx| p.remove(vcpu(unit), now, fx))
                .is_ok();
        }
        _ => {}
    }
}
