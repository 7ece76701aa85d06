//! The table, by hand.

use super::*;
use crate::vcpu::probe::Probe;
use taktos_time::Span;

const CONTROL: Domain = Domain::new(0);
const GUEST: Domain = Domain::new(1);

fn cpu(index: usize) -> Cpu {
    Cpu::new(index).unwrap()
}

fn unit(index: u16) -> Vcpu {
    Vcpu::new(index)
}

fn at(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

fn window(index: u16, ms: u32) -> Window {
    Window {
        vcpu: unit(index),
        runtime: ms.millis(),
    }
}

/// Two awake units on one processor.
fn pool<'a>(units: &'a mut [Unit], slots: &'a mut [Slot], fx: &mut Probe) -> Arinc653<'a> {
    let mut arinc = Arinc653::new(units, slots, CONTROL);
    arinc.add_cpu(cpu(0), at(0), fx).unwrap();
    for index in 0..2 {
        let admission = Admission::anywhere(GUEST);
        arinc.insert(unit(index), admission, at(0), fx).unwrap();
        arinc.wake(unit(index), at(0), fx);
    }
    arinc
}

#[test]
fn the_supply_of_a_unit_begins_with_its_window() {
    let (mut units, mut slots) = ([Unit::EMPTY; 3], [Slot::EMPTY; 3]);
    let mut fx = Probe::default();
    let mut arinc = pool(&mut units, &mut slots, &mut fx);
    assert_eq!(arinc.supply(unit(0), at(7), at(0)), at(7));
    let table = [window(0, 3), window(1, 5), window(0, 1)];
    arinc
        .set_table(&table, 10.millis(), at(2), &mut fx)
        .unwrap();
    // Windows of the first from 2 to 5 and from 10 to 11, of the other from 5 to 10, then from 12
    // on again.
    let wakes = [
        (0, 2, 2),
        (0, 4, 4),
        (0, 5, 10),
        (0, 9, 10),
        (0, 10, 10),
        (0, 11, 12),
        (1, 2, 5),
        (1, 9, 9),
        (1, 10, 15),
        (1, 104, 105),
        // It has no window.
        (2, 4, 4),
    ];
    for (vcpu, wake, supply) in wakes {
        let found = arinc.supply(unit(vcpu), at(wake), at(2));
        assert_eq!(found, at(supply), "{vcpu} at {wake}");
    }
}

#[test]
fn windows_follow_the_table_and_never_drift() {
    let (mut units, mut slots) = ([Unit::EMPTY; 2], [Slot::EMPTY; 3]);
    let mut fx = Probe::default();
    let mut arinc = pool(&mut units, &mut slots, &mut fx);
    let table = [window(0, 3), window(1, 5), window(0, 1)];
    arinc
        .set_table(&table, 10.millis(), at(2), &mut fx)
        .unwrap();
    let mut choose = |now: u64| {
        let now = Instant::from_nanos(now);
        let choice = arinc.schedule(cpu(0), now, false, &mut fx);
        if let Some(vcpu) = [unit(0), unit(1)]
            .into_iter()
            .find(|v| Some(*v) != choice.next)
        {
            arinc.context_saved(cpu(0), vcpu, now, &mut fx);
        }
        (choice.next.map(Vcpu::index), choice.until)
    };
    assert_eq!(choose(2_000_000), (Some(0), Some(at(5))));
    // Late by 70 µs: the window still ends at 10 ms.
    assert_eq!(choose(5_070_000), (Some(1), Some(at(10))));
    assert_eq!(choose(10_000_000), (Some(0), Some(at(11))));
    assert_eq!(choose(11_000_000), (None, Some(at(12))));
    // A million frames and 4.5 ms later.
    assert_eq!(choose(10_000_006_500_000), (Some(1), Some(at(10_000_010))));
}

#[test]
fn a_window_whose_unit_sleeps_is_idle() {
    let (mut units, mut slots) = ([Unit::EMPTY; 3], [Slot::EMPTY; 3]);
    let mut fx = Probe::default();
    let mut arinc = pool(&mut units, &mut slots, &mut fx);
    // Unit 2 is not in the pool.
    let table = [window(0, 2), window(1, 2), window(2, 2)];
    arinc.set_table(&table, 6.millis(), at(0), &mut fx).unwrap();
    arinc.sleep(unit(0), at(0), &mut fx);
    let idle = |end| Choice {
        next: None,
        until: Some(at(end)),
    };
    assert_eq!(arinc.schedule(cpu(0), at(0), false, &mut fx), idle(2));
    fx.take();
    arinc.wake(unit(0), at(1), &mut fx);
    assert_eq!(fx.take().tickles, [cpu(0)]);
    let choice = arinc.schedule(cpu(0), at(1), false, &mut fx);
    assert_eq!((choice.next, choice.until), (Some(unit(0)), Some(at(2))));
    assert_eq!(arinc.schedule(cpu(0), at(4), false, &mut fx), idle(6));
    arinc.check_invariants().unwrap();
}

#[test]
fn a_new_table_starts_at_once() {
    let (mut units, mut slots) = ([Unit::EMPTY; 2], [Slot::EMPTY; 2]);
    let mut fx = Probe::default();
    let mut arinc = pool(&mut units, &mut slots, &mut fx);
    let first = [window(0, 4), window(1, 4)];
    arinc.set_table(&first, 8.millis(), at(0), &mut fx).unwrap();
    arinc.schedule(cpu(0), at(0), false, &mut fx);
    fx.take();
    let second = [window(1, 4), window(0, 4)];
    arinc
        .set_table(&second, 8.millis(), at(1), &mut fx)
        .unwrap();
    assert_eq!(fx.take().tickles, [cpu(0)]);
    assert_eq!(arinc.window_at(at(1)), Some((Some(unit(1)), at(5))));
}

#[test]
fn units_of_the_control_domain_have_windows_before_there_is_a_table() {
    let (mut units, mut slots) = ([Unit::EMPTY; 3], [Slot::EMPTY; 4]);
    let mut fx = Probe::default();
    let mut arinc = Arinc653::new(&mut units, &mut slots, CONTROL);
    arinc.add_cpu(cpu(0), at(0), &mut fx).unwrap();
    assert_eq!(arinc.window_at(at(0)), None);
    for (index, domain) in [(0, CONTROL), (1, GUEST), (2, CONTROL)] {
        let admission = Admission::anywhere(domain);
        arinc
            .insert(unit(index), admission, at(5), &mut fx)
            .unwrap();
    }
    assert_eq!(arinc.window_at(at(5)), Some((Some(unit(0)), at(15))));
    assert_eq!(arinc.window_at(at(16)), Some((Some(unit(2)), at(25))));
    assert_eq!(arinc.window_at(at(25)), Some((Some(unit(0)), at(35))));
}

#[test]
fn a_table_that_cannot_be_is_refused() {
    let (mut units, mut slots) = ([Unit::EMPTY; 2], [Slot::EMPTY; 2]);
    let mut fx = Probe::default();
    let mut arinc = pool(&mut units, &mut slots, &mut fx);
    let mut set =
        |table: &[Window], frame: u32| arinc.set_table(table, frame.millis(), at(0), &mut fx);
    let long = set(&[window(0, 5), window(1, 6)], 10).unwrap_err();
    assert!(matches!(
        long,
        Error::OutOfRange {
            parameter: "the frame",
            minimum: 11_000_000,
            ..
        }
    ));
    assert!(matches!(
        set(&[window(0, 0)], 10),
        Err(Error::OutOfRange { .. })
    ));
    assert!(matches!(set(&[], 10), Err(Error::OutOfRange { .. })));
    let many = set(&[window(0, 1); 3], 10);
    assert!(matches!(many, Err(Error::TableFull { capacity: 2, .. })));
    assert_eq!(set(&[window(7, 1)], 10), Err(Error::NoRecord(unit(7))));
    assert_eq!(set(&[window(0, 4), window(1, 6)], 10), Ok(()));
}

#[test]
fn a_unit_stays_where_it_is_at_home() {
    let (mut units, mut slots) = ([Unit::EMPTY; 2], [Slot::EMPTY; 2]);
    let mut fx = Probe::default();
    let mut arinc = pool(&mut units, &mut slots, &mut fx);
    arinc.add_cpu(cpu(1), at(0), &mut fx).unwrap();
    let table = [window(0, 4), window(1, 4)];
    arinc.set_table(&table, 8.millis(), at(0), &mut fx).unwrap();
    assert_eq!(arinc.schedule(cpu(1), at(0), false, &mut fx).next, None);
    let home = arinc.schedule(cpu(0), at(0), false, &mut fx);
    assert_eq!(home.next, Some(unit(0)));
    // Sent to processor 1, it is not run there before it is saved.
    let there = CpuSet::of(cpu(1));
    arinc
        .set_affinity(unit(0), there, CpuSet::ALL, at(1), &mut fx)
        .unwrap();
    arinc.check_invariants().unwrap();
    assert_eq!(arinc.schedule(cpu(1), at(1), false, &mut fx).next, None);
    assert_eq!(arinc.schedule(cpu(0), at(1), false, &mut fx).next, None);
    arinc.context_saved(cpu(0), unit(0), at(1), &mut fx);
    let there = arinc.schedule(cpu(1), at(1), false, &mut fx);
    assert_eq!(there.next, Some(unit(0)));
    arinc.check_invariants().unwrap();
}
