//! Owns: the cases of time: sleep, order of time-outs, the clock.

use super::case::{Tally, at};
use super::{FOREVER, HIGH, LOW, MAIN, NONE, SuiteBoard, UNIT, log_result, units};
use core::sync::atomic::Ordering::Relaxed;
use taktos_kernel::{AnyThread, Duration, Error, Idle, Instant, Kernel, State, Timeout};
use taktos_machine::Machine;

fn nap<S: SuiteBoard>(until: Instant, letter: char) {
    log_result::<S>(AnyThread::<S>::sleep(Timeout::until(until)));
    S::objects().log.add(letter);
}

/// Returns the instant `count` units after the one that the case has stored.
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
    tally.about("time");
    sleeps(tally);
    orders(tally);
    idles(tally);
}

/// Sets the time forward to the next time-out if the case lets it and the machine can; else waits.
fn pass_time<S: SuiteBoard>(idle: &Idle<'_, S>) {
    let jumps = S::objects().jumps.load(Relaxed);
    let left = idle.left().filter(|_| jumps);
    if left.is_none_or(|left| idle.slept(left).is_err()) {
        idle.wait();
    }
}

fn idles<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "an idle thread of the program sets the time forward to the next time-out",
        |c| {
            let idle = &c.objects().sleeper;
            S::trigger_interrupt(|| log_result::<S>(S::objects().sleeper.start_idle(pass_time)));
            c.expect_log("C");
            let started = idle.start_idle(pass_time);
            if S::Machine::PROCESSORS > 1 {
                return c.expect_error("several processors", started, Error::State);
            }
            c.ok("start", started);
            c.expect_error("another start", idle.start_idle(pass_time), Error::State);
            c.expect_error("deletion", idle.delete(), Error::State);
            c.expect_error("priority", idle.set_priority(at(LOW)), Error::State);
            c.let_others_run();
            // A machine with a time that cannot be set has a wait of one unit.
            c.objects().jumps.store(true, Relaxed);
            let can_jump = Kernel::<S>::advance(Duration::ZERO).is_ok();
            let span = if can_jump {
                Duration::from_secs(100)
            } else {
                UNIT
            };
            let end = Kernel::<S>::now().saturating_add(span);
            c.ok("sleep", AnyThread::<S>::sleep(Timeout::until(end)));
            let late = Kernel::<S>::now().since(end);
            c.expect_true("the time has come", Kernel::<S>::now() >= end);
            c.expect_true("it came in time", late < UNIT);
        },
    );
}

fn sleeps<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a sleep lasts at least as long as it was to", |c| {
        for length in [1, 2, 5] {
            let end = units::<S>(length);
            c.ok("sleep", AnyThread::<S>::sleep(Timeout::until(end)));
            c.expect_true("the time has come", Kernel::<S>::now() >= end);
            let before = Kernel::<S>::now();
            c.ok("sleep", AnyThread::<S>::sleep(UNIT));
            c.expect_true(
                "the time has passed",
                Kernel::<S>::now().since(before) >= UNIT,
            );
        }
    });
    tally.case("short sleeps end too", |c| {
        for nanos in [1, 10, 100, 1_000, 10_000] {
            let before = Kernel::<S>::now();
            c.ok("sleep", AnyThread::<S>::sleep(Duration::from_nanos(nanos)));
            c.expect_true("time", Kernel::<S>::now().since(before).as_nanos() >= nanos);
        }
    });
    tally.case("the clock does not go back", |c| {
        let mut last = Kernel::<S>::now();
        for _ in 0..1_000 {
            let now = Kernel::<S>::now();
            c.expect_true("order", now >= last);
            last = now;
        }
    });
    tally.case(
        "to sleep until a past instant, or not at all, lets equals run",
        |c| {
            c.start(0, MAIN, || S::objects().log.add('a'));
            c.ok(
                "sleep",
                AnyThread::<S>::sleep(Timeout::until(Instant::START)),
            );
            c.objects().log.add('m');
            c.start_again(0, || S::objects().log.add('b'));
            c.ok("sleep", AnyThread::<S>::sleep(Duration::ZERO));
            c.objects().log.add('n');
            c.expect_log("ambn");
        },
    );
    tally.case("a sleeper is blocked, and its sleep can be ended", |c| {
        c.start(0, HIGH, || {
            log_result::<S>(AnyThread::<S>::sleep(FOREVER));
            log_result::<S>(AnyThread::<S>::sleep(Duration::from_secs(1_000)));
        });
        c.expect_state(0, State::Blocked);
        c.ok("end of wait", c.thread(0).cancel_wait());
        c.expect_state(0, State::Blocked);
        c.ok("end of wait", c.thread(0).cancel_wait());
        c.expect_state(0, State::Dormant);
        c.expect_log("XX");
    });
    tally.case("a call whose time-out lies in the past times out", |c| {
        let past = Timeout::until(Instant::from_nanos(1));
        c.expect_error("take", c.objects().semaphore.take(past), Error::Timeout);
    });
    tally.case(
        "a permit that is there is taken whatever the time-out",
        |c| {
            let past = Timeout::until(Instant::from_nanos(1));
            for timeout in [past, NONE, UNIT.into(), FOREVER] {
                c.ok("give", c.objects().semaphore.give());
                c.ok("take", c.objects().semaphore.take(timeout));
            }
        },
    );
    tally.case("a time-out that is not needed never comes", |c| {
        c.start(0, HIGH, || {
            log_result::<S>(S::objects().semaphore.take(UNIT.into()));
            log_result::<S>(S::objects().semaphore.take(FOREVER));
        });
        c.ok("give", c.objects().semaphore.give());
        S::busy_until(units::<S>(3));
        c.expect_log(".");
        c.expect_state(0, State::Blocked);
    });
}

fn orders<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("sleepers wake in the order of their times", |c| {
        put_down_time::<S>();
        c.start(0, 5, || nap::<S>(later::<S>(3), 'a'));
        c.start(1, 6, || nap::<S>(later::<S>(1), 'b'));
        c.start(2, 7, || nap::<S>(later::<S>(4), 'c'));
        c.start(3, 8, || nap::<S>(later::<S>(2), 'd'));
        S::busy_until(later::<S>(5));
        c.expect_log(".b.d.a.c");
    });
    tally.case("sleepers of one time run by priority", |c| {
        put_down_time::<S>();
        c.start(0, 9, || nap::<S>(later::<S>(1), 'a'));
        c.start(1, 7, || nap::<S>(later::<S>(1), 'b'));
        c.start(2, 10, || nap::<S>(later::<S>(1), 'c'));
        c.start(3, 8, || nap::<S>(later::<S>(1), 'd'));
        S::busy_until(later::<S>(2));
        c.expect_log(".b.d.a.c");
    });
    tally.case(
        "equals of one time wake in the order in which they began to wait",
        |c| {
            put_down_time::<S>();
            c.start(5, 9, || nap::<S>(later::<S>(2), 'f'));
            c.start(0, 9, || nap::<S>(later::<S>(2), 'a'));
            c.start(4, 9, || nap::<S>(later::<S>(2), 'e'));
            c.start(1, 9, || nap::<S>(later::<S>(2), 'b'));
            c.start(3, 9, || nap::<S>(later::<S>(2), 'd'));
            c.start(2, 9, || nap::<S>(later::<S>(2), 'c'));
            // That one of them does not wait any longer changes nothing for the others.
            c.ok("end of wait", c.thread(1).cancel_wait());
            S::busy_until(later::<S>(3));
            c.expect_log("Xb.f.a.e.d.c");
        },
    );
    tally.case("a sleeper that is more urgent preempts at its time", |c| {
        put_down_time::<S>();
        c.start(0, HIGH, || nap::<S>(later::<S>(1), 'a'));
        c.start(1, LOW, || nap::<S>(later::<S>(1), 'b'));
        c.let_others_run();
        S::busy_until(later::<S>(2));
        c.objects().log.add('m');
        c.let_others_run();
        c.expect_log(".am.b");
    });
    tally.case("time-outs that end in another order than they began", |c| {
        fn wait<S: SuiteBoard>(count: u64, letter: char) {
            let end = Timeout::until(later::<S>(count));
            log_result::<S>(S::objects().semaphore.take(end));
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
        // Before its time, the first waiter gets the permit.
        c.ok("give", c.objects().semaphore.give());
        S::busy_until(later::<S>(7));
        c.expect_log("TcTe.aTfTdTb");
    });
}
