//! Owns: the cases of time slices.

use super::case::Tally;
use super::{HIGH, LOW, SuiteBoard, UNIT, units};
use taktos_kernel::{AnyThread, Duration, Error, Kernel};

/// Is busy for so many units and notes each turn that it gets.
fn work<S: SuiteBoard>(count: u64, letter: char) {
    let end = units::<S>(count);
    while Kernel::<S>::now() < end {
        S::objects().log.turn(letter);
        let step = Kernel::<S>::now().saturating_add(Duration::from_micros(100));
        S::busy_until(if step < end { step } else { end });
    }
}

/// Whether `turns` begins with at least `rounds` rounds of `letters`.
fn goes_round(turns: &str, letters: &str, rounds: usize) -> bool {
    let expected = letters.chars().cycle();
    turns.len() >= rounds * letters.len()
        && turns
            .chars()
            .zip(expected)
            .take(rounds * letters.len())
            .all(|(a, b)| a == b)
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("slices: equals take turns", |c| {
        c.expect("slice", Kernel::<S>::set_time_slice(Some(UNIT)), Ok(()));
        c.start(0, LOW, || work::<S>(12, 'a'));
        c.start(1, LOW, || work::<S>(12, 'b'));
        c.start(2, LOW, || work::<S>(12, 'c'));
        c.expect(
            "sleep",
            AnyThread::<S>::sleep(Duration::from_nanos(UNIT.as_nanos() * 20)),
            Ok(()),
        );
        let turns = c.objects().log.take();
        if !goes_round(turns.as_str(), "abc", 3) {
            c.expect("turns", turns.as_str(), "abcabcabc and so on");
        }
    });
    tally.case("slices: without them one runs until it waits", |c| {
        c.start(0, LOW, || work::<S>(4, 'a'));
        c.start(1, LOW, || work::<S>(1, 'b'));
        c.expect(
            "sleep",
            AnyThread::<S>::sleep(Duration::from_nanos(UNIT.as_nanos() * 8)),
            Ok(()),
        );
        c.expect_log("ab");
    });
    tally.case("slices: their ends do not let less urgent ones run", |c| {
        c.expect("slice", Kernel::<S>::set_time_slice(Some(UNIT)), Ok(()));
        c.start(0, LOW, || work::<S>(5, 'a'));
        c.start(1, LOW + 1, || work::<S>(1, 'b'));
        c.expect(
            "sleep",
            AnyThread::<S>::sleep(Duration::from_nanos(UNIT.as_nanos() * 10)),
            Ok(()),
        );
        c.expect_log("ab");
    });
    tally.case("slices: a preempted one keeps its turn", |c| {
        c.expect(
            "slice",
            Kernel::<S>::set_time_slice(Some(Duration::from_secs(100))),
            Ok(()),
        );
        c.start(0, HIGH, || {
            let _ = AnyThread::<S>::sleep(UNIT);
            S::objects().log.add('h');
        });
        c.start(1, LOW, || work::<S>(4, 'a'));
        c.start(2, LOW, || work::<S>(1, 'b'));
        c.expect(
            "sleep",
            AnyThread::<S>::sleep(Duration::from_nanos(UNIT.as_nanos() * 8)),
            Ok(()),
        );
        c.expect_log("ahab");
    });
    tally.case("slices: one of no length is refused", |c| {
        let refused = Kernel::<S>::set_time_slice(Some(Duration::ZERO));
        c.expect("slice", refused, Err(Error::Parameter));
    });
}
