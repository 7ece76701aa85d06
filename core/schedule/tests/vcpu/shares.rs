//! The effect of weights and caps under CREDIT and CREDIT2, in virtual time. The bounds are derived
//! in the heads of the two modules.

use crate::world::{Costs, FOREVER, MS, Random, World};
use taktos_schedule::vcpu::{Admission, Domain, Place, Policy, credit, credit2};

const SLICE: u64 = 30 * MS;
const SECOND: u64 = 1000 * MS;

/// Executes `test` with a CREDIT pool.
fn with_credit(cpus: usize, units: usize, test: impl FnOnce(credit::Credit)) {
    let mut records = vec![credit::Unit::EMPTY; units];
    let mut domains = vec![credit::DomainRecord::EMPTY; units];
    let mut processors = vec![credit::Processor::EMPTY; cpus];
    let topology: Vec<Place> = (0..cpus).map(Place::flat).collect();
    let memory = credit::Memory {
        units: &mut records,
        domains: &mut domains,
        processors: &mut processors,
    };
    let parameters = credit::Parameters::DEFAULT;
    test(credit::Credit::new(memory, &topology, parameters));
}

/// Executes `test` with a CREDIT2 pool.
fn with_credit2(cpus: usize, units: usize, test: impl FnOnce(credit2::Credit2)) {
    let mut records = vec![credit2::Unit::EMPTY; units];
    let mut domains = vec![credit2::DomainRecord::EMPTY; units];
    let mut processors = vec![credit2::Processor::EMPTY; cpus];
    let mut queues = vec![credit2::RunQueue::EMPTY; cpus];
    let topology: Vec<Place> = (0..cpus).map(Place::flat).collect();
    let memory = credit2::Memory {
        units: &mut records,
        domains: &mut domains,
        processors: &mut processors,
        queues: &mut queues,
    };
    let grouping = credit2::Grouping::DEFAULT;
    let parameters = credit2::Parameters::DEFAULT;
    test(credit2::Credit2::new(
        memory, &topology, grouping, parameters,
    ));
}

/// Costs with a timer that cannot be set closer than `slop` microseconds.
fn slop(microseconds: u64) -> Costs {
    Costs {
        slop: microseconds * 1_000,
        ..Costs::default()
    }
}

/// The greatest distance, in nanoseconds, that any unit ever has from its part of
/// the time, when all want to run all the time on one processor under CREDIT.
fn furthest_under_credit(weights: &[u32], seconds: u64, costs: Costs) -> u64 {
    let mut furthest = 0;
    with_credit(1, weights.len(), |policy| {
        let mut world = World::new(policy, 1, weights.len(), costs);
        for (index, &weight) in weights.iter().enumerate() {
            let domain = Domain::new(index as u16);
            world.policy.set_weight(domain, weight).unwrap();
            world.give(0, index, FOREVER);
        }
        let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        for slice in 1..=seconds * SECOND / SLICE {
            world.run_until(slice * SLICE);
            for (index, &weight) in weights.iter().enumerate() {
                let part = world.now * u64::from(weight) / sum;
                furthest = furthest.max(part.abs_diff(world.served(index)));
            }
        }
    });
    furthest
}

#[test]
fn credit_gives_equals_the_same_within_three_slices_for_ever() {
    for units in 1..=8 {
        let weights = vec![512; units];
        let furthest = furthest_under_credit(&weights, 60, slop(0));
        assert!(furthest <= 3 * SLICE, "{units}: {furthest} ns");
    }
}

/// Three slices, and two credits for each unit an accounting, which rounding may
/// hand out too much.
fn credit_bound(units: usize, seconds: u64) -> u64 {
    let accountings = seconds * SECOND / SLICE;
    3 * SLICE + accountings * 2 * units as u64 * 100_000
}

#[test]
fn credit_shares_by_weight_up_to_four_to_one() {
    let mut random = Random::new(41);
    for round in 0..120 {
        let units = random.between(2, 8) as usize;
        let least = random.between(1, 16_000);
        let weights: Vec<u32> = (0..units)
            .map(|_| random.between(least, 4 * least) as u32)
            .collect();
        let costs = slop(50 * (round % 2));
        let furthest = furthest_under_credit(&weights, 20, costs);
        let bound = credit_bound(units, 20);
        assert!(furthest <= bound, "{weights:?}: {furthest} of {bound} ns");
    }
}

#[test]
fn credit_shares_between_two_whatever_they_weigh() {
    let mut random = Random::new(43);
    for _ in 0..100 {
        let weights = [(); 2].map(|()| random.between(1, 65_535) as u32);
        let furthest = furthest_under_credit(&weights, 20, slop(0));
        let bound = credit_bound(2, 20);
        assert!(furthest <= bound, "{weights:?}: {furthest} of {bound} ns");
    }
}

#[test]
fn credit_breaks_the_proportion_where_a_unit_waits_longer_than_it_may_save() {
    // With 97 % of the weight it gets less than half of the time: while seven
    // others have a slice each, it saves no more than a slice.
    let weights = [291, 3, 1, 1, 1, 1, 1, 1];
    let furthest = furthest_under_credit(&weights, 60, slop(0));
    assert!(furthest > 60 * SECOND / 2, "{furthest} ns");
}

/// Returns the shares that are due to these weights on `cpus` processors, in parts of one: in
/// proportion, but none is more than one; a surplus goes to the others.
fn due(weights: &[u32], cpus: usize) -> Vec<f64> {
    let mut due = vec![0.0; weights.len()];
    let (mut left, mut open): (f64, Vec<usize>) = (cpus as f64, (0..weights.len()).collect());
    loop {
        let sum: f64 = open.iter().map(|&unit| f64::from(weights[unit])).sum();
        let part = |unit: usize| f64::from(weights[unit]) * left / sum;
        let (whole, rest): (Vec<usize>, Vec<usize>) =
            open.iter().partition(|&&unit| part(unit) >= 1.0);
        if whole.is_empty() {
            rest.iter().for_each(|&unit| due[unit] = part(unit));
            return due;
        }
        left -= whole.len() as f64;
        whole.iter().for_each(|&unit| due[unit] = 1.0);
        open = rest;
    }
}

/// How far shares are from what is due, in parts of a processor.
#[derive(Clone, Copy, Debug, Default)]
struct Apart {
    /// Any unit.
    any: f64,
    /// The lightest, above it.
    lightest: f64,
    /// The distance of any unit, in parts of what is due.
    relative: f64,
}

/// Measures random sets with weights within a `factor`: all want to run all the time on one to four
/// processors, for 10 s.
fn apart(factor: u32, mut run: impl FnMut(usize, &[u32]) -> Vec<u64>) -> Apart {
    let mut random = Random::new(taktos_random::seed());
    let mut apart = Apart::default();
    for _ in 0..SETS {
        let cpus = random.between(1, 4) as usize;
        let units = cpus + random.between(1, 5) as usize;
        let least = random.between(1, u64::from(65_535 / factor)) as u32;
        let weights: Vec<u32> = (0..units)
            .map(|_| random.between(least.into(), u64::from(least * factor)) as u32)
            .collect();
        let due = due(&weights, cpus);
        let served = run(cpus, &weights);
        let lightest = (0..units).min_by_key(|&unit| weights[unit]).unwrap();
        for unit in 0..units {
            let more = served[unit] as f64 / (10 * SECOND) as f64 - due[unit];
            apart.any = apart.any.max(more.abs());
            if unit == lightest {
                apart.lightest = apart.lightest.max(more);
                apart.relative = apart.relative.max(more / due[unit]);
            }
        }
    }
    apart
}

/// How many random sets are measured.
const SETS: usize = 30;

/// The time that each has executed after 10 s in which all want to run all the time.
fn served<P: Policy>(
    policy: P,
    cpus: usize,
    weights: &[u32],
    set: impl Fn(&mut World<P>, Domain, u32),
) -> Vec<u64> {
    let mut world = World::new(policy, cpus, weights.len(), slop(50));
    for (index, &weight) in weights.iter().enumerate() {
        set(&mut world, Domain::new(index as u16), weight);
        world.give(0, index, FOREVER);
    }
    world.run_until(10 * SECOND);
    (0..weights.len()).map(|unit| world.served(unit)).collect()
}

fn served_by_credit(cpus: usize, weights: &[u32]) -> Vec<u64> {
    let mut all = Vec::new();
    with_credit(cpus, weights.len(), |policy| {
        all = served(policy, cpus, weights, |world, domain, weight| {
            world.policy.set_weight(domain, weight).unwrap();
        });
    });
    all
}

fn served_by_credit2(cpus: usize, weights: &[u32]) -> Vec<u64> {
    let mut all = Vec::new();
    with_credit2(cpus, weights.len(), |policy| {
        all = served(policy, cpus, weights, |world, domain, weight| {
            world
                .call(|p, now, _| p.set_weight(domain, weight, now))
                .unwrap();
        });
    });
    all
}

/// The figures of the book (docs/scheduling.md).
#[test]
fn shares_are_as_near_to_the_weights_as_the_book_says() {
    for (factor, credit, credit2) in [(4, 0.12, 0.02), (8, 0.25, 0.02), (32, 0.5, 0.2)] {
        let found = apart(factor, served_by_credit);
        println!("credit, weights within {factor}: {found:?}");
        assert!(found.any <= credit, "credit, {factor}: {found:?}");
        let found = apart(factor, served_by_credit2);
        println!("credit2, weights within {factor}: {found:?}");
        assert!(found.any <= credit2, "credit2, {factor}: {found:?}");
    }
}

/// Units of one capped domain, as many processors, and random loads of theirs.
struct Capped {
    units: usize,
    cpus: usize,
    cap: u64,
    busy: bool,
    costs: Costs,
}

impl Capped {
    fn random(random: &mut Random) -> Self {
        let units = random.between(1, 4) as usize;
        Self {
            units,
            cpus: units + random.between(0, 2) as usize,
            cap: random.between(1, 95 * units as u64),
            busy: random.once_in(2),
            costs: slop(50 * random.between(0, 1)),
        }
    }

    /// All units in the pool, of one domain, with work to do.
    fn world<P: Policy>(&self, policy: P, random: &mut Random) -> World<P> {
        let mut world = World::empty(policy, self.cpus, self.units, self.costs);
        for index in 0..self.cpus {
            world.add_cpu(index);
        }
        for index in 0..self.units {
            world.insert(index, Admission::anywhere(Domain::new(0)));
            if self.busy {
                world.give(0, index, FOREVER);
                continue;
            }
            let mut when = 0;
            while when < 20 * SECOND {
                let work = random.between(MS / 10, 40 * MS);
                world.give(when, index, work);
                when += random.between(MS, 60 * MS);
            }
        }
        world
    }

    /// Reports the time that the domain has executed after each of the next 20 seconds, and at odd
    /// instants between.
    fn watch<P: Policy>(&self, world: &mut World<P>, mut see: impl FnMut(u64, u64)) {
        while world.now < 20 * SECOND {
            world.run_until(world.now + 77 * MS + 13);
            let all: u64 = (0..self.units).map(|index| world.served(index)).sum();
            see(world.now, all);
        }
    }
}

#[test]
fn credit_caps_bound_the_time_of_a_domain() {
    let mut random = Random::new(47);
    for _ in 0..60 {
        let capped = Capped::random(&mut random);
        with_credit(capped.cpus, capped.units, |mut policy| {
            policy.set_cap(Domain::new(0), capped.cap as u32).unwrap();
            let mut world = capped.world(policy, &mut random);
            let units = capped.units as u64;
            let each = SLICE * capped.cap / 100;
            // For each unit: a slice of debt, one since the last accounting, and
            // a tick that was not charged at it.
            let margin = units * (2 * SLICE + SLICE / 3);
            capped.watch(&mut world, |now, used| {
                let periods = now / SLICE;
                // A credit for each unit an accounting is rounding.
                let most = periods * (each + units * 100_000) + margin;
                assert!(used <= most, "{used} of {most} ns by {now}");
                if capped.busy {
                    // Accountings come later by the slop each.
                    let periods = now / (SLICE + capped.costs.slop);
                    let least = (periods * each).saturating_sub(margin);
                    assert!(used >= least, "{used}, not {least} ns by {now}");
                }
            });
        });
    }
}

#[test]
fn credit2_caps_bound_the_time_of_a_domain() {
    let mut random = Random::new(53);
    for _ in 0..60 {
        let capped = Capped::random(&mut random);
        with_credit2(capped.cpus, capped.units, |policy| {
            let mut world = capped.world(policy, &mut random);
            let cap = capped.cap as u32;
            world.call(|p, now, fx| p.set_cap(Domain::new(0), cap, now, fx).unwrap());
            let units = capped.units as u64;
            let each = 10 * MS * capped.cap / 100;
            // A unit that has started runs for a millisecond, whatever its budget.
            let overrun = units * (MS + capped.costs.slop);
            capped.watch(&mut world, |now, used| {
                let periods = now / (10 * MS);
                let most = (periods + 1) * each + overrun;
                assert!(used <= most, "{used} of {most} ns by {now}");
                if capped.busy {
                    let least = ((periods - 1) * each).saturating_sub(overrun);
                    assert!(used >= least, "{used}, not {least} ns by {now}");
                }
            });
        });
    }
}

#[test]
fn credit2_shares_by_weight_whatever_others_do() {
    let mut random = Random::new(59);
    let mut furthest = 0;
    for round in 0..60 {
        let busy = random.between(2, 6) as usize;
        let units = busy + random.between(0, 4) as usize;
        let least = random.between(1, 8_000);
        let weights: Vec<u64> = (0..units)
            .map(|_| random.between(least, 8 * least))
            .collect();
        let heaviest = *weights.iter().max().unwrap();
        with_credit2(1, units, |policy| {
            let mut world = World::new(policy, 1, units, slop(50 * (round % 2)));
            for (index, &weight) in weights.iter().enumerate() {
                let domain = Domain::new(index as u16);
                world
                    .call(|p, now, _| p.set_weight(domain, weight as u32, now))
                    .unwrap();
            }
            // The first run for ever, the others come and go.
            for index in 0..busy {
                world.give(0, index, FOREVER);
            }
            for index in busy..units {
                let mut when = 0;
                while when < 10 * SECOND {
                    world.give(when, index, random.between(MS / 10, 20 * MS));
                    when += random.between(MS, 80 * MS);
                }
            }
            while world.now < 10 * SECOND {
                world.run_until(world.now + 33 * MS + 7);
                // The credit that each unit has spent, per weight; any two differ by at most the
                // span between −10 and 10 ms, twice.
                let spent = |index: usize| world.served(index) * heaviest / weights[index];
                let all: Vec<u64> = (0..busy).map(spent).collect();
                let apart = all.iter().max().unwrap() - all.iter().min().unwrap();
                furthest = furthest.max(apart);
                assert!(apart <= 40 * MS, "{weights:?}: {apart} ns");
            }
        });
    }
    // The bound is not idle: a unit that has just run a slice is apart by one.
    assert!(furthest > 5 * MS, "{furthest} ns");
}

#[test]
fn credit2_gives_each_processor_to_who_is_alone_on_it() {
    with_credit2(4, 4, |policy| {
        let mut world = World::new(policy, 4, 4, Costs::default());
        for index in 0..4 {
            world.give(0, index, FOREVER);
        }
        world.run_until(SECOND);
        for index in 0..4 {
            assert_eq!(world.served(index), SECOND);
            assert_eq!(world.units[index].migrations, 0);
        }
    });
}

/// After a random run of wake-ups, when nothing changes any more, all processors find work before
/// long, if there is enough of it. Under CREDIT the ticks make up for what the tickles left: a
/// running unit looks for an idle processor at its second tick, and the unit that waits next to it
/// has its turn after a slice.
#[test]
fn no_processor_stays_idle_while_there_is_work() {
    let mut random = Random::new(61);
    for _ in 0..200 {
        let cpus = random.between(2, 8) as usize;
        let units = cpus + random.between(0, 4) as usize;
        let costs = Costs {
            tickle: random.between(0, 3_000),
            switch: random.between(0, 5_000),
            slop: 0,
        };
        let scripts: Vec<(u64, usize, u64)> = (0..300)
            .map(|_| {
                let unit = random.between(0, units as u64 - 1) as usize;
                let work = random.between(1_000, 2 * MS);
                (random.between(0, 100 * MS), unit, work)
            })
            .collect();
        with_credit(cpus, units, |policy| {
            let mut world = World::new(policy, cpus, units, costs);
            fall_silent(&mut world, &scripts, units);
            world.run_until(200 * MS);
            all_busy(&world, cpus);
        });
        with_credit2(cpus, units, |policy| {
            let mut world = World::new(policy, cpus, units, costs);
            fall_silent(&mut world, &scripts, units);
            // At once, but for what tickles and switches take.
            world.run_until(100 * MS + 50_000);
            all_busy(&world, cpus);
        });
    }
}

fn fall_silent<P: Policy>(world: &mut World<P>, scripts: &[(u64, usize, u64)], units: usize) {
    for &(when, unit, work) in scripts {
        world.give(when, unit, work);
    }
    for index in 0..units {
        world.give(100 * MS, index, FOREVER);
    }
}

fn all_busy<P: Policy>(world: &World<P>, cpus: usize) {
    let idle = (0..cpus).filter(|&index| world.running(index).is_none());
    assert_eq!(idle.count(), 0, "at {} ns", world.now);
}
