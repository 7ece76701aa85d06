//! Owns: the cases of periods.

use super::case::Tally;
use super::{Case, HIGH, LOW, SuiteBoard, UNIT, units};
use taktos_kernel::period::{State as Stage, Statistics};
use taktos_kernel::{AnyThread, Duration, Error, Instant, Kernel, Period, State, Timeout};

/// So many units.
const fn span(count: u64) -> Duration {
    Duration::from_nanos(UNIT.as_nanos() * count)
}

/// The first of the suite's periods.
fn left<S: SuiteBoard>() -> &'static Period<S> {
    &S::objects().periods[0]
}

fn right<S: SuiteBoard>() -> &'static Period<S> {
    &S::objects().periods[1]
}

fn statistics<S: SuiteBoard>(period: &'static Period<S>) -> Statistics {
    period.statistics().unwrap_or(Statistics::EMPTY)
}

/// State and postponed jobs.
fn stage<S: SuiteBoard>(period: &'static Period<S>) -> Result<(Stage, u32), Error> {
    period
        .status()
        .map(|status| (status.state, status.postponed))
}

/// Between what instants the present job was released: the clock goes on while one asks.
fn release<S: SuiteBoard>(period: &'static Period<S>) -> (Instant, Instant) {
    let before = Kernel::<S>::now();
    let wall = period.status().map_or(Duration::ZERO, |status| status.wall);
    let back = |now: Instant| {
        Instant::START.saturating_add(now.since(Instant::START.saturating_add(wall)))
    };
    (back(before), back(Kernel::<S>::now()))
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    life(tally);
    refusals(tally);
    grid(tally);
    beginnings(tally);
    misses(tally);
    sleeps(tally);
    owners(tally);
    reports(tally);
}

fn life<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("period: one that does not exist does nothing", |c| {
        let period = left::<S>();
        c.expect("next", period.next(UNIT), Err(Error::Deleted));
        c.expect("cancellation", period.cancel(), Err(Error::Deleted));
        c.expect("deletion", period.delete(), Err(Error::Deleted));
        c.expect("reset", period.reset(), Err(Error::Deleted));
        c.expect("stage", stage(period), Err(Error::Deleted));
        c.expect("statistics", period.statistics(), Err(Error::Deleted));
    });
    tally.case("period: created, deleted, created again", |c| {
        let period = left::<S>();
        c.expect("creation", period.create(), Ok(()));
        c.expect("second creation", period.create(), Err(Error::State));
        c.expect("stage", stage(period), Ok((Stage::Inactive, 0)));
        let owner = period
            .status()
            .map(|status| core::ptr::eq(status.owner, AnyThread::current()));
        c.expect("owner", owner, Ok(true));
        c.expect("next", period.next(UNIT), Ok(()));
        c.expect("next", period.next(UNIT), Ok(()));
        c.expect("deletion", period.delete(), Ok(()));
        c.expect("second deletion", period.delete(), Err(Error::Deleted));
        c.expect("new creation", period.create(), Ok(()));
        c.expect("statistics", period.statistics(), Ok(Statistics::EMPTY));
    });
    tally.case(
        "period: a cancelled one keeps its statistics and begins anew",
        |c| {
            let period = left::<S>();
            c.expect("creation", period.create(), Ok(()));
            c.expect("first", period.next(UNIT), Ok(()));
            S::busy_until(units::<S>(3));
            c.expect("late", period.next(UNIT), Err(Error::Timeout));
            c.expect("cancellation", period.cancel(), Ok(()));
            c.expect("stage", stage(period), Ok((Stage::Inactive, 0)));
            c.expect("count", statistics(period).count, 1);
            c.expect("second cancellation", period.cancel(), Ok(()));
            c.expect("first", period.next(span(4)), Ok(()));
            c.expect("stage", stage(period), Ok((Stage::Active, 0)));
            c.expect("count", statistics(period).count, 1);
        },
    );
}

fn refusals<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("period: a length of zero asks how matters stand", |c| {
        let period = left::<S>();
        c.expect("creation", period.create(), Ok(()));
        let ask = || left::<S>().next(Duration::ZERO);
        c.expect("inactive", ask(), Err(Error::State));
        c.expect("first", period.next(span(2)), Ok(()));
        c.expect("active", ask(), Ok(()));
        S::busy_until(units::<S>(3));
        c.expect("expired", ask(), Err(Error::Timeout));
        c.expect("expired still", ask(), Err(Error::Timeout));
        c.expect("count", statistics(period).count, 0);
    });
    tally.case(
        "period: only the owner goes on with it; anyone may ask",
        |c| {
            let period = left::<S>();
            c.expect("creation", period.create(), Ok(()));
            c.expect("first", period.next(UNIT), Ok(()));
            c.expect("next", period.next(UNIT), Ok(()));
            c.start(0, HIGH, || {
                let o = S::objects();
                let period = left::<S>();
                let _ = o.log.result(period.next(UNIT));
                let _ = o.log.result(period.next(Duration::ZERO));
                let _ = o.log.result(period.cancel());
                let _ = o.log.result(period.status());
                let _ = o.log.result(period.reset());
                let _ = o.log.result(period.delete());
            });
            // Where deadlines decide, a job is more urgent than any thread without one.
            c.let_others_run();
            c.expect_log("NNN...");
            c.expect("next", period.next(UNIT), Err(Error::Deleted));
        },
    );
    tally.case("period: a handler asks, and no more", |c| {
        c.expect("creation", left::<S>().create(), Ok(()));
        c.expect("first", left::<S>().next(UNIT), Ok(()));
        S::trigger_interrupt(|| {
            let o = S::objects();
            let _ = o.log.result(right::<S>().create());
            let _ = o.log.result(left::<S>().next(UNIT));
            let _ = o.log.result(left::<S>().cancel());
            let _ = o.log.result(left::<S>().status());
            let _ = o.log.result(left::<S>().statistics());
            let _ = o.log.result(left::<S>().reset());
            let _ = o.log.result(left::<S>().delete());
        });
        c.expect_log("CCC....");
    });
}

fn grid<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "period: the first call does not wait, the next ones do",
        |c| {
            let period = left::<S>();
            c.expect("creation", period.create(), Ok(()));
            let start = Kernel::<S>::now();
            c.expect("first", period.next(span(2)), Ok(()));
            c.expect("stage", stage(period), Ok((Stage::Active, 0)));
            for count in 1..4 {
                c.expect("next", period.next(span(2)), Ok(()));
                let passed = Kernel::<S>::now().since(start);
                c.expect_true("the time has come", passed >= span(2 * count));
                c.expect("count", u64::from(statistics(period).count), count);
            }
        },
    );
    tally.case(
        "period: releases keep to the grid, whatever the jobs take",
        |c| {
            const ROUNDS: u64 = 6;
            let period = left::<S>();
            c.expect("creation", period.create(), Ok(()));
            c.expect("first", period.next(span(2)), Ok(()));
            let (earliest, latest) = release(period);
            for _ in 0..ROUNDS {
                S::busy_until(units::<S>(1));
                c.expect("next", period.next(span(2)), Ok(()));
            }
            let (from, to) = release(period);
            let grid = span(2 * ROUNDS);
            c.expect_true("not late", from <= latest.saturating_add(grid));
            c.expect_true("not early", to >= earliest.saturating_add(grid));
        },
    );
    tally.case("period: a new length acts from the next release on", |c| {
        let period = left::<S>();
        c.expect("creation", period.create(), Ok(()));
        c.expect("first", period.next(span(3)), Ok(()));
        let (earliest, latest) = release(period);
        c.expect("next", period.next(span(1)), Ok(()));
        c.expect("next", period.next(span(1)), Ok(()));
        let (from, to) = release(period);
        c.expect_true("not late", from <= latest.saturating_add(span(4)));
        c.expect_true("not early", to >= earliest.saturating_add(span(4)));
    });
    tally.case("period: two threads, each on its grid", |c| {
        fn rounds<S: SuiteBoard>(
            period: &'static Period<S>,
            length: u64,
            name: char,
            count: usize,
        ) {
            let _ = period.create();
            for _ in 0..count {
                let _ = S::objects().log.result(period.next(span(length)));
                S::objects().log.add(name);
            }
        }
        // Releases at 0, 3, 6 and, one unit later each, at 0, 2, 4, 6.
        c.start(0, HIGH, || rounds::<S>(left::<S>(), 6, 'a', 3));
        S::busy_until(units::<S>(1));
        c.start(1, LOW, || rounds::<S>(right::<S>(), 4, 'b', 4));
        c.expect("sleep", AnyThread::<S>::sleep(span(16)), Ok(()));
        c.expect_log(".a.b.b.a.b.a.b");
    });
}

fn beginnings<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("period: a grid begins at an instant, passed or not", |c| {
        let period = left::<S>();
        c.expect("creation", period.create(), Ok(()));
        let first = units::<S>(2);
        c.expect(
            "none",
            period.begin_at(first, Duration::ZERO),
            Err(Error::Parameter),
        );
        c.expect("first", period.begin_at(first, span(3)), Ok(()));
        c.expect_true("the time has come", Kernel::<S>::now() >= first);
        c.expect("again", period.begin_at(first, span(3)), Err(Error::State));
        c.expect("count", statistics(period).count, 0);
        c.expect("next", period.next(span(3)), Ok(()));
        let (from, to) = release(period);
        let second = first.saturating_add(span(3));
        c.expect_true("on the grid", from <= second && second <= to);
        c.expect("cancellation", period.cancel(), Ok(()));
        let past = Kernel::<S>::now();
        S::busy_until(units::<S>(1));
        c.expect("past", period.begin_at(past, span(8)), Ok(()));
        let (from, to) = release(period);
        c.expect_true("as if it had waited", from <= past && past <= to);
    });
}

fn misses<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("period: a late owner answers one release a call", |c| {
        let period = left::<S>();
        c.expect("creation", period.create(), Ok(()));
        c.expect("first", period.next(span(2)), Ok(()));
        S::busy_until(units::<S>(7));
        let Ok((Stage::Expired, postponed)) = stage(period) else {
            return c.expect("stage", stage(period), Ok((Stage::Expired, 3)));
        };
        c.expect_true("three releases have passed", postponed >= 3);
        let mut late = 0;
        while period.next(span(2)) == Err(Error::Timeout) {
            late += 1;
        }
        c.expect_true("one call each", late >= postponed);
        c.expect("stage", stage(period), Ok((Stage::Active, 0)));
        let found = statistics(period);
        c.expect("missed", found.missed, late);
        c.expect("count", found.count, late + 1);
    });
    tally.case(
        "period: a release is postponed while the owner waits for something else",
        |c| {
            c.start(0, HIGH, || {
                let o = S::objects();
                let _ = o.log.result(left::<S>().create());
                let _ = o.log.result(left::<S>().next(span(2)));
                let _ = o.log.result(o.semaphore.take(Timeout::FOREVER));
                let _ = o.log.result(left::<S>().next(span(2)));
                let _ = o.log.result(left::<S>().next(span(2)));
            });
            c.expect("sleep", AnyThread::<S>::sleep(span(3)), Ok(()));
            c.expect("stage", stage(left::<S>()), Ok((Stage::Expired, 1)));
            c.expect_log("..");
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log(".T");
            c.expect_state(0, State::Blocked);
            c.expect("sleep", AnyThread::<S>::sleep(span(2)), Ok(()));
            c.expect_log(".");
        },
    );
    tally.case(
        "period: behind a constrained deadline, the job has missed it",
        |c| {
            let period = &c.objects().constrained;
            c.expect("creation", period.create(), Ok(()));
            c.expect("first", period.next(span(6)), Ok(()));
            c.expect("in time", period.next(span(6)), Ok(()));
            c.expect("missed", statistics(period).missed, 0);
            S::busy_until(units::<S>(2));
            c.expect("late", period.next(span(6)), Ok(()));
            let found = statistics(period);
            c.expect("counts", (found.count, found.missed), (2, 1));
        },
    );
}

fn sleeps<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn periodic<S: SuiteBoard>() {
        let o = S::objects();
        let _ = left::<S>().create();
        for _ in 0..4 {
            let _ = o.log.result(left::<S>().next(span(2)));
        }
    }
    tally.case("period: the deletion wakes an owner that sleeps", |c| {
        c.start(0, HIGH, periodic::<S>);
        c.expect_state(0, State::Blocked);
        c.expect("deletion", left::<S>().delete(), Ok(()));
        c.expect_log(".DDD");
        c.expect_state(0, State::Dormant);
    });
    tally.case(
        "period: who is not the owner does not disturb its sleep",
        |c| {
            c.start(0, HIGH, periodic::<S>);
            c.expect_log(".");
            c.expect("next", left::<S>().next(UNIT), Err(Error::NotOwner));
            c.expect("cancellation", left::<S>().cancel(), Err(Error::NotOwner));
            c.expect("sleep", AnyThread::<S>::sleep(span(3)), Ok(()));
            c.expect_log(".");
            c.expect("stage", stage(left::<S>()), Ok((Stage::Active, 0)));
            c.expect_state(0, State::Blocked);
        },
    );
    tally.case(
        "period: a sleep that is ended leaves its release postponed",
        |c| {
            c.start(0, HIGH, || {
                periodic::<S>();
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
            });
            c.expect("end of wait", c.objects().thread(0).cancel_wait(), Ok(()));
            c.expect_log(".X");
            c.expect_state(0, State::Blocked);
            c.expect("end of wait", c.objects().thread(0).cancel_wait(), Ok(()));
            c.expect_log("X");
            c.expect("end of wait", c.objects().thread(0).cancel_wait(), Ok(()));
            c.expect_log("X");
            c.expect("stage", stage(left::<S>()), Ok((Stage::Active, 0)));
            c.let_others_run();
            c.let_others_run();
            c.let_others_run();
            let (state, postponed) = stage(left::<S>()).unwrap_or((Stage::Inactive, 0));
            c.expect("state", state, Stage::Expired);
            c.expect_true("postponed", postponed >= 1);
        },
    );
    tally.case(
        "period: an owner that is suspended in its sleep is late",
        |c| {
            c.start(0, HIGH, periodic::<S>);
            c.expect("suspension", c.objects().thread(0).suspend(), Ok(()));
            c.expect("sleep", AnyThread::<S>::sleep(span(5)), Ok(()));
            c.expect_log(".");
            // One release has woken it, another one at least has passed since.
            let late = stage(left::<S>()).map(|(state, postponed)| (state, postponed >= 1));
            c.expect("stage", late, Ok((Stage::Expired, true)));
            c.expect("resumption", c.objects().thread(0).resume(), Ok(()));
            c.expect_log(".T");
        },
    );
    tally.case("period: a sleep belongs to no job", |c| {
        let period = left::<S>();
        c.expect("creation", period.create(), Ok(()));
        c.expect("first", period.next(span(8)), Ok(()));
        for _ in 0..3 {
            c.expect("next", period.next(span(8)), Ok(()));
        }
        let found = statistics(period);
        c.expect("counts", (found.count, found.missed), (3, 0));
        c.expect_true("the longest", found.wall.max < span(8));
        c.expect_true("order", found.wall.min <= found.wall.average(3));
        c.expect_true("order", found.wall.average(3) <= found.wall.max);
        c.expect("reset", period.reset(), Ok(()));
        c.expect("statistics", period.statistics(), Ok(Statistics::EMPTY));
        S::busy_until(units::<S>(2));
        c.expect("next", period.next(span(8)), Ok(()));
        let found = statistics(period);
        c.expect("count", found.count, 1);
        c.expect_true("the job under way was not cut", found.wall.min >= span(2));
    });
}

fn owners<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "period: an owner that is deleted asleep, and comes again, is late",
        |c| {
            fn sleep<S: SuiteBoard>() {
                let _ = S::objects().log.result(left::<S>().create());
                let _ = S::objects().log.result(left::<S>().next(span(2)));
                let _ = S::objects().log.result(left::<S>().next(span(2)));
            }
            c.start(0, HIGH, sleep::<S>);
            c.expect_state(0, State::Blocked);
            c.expect("deletion", c.objects().thread(0).delete(), Ok(()));
            c.expect("sleep", AnyThread::<S>::sleep(span(3)), Ok(()));
            c.expect_log("..");
            c.start(0, HIGH, sleep::<S>);
            c.expect_log("ST");
        },
    );
    tally.case("period: a thread may own several", |c| {
        let (left, right) = (left::<S>(), right::<S>());
        c.expect("creation", left.create(), Ok(()));
        c.expect("creation", right.create(), Ok(()));
        c.expect("first", left.next(span(2)), Ok(()));
        c.expect("first", right.next(span(7)), Ok(()));
        c.expect("next", left.next(span(2)), Ok(()));
        c.expect("next", left.next(span(2)), Ok(()));
        c.expect("stage", stage(right), Ok((Stage::Active, 0)));
        c.expect("next", right.next(span(7)), Ok(()));
        c.expect(
            "stage",
            stage(left).map(|(state, _)| state),
            Ok(Stage::Expired),
        );
    });
}

fn reports<S: SuiteBoard>(tally: &mut Tally<S>) {
    /// The numbers grow, and the names are `expected`.
    fn expect_names<S: SuiteBoard>(c: &mut Case<S>, expected: &[&str]) {
        let mut names = expected.iter();
        let mut last = 0;
        for report in Kernel::<S>::periods() {
            c.expect("name", Some(&report.name), names.next());
            c.expect_true("order", report.number > last);
            last = report.number;
        }
        c.expect("names", names.len(), 0);
    }
    tally.case(
        "period: the report has those that exist, in their order",
        |c| {
            let [left, right] = &c.objects().periods;
            expect_names(c, &[]);
            c.expect("creation", right.create(), Ok(()));
            c.expect("creation", left.create(), Ok(()));
            c.expect("creation", c.objects().constrained.create(), Ok(()));
            expect_names(c, &["right", "left", "constrained"]);
            c.expect("deletion", left.delete(), Ok(()));
            expect_names(c, &["right", "constrained"]);
            c.expect("deletion", right.delete(), Ok(()));
            c.expect("creation", right.create(), Ok(()));
            expect_names(c, &["constrained", "right"]);
        },
    );
    tally.case("period: the report has the owner and the counts", |c| {
        c.expect("creation", left::<S>().create(), Ok(()));
        c.expect("first", left::<S>().next(UNIT), Ok(()));
        c.expect("next", left::<S>().next(UNIT), Ok(()));
        for report in Kernel::<S>::periods() {
            c.expect("owner", report.owner, "main");
            c.expect("count", report.statistics.count, 1);
        }
    });
}
