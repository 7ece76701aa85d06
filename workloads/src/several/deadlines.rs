//! Owns: the cases of deadlines, servers and the time that threads have had.

use super::case::{Case, Tally, spin};
use super::processors::{give, take};
use super::{SeveralBoard, UNIT, units};
use taktos_kernel::{AnyThread, Duration, Kernel, PolicyKind, Timeout};

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("deadlines");
    times(tally);
    if tally.policy().knows_deadlines() {
        deadlines(tally);
    }
    if tally.policy() == PolicyKind::Cbs {
        servers(tally);
    }
}

fn times<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("threads have the processor's time that they use", |c| {
        let begin = Kernel::<S>::now();
        c.start_spinning(0, 10..14);
        c.expect_running("three of them", &[0, 1, 2]);
        super::busy::<S>(4);
        let passed = Kernel::<S>::now().since(begin);
        for index in 0..3 {
            let time = c.thread(index).cpu_time().unwrap_or(Duration::ZERO);
            c.expect_true("at least", time.as_nanos() >= 3 * UNIT.as_nanos());
            c.expect_true("at most", time <= Kernel::<S>::now().since(begin));
        }
        let waits = c.thread(3).cpu_time().unwrap_or(passed);
        c.expect_true("the fourth little", waits.as_nanos() < UNIT.as_nanos());
    });
    tally.case("who sleeps has no processor's time", |c| {
        c.start(0, 10, |h| {
            h.tick();
            let _ = taktos_kernel::AnyThread::<S>::sleep(Timeout::FOREVER);
        });
        super::busy::<S>(1);
        let before = c.thread(0).cpu_time();
        super::busy::<S>(2);
        c.expect("as before", c.thread(0).cpu_time(), before);
    });
}

fn deadlines<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("the earliest run, before all that have none", |c| {
        c.start_spinning(0, 10..15);
        c.expect_running("by priority", &[0, 1, 2]);
        // Main has none: it is after them, and no more than two can have one.
        let release = |index: usize, at: u64| {
            S::objects()
                .helper(index)
                .thread()
                .release_job(units::<S>(100 * at))
        };
        c.ok("release", release(4, 2));
        c.expect_running("the one with a deadline", &[0, 1, 4]);
        c.ok("release", release(3, 1));
        c.expect_running("both", &[0, 3, 4]);
        c.ok("end of a job", c.thread(4).cancel_job());
        c.expect_running("one", &[0, 1, 3]);
        c.ok("end of a job", c.thread(3).cancel_job());
        c.expect_running("by priority again", &[0, 1, 2]);
    });
    tally.case("a later deadline gives way to an earlier one", |c| {
        c.start_spinning(0, [10; 4]);
        let main = taktos_kernel::AnyThread::<S>::current();
        let end = units::<S>(1);
        c.ok("main's own", main.release_job(end));
        for (index, later) in [(0, 400), (1, 300), (2, 200), (3, 100)] {
            let thread = c.thread(index);
            c.ok("release", thread.release_job(units::<S>(later)));
        }
        c.expect_running("the earliest three", &[1, 2, 3]);
        c.ok("an earlier one", c.thread(0).release_job(units::<S>(50)));
        c.expect_running("it instead of the latest", &[0, 2, 3]);
        for index in 0..4 {
            c.ok("end of a job", c.thread(index).cancel_job());
        }
        c.ok("main's end", main.cancel_job());
    });
}

fn servers<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("servers share processors by their bandwidths", |c| {
        let main = taktos_kernel::AnyThread::<S>::current();
        let end = units::<S>(1);
        c.ok("main's own", main.release_job(end));
        // Six that want all they can get, on three processors: the first half as much as each
        // of the others.
        for index in 0..6 {
            c.create(index, 10);
            let period = if index == 0 { 4 } else { 2 };
            let period = Duration::from_nanos(period * UNIT.as_nanos());
            c.ok("server", c.thread(index).set_server(UNIT, period));
            c.go(index, spin);
        }
        super::busy::<S>(60);
        let time = |index: usize| {
            let time = S::objects().helper(index).thread().cpu_time();
            time.unwrap_or(Duration::ZERO).as_nanos()
        };
        for index in 1..6 {
            let ratio = time(index) * 10 / time(0).max(1);
            c.expect_true("twice as much, about", (16..=25).contains(&ratio));
        }
        for index in 0..6 {
            c.ok("deletion", c.thread(index).delete());
        }
        c.ok("main's end", main.cancel_job());
    });
    tally.case("a processor goes while a budget is used up there", |c| {
        let main = AnyThread::<S>::current();
        c.ok("main's own", main.release_job(units::<S>(1)));
        (0..ROUNDS).for_each(|_| removal(c));
        c.ok("main's end", main.cancel_job());
    });
}

/// How often a processor goes: each time its alarm may come before the removal's end, or after it.
const ROUNDS: usize = 8;

/// Its processor cannot serve the alarm of helper 0, for it is in a handler, and is taken away with
/// the budget used up. Main gives its turn away again and again.
fn removal<S: SeveralBoard>(c: &mut Case<S>) {
    S::objects().set_number(0);
    c.create(0, 10);
    let period = Duration::from_nanos(1_000 * UNIT.as_nanos());
    c.ok("server", c.thread(0).set_server(UNIT, period));
    c.go(0, |helper| {
        helper.tick();
        S::trigger_interrupt(stay::<S>);
        helper.spin()
    });
    c.soon("it runs", || S::objects().helper(0).ticks() > 0);
    for index in [1, 2] {
        c.start(index, 11, spin);
        let earlier = units::<S>(100);
        c.ok("release", c.thread(index).release_job(earlier));
    }
    super::busy::<S>(2);
    let Some(processor) = c.helper(0).seen().lowest() else {
        return c.expect_true("where it runs", false);
    };
    take(c, processor);
    S::objects().set_number(1);
    let end = units::<S>(1);
    while Kernel::<S>::now() < end {
        AnyThread::<S>::yield_now();
    }
    c.expect_running("the two with earlier deadlines", &[1, 2]);
    give(c, processor);
    c.expect_running("all", &[0, 1, 2]);
    for index in 0..3 {
        c.ok("deletion", c.thread(index).delete());
    }
    // They may be on their way from their processors still.
    super::busy::<S>(1);
    for index in 0..3 {
        c.helper(index).reset();
    }
}

/// A handler that ends when main says so.
fn stay<S: SeveralBoard>() {
    while S::objects().number() == 0 {
        S::pause();
    }
}
