//! Owns: the cases of time: sleep, order of time-outs, the clock.

use super::case::Tally;
use super::{HIGH, LOW, MAIN, SuiteBoard, UNIT, units};
use taktos_kernel::{AnyThread, Duration, Error, Instant, Kernel, State, Timeout};

fn nap<S: SuiteBoard>(until: Instant, letter: char) {
    let _ = S::objects()
        .log
        .result(AnyThread::<S>::sleep(Timeout::until(until)));
    S::objects().log.add(letter);
}

/// The point in time that the case has put down, so many units on.
fn later<S: SuiteBoard>(count: u64) -> Instant {
    let base = Duration::from_micros(S::objects().number().into());
    Instant::START
        .saturating_add(base)
        .saturating_add(Duration::from_nanos(UNIT.as_nanos() * count))
}

/// Puts down the present time, one unit on.
fn put_down_time<S: SuiteBoard>() {
    let now = units::<S>(1).as_nanos() / 1_000;
    // The suite does not last for an hour.
    S::objects().set_number(u32::try_from(now).unwrap_or(u32::MAX));
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    sleeps(tally);
    orders(tally);
}

fn sleeps<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("time: a sleep lasts at least as long as it was to", |c| {
        for length in [1, 2, 5] {
            let end = units::<S>(length);
            c.expect("sleep", AnyThread::<S>::sleep(Timeout::until(end)), Ok(()));
            c.expect_true("the time has come", Kernel::<S>::now() >= end);
            let before = Kernel::<S>::now();
            c.expect("sleep", AnyThread::<S>::sleep(UNIT), Ok(()));
            c.expect_true(
                "the time has passed",
                Kernel::<S>::now().since(before) >= UNIT,
            );
        }
    });
    tally.case("time: short sleeps end too", |c| {
        for nanos in [1, 10, 100, 1_000, 10_000] {
            let before = Kernel::<S>::now();
            c.expect(
                "sleep",
                AnyThread::<S>::sleep(Duration::from_nanos(nanos)),
                Ok(()),
            );
            c.expect_true("time", Kernel::<S>::now().since(before).as_nanos() >= nanos);
        }
    });
    tally.case("time: the clock does not go back", |c| {
        let mut last = Kernel::<S>::now();
        for _ in 0..1_000 {
            let now = Kernel::<S>::now();
            c.expect_true("order", now >= last);
            last = now;
        }
    });
    tally.case(
        "time: to sleep until a past instant, or not at all, lets equals run",
        |c| {
            c.start(0, MAIN, || S::objects().log.add('a'));
            c.expect(
                "sleep",
                AnyThread::<S>::sleep(Timeout::until(Instant::START)),
                Ok(()),
            );
            c.objects().log.add('m');
            c.expect(
                "start",
                c.objects().thread(0).start(|| S::objects().log.add('b')),
                Ok(()),
            );
            c.expect("sleep", AnyThread::<S>::sleep(Duration::ZERO), Ok(()));
            c.objects().log.add('n');
            c.expect_log("ambn");
        },
    );
    tally.case(
        "time: a sleeper is blocked, and its sleep can be ended",
        |c| {
            c.start(0, HIGH, || {
                let _ = S::objects()
                    .log
                    .result(AnyThread::<S>::sleep(Timeout::FOREVER));
                let _ = S::objects()
                    .log
                    .result(AnyThread::<S>::sleep(Duration::from_secs(1_000)));
            });
            c.expect_state(0, State::Blocked);
            c.expect("end of wait", c.objects().thread(0).cancel_wait(), Ok(()));
            c.expect_state(0, State::Blocked);
            c.expect("end of wait", c.objects().thread(0).cancel_wait(), Ok(()));
            c.expect_state(0, State::Dormant);
            c.expect_log("XX");
        },
    );
    tally.case(
        "time: a call whose time-out lies in the past times out",
        |c| {
            let past = Timeout::until(Instant::from_nanos(1));
            c.expect(
                "take",
                c.objects().semaphore.take(past),
                Err(Error::Timeout),
            );
        },
    );
    tally.case(
        "time: a permit that is there is taken whatever the time-out",
        |c| {
            let past = Timeout::until(Instant::from_nanos(1));
            for timeout in [past, Timeout::NONE, UNIT.into(), Timeout::FOREVER] {
                c.expect("give", c.objects().semaphore.give(), Ok(()));
                c.expect("take", c.objects().semaphore.take(timeout), Ok(()));
            }
        },
    );
    tally.case("time: a time-out that is not needed never comes", |c| {
        c.start(0, HIGH, || {
            let _ = S::objects()
                .log
                .result(S::objects().semaphore.take(UNIT.into()));
            let _ = S::objects()
                .log
                .result(S::objects().semaphore.take(Timeout::FOREVER));
        });
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        S::busy_until(units::<S>(3));
        c.expect_log(".");
        c.expect_state(0, State::Blocked);
    });
}

fn orders<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("time: sleepers wake in the order of their times", |c| {
        put_down_time::<S>();
        c.start(0, 5, || nap::<S>(later::<S>(3), 'a'));
        c.start(1, 6, || nap::<S>(later::<S>(1), 'b'));
        c.start(2, 7, || nap::<S>(later::<S>(4), 'c'));
        c.start(3, 8, || nap::<S>(later::<S>(2), 'd'));
        S::busy_until(later::<S>(5));
        c.expect_log(".b.d.a.c");
    });
    tally.case("time: sleepers of one time run by priority", |c| {
        put_down_time::<S>();
        c.start(0, 9, || nap::<S>(later::<S>(1), 'a'));
        c.start(1, 7, || nap::<S>(later::<S>(1), 'b'));
        c.start(2, 10, || nap::<S>(later::<S>(1), 'c'));
        c.start(3, 8, || nap::<S>(later::<S>(1), 'd'));
        S::busy_until(later::<S>(2));
        c.expect_log(".b.d.a.c");
    });
    tally.case(
        "time: equals of one time wake in the order in which they began to wait",
        |c| {
            put_down_time::<S>();
            c.start(5, 9, || nap::<S>(later::<S>(2), 'f'));
            c.start(0, 9, || nap::<S>(later::<S>(2), 'a'));
            c.start(4, 9, || nap::<S>(later::<S>(2), 'e'));
            c.start(1, 9, || nap::<S>(later::<S>(2), 'b'));
            c.start(3, 9, || nap::<S>(later::<S>(2), 'd'));
            c.start(2, 9, || nap::<S>(later::<S>(2), 'c'));
            // That one of them does not wait any longer changes nothing for the others.
            c.expect("end of wait", c.objects().thread(1).cancel_wait(), Ok(()));
            S::busy_until(later::<S>(3));
            c.expect_log("Xb.f.a.e.d.c");
        },
    );
    tally.case(
        "time: a sleeper that is more urgent preempts at its time",
        |c| {
            put_down_time::<S>();
            c.start(0, HIGH, || nap::<S>(later::<S>(1), 'a'));
            c.start(1, LOW, || nap::<S>(later::<S>(1), 'b'));
            c.let_others_run();
            S::busy_until(later::<S>(2));
            c.objects().log.add('m');
            c.let_others_run();
            c.expect_log(".am.b");
        },
    );
    tally.case(
        "time: time-outs that end in another order than they began",
        |c| {
            fn wait<S: SuiteBoard>(count: u64, letter: char) {
                let end = Timeout::until(later::<S>(count));
                let _ = S::objects().log.result(S::objects().semaphore.take(end));
                S::objects().log.add(letter);
            }
            put_down_time::<S>();
            c.start(0, 9, || wait::<S>(7, 'a'));
            c.start(1, 9, || wait::<S>(6, 'b'));
            c.start(2, 9, || wait::<S>(1, 'c'));
            c.start(3, 9, || wait::<S>(5, 'd'));
            c.start(4, 9, || wait::<S>(2, 'e'));
            c.start(5, 9, || wait::<S>(4, 'f'));
            S::busy_until(later::<S>(3));
            // Before its time, the first of those who wait gets the permit.
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            S::busy_until(later::<S>(7));
            c.expect_log("TcTe.aTfTdTb");
        },
    );
}
