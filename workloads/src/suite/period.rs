//! Owns: the cases of periods.

use super::case::Tally;
use super::{Case, FOREVER, HIGH, LOW, SuiteBoard, UNIT, log_result, units, wait_for_permit};
use taktos_kernel::period::{State as Stage, Statistics};
use taktos_kernel::{AnyThread, Duration, Error, Instant, Kernel, Period, State};

/// Returns the time of `count` units.
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

/// Returns the two instants between which the present job was released: the clock runs during the
/// query.
fn release<S: SuiteBoard>(period: &'static Period<S>) -> (Instant, Instant) {
    let before = Kernel::<S>::now();
    let wall = period.status().map_or(Duration::ZERO, |status| status.wall);
    let back = |now: Instant| {
        Instant::START.saturating_add(now.since(Instant::START.saturating_add(wall)))
    };
    (back(before), back(Kernel::<S>::now()))
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("period");
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
    tally.case("one that does not exist does nothing", |c| {
        let period = left::<S>();
        c.expect_error("next", period.next(UNIT), Error::Deleted);
        c.expect_error("cancellation", period.cancel(), Error::Deleted);
        c.expect_error("deletion", period.delete(), Error::Deleted);
        c.expect_error("reset", period.reset(), Error::Deleted);
        c.expect_error("stage", stage(period), Error::Deleted);
        c.expect_error("statistics", period.statistics(), Error::Deleted);
    });
    tally.case("created, deleted, created again", |c| {
        let period = left::<S>();
        c.ok("creation", period.create());
        c.expect_error("second creation", period.create(), Error::State);
        c.expect("stage", stage(period), Ok((Stage::Inactive, 0)));
        let owner = period
            .status()
            .map(|status| core::ptr::eq(status.owner, AnyThread::current()));
        c.expect("owner", owner, Ok(true));
        c.ok("next", period.next(UNIT));
        c.ok("next", period.next(UNIT));
        c.ok("deletion", period.delete());
        c.expect_error("second deletion", period.delete(), Error::Deleted);
        c.ok("new creation", period.create());
        c.expect("statistics", period.statistics(), Ok(Statistics::EMPTY));
    });
    tally.case(
        "a cancelled one keeps its statistics and begins anew",
        |c| {
            let period = left::<S>();
            c.ok("creation", period.create());
            c.ok("first", period.next(UNIT));
            S::busy_until(units::<S>(3));
            c.expect_error("late", period.next(UNIT), Error::Timeout);
            c.ok("cancellation", period.cancel());
            c.expect("stage", stage(period), Ok((Stage::Inactive, 0)));
            c.expect("count", statistics(period).count, 1);
            c.ok("second cancellation", period.cancel());
            c.ok("first", period.next(span(4)));
            c.expect("stage", stage(period), Ok((Stage::Active, 0)));
            c.expect("count", statistics(period).count, 1);
        },
    );
}

fn refusals<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a length of zero asks how matters stand", |c| {
        let period = left::<S>();
        c.ok("creation", period.create());
        let ask = || left::<S>().next(Duration::ZERO);
        c.expect_error("inactive", ask(), Error::State);
        c.ok("first", period.next(span(2)));
        c.ok("active", ask());
        S::busy_until(units::<S>(3));
        c.expect_error("expired", ask(), Error::Timeout);
        c.expect_error("expired still", ask(), Error::Timeout);
        c.expect("count", statistics(period).count, 0);
    });
    tally.case("only the owner goes on with it; anyone may ask", |c| {
        let period = left::<S>();
        c.ok("creation", period.create());
        c.ok("first", period.next(UNIT));
        c.ok("next", period.next(UNIT));
        c.start(0, HIGH, || {
            let period = left::<S>();
            log_result::<S>(period.next(UNIT));
            log_result::<S>(period.next(Duration::ZERO));
            log_result::<S>(period.cancel());
            log_result::<S>(period.status());
            log_result::<S>(period.reset());
            log_result::<S>(period.delete());
        });
        // Where deadlines decide, a job is more urgent than any thread without one.
        c.let_others_run();
        c.expect_log("NNN...");
        c.expect_error("next", period.next(UNIT), Error::Deleted);
    });
    tally.case("a handler asks, and no more", |c| {
        c.ok("creation", left::<S>().create());
        c.ok("first", left::<S>().next(UNIT));
        S::trigger_interrupt(|| {
            log_result::<S>(right::<S>().create());
            log_result::<S>(left::<S>().next(UNIT));
            log_result::<S>(left::<S>().cancel());
            log_result::<S>(left::<S>().status());
            log_result::<S>(left::<S>().statistics());
            log_result::<S>(left::<S>().reset());
            log_result::<S>(left::<S>().delete());
        });
        c.expect_log("CCC....");
    });
}

fn grid<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("the first call does not wait, the next ones do", |c| {
        let period = left::<S>();
        c.ok("creation", period.create());
        let start = Kernel::<S>::now();
        c.ok("first", period.next(span(2)));
        c.expect("stage", stage(period), Ok((Stage::Active, 0)));
        for count in 1..4 {
            c.ok("next", period.next(span(2)));
            let passed = Kernel::<S>::now().since(start);
            c.expect_true("the time has come", passed >= span(2 * count));
            c.expect("count", u64::from(statistics(period).count), count);
        }
    });
    tally.case("releases keep to the grid, whatever the jobs take", |c| {
        const ROUNDS: u64 = 6;
        let period = left::<S>();
        c.ok("creation", period.create());
        c.ok("first", period.next(span(2)));
        let (earliest, latest) = release(period);
        for _ in 0..ROUNDS {
            S::busy_until(units::<S>(1));
            c.ok("next", period.next(span(2)));
        }
        let (from, to) = release(period);
        let grid = span(2 * ROUNDS);
        c.expect_true("not late", from <= latest.saturating_add(grid));
        c.expect_true("not early", to >= earliest.saturating_add(grid));
    });
    tally.case("a new length acts from the next release on", |c| {
        let period = left::<S>();
        c.ok("creation", period.create());
        c.ok("first", period.next(span(3)));
        let (earliest, latest) = release(period);
        c.ok("next", period.next(span(1)));
        c.ok("next", period.next(span(1)));
        let (from, to) = release(period);
        c.expect_true("not late", from <= latest.saturating_add(span(4)));
        c.expect_true("not early", to >= earliest.saturating_add(span(4)));
    });
    tally.case("two threads, each on its grid", |c| {
        fn rounds<S: SuiteBoard>(
            period: &'static Period<S>,
            length: u64,
            name: char,
            count: usize,
        ) {
            let _ = period.create();
            for _ in 0..count {
                log_result::<S>(period.next(span(length)));
                S::objects().log.add(name);
            }
        }
        // Releases at 0, 3, 6 and, one unit later each, at 0, 2, 4, 6.
        c.start(0, HIGH, || rounds::<S>(left::<S>(), 6, 'a', 3));
        S::busy_until(units::<S>(1));
        c.start(1, LOW, || rounds::<S>(right::<S>(), 4, 'b', 4));
        c.ok("sleep", AnyThread::<S>::sleep(span(16)));
        c.expect_log(".a.b.b.a.b.a.b");
    });
}

fn beginnings<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a grid begins at an instant, passed or not", |c| {
        let period = left::<S>();
        c.ok("creation", period.create());
        let first = units::<S>(2);
        c.expect_error(
            "none",
            period.begin_at(first, Duration::ZERO),
            Error::Parameter,
        );
        c.ok("first", period.begin_at(first, span(3)));
        c.expect_true("the time has come", Kernel::<S>::now() >= first);
        c.expect_error("again", period.begin_at(first, span(3)), Error::State);
        c.expect("count", statistics(period).count, 0);
        c.ok("next", period.next(span(3)));
        let (from, to) = release(period);
        let second = first.saturating_add(span(3));
        c.expect_true("on the grid", from <= second && second <= to);
        c.ok("cancellation", period.cancel());
        let past = Kernel::<S>::now();
        S::busy_until(units::<S>(1));
        c.ok("past", period.begin_at(past, span(8)));
        let (from, to) = release(period);
        c.expect_true("as if it had waited", from <= past && past <= to);
    });
}

fn misses<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a late owner answers one release a call", |c| {
        let period = left::<S>();
        c.ok("creation", period.create());
        c.ok("first", period.next(span(2)));
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
        "a release is postponed while the owner waits for something else",
        |c| {
            c.start(0, HIGH, || {
                log_result::<S>(left::<S>().create());
                log_result::<S>(left::<S>().next(span(2)));
                log_result::<S>(S::objects().semaphore.take(FOREVER));
                log_result::<S>(left::<S>().next(span(2)));
                log_result::<S>(left::<S>().next(span(2)));
            });
            c.ok("sleep", AnyThread::<S>::sleep(span(3)));
            c.expect("stage", stage(left::<S>()), Ok((Stage::Expired, 1)));
            c.expect_log("..");
            c.ok("give", c.objects().semaphore.give());
            c.expect_log(".T");
            c.expect_state(0, State::Blocked);
            c.ok("sleep", AnyThread::<S>::sleep(span(2)));
            c.expect_log(".");
        },
    );
    tally.case(
        "behind a constrained deadline, the job has missed it",
        |c| {
            let period = &c.objects().constrained;
            c.ok("creation", period.create());
            c.ok("first", period.next(span(6)));
            c.ok("in time", period.next(span(6)));
            c.expect("missed", statistics(period).missed, 0);
            S::busy_until(units::<S>(2));
            c.ok("late", period.next(span(6)));
            let found = statistics(period);
            c.expect("counts", (found.count, found.missed), (2, 1));
        },
    );
}

fn sleeps<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn periodic<S: SuiteBoard>() {
        let _ = left::<S>().create();
        for _ in 0..4 {
            log_result::<S>(left::<S>().next(span(2)));
        }
    }
    tally.case("the deletion wakes an owner that sleeps", |c| {
        c.start(0, HIGH, periodic::<S>);
        c.expect_state(0, State::Blocked);
        c.ok("deletion", left::<S>().delete());
        c.expect_log(".DDD");
        c.expect_state(0, State::Dormant);
    });
    tally.case("who is not the owner does not disturb its sleep", |c| {
        c.start(0, HIGH, periodic::<S>);
        c.expect_log(".");
        c.expect_error("next", left::<S>().next(UNIT), Error::NotOwner);
        c.expect_error("cancellation", left::<S>().cancel(), Error::NotOwner);
        c.ok("sleep", AnyThread::<S>::sleep(span(3)));
        c.expect_log(".");
        c.expect("stage", stage(left::<S>()), Ok((Stage::Active, 0)));
        c.expect_state(0, State::Blocked);
    });
    tally.case("a sleep that is ended leaves its release postponed", |c| {
        c.start(0, HIGH, || {
            periodic::<S>();
            wait_for_permit::<S>();
        });
        c.ok("end of wait", c.thread(0).cancel_wait());
        c.expect_log(".X");
        c.expect_state(0, State::Blocked);
        c.ok("end of wait", c.thread(0).cancel_wait());
        c.expect_log("X");
        c.ok("end of wait", c.thread(0).cancel_wait());
        c.expect_log("X");
        c.expect("stage", stage(left::<S>()), Ok((Stage::Active, 0)));
        c.let_time_outs_pass();
        c.let_others_run();
        let (state, postponed) = stage(left::<S>()).unwrap_or((Stage::Inactive, 0));
        c.expect("state", state, Stage::Expired);
        c.expect_true("postponed", postponed >= 1);
    });
    tally.case("an owner that is suspended in its sleep is late", |c| {
        c.start(0, HIGH, periodic::<S>);
        c.ok("suspension", c.thread(0).suspend());
        c.ok("sleep", AnyThread::<S>::sleep(span(5)));
        c.expect_log(".");
        // One release has woken it, another one at least has passed since.
        let late = stage(left::<S>()).map(|(state, postponed)| (state, postponed >= 1));
        c.expect("stage", late, Ok((Stage::Expired, true)));
        c.ok("resumption", c.thread(0).resume());
        c.expect_log(".T");
    });
    tally.case("a sleep belongs to no job", |c| {
        let period = left::<S>();
        c.ok("creation", period.create());
        c.ok("first", period.next(span(8)));
        for _ in 0..3 {
            c.ok("next", period.next(span(8)));
        }
        let found = statistics(period);
        c.expect("counts", (found.count, found.missed), (3, 0));
        c.expect_true("the longest", found.wall.max < span(8));
        c.expect_true("order", found.wall.min <= found.wall.average(3));
        c.expect_true("order", found.wall.average(3) <= found.wall.max);
        c.ok("reset", period.reset());
        c.expect("statistics", period.statistics(), Ok(Statistics::EMPTY));
        S::busy_until(units::<S>(2));
        c.ok("next", period.next(span(8)));
        let found = statistics(period);
        c.expect("count", found.count, 1);
        c.expect_true("the job under way was not cut", found.wall.min >= span(2));
    });
}

fn owners<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "an owner that is deleted asleep, and comes again, is late",
        |c| {
            fn sleep<S: SuiteBoard>() {
                log_result::<S>(left::<S>().create());
                log_result::<S>(left::<S>().next(span(2)));
                log_result::<S>(left::<S>().next(span(2)));
            }
            c.start(0, HIGH, sleep::<S>);
            c.expect_state(0, State::Blocked);
            c.ok("deletion", c.thread(0).delete());
            c.ok("sleep", AnyThread::<S>::sleep(span(3)));
            c.expect_log("..");
            c.start(0, HIGH, sleep::<S>);
            c.expect_log("ST");
        },
    );
    tally.case("a thread may own several", |c| {
        let (left, right) = (left::<S>(), right::<S>());
        c.ok("creation", left.create());
        c.ok("creation", right.create());
        c.ok("first", left.next(span(2)));
        c.ok("first", right.next(span(7)));
        c.ok("next", left.next(span(2)));
        c.ok("next", left.next(span(2)));
        c.expect("stage", stage(right), Ok((Stage::Active, 0)));
        c.ok("next", right.next(span(7)));
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
    tally.case("the report has those that exist, in their order", |c| {
        let [left, right] = &c.objects().periods;
        expect_names(c, &[]);
        c.ok("creation", right.create());
        c.ok("creation", left.create());
        c.ok("creation", c.objects().constrained.create());
        expect_names(c, &["right", "left", "constrained"]);
        c.ok("deletion", left.delete());
        expect_names(c, &["right", "constrained"]);
        c.ok("deletion", right.delete());
        c.ok("creation", right.create());
        expect_names(c, &["constrained", "right"]);
    });
    tally.case("the report has the owner and the counts", |c| {
        c.ok("creation", left::<S>().create());
        c.ok("first", left::<S>().next(UNIT));
        c.ok("next", left::<S>().next(UNIT));
        for report in Kernel::<S>::periods() {
            c.expect("owner", report.owner, "main");
            c.expect("count", report.statistics.count, 1);
        }
    });
}
