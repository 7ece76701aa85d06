//! Owns: the cases of alarms: once, periodic, watchdogs, and who serves them.

use super::case::{Case, Tally};
use super::dependents::{ALARMS, CALLS_A, DEFERS_B, NOTIFIES_ONE};
use super::{HIGH, LOW, SuiteBoard, UNIT, units};
use taktos_kernel::{Alarm, AlarmCounts, AnyThread, Duration, Error, Instant, State, Timeout};

/// The alarm `index`.
fn alarm<S: SuiteBoard>(index: usize) -> &'static Alarm<S> {
    &S::objects().served().alarms[index]
}

/// Has the helper 0 serve the alarms.
fn serve<S: SuiteBoard>(c: &mut Case<S>, level: u8) {
    c.start(0, level, || {
        let error = S::objects().clock.serve();
        let _ = S::objects().log.result(Err::<(), _>(error));
    });
}

/// So many quarters of a unit behind `instant`.
fn quarters(instant: Instant, count: u64) -> Instant {
    instant.saturating_add(Duration::from_nanos(UNIT.as_nanos() / 4 * count))
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    modes(tally);
    acts(tally);
    ends(tally);
}

fn modes<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("alarm: once, at its time, and not again", |c| {
        serve(c, HIGH);
        let now = units::<S>(0);
        c.expect(
            "start",
            alarm::<S>(CALLS_A).once(Timeout::until(quarters(now, 4))),
            Ok(()),
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
        "alarm: several, by their times, equals as they were started",
        |c| {
            serve(c, HIGH);
            let now = units::<S>(0);
            for (index, quarter) in [(CALLS_A, 8), (DEFERS_B, 4), (3, 8), (4, 6), (5, 8)] {
                let started = alarm::<S>(index).once(Timeout::until(quarters(now, quarter)));
                c.expect("start", started, Ok(()));
            }
            S::busy_until(quarters(now, 10));
            // That which defers has nobody who would do the work.
            c.expect_log("eadf");
            c.expect_true("deferred", c.objects().dependents().works[1].is_waiting());
        },
    );
    tally.case("alarm: started anew, its former time is forgotten", |c| {
        serve(c, HIGH);
        let now = units::<S>(0);
        for quarter in [2, 12, 6] {
            let started = alarm::<S>(CALLS_A).once(Timeout::until(quarters(now, quarter)));
            c.expect("start", started, Ok(()));
        }
        S::busy_until(quarters(now, 4));
        c.expect_log("");
        S::busy_until(quarters(now, 16));
        c.expect_log("a");
    });
    tally.case("alarm: a periodic one keeps to its grid", |c| {
        serve(c, HIGH);
        let first = units::<S>(1);
        let started = alarm::<S>(CALLS_A).periodic(Timeout::until(first), UNIT);
        c.expect("start", started, Ok(()));
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
        "alarm: instants that nobody could serve are counted, and served as one",
        |c| {
            serve(c, LOW);
            // In whole units: who is only sometimes given a processor is served that late.
            let (first, period) = (units::<S>(1), Duration::from_nanos(UNIT.as_nanos() * 4));
            let started = alarm::<S>(CALLS_A).periodic(Timeout::until(first), period);
            c.expect("start", started, Ok(()));
            S::busy_until(quarters(first, 36));
            c.expect_log("");
            let slept = AnyThread::<S>::sleep(Timeout::until(quarters(first, 40)));
            c.expect("sleep", slept, Ok(()));
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
    tally.case("alarm: a watchdog acts unless it is fed", |c| {
        serve(c, HIGH);
        c.expect("no watchdog", alarm::<S>(CALLS_A).feed(), Err(Error::State));
        let four = Duration::from_nanos(UNIT.as_nanos() * 4);
        c.expect("start", alarm::<S>(CALLS_A).watchdog(four), Ok(()));
        for _ in 0..6 {
            S::busy_until(units::<S>(1));
            c.expect("food", alarm::<S>(CALLS_A).feed(), Ok(()));
        }
        c.expect_log("");
        S::busy_until(units::<S>(6));
        c.expect_log("a");
        c.expect("dead", alarm::<S>(CALLS_A).feed(), Err(Error::State));
        c.expect("start", alarm::<S>(CALLS_A).once(UNIT), Ok(()));
        c.expect("no watchdog", alarm::<S>(CALLS_A).feed(), Err(Error::State));
    });
}

fn acts<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("alarm: it notifies a thread", |c| {
        serve(c, HIGH);
        c.start(1, HIGH, || {
            while let Ok(word) = AnyThread::<S>::notify_wait(u32::MAX, Timeout::FOREVER) {
                S::objects().log.add((b'p' + word as u8) as char);
            }
        });
        let first = units::<S>(1);
        let started = alarm::<S>(NOTIFIES_ONE).periodic(Timeout::until(first), UNIT);
        c.expect("start", started, Ok(()));
        S::busy_until(quarters(first, 6));
        c.expect_log("rr");
    });
    tally.case("alarm: it defers work", |c| {
        serve(c, HIGH);
        c.start(1, LOW, || {
            S::objects().work.serve();
        });
        c.expect("start", alarm::<S>(DEFERS_B).once(UNIT), Ok(()));
        S::busy_until(units::<S>(2));
        c.expect_log("");
        c.let_others_run();
        c.expect_log("b");
    });
    tally.case("alarm: what it calls may start it again", |c| {
        serve(c, HIGH);
        c.expect("start", alarm::<S>(ALARMS - 1).once(UNIT), Ok(()));
        S::busy_until(units::<S>(6));
        c.expect_log("zzz");
    });
    tally.case(
        "alarm: what two threads serve does not hold up the next",
        |c| {
            serve(c, HIGH);
            c.start(1, HIGH + 1, || {
                S::objects().clock.serve();
            });
            let now = units::<S>(0);
            let at = |quarter| Timeout::until(quarters(now, quarter));
            // The one that waits for a permit, and one behind it.
            c.expect("start", alarm::<S>(6).once(at(4)), Ok(()));
            c.expect("start", alarm::<S>(CALLS_A).once(at(8)), Ok(()));
            S::busy_until(quarters(now, 12));
            c.expect_log("wa");
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log("v");
        },
    );
    tally.case("alarm: from an interrupt handler", |c| {
        serve(c, HIGH);
        S::trigger_interrupt(|| {
            let log = &S::objects().log;
            let _ = log.result(alarm::<S>(CALLS_A).watchdog(UNIT));
            let _ = log.result(alarm::<S>(CALLS_A).feed());
            let _ = log.result(alarm::<S>(3).once(UNIT));
            let _ = log.result(alarm::<S>(3).stop());
            let _ = log.result(Err::<(), _>(S::objects().clock.serve()));
        });
        c.expect_log("....C");
        S::busy_until(units::<S>(2));
        c.expect_log("a");
    });
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("alarm: what is refused", |c| {
        let of = alarm::<S>(CALLS_A);
        c.expect("no time", of.once(Timeout::NONE), Err(Error::Parameter));
        c.expect("never", of.once(Timeout::FOREVER), Err(Error::Parameter));
        c.expect(
            "no interval",
            of.periodic(UNIT, Duration::ZERO),
            Err(Error::Parameter),
        );
        c.expect(
            "no span",
            of.watchdog(Duration::ZERO),
            Err(Error::Parameter),
        );
        c.expect("renewal", of.renew(), Err(Error::State));
        c.expect("start", of.once(UNIT), Ok(()));
        c.expect("deletion", of.delete(), Ok(()));
        c.expect("deletion", of.delete(), Err(Error::Deleted));
        c.expect("start", of.once(UNIT), Err(Error::Deleted));
        c.expect("stop", of.stop(), Err(Error::Deleted));
        c.expect("food", of.feed(), Err(Error::Deleted));
        c.expect("next", of.next(), None);
        c.expect("renewal", of.renew(), Ok(()));
        c.expect("stop", of.stop(), Ok(false));
    });
    tally.case(
        "alarm: of a clock that is deleted nobody hears until one serves it again",
        |c| {
            serve(c, HIGH);
            c.expect("start", alarm::<S>(CALLS_A).once(UNIT), Ok(()));
            c.expect("deletion", c.objects().clock.delete(), Ok(()));
            c.expect_log("D");
            c.expect_state(0, State::Dormant);
            c.expect("deletion", c.objects().clock.delete(), Err(Error::Deleted));
            S::busy_until(units::<S>(2));
            c.expect_log("");
            c.expect("renewal", c.objects().clock.renew(), Ok(()));
            c.expect(
                "start",
                c.objects().thread(0).start(|| {
                    S::objects().clock.serve();
                }),
                Ok(()),
            );
            c.expect_log("a");
        },
    );
}
