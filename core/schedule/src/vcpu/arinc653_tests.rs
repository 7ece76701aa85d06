//! The table, by hand.

extern crate std;

use super::*;
use crate::vcpu::kit::tests::{self, MS, check_refusals, vcpu};
use taktos_time::Span;

const CONTROL: Domain = Domain::new(9);

type Bench<'a> = tests::Bench<Arinc653<'a>>;

/// Runs `test` with two awake units on one processor, of `records` units and `slots` windows.
fn with(records: usize, slots: usize, test: impl FnOnce(&mut Bench)) {
    let (mut units, mut slots) = (
        std::vec![Unit::EMPTY; records],
        std::vec![Slot::EMPTY; slots],
    );
    let policy = Arinc653::new(&mut units, &mut slots, CONTROL);
    Bench::new(policy, 1).with(2, |b| {
        b.wake(0);
        b.wake(1);
        test(b);
    });
}

impl Bench<'_> {
    /// Sets a table of (unit, milliseconds) and its frame, in milliseconds.
    fn table(&mut self, windows: &[(usize, u32)], frame: u32) -> Result<(), Error> {
        let window = |&(index, ms): &(usize, u32)| Window {
            vcpu: vcpu(index),
            runtime: ms.millis(),
        };
        let windows: std::vec::Vec<_> = windows.iter().map(window).collect();
        self.call(|p, now, fx| p.set_table(&windows, frame.millis(), now, fx))
    }

    /// Returns the choice of processor `on` at `now`: the unit, and until when in milliseconds.
    fn choose(&mut self, on: usize, now: u64) -> (Option<usize>, u64) {
        self.now = now;
        let choice = self.schedule(on);
        let until = choice.until.unwrap().as_nanos();
        assert_eq!(until % MS, 0);
        (choice.next.map(Vcpu::index), until / MS)
    }

    /// Returns the owner of the window at `ms`, and its end in milliseconds.
    fn window_at(&self, ms: u64) -> Option<(Option<usize>, u64)> {
        let window = self.policy.window_at(Instant::from_nanos(ms * MS));
        window.map(|(owner, end)| (owner.map(Vcpu::index), end.as_nanos() / MS))
    }
}

#[test]
fn what_is_refused() {
    let (mut units, mut slots) = ([Unit::EMPTY; 2], [Slot::EMPTY; 2]);
    let policy = Arinc653::new(&mut units, &mut slots, CONTROL);
    Bench::new(policy, 2).with(2, check_refusals);
}

#[test]
fn the_supply_of_a_unit_begins_with_its_window() {
    with(3, 3, |b| {
        assert_eq!(b.supply(0, 7 * MS, 0), 7 * MS);
        b.now = 2 * MS;
        b.table(&[(0, 3), (1, 5), (0, 1)], 10).unwrap();
        // Windows of the first from 2 to 5 and from 10 to 11, of the other from 5 to 10, then from
        // 12 on again.
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
        for (unit, wake, supply) in wakes {
            let found = b.supply(unit, wake * MS, 2 * MS);
            assert_eq!(found, supply * MS, "{unit} at {wake}");
        }
    });
}

#[test]
fn windows_follow_the_table_and_never_drift() {
    with(2, 3, |b| {
        b.now = 2 * MS;
        b.table(&[(0, 3), (1, 5), (0, 1)], 10).unwrap();
        let mut choose = |now| {
            let choice = b.choose(0, now);
            // One of them was on, or neither.
            let other = usize::from(choice.0 == Some(0));
            b.saved(0, other);
            choice
        };
        assert_eq!(choose(2_000_000), (Some(0), 5));
        // Late by 70 µs: the window still ends at 10 ms.
        assert_eq!(choose(5_070_000), (Some(1), 10));
        assert_eq!(choose(10_000_000), (Some(0), 11));
        assert_eq!(choose(11_000_000), (None, 12));
        // A million frames and 4.5 ms later.
        assert_eq!(choose(10_000_006_500_000), (Some(1), 10_000_010));
    });
}

#[test]
fn a_window_whose_unit_sleeps_is_idle() {
    with(3, 3, |b| {
        // Unit 2 is not in the pool.
        b.table(&[(0, 2), (1, 2), (2, 2)], 6).unwrap();
        b.sleep(0);
        assert_eq!(b.choose(0, 0), (None, 2));
        b.tickles();
        b.now = MS;
        b.wake(0);
        assert_eq!(b.tickles(), [0]);
        assert_eq!(b.choose(0, MS), (Some(0), 2));
        assert_eq!(b.choose(0, 4 * MS), (None, 6));
    });
}

#[test]
fn a_new_table_starts_at_once() {
    with(2, 2, |b| {
        b.table(&[(0, 4), (1, 4)], 8).unwrap();
        b.schedule(0);
        b.tickles();
        b.now = MS;
        b.table(&[(1, 4), (0, 4)], 8).unwrap();
        assert_eq!(b.tickles(), [0]);
        assert_eq!(b.window_at(1), Some((Some(1), 5)));
    });
}

#[test]
fn units_of_the_control_domain_have_windows_before_there_is_a_table() {
    let (mut units, mut slots) = ([Unit::EMPTY; 3], [Slot::EMPTY; 4]);
    let policy = Arinc653::new(&mut units, &mut slots, CONTROL);
    Bench::new(policy, 1).with(0, |b| {
        assert_eq!(b.window_at(0), None);
        b.now = 5 * MS;
        for (index, domain) in [(0, CONTROL), (1, Domain::new(1)), (2, CONTROL)] {
            b.insert(index, Admission::anywhere(domain));
        }
        assert_eq!(b.window_at(5), Some((Some(0), 15)));
        assert_eq!(b.window_at(16), Some((Some(2), 25)));
        assert_eq!(b.window_at(25), Some((Some(0), 35)));
    });
}

#[test]
fn a_table_that_cannot_be_is_refused() {
    with(2, 2, |b| {
        let out_of_range = |result| matches!(result, Err(Error::OutOfRange { .. }));
        assert!(matches!(
            b.table(&[(0, 5), (1, 6)], 10),
            Err(Error::OutOfRange {
                parameter: "the frame",
                minimum: 11_000_000,
                ..
            })
        ));
        assert!(out_of_range(b.table(&[(0, 0)], 10)));
        assert!(out_of_range(b.table(&[], 10)));
        let many = b.table(&[(0, 1); 3], 10);
        assert!(matches!(many, Err(Error::TableFull { capacity: 2, .. })));
        assert_eq!(b.table(&[(7, 1)], 10), Err(Error::NoRecord(vcpu(7))));
        assert_eq!(b.table(&[(0, 4), (1, 6)], 10), Ok(()));
    });
}

#[test]
fn a_unit_stays_where_it_is_at_home() {
    with(2, 2, |b| {
        b.add_cpu(1).unwrap();
        b.table(&[(0, 4), (1, 4)], 8).unwrap();
        assert_eq!(b.next(1), None);
        assert_eq!(b.next(0), Some(0));
        // Sent to processor 1, it is not run there before it is saved.
        b.now = MS;
        b.affinity(0, 0b10, u64::MAX);
        b.check();
        assert_eq!((b.next(1), b.next(0)), (None, None));
        b.saved(0, 0);
        assert_eq!(b.next(1), Some(0));
    });
}
