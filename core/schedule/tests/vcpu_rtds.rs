//! RTDS in virtual time: the guarantee, the release grid, extra time.

mod vcpu_world;

use taktos_schedule::vcpu::admission::Demand;
use taktos_schedule::vcpu::rtds::{Options, Parameters, ReplenishBy, Rtds, Unit};
use vcpu_world::{Costs, FOREVER, MS, World, ms, vcpu};

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
    World::new(policy, cpus, servers.len(), Costs::default())
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
