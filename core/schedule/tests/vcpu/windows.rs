//! ARINC 653 and NULL in virtual time: windows to the nanosecond, no drift, no moves.

use crate::world::{Costs, FOREVER, MS, Random, Stretch, World, cpu, vcpu};
use taktos_schedule::CpuSet;
use taktos_schedule::vcpu::arinc653::{Arinc653, Slot, Unit, Window};
use taktos_schedule::vcpu::null::{self, Null};
use taktos_schedule::vcpu::{Domain, TIMER_SLOP};
use taktos_time::Duration;

/// Windows of 3 ms for unit 0, 5 for 1, 1 for 0 again, in 10 ms.
const WINDOWS: [(usize, u64, u64); 3] = [(0, 0, 3), (1, 3, 8), (0, 8, 9)];

fn world<'a>(
    units: &'a mut [Unit],
    slots: &'a mut [Slot],
    start: u64,
    costs: Costs,
) -> World<Arinc653<'a>> {
    let policy = Arinc653::new(units, slots, Domain::new(9));
    let mut world = World::new(policy, 1, 2, costs);
    world.trace = Some(Vec::new());
    world.run_until(start);
    let table = WINDOWS.map(|(unit, from, to)| Window {
        vcpu: vcpu(unit),
        runtime: Duration::from_millis(to - from),
    });
    let frame = Duration::from_millis(10);
    world
        .call(|policy, now, fx| policy.set_table(&table, frame, now, fx))
        .unwrap();
    world
}

#[test]
fn windows_are_exact_in_every_frame() {
    let (mut units, mut slots) = ([Unit::EMPTY; 2], [Slot::EMPTY; 3]);
    let start = 777_777;
    let mut world = world(&mut units, &mut slots, start, Costs::default());
    world.give(start, 0, FOREVER);
    world.give(start, 1, FOREVER);
    world.run_until(start + 10_000 * MS);
    let trace = world.trace.take().unwrap();
    let expected = (0..1_000).flat_map(|frame| {
        WINDOWS.map(|(unit, from, to)| {
            let begin = start + frame * 10 * MS;
            (unit, begin + from * MS, begin + to * MS)
        })
    });
    let had = trace.iter().map(|s| (s.unit, s.from, s.to));
    assert!(had.eq(expected));
}

/// Late timers and switches that take time cut windows short, but move none.
#[test]
fn the_phase_never_drifts() {
    let costs = Costs {
        tickle: 3_000,
        switch: 40_000,
        slop: TIMER_SLOP.as_nanos(),
    };
    let (mut units, mut slots) = ([Unit::EMPTY; 2], [Slot::EMPTY; 3]);
    let mut world = world(&mut units, &mut slots, 123, costs);
    let mut random = Random::new(5);
    let mut now = 123;
    while now < 60_000 * MS {
        let unit = random.between(0, 1) as usize;
        match random.once_in(3) {
            true => world.stop(now, unit),
            false => world.give(now, unit, random.between(1, 20 * MS)),
        }
        now += random.between(1, 5 * MS);
    }
    world.run_until(now);
    let trace = world.trace.take().unwrap();
    assert!(trace.len() > 5_000);
    // A stretch may reach over its window by what a late timer and a switch before it
    // take, never more, in the last frame as in the first.
    let late = TIMER_SLOP.as_nanos() + 2 * costs.switch;
    for stretch in trace {
        assert!(in_a_window(&stretch, late), "{stretch:?}");
    }
}

fn in_a_window(stretch: &Stretch, late: u64) -> bool {
    let position = (stretch.from - 123) % (10 * MS);
    let length = stretch.to - stretch.from;
    WINDOWS.iter().any(|&(unit, from, to)| {
        let inside = position >= from * MS && position < to * MS + late;
        unit == stretch.unit && inside && position + length <= to * MS + late
    })
}

#[test]
fn units_of_null_never_move() {
    let mut units = [null::Unit::EMPTY; 6];
    let mut world = World::new(Null::new(&mut units), 4, 6, Costs::default());
    world.trace = Some(Vec::new());
    let mut random = Random::new(3);
    let mut now = 0;
    for _ in 0..20_000 {
        let unit = random.between(0, 5) as usize;
        match random.between(0, 3) {
            0 => world.stop(now, unit),
            1 => world.confine(now, unit, CpuSet::ALL.without(cpu((unit + 1) % 4))),
            _ => world.give(now, unit, random.between(1, MS)),
        }
        now += random.between(0, MS);
    }
    world.run_until(now);
    // The first four have the processors of their number, which each keeps; the others
    // wait for ever.
    let trace = world.trace.take().unwrap();
    assert!(trace.len() > 5_000);
    assert!(trace.iter().all(|s| s.unit < 4 && s.cpu == s.unit));
    let migrations: u64 = world.units.iter().map(|unit| unit.migrations).sum();
    assert_eq!(migrations, 0);
}

#[test]
fn a_processor_of_ones_own_is_never_left_while_there_is_work() {
    let mut units = [null::Unit::EMPTY; 2];
    let mut world = World::new(Null::new(&mut units), 2, 2, Costs::default());
    world.give(0, 0, FOREVER);
    world.give(0, 1, FOREVER);
    world.run_until(1_000 * MS);
    assert_eq!([world.served(0), world.served(1)], [1_000 * MS; 2]);
    assert_eq!(world.units[0].switches, 1, "and not one timer");
}
