//! Random stress tests over each policy: waking, sleeping, yielding, affinities, the hypervisor's
//! work, units and processors that leave and come back. After every event the world checks the
//! policy's invariants and its own.

use crate::naive::{Lockstep, rtds::Naive as NaiveRtds, sedf::Naive as NaiveSedf};
use crate::world::{Costs, FOREVER, PendingEffects, Random, World, at, cpu, vcpu};
use taktos_schedule::CpuSet;
use taktos_schedule::vcpu::admission::Demand;
use taktos_schedule::vcpu::arinc653::{self, Arinc653, Slot, Window};
use taktos_schedule::vcpu::null::{self, Null};
use taktos_schedule::vcpu::rtds::{self, Options, ReplenishBy, Rtds};
use taktos_schedule::vcpu::sedf::{self, Processor, Sedf};
use taktos_schedule::vcpu::{Admission, Domain, Error, Policy, Profile};
use taktos_time::Duration;

/// The size of a stress test.
#[derive(Clone, Copy)]
struct Size {
    cpus: usize,
    units: usize,
    turns: u64,
}

const SIZES: [Size; 3] = [
    Size {
        cpus: 1,
        units: 3,
        turns: 10_000,
    },
    Size {
        cpus: 4,
        units: 9,
        turns: 10_000,
    },
    Size {
        cpus: 16,
        units: 40,
        turns: 2_500,
    },
];

const COSTS: [Costs; 3] = [
    Costs {
        tickle: 0,
        switch: 0,
        slop: 0,
    },
    Costs {
        tickle: 2_000,
        switch: 90_000,
        slop: 50_000,
    },
    Costs {
        tickle: 700_000,
        switch: 300_000,
        slop: 0,
    },
];

/// Calls `storm` for several sizes, costs and seeds.
fn everywhere(storm: impl Fn(Size, Costs, u64) -> u64) {
    let mut events = 0;
    for size in SIZES {
        for costs in COSTS {
            for seed in 0..4 {
                events += storm(size, costs, seed);
            }
        }
    }
    println!("{events} events");
    assert!(events > 250_000, "a storm of {events} events is none");
}

/// Runs a stress test in `world`. Returns the number of events.
fn rage<P: Policy>(
    mut world: World<P>,
    size: Size,
    seed: u64,
    mut tune: impl FnMut(&mut World<P>, &mut Random, usize),
) -> u64 {
    let mut random = Random::new(seed ^ 0x5704_1235);
    let mut out = CpuSet::EMPTY;
    for _ in 0..size.turns {
        let unit = random.between(0, size.units as u64 - 1) as usize;
        let processor = random.between(0, size.cpus as u64 - 1) as usize;
        let now = world.now;
        match random.between(0, 99) {
            0..40 => {
                let work = random.between(1, 20_000_000);
                world.give(now, unit, work);
            }
            40..45 => world.give(now, unit, FOREVER),
            45..65 => world.stop(now, unit),
            65..72 => {
                let bits = random.next() | random.next();
                world.confine(now, unit, CpuSet::from_bits(bits));
            }
            72..80 => world.call(|p, now, fx| p.yield_now(vcpu(unit), now, fx)),
            80..84 => world.work(processor, random.once_in(2)),
            84..92 => out = leave_or_join(&mut world, out, processor),
            92..96 => replace(&mut world, &mut random, unit),
            _ => tune(&mut world, &mut random, unit),
        }
        let pause = match random.between(0, 9) {
            0..4 => 0,
            4..8 => random.between(1, 1_000_000),
            _ => random.between(1, 30_000_000),
        };
        world.run_until(now + pause);
        world.check();
    }
    world.events
}

/// A processor leaves, or comes back once it is drained.
fn leave_or_join<P: Policy>(world: &mut World<P>, out: CpuSet, index: usize) -> CpuSet {
    let cpu = cpu(index);
    if out.contains(cpu) {
        if !world.is_free(index) {
            return out;
        }
        assert_eq!(world.policy.current(cpu), None);
        world.add_cpu(index);
        return out.without(cpu);
    }
    match world.call(|p, now, fx| p.remove_cpu(cpu, now, fx)) {
        Ok(()) => out.with(cpu),
        Err(error) => {
            assert_eq!(error, Error::LastCpu(cpu));
            out
        }
    }
}

/// A unit that sleeps and is off goes out and comes back with another affinity.
fn replace<P: Policy>(world: &mut World<P>, random: &mut Random, index: usize) {
    let free = world.is_off(index) && !world.units[index].awake;
    let result = world.call(|p, now, fx| p.remove(vcpu(index), now, fx));
    if !free {
        assert_eq!(result, Err(Error::Busy(vcpu(index))));
        return;
    }
    result.unwrap();
    let admission = Admission {
        domain: Domain::new(0),
        hard: CpuSet::from_bits(random.next() | random.next()),
        soft: CpuSet::from_bits(random.next()),
    };
    world.insert(index, admission);
}

fn micros(random: &mut Random, low: u64, high: u64) -> Duration {
    Duration::from_micros(random.between(low, high))
}

fn servers(random: &mut Random) -> rtds::Parameters {
    let period = micros(random, 200, 20_000);
    let budget = Duration::from_nanos(random.between(10_000, period.as_nanos()));
    rtds::Parameters::new(budget, period).with_extratime(random.once_in(2))
}

fn rtds(options: Options) {
    everywhere(|size, costs, seed| {
        let mut units = vec![rtds::Unit::EMPTY; size.units];
        let policy = Rtds::new(&mut units, options);
        let world = World::new(policy, size.cpus, size.units, costs);
        rage(world, size, seed, |world, random, unit| {
            let parameters = servers(random);
            let policy = &mut world.policy;
            policy
                .set_parameters(vcpu(unit), parameters, Demand::Forced)
                .unwrap();
        })
    });
}

#[test]
fn rtds_by_events_does_what_a_naive_model_does() {
    everywhere(|size, costs, seed| {
        let mut units = vec![rtds::Unit::EMPTY; size.units];
        let mut policy = Lockstep {
            real: Rtds::new(&mut units, Options::DEFAULT),
            naive: NaiveRtds::new(size.units),
        };
        for index in 0..size.units {
            policy.naive.set(vcpu(index), rtds::Parameters::DEFAULT);
        }
        let world = World::new(policy, size.cpus, size.units, costs);
        rage(world, size, seed, |world, random, unit| {
            let parameters = servers(random);
            let Lockstep { real, naive } = &mut world.policy;
            real.set_parameters(vcpu(unit), parameters, Demand::Forced)
                .unwrap();
            naive.set(vcpu(unit), parameters);
        })
    });
}

#[test]
fn rtds_by_the_reference_order() {
    rtds(Options {
        replenish_by: ReplenishBy::RunQueueOrder,
        ..Options::DEFAULT
    });
}

#[test]
fn rtds_by_quantum() {
    rtds(Options::of(Profile::Xen45));
}

#[test]
fn sedf_does_what_a_naive_model_does() {
    everywhere(|size, costs, seed| {
        let mut units = vec![sedf::Unit::EMPTY; size.units];
        let mut processors = vec![Processor::EMPTY; size.cpus];
        let policy = Lockstep {
            real: Sedf::new(&mut units, &mut processors),
            naive: NaiveSedf::new(size.units, size.cpus),
        };
        let world = World::new(policy, size.cpus, size.units, costs);
        rage(world, size, seed, |world, random, unit| {
            let parameters = slices(random);
            world.call(|p, now, fx| {
                let (mut own, demand) = (PendingEffects::default(), Demand::Forced);
                p.real
                    .set_parameters(vcpu(unit), parameters, demand, now, fx)
                    .unwrap();
                p.naive.set(vcpu(unit), parameters, now, &mut own);
                assert_eq!(fx.tickles, own.tickles);
            });
        })
    });
}

fn slices(random: &mut Random) -> sedf::Parameters {
    let period = micros(random, 200, 50_000);
    let slice = Duration::from_nanos(random.between(5_000, period.as_nanos()));
    let weight = random.between(1, 1_000) as u32;
    let extratime = random.once_in(2);
    match random.between(0, 3) {
        0 => sedf::Parameters::BestEffort { weight },
        1 => sedf::Parameters::Weighted { weight, extratime },
        2 => sedf::Parameters::new(slice, period),
        _ => sedf::Parameters::new(slice, period).with_extratime(),
    }
}

#[test]
fn null() {
    everywhere(|size, costs, seed| {
        let mut units = vec![null::Unit::EMPTY; size.units];
        let policy = Null::new(&mut units);
        let world = World::new(policy, size.cpus, size.units, costs);
        rage(world, size, seed, |_, _, _| {})
    });
}

#[test]
fn arinc653() {
    everywhere(|size, costs, seed| {
        let mut units = vec![arinc653::Unit::EMPTY; size.units];
        let mut slots = [Slot::EMPTY; arinc653::WINDOWS];
        let policy = Arinc653::new(&mut units, &mut slots, Domain::new(0));
        let world = World::new(policy, size.cpus, size.units, costs);
        rage(world, size, seed, |world, random, _| {
            let windows: Vec<Window> = (0..random.between(1, 64))
                .map(|_| Window {
                    vcpu: vcpu(random.between(0, size.units as u64 - 1) as usize),
                    runtime: micros(random, 20, 3_000),
                })
                .collect();
            let frame = Duration::from_millis(random.between(192, 300));
            let set = |p: &mut Arinc653, now, fx: &mut _| p.set_table(&windows, frame, now, fx);
            world.call(set).unwrap();
            let window = world.policy.window_at(at(world.now)).unwrap();
            assert_eq!(window.0, Some(windows[0].vcpu));
        })
    });
}
