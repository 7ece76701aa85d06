//! Owns: the cases of alarms: once, periodic, watchdogs, and the threads that serve them.

use super::case::{Case, Tally};
use super::dependents::{ALARMS, CALLS_A, DEFERS_B, NOTIFIES_ONE};
use super::{FOREVER, HIGH, LOW, NONE, SuiteBoard, UNIT, log_error, log_result, units};
use taktos_kernel::{Alarm, AlarmCounts, AnyThread, Duration, Error, Instant, State, Timeout};

/// The alarm `index`.
fn alarm<S: SuiteBoard>(index: usize) -> &'static Alarm<S> {
    &S::objects().served().alarms[index]
}

/// Makes the helper 0 serve the alarms.
fn serve<S: SuiteBoard>(c: &mut Case<S>, level: u8) {
    c.start(0, level, || {
        let error = S::objects().clock.serve();
        log_error::<S>(error);
    });
}

/// Returns the instant `count` quarters of a unit after `instant`.
fn quarters(instant: Instant, count: u64) -> Instant {
    instant.saturating_add(Duration::from_nanos(UNIT.as_nanos() / 4 * count))
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("alarm");
    modes(tally);
    acts(tally);
    ends(tally);
}

fn modes<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("once, at its time, and not again", |c| {
        serve(c, HIGH);
        let now = units::<S>(0);
        c.ok(
            "start",
            alarm::<S>(CALLS_A).once(Timeout::until(quarters(now, 4))),
        );
        c.expect("next", alarm::<S>(CALLS_A).next(), Some(quarters(now, 4)));
        c.expect(
            "the clock's next",
            c.objects().clock.next(),
            Some(quarters(now, 4)),
        );
        c.expect_log("");
        S::busy_until(quarters(now, 12));
        c.expect_log("a");
        c.expect("next", alarm::<S>(CALLS_A).next(), None);
        c.expect("next", c.objects().clock.next(), None);
        let once = AlarmCounts {
            expired: 1,
            skipped: 0,
        };
        c.expect("counts", alarm::<S>(CALLS_A).counts(), once);
    });
    tally.case(
        "several, by their times, equals as they were started",
        |c| {
            serve(c, HIGH);
            let now = units::<S>(0);
            for (index, quarter) in [(CALLS_A, 8), (DEFERS_B, 4), (3, 8), (4, 6), (5, 8)] {
                let started = alarm::<S>(index).once(Timeout::until(quarters(now, quarter)));
                c.ok("start", started);
            }
            S::busy_until(quarters(now, 10));
            // The alarm that defers work has no thread that would do the work.
            c.expect_log("eadf");
            c.expect_true("deferred", c.objects().dependents().works[1].is_waiting());
        },
    );
    tally.case("started anew, its former time is forgotten", |c| {
        serve(c, HIGH);
        let now = units::<S>(0);
        // Far apart: a guest may be without its processor for some quarters.
        for quarter in [2, 24, 12] {
            let started = alarm::<S>(CALLS_A).once(Timeout::until(quarters(now, quarter)));
            c.ok("start", started);
        }
        S::busy_until(quarters(now, 6));
        c.expect_log("");
        S::busy_until(quarters(now, 28));
        c.expect_log("a");
    });
    tally.case("a periodic one keeps to its grid", |c| {
        serve(c, HIGH);
        let first = units::<S>(1);
        let started = alarm::<S>(CALLS_A).periodic(Timeout::until(first), UNIT);
        c.ok("start", started);
        S::busy_until(quarters(first, 10));
        c.expect_log("aaa");
        let thrice = AlarmCounts {
            expired: 3,
            skipped: 0,
        };
        c.expect("counts", alarm::<S>(CALLS_A).counts(), thrice);
        c.expect(
            "next",
            alarm::<S>(CALLS_A).next(),
            Some(quarters(first, 12)),
        );
        c.expect("stop", alarm::<S>(CALLS_A).stop(), Ok(true));
        S::busy_until(quarters(first, 18));
        c.expect_log("");
        c.expect("stop", alarm::<S>(CALLS_A).stop(), Ok(false));
    });
    tally.case(
        "instants that nobody could serve are counted, and served as one",
        |c| {
            serve(c, LOW);
            // In whole units: a thread that gets a processor only sometimes is served that late.
            let (first, period) = (units::<S>(1), Duration::from_nanos(UNIT.as_nanos() * 4));
            let started = alarm::<S>(CALLS_A).periodic(Timeout::until(first), period);
            c.ok("start", started);
            S::busy_until(quarters(first, 36));
            c.expect_log("");
            let slept = AnyThread::<S>::sleep(Timeout::until(quarters(first, 40)));
            c.ok("sleep", slept);
            c.expect_log("a");
            let late = AlarmCounts {
                expired: 1,
                skipped: 2,
            };
            c.expect("counts", alarm::<S>(CALLS_A).counts(), late);
            c.expect(
                "next",
                alarm::<S>(CALLS_A).next(),
                Some(quarters(first, 48)),
            );
        },
    );
    tally.case("a watchdog acts unless it is fed", |c| {
        serve(c, HIGH);
        c.expect_error("no watchdog", alarm::<S>(CALLS_A).feed(), Error::State);
        let four = Duration::from_nanos(UNIT.as_nanos() * 4);
        c.ok("start", alarm::<S>(CALLS_A).watchdog(four));
        for _ in 0..6 {
            S::busy_until(units::<S>(1));
            c.ok("food", alarm::<S>(CALLS_A).feed());
        }
        c.expect_log("");
        S::busy_until(units::<S>(6));
        c.expect_log("a");
        c.expect_error("dead", alarm::<S>(CALLS_A).feed(), Error::State);
        c.ok("start", alarm::<S>(CALLS_A).once(UNIT));
        c.expect_error("no watchdog", alarm::<S>(CALLS_A).feed(), Error::State);
    });
}

fn acts<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("it notifies a thread", |c| {
        serve(c, HIGH);
        c.start(1, HIGH, || {
            while let Ok(word) = AnyThread::<S>::notify_wait(u32::MAX, FOREVER) {
                S::objects().log.add((b'p' + word as u8) as char);
            }
        });
        let first = units::<S>(1);
        let started = alarm::<S>(NOTIFIES_ONE).periodic(Timeout::until(first), UNIT);
        c.ok("start", started);
        S::busy_until(quarters(first, 6));
        c.expect_log("rr");
    });
    tally.case("it defers work", |c| {
        serve(c, HIGH);
        c.start(1, LOW, || {
            S::objects().work.serve();
        });
        c.ok("start", alarm::<S>(DEFERS_B).once(UNIT));
        S::busy_until(units::<S>(2));
        c.expect_log("");
        c.let_others_run();
        c.expect_log("b");
    });
    tally.case("what it calls may start it again", |c| {
        serve(c, HIGH);
        c.ok("start", alarm::<S>(ALARMS - 1).once(UNIT));
        S::busy_until(units::<S>(6));
        c.expect_log("zzz");
    });
    tally.case("what two threads serve does not hold up the next", |c| {
        serve(c, HIGH);
        c.start(1, HIGH + 1, || {
            S::objects().clock.serve();
        });
        let now = units::<S>(0);
        let at = |quarter| Timeout::until(quarters(now, quarter));
        // The one that waits for a permit, and one after it.
        c.ok("start", alarm::<S>(6).once(at(4)));
        c.ok("start", alarm::<S>(CALLS_A).once(at(8)));
        S::busy_until(quarters(now, 12));
        c.expect_log("wa");
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("v");
    });
    tally.case("from an interrupt handler", |c| {
        serve(c, HIGH);
        S::trigger_interrupt(|| {
            log_result::<S>(alarm::<S>(CALLS_A).watchdog(UNIT));
            log_result::<S>(alarm::<S>(CALLS_A).feed());
            log_result::<S>(alarm::<S>(3).once(UNIT));
            log_result::<S>(alarm::<S>(3).stop());
            log_error::<S>(S::objects().clock.serve());
        });
        c.expect_log("....C");
        S::busy_until(units::<S>(2));
        c.expect_log("a");
    });
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("what is refused", |c| {
        let of = alarm::<S>(CALLS_A);
        c.expect_error("no time", of.once(NONE), Error::Parameter);
        c.expect_error("never", of.once(FOREVER), Error::Parameter);
        c.expect_error(
            "no interval",
            of.periodic(UNIT, Duration::ZERO),
            Error::Parameter,
        );
        c.expect_error("no span", of.watchdog(Duration::ZERO), Error::Parameter);
        c.expect_error("renewal", of.renew(), Error::State);
        c.ok("start", of.once(UNIT));
        c.ok("deletion", of.delete());
        c.expect_error("deletion", of.delete(), Error::Deleted);
        c.expect_error("start", of.once(UNIT), Error::Deleted);
        c.expect_error("stop", of.stop(), Error::Deleted);
        c.expect_error("food", of.feed(), Error::Deleted);
        c.expect("next", of.next(), None);
        c.ok("renewal", of.renew());
        c.expect("stop", of.stop(), Ok(false));
    });
    tally.case(
        "of a clock that is deleted nobody hears until one serves it again",
        |c| {
            serve(c, HIGH);
            c.ok("start", alarm::<S>(CALLS_A).once(UNIT));
            c.ok("deletion", c.objects().clock.delete());
            c.expect_log("D");
            c.expect_state(0, State::Dormant);
            c.expect_error("deletion", c.objects().clock.delete(), Error::Deleted);
            S::busy_until(units::<S>(2));
            c.expect_log("");
            c.ok("renewal", c.objects().clock.renew());
            c.start_again(0, || {
                S::objects().clock.serve();
            });
            c.expect_log("a");
        },
    );
}
