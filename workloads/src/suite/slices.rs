//! Owns: the cases of time slices.

use super::case::{Case, Tally};
use super::{FOREVER, HIGH, LOW, SuiteBoard, UNIT, units};
use core::sync::atomic::Ordering::SeqCst;
use taktos_kernel::{AnyThread, Duration, Error, Kernel, Message};

/// Is busy for `count` units and notes each turn that it gets.
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

/// The amounts that a step adds to the number of the case: on the account of one of two sides.
const FIRST: u32 = 1;
const SECOND: u32 = 1 << 16;

/// Is busy for a fiftieth of a slice, on an account.
fn step<S: SuiteBoard>(account: u32) {
    S::busy_until(Kernel::<S>::now().saturating_add(Duration::from_micros(100)));
    S::objects().number.fetch_add(account, SeqCst);
}

fn share<S: SuiteBoard>(account: u32) {
    loop {
        step::<S>(account);
    }
}

/// Takes a quarter of the processor, at intervals of less than half a slice.
fn preempt<S: SuiteBoard>() {
    loop {
        let _ = AnyThread::<S>::sleep(Duration::from_micros(1_500));
        S::busy_until(Kernel::<S>::now().saturating_add(Duration::from_micros(500)));
    }
}

/// Answers calls, on the first account.
fn serve<S: SuiteBoard>() {
    let mut received = AnyThread::<S>::receive(FOREVER);
    while let Ok(request) = received {
        step::<S>(FIRST);
        let answer = Message::word(0);
        received = request.sender.reply_and_receive(answer, FOREVER);
    }
}

/// Lets the helpers run, and checks that both accounts have about as much.
fn expect_halves<S: SuiteBoard>(c: &mut Case<S>) {
    let slept = AnyThread::<S>::sleep(Duration::from_nanos(UNIT.as_nanos() * 40));
    c.ok("sleep", slept);
    let number = S::objects().number.load(SeqCst);
    let (first, second) = (number % SECOND, number / SECOND);
    let percent = 100 * first / (first + second).max(1);
    if !(45..=55).contains(&percent) {
        c.expect("per cent of the first", percent, 50);
    }
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("slices");
    tally.case("equals take turns", |c| {
        c.ok("slice", Kernel::<S>::set_time_slice(Some(UNIT)));
        c.start(0, LOW, || work::<S>(12, 'a'));
        c.start(1, LOW, || work::<S>(12, 'b'));
        c.start(2, LOW, || work::<S>(12, 'c'));
        c.ok(
            "sleep",
            AnyThread::<S>::sleep(Duration::from_nanos(UNIT.as_nanos() * 20)),
        );
        let turns = c.objects().log.take();
        if !goes_round(turns.as_str(), "abc", 3) {
            c.expect("turns", turns.as_str(), "abcabcabc and so on");
        }
    });
    tally.case("without them one runs until it waits", |c| {
        c.start(0, LOW, || work::<S>(4, 'a'));
        c.start(1, LOW, || work::<S>(1, 'b'));
        c.ok(
            "sleep",
            AnyThread::<S>::sleep(Duration::from_nanos(UNIT.as_nanos() * 8)),
        );
        c.expect_log("ab");
    });
    tally.case("their ends do not let less urgent ones run", |c| {
        c.ok("slice", Kernel::<S>::set_time_slice(Some(UNIT)));
        c.start(0, LOW, || work::<S>(5, 'a'));
        c.start(1, LOW + 1, || work::<S>(1, 'b'));
        c.ok(
            "sleep",
            AnyThread::<S>::sleep(Duration::from_nanos(UNIT.as_nanos() * 10)),
        );
        c.expect_log("ab");
    });
    tally.case("a preempted one keeps its turn", |c| {
        c.ok(
            "slice",
            Kernel::<S>::set_time_slice(Some(Duration::from_secs(100))),
        );
        c.start(0, HIGH, || {
            let _ = AnyThread::<S>::sleep(UNIT);
            S::objects().log.add('h');
        });
        c.start(1, LOW, || work::<S>(4, 'a'));
        c.start(2, LOW, || work::<S>(1, 'b'));
        c.ok(
            "sleep",
            AnyThread::<S>::sleep(Duration::from_nanos(UNIT.as_nanos() * 8)),
        );
        c.expect_log("ahab");
    });
    tally.case("equals share beside one that preempts them", |c| {
        c.ok("slice", Kernel::<S>::set_time_slice(Some(UNIT)));
        c.start(0, HIGH, preempt::<S>);
        c.start(1, LOW, || share::<S>(FIRST));
        c.start(2, LOW, || share::<S>(SECOND));
        expect_halves(c);
    });
    tally.case("so do a pair that hands its turn on and an equal", |c| {
        c.ok("slice", Kernel::<S>::set_time_slice(Some(UNIT)));
        c.start(0, HIGH, preempt::<S>);
        c.start(1, LOW, serve::<S>);
        c.start(2, LOW, || {
            loop {
                step::<S>(FIRST);
                let server = S::objects().thread(1);
                let _ = server.call(Message::word(0), FOREVER);
            }
        });
        c.start(3, LOW, || share::<S>(SECOND));
        expect_halves(c);
    });
    tally.case("one of no length is refused", |c| {
        let refused = Kernel::<S>::set_time_slice(Some(Duration::ZERO));
        c.expect_error("slice", refused, Error::Parameter);
    });
}
