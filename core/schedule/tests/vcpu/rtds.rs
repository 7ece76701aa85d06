//! RTDS in virtual time: the guarantee, the release grid, extra time.

use crate::world::{Costs, FOREVER, MS, World, at, cpu, ms, vcpu};
use taktos_schedule::CpuSet;
use taktos_schedule::vcpu::admission::Demand;
use taktos_schedule::vcpu::rtds::{Options, Parameters, ReplenishBy, Rtds, Unit};
use taktos_schedule::vcpu::{Profile, TIMER_SLOP};
use taktos_time::Duration;

fn world<'a>(
    units: &'a mut [Unit],
    servers: &[(u64, u64)],
    extratime: bool,
    cpus: usize,
    options: Options,
) -> World<Rtds<'a>> {
    let mut policy = Rtds::new(units, options);
    for (index, &(budget, period)) in servers.iter().enumerate() {
        let parameters = Parameters::new(ms(budget), ms(period)).with_extratime(extratime);
        policy
            .set_parameters(vcpu(index), parameters, Demand::Forced)
            .unwrap();
    }
    let mut world = World::new(policy, cpus, servers.len(), Costs::default());
    world.trace = Some(Vec::new());
    world
}

/// Busy servers that start together on one processor: in how many of its periods
/// each had less than its budget on its guarantee (level 0), and how many there were.
fn short_periods(servers: &[(u64, u64)], options: Options, end: u64) -> Vec<(u64, u64)> {
    let mut units = vec![Unit::EMPTY; servers.len()];
    let mut world = world(&mut units, servers, true, 1, options);
    for index in 0..servers.len() {
        world.give(0, index, FOREVER);
    }
    let mut guaranteed = vec![0; servers.len()];
    let mut result = vec![(0, 0); servers.len()];
    world.run_until(0);
    for now in 1..=end {
        let running = world.running(0).expect("extra time leaves no gap");
        guaranteed[running] += u64::from(world.policy.is_guaranteed(vcpu(running)));
        world.run_until(now * MS);
        for (index, &(budget, period)) in servers.iter().enumerate() {
            if now % period == 0 {
                result[index].0 += u64::from(guaranteed[index] < budget);
                result[index].1 += 1;
                guaranteed[index] = 0;
            }
        }
    }
    result
}

#[test]
fn refills_by_time_lose_nothing_where_the_reference_order_does() {
    let servers = [(10, 50), (30, 100), (15, 70)];
    let right = short_periods(&servers, Options::DEFAULT, 70_000);
    assert_eq!(right, [(0, 1_400), (0, 700), (0, 1_000)]);
    let reference = Options {
        replenish_by: ReplenishBy::RunQueueOrder,
        ..Options::DEFAULT
    };
    // The figures of spec 05, section 3.
    let wrong = short_periods(&servers, reference, 70_000);
    assert_eq!(wrong, [(200, 1_400), (0, 700), (100, 1_000)]);
}

#[test]
fn releases_lie_on_the_grid_of_the_first_activation() {
    let mut units = [Unit::EMPTY; 1];
    let mut world = world(&mut units, &[(4, 10)], false, 1, Options::DEFAULT);
    assert_eq!(world.policy.deadline(vcpu(0)), None);
    world.give(3 * MS, 0, MS);
    world.run_until(3 * MS);
    assert_eq!(world.policy.deadline(vcpu(0)), Some(at(13 * MS)));
    world.give(25 * MS, 0, FOREVER);
    world.run_until(25 * MS);
    assert_eq!(world.policy.deadline(vcpu(0)), Some(at(33 * MS)));
    world.run_until(50 * MS);
    // 4 ms from 25 on, then as each period begins.
    let expected = [
        (3_000, 4_000),
        (25_000, 29_000),
        (33_000, 37_000),
        (43_000, 47_000),
    ];
    assert_eq!(world.executed(0), expected);
}

#[test]
fn a_kept_budget_and_the_next_are_back_to_back() {
    let mut units = [Unit::EMPTY; 1];
    let mut world = world(&mut units, &[(4, 10)], false, 1, Options::DEFAULT);
    world.give(0, 0, MS);
    world.give(7 * MS, 0, FOREVER);
    world.run_until(30 * MS);
    // 3 ms are left at 7 ms; what was used of the last period is not charged to the next.
    let expected = [(0, 1_000), (7_000, 14_000), (20_000, 24_000)];
    assert_eq!(world.executed(0), expected);
}

#[test]
fn extra_time_is_shared_in_chunks_below_every_guarantee() {
    let mut units = [Unit::EMPTY; 2];
    let mut world = world(&mut units, &[(2, 10), (3, 10)], true, 1, Options::DEFAULT);
    world.give(0, 0, FOREVER);
    world.give(0, 1, FOREVER);
    world.run_until(15 * MS);
    // Level 0: 0..2, 2..5. Level 1: 5..7, 7..10. Then both are refilled; the unit that waits wins
    // the tie.
    assert_eq!(
        world.executed(0),
        [(0, 2_000), (5_000, 7_000), (10_000, 12_000)]
    );
    assert_eq!(
        world.executed(1),
        [(2_000, 5_000), (7_000, 10_000), (12_000, 15_000)]
    );
}

#[test]
fn a_guarantee_takes_the_processor_from_extra_time() {
    let mut units = [Unit::EMPTY; 2];
    let mut world = world(&mut units, &[(2, 10), (3, 20)], true, 1, Options::DEFAULT);
    world.give(0, 0, FOREVER);
    // At 5 ms the first is in its second chunk of extra time, with the earlier deadline.
    // From 8 ms on the second is in its first one, until the first is refilled.
    world.give(5 * MS, 1, FOREVER);
    world.run_until(11 * MS);
    assert_eq!(world.executed(0), [(0, 5_000), (10_000, 11_000)]);
    assert_eq!(world.executed(1), [(5_000, 10_000)]);
}

#[test]
fn an_overrun_is_forgiven_and_the_timer_floor_makes_one() {
    // 10 µs in 1 ms, and a timer that cannot be set closer than 50 µs.
    let mut units = [Unit::EMPTY; 1];
    let mut world = world(&mut units, &[(1, 1)], false, 1, Options::DEFAULT);
    let least = Parameters::new(Parameters::MINIMUM, ms(1));
    let policy = &mut world.policy;
    policy
        .set_parameters(vcpu(0), least, Demand::Forced)
        .unwrap();
    world.costs.slop = TIMER_SLOP.as_nanos();
    world.give(0, 0, FOREVER);
    world.run_until(3 * MS - 1);
    assert_eq!(world.executed(0), [(0, 50), (1_000, 1_050), (2_000, 2_050)]);
}

#[test]
fn a_waiting_unit_wins_a_tie_today_and_a_running_one_in_4_5() {
    // Both have the deadline 10 ms; something makes the processor schedule at 1 ms.
    let run = |options| {
        let mut units = [Unit::EMPTY; 2];
        let mut world = world(&mut units, &[(4, 10), (4, 10)], false, 1, options);
        world.give(0, 0, FOREVER);
        world.give(0, 1, FOREVER);
        world.run_until(MS / 2);
        world.call(|policy, now, fx| {
            use taktos_schedule::vcpu::Policy;
            policy.yield_now(vcpu(0), now, fx);
        });
        world.run_until(MS / 2);
        world.running(0)
    };
    assert_eq!(run(Options::DEFAULT), Some(1));
    assert_eq!(run(Options::of(Profile::Xen45)), Some(0));
}

#[test]
fn a_quantum_notices_late() {
    let mut units = [Unit::EMPTY; 1];
    let mut world = world(&mut units, &[(3, 10)], true, 1, Options::of(Profile::Xen45));
    let half = Parameters::new(Duration::from_micros(2_500), ms(10)).with_extratime(true);
    let policy = &mut world.policy;
    policy
        .set_parameters(vcpu(0), half, Demand::Forced)
        .unwrap();
    world.give(MS / 4, 0, FOREVER);
    world.run_until(24 * MS);
    // 3 quanta for 2.5 ms, and no extra time. The processor looks again every millisecond; the
    // grid is 0.25 ms late, and so is the processor from then on.
    assert_eq!(
        world.executed(0),
        [(250, 3_250), (10_250, 13_250), (20_250, 23_250)]
    );
}

#[test]
fn new_parameters_count_from_the_next_refill() {
    let mut units = [Unit::EMPTY; 1];
    let mut world = world(&mut units, &[(4, 10)], false, 1, Options::DEFAULT);
    world.give(0, 0, FOREVER);
    world.run_until(MS);
    let new = Parameters::new(ms(1), ms(5));
    let policy = &mut world.policy;
    policy.set_parameters(vcpu(0), new, Demand::Forced).unwrap();
    world.run_until(17 * MS);
    let expected = [(0, 4_000), (10_000, 11_000), (15_000, 16_000)];
    assert_eq!(world.executed(0), expected);
}

#[test]
fn sleepers_cost_no_events() {
    let mut units = [Unit::EMPTY; 3];
    let mut world = world(&mut units, &[(1, 2); 3], true, 2, Options::DEFAULT);
    (0..3).for_each(|index| world.give(0, index, MS / 2));
    world.run_until(10 * MS);
    let events = world.events;
    world.run_until(10_000 * MS);
    assert_eq!(world.events, events);
}

#[test]
fn a_newcomer_takes_an_idle_processor_its_last_one_first() {
    let mut units = [Unit::EMPTY; 3];
    let mut world = world(
        &mut units,
        &[(4, 10), (4, 20), (4, 5)],
        false,
        3,
        Options::DEFAULT,
    );
    world.confine(0, 0, CpuSet::of(cpu(2)));
    world.give(0, 0, MS);
    world.confine(2 * MS, 0, CpuSet::ALL);
    world.give(3 * MS, 0, FOREVER);
    world.run_until(3 * MS);
    assert_eq!(world.running(2), Some(0), "where it was");
    world.give(3 * MS, 1, FOREVER);
    world.run_until(3 * MS);
    assert_eq!(world.running(0), Some(1), "the lowest that idles");
    // The third may run only where the others are: it takes the later deadline's place.
    let pair = CpuSet::ALL.without(cpu(1));
    world.confine(3 * MS, 2, pair);
    world.give(3 * MS, 2, FOREVER);
    world.run_until(3 * MS);
    assert_eq!(world.running(0), Some(2));
    assert_eq!(world.running(1), Some(1), "pushed off, not out");
}

#[test]
fn a_processor_that_works_for_the_hypervisor_is_not_idle() {
    let mut units = [Unit::EMPTY; 1];
    let mut world = world(&mut units, &[(4, 10)], false, 2, Options::DEFAULT);
    world.work(0, true);
    world.run_until(0);
    world.give(0, 0, FOREVER);
    world.run_until(MS);
    assert_eq!((world.running(0), world.running(1)), (None, Some(0)));
    world.work(1, true);
    world.run_until(2 * MS);
    assert_eq!((world.running(0), world.running(1)), (None, None));
    world.work(0, false);
    world.run_until(2 * MS);
    assert_eq!(world.running(0), Some(0));
}

#[test]
fn a_processor_promised_to_one_and_taken_by_another_is_made_good() {
    // With slow tickles: the first wakes and is promised processor 0. Before that
    // schedules, a better one comes that may run there only: the first goes to 1.
    let mut units = [Unit::EMPTY; 2];
    let mut world = world(&mut units, &[(4, 10), (4, 5)], false, 2, Options::DEFAULT);
    world.costs.tickle = MS;
    world.confine(0, 1, CpuSet::of(cpu(0)));
    world.give(0, 0, FOREVER);
    world.give(MS / 2, 1, FOREVER);
    world.run_until(2 * MS);
    assert_eq!((world.running(0), world.running(1)), (Some(1), Some(0)));
}
