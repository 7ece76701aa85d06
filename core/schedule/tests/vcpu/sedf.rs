//! SEDF in virtual time: slices, blocks, extra time, by hand.

use crate::world::{Costs, FOREVER, MS, World, at, cpu, ms, vcpu};
use taktos_schedule::CpuSet;
use taktos_schedule::vcpu::admission::Demand;
use taktos_schedule::vcpu::sedf::{Parameters, Processor, Sedf, Unit};
use taktos_schedule::vcpu::{Error, TIMER_SLOP};
use taktos_time::Duration;

fn world<'a>(
    units: &'a mut [Unit],
    processors: &'a mut [Processor],
    parameters: &[Parameters],
) -> World<Sedf<'a>> {
    let cpus = processors.len();
    let policy = Sedf::new(units, processors);
    let mut world = World::new(policy, cpus, parameters.len(), Costs::default());
    world.trace = Some(Vec::new());
    for (index, &parameters) in parameters.iter().enumerate() {
        set(&mut world, index, parameters, Demand::Forced).unwrap();
    }
    world
}

fn set(
    world: &mut World<Sedf>,
    index: usize,
    parameters: Parameters,
    demand: Demand,
) -> Result<(), Error> {
    world.call(|policy, now, fx| policy.set_parameters(vcpu(index), parameters, demand, now, fx))
}

/// When the one unit with `parameters` executes, after `story`.
fn alone(parameters: Parameters, end: u64, story: impl Fn(&mut World<Sedf>)) -> Vec<(u64, u64)> {
    let (mut units, mut processors) = ([Unit::EMPTY; 1], [Processor::EMPTY; 1]);
    let mut world = world(&mut units, &mut processors, &[parameters]);
    story(&mut world);
    world.run_until(end);
    world.executed(0)
}

const TWO_OF_TEN: Parameters = Parameters::new(Duration::from_millis(2), Duration::from_millis(10));

#[test]
fn the_first_wake_counts_as_a_short_block() {
    // Deadline 2 ms, then the short block: the first period begins at 2 ms. The slice
    // that was lost is worth one quantum of extra time.
    let spans = alone(TWO_OF_TEN, 15 * MS, |world| world.give(0, 0, FOREVER));
    assert_eq!(spans, [(0, 500), (2_000, 4_000), (12_000, 14_000)]);
}

/// The book: a unit without extra time may have a piece more than its slice, once for each short
/// block.
#[test]
fn the_piece_for_a_lost_slice_comes_on_top_of_the_next_one() {
    let (slice, period) = (Duration::from_micros(200), ms(10));
    let spans = alone(Parameters::new(slice, period), 30 * MS, |world| {
        world.give(0, 0, FOREVER);
    });
    let had = |from: u64, to: u64| -> u64 {
        let within = spans.iter().filter(|(begin, _)| (from..to).contains(begin));
        within.map(|(begin, end)| end - begin).sum()
    };
    assert_eq!(had(0, 10_200), 700, "{spans:?}");
    assert_eq!(had(10_200, 20_200), 200, "{spans:?}");
}

#[test]
fn a_short_block_forfeits_the_period() {
    let spans = alone(TWO_OF_TEN, 25 * MS, |world| {
        world.give(0, 0, FOREVER);
        world.stop(3 * MS, 0);
        world.give(5 * MS, 0, FOREVER);
    });
    // At 5 ms a millisecond of the slice is left, and lost: a quantum for it.
    let expected = [
        (0, 500),
        (2_000, 3_000),
        (5_000, 5_500),
        (12_000, 14_000),
        (22_000, 24_000),
    ];
    assert_eq!(spans, expected);
}

#[test]
fn a_long_block_starts_a_period_at_once() {
    let spans = alone(TWO_OF_TEN, 45 * MS, |world| {
        world.give(0, 0, FOREVER);
        world.stop(3 * MS, 0);
        world.give(33 * MS, 0, FOREVER);
    });
    let expected = [(0, 500), (2_000, 3_000), (33_000, 35_000), (43_000, 45_000)];
    assert_eq!(spans, expected);
}

#[test]
fn a_unit_that_blocks_in_extra_time_keeps_its_period() {
    let spans = alone(TWO_OF_TEN.with_extratime(), 15 * MS, |world| {
        world.give(0, 0, FOREVER);
        world.stop(6 * MS, 0);
        world.give(8 * MS, 0, FOREVER);
    });
    // Extra time in quanta up to each period; the slice has to be had from 12 ms on,
    // and is followed by extra time.
    assert_eq!(spans, [(0, 6_000), (8_000, 15_000)]);
    let (mut units, mut processors) = ([Unit::EMPTY; 1], [Processor::EMPTY; 1]);
    let mut world = world(&mut units, &mut processors, &[TWO_OF_TEN.with_extratime()]);
    world.give(0, 0, FOREVER);
    world.stop(6 * MS, 0);
    world.give(8 * MS, 0, FOREVER);
    world.run_until(12 * MS + 1);
    assert_eq!(world.policy.deadline(vcpu(0)), Some(at(22 * MS)));
    assert!(world.policy.is_guaranteed(vcpu(0)));
}

#[test]
fn an_overrun_is_used_of_the_next_periods() {
    // 20 µs in 1 ms with a timer floor of 50 µs: each turn takes 2.5 slices.
    let tiny = Parameters::new(Duration::from_micros(20), ms(1));
    let (mut units, mut processors) = ([Unit::EMPTY; 1], [Processor::EMPTY; 1]);
    let mut world = world(&mut units, &mut processors, &[tiny]);
    world.costs.slop = TIMER_SLOP.as_nanos();
    world.give(0, 0, 1);
    world.run_until(MS);
    // A long block: the first period begins at 10 ms.
    world.give(10 * MS, 0, FOREVER);
    world.run_until(20 * MS);
    // 50 µs: two slices and 10 µs of the third period; then 10 µs are left, 50 are
    // had: 40 too many, which are two slices. And so on. After the first turn there is
    // a quantum for the slice that the first wake lost.
    assert_eq!(
        world.executed(0)[1..],
        [
            (10_000, 10_550),
            (12_000, 12_050),
            (15_000, 15_050),
            (17_000, 17_050)
        ]
    );
    world.run_until(1_010 * MS);
    let served = world.served(0);
    assert!(
        served.abs_diff(1_000 * 20_000) <= 50_000 + 500_001,
        "{served}"
    );
}

#[test]
fn latency_is_inert() {
    let story = |world: &mut World<Sedf>| {
        world.give(0, 0, FOREVER);
        world.stop(3 * MS, 0);
        world.give(5 * MS, 0, FOREVER);
    };
    let lazy = Parameters::Periodic {
        period: ms(10),
        slice: ms(2),
        latency: ms(1),
        extratime: false,
    };
    let expected = alone(TWO_OF_TEN, 50 * MS, story);
    assert_eq!(alone(lazy, 50 * MS, story), expected);
}

#[test]
fn extra_time_goes_by_weight() {
    let (mut units, mut processors) = ([Unit::EMPTY; 3], [Processor::EMPTY; 1]);
    let weights = [1, 2, 4].map(|weight| Parameters::BestEffort { weight });
    let mut world = world(&mut units, &mut processors, &weights);
    (0..3).for_each(|index| world.give(0, index, FOREVER));
    world.run_until(7_000 * MS);
    for (index, share) in [1_000, 2_000, 4_000].into_iter().enumerate() {
        let served = world.served(index) / MS;
        assert!(served.abs_diff(share) <= 3, "unit {index}: {served} ms");
    }
}

#[test]
fn weights_share_what_periods_leave() {
    let (mut units, mut processors) = ([Unit::EMPTY; 3], [Processor::EMPTY; 1]);
    let weighted = |weight| Parameters::Weighted {
        weight,
        extratime: false,
    };
    // 20 of 50 ms are 40 of 100; 95 less 40 are 55, one quarter and three.
    let set = [Parameters::new(ms(20), ms(50)), weighted(1), weighted(3)];
    let mut world = world(&mut units, &mut processors, &set);
    let slice = |world: &World<Sedf>, index| world.policy.slice(vcpu(index)).unwrap();
    assert_eq!(slice(&world, 1), (Duration::from_micros(13_750), ms(100)));
    assert_eq!(slice(&world, 2), (Duration::from_micros(41_250), ms(100)));
    set_away(&mut world);
    assert_eq!(slice(&world, 2), (Duration::from_micros(71_250), ms(100)));
    (0..3).for_each(|index| world.give(0, index, FOREVER));
    world.run_until(10_100 * MS);
    let served = world.served(2);
    let expected = 100 * 71_250_000;
    assert!(served.abs_diff(expected) <= 2 * 71_250_000, "{served}");
}

/// The unit with a period has nothing any more.
fn set_away(world: &mut World<Sedf>) {
    let nothing = Parameters::new(Duration::ZERO, ms(50));
    set(world, 0, nothing, Demand::Forced).unwrap();
}

#[test]
fn extra_time_ends_well_before_a_period_begins() {
    // The period begins at 2.2 ms, after a first slice of 2.2 ms: quanta at 0, 0.5, 1.0
    // and at 1.5; 0.2 ms are not enough for another.
    let slice = Duration::from_micros(2_200);
    let guaranteed = Parameters::new(slice, ms(10));
    let (mut units, mut processors) = ([Unit::EMPTY; 2], [Processor::EMPTY; 1]);
    let set = [guaranteed, Parameters::DEFAULT];
    let mut world = world(&mut units, &mut processors, &set);
    world.give(0, 0, FOREVER);
    world.give(0, 1, FOREVER);
    world.run_until(5 * MS);
    // The first quantum is for the time that unit 0 lost.
    assert_eq!(world.executed(0), [(0, 500), (2_200, 4_400)]);
    assert_eq!(world.executed(1), [(500, 2_000), (4_400, 5_000)]);
}

#[test]
fn a_unit_that_lost_more_of_its_period_has_it_back_first() {
    let (mut units, mut processors) = ([Unit::EMPTY; 3], [Processor::EMPTY; 1]);
    let busy = Parameters::new(ms(4), ms(20));
    let set = [busy, TWO_OF_TEN, Parameters::new(ms(4), ms(10))];
    let mut world = world(&mut units, &mut processors, &set);
    // The first has its period from 4 ms on; the others come at 5 ms, while it is on its
    // slice, and lose 2 and 4 of 10 ms.
    world.give(0, 0, FOREVER);
    world.give(5 * MS, 1, FOREVER);
    world.give(5 * MS, 2, FOREVER);
    world.run_until(12 * MS);
    // Unit 1's period begins at 7 ms, unit 2's at 9. Slices: 4..8 for 0 but for 7..., by
    // deadline: unit 1 (17 ms) before 2 (19 ms) before 0 (24 ms).
    assert_eq!(world.executed(0), [(0, 500), (4_000, 7_000)]);
    assert_eq!(world.executed(1), [(7_000, 9_000)]);
    assert_eq!(world.executed(2), [(9_000, 12_000)]);
    world.run_until(17 * MS);
    // 9..13 unit 2; 13..14 what unit 0 has left; then 4 lost of 10 before 2 of 10.
    assert_eq!(world.executed(0)[2..], [(13_000, 14_000)]);
    assert_eq!(world.executed(2)[1..], [(14_000, 14_500)]);
    assert_eq!(world.executed(1)[1..], [(14_500, 15_000)]);
}

#[test]
fn a_unit_has_the_processor_of_its_number() {
    let (mut units, mut processors) = ([Unit::EMPTY; 5], [Processor::EMPTY; 3]);
    let mut world = world(&mut units, &mut processors, &[Parameters::DEFAULT; 5]);
    let at = |world: &World<Sedf>, index| world.policy.processor_of(vcpu(index));
    assert_eq!(at(&world, 4), Some(cpu(1)));
    // 3 modulo the two that it may use.
    world.confine(0, 3, CpuSet::ALL.without(cpu(0)));
    world.give(0, 3, FOREVER);
    world.run_until(MS);
    assert_eq!(at(&world, 3), Some(cpu(2)));
    assert_eq!(world.running(2), Some(3));
    // It stays as long as it may.
    world.confine(MS, 3, CpuSet::ALL);
    world.run_until(2 * MS);
    assert_eq!(at(&world, 3), Some(cpu(2)));
}

#[test]
fn slices_that_do_not_fit_are_refused_and_can_be_forced() {
    let (mut units, mut processors) = ([Unit::EMPTY; 4], [Processor::EMPTY; 2]);
    let half = Parameters::new(ms(5), ms(10));
    let set_all = [half, half, half, Parameters::DEFAULT];
    let mut world = world(&mut units, &mut processors, &set_all);
    // Units 0 and 2 fill processor 0; 1 leaves half of processor 1 to 3.
    assert_eq!(world.policy.check_admission(), Ok(()));
    let more = Parameters::new(Duration::from_nanos(5_000_001), ms(10));
    assert_eq!(set(&mut world, 3, half, Demand::Density), Ok(()));
    let refused = set(&mut world, 3, more, Demand::Density);
    assert!(matches!(refused, Err(Error::NotAdmitted { .. })));
    assert_eq!(world.policy.parameters(vcpu(3)), Some(half));
    assert_eq!(set(&mut world, 3, more, Demand::Forced), Ok(()));
    assert!(world.policy.check_admission().is_err());
}

#[test]
fn a_period_missed_is_counted_and_the_grid_kept() {
    let (mut units, mut processors) = ([Unit::EMPTY; 2], [Processor::EMPTY; 1]);
    let set = [
        Parameters::new(ms(8), ms(10)),
        Parameters::new(ms(8), ms(20)),
    ];
    let mut world = world(&mut units, &mut processors, &set);
    world.give(0, 0, FOREVER);
    world.give(0, 1, FOREVER);
    world.run_until(1_000 * MS);
    // 0.8 and 0.4 of one processor: the second is short.
    let missed = [0, 1].map(|index| world.policy.missed(vcpu(index)));
    // In a second there are 1200 ms to do: at least 24 slices are not had.
    assert!(missed[0] + missed[1] >= 24, "{missed:?}");
    for (index, period) in [(0, 10 * MS), (1, 20 * MS)] {
        let deadline = world.policy.deadline(vcpu(index)).unwrap().as_nanos();
        assert_eq!(deadline % period, 8 * MS);
    }
}
