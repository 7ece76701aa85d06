//! Owns: the cases of time-outs that begin on one processor and end wherever their thread is then.

use super::case::{Tally, cpu};
use super::{SeveralBoard, UNIT, units};
use taktos_kernel::{AnyThread, CpuSet, Duration, Error, Instant, Kernel, State, Timeout};

/// So far may the clocks of two processors be apart: the emulator has them run in turns, of which
/// the longest is this.
const APART: Duration = Duration::from_micros(1);

/// Whether it is `instant` on some processor.
fn has_come<S: SeveralBoard>(instant: Instant) -> bool {
    Kernel::<S>::now().saturating_add(APART) >= instant
}

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("time");
    sleeps(tally);
    limits(tally);
    if tally.can_bind() {
        each_processor(tally);
    }
}

fn sleeps<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "threads on all processors sleep, each as long as it wants",
        |c| {
            c.start_each(0..6, 10, |h| {
                for _ in 0..3 {
                    let end = units::<S>(1 + 2 * h.index() as u64);
                    let slept = AnyThread::<S>::sleep(Timeout::until(end));
                    if slept.is_err() || !has_come::<S>(end) {
                        return h.tell(99);
                    }
                }
                h.take_place();
                h.tell(1);
            });
            for index in 0..6 {
                c.expect_told("never too early", index, Ok(()));
                c.expect(
                    "the shortest first",
                    c.helper(index).place(),
                    index as u32 + 1,
                );
            }
        },
    );
    tally.case("main wakes while all processors are busy", |c| {
        c.start_spinning(0, [10; 5]);
        for _ in 0..5 {
            let end = units::<S>(1);
            c.ok("sleep", AnyThread::<S>::sleep(Timeout::until(end)));
            c.expect_true("not too early", has_come::<S>(end));
        }
    });
    tally.case("sleeps are cancelled from elsewhere", |c| {
        c.start(0, 10, |h| {
            for _ in 0..30 {
                match AnyThread::<S>::sleep(Timeout::FOREVER) {
                    Err(Error::Cancelled) => h.tick(),
                    _ => return h.tell(99),
                }
            }
            h.tell(1);
        });
        let helper = c.helper(0);
        c.soon("all", || {
            let _ = helper.thread().cancel_wait();
            helper.value() != 0
        });
        c.expect("each", helper.ticks(), 30);
    });
}

fn limits<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("waits end by time-outs on all processors", |c| {
        c.start_each(0..6, 10, |h| {
            for _ in 0..5 {
                let until = units::<S>(1);
                let taken = S::objects().semaphores[0].take(Timeout::until(until));
                if taken != Err(Error::Timeout) || !has_come::<S>(until) {
                    return h.tell(99);
                }
            }
            h.tell(1);
        });
        c.expect_all_told("time-outs", 0..6);
    });
    tally.case("permits race with time-outs, and none is lost", |c| {
        const SPAN: u64 = UNIT.as_nanos() / 16;
        c.start_each(0..3, 10, |h| {
            loop {
                let wait = Timeout::after(Duration::from_nanos(SPAN));
                match S::objects().semaphores[0].take(wait) {
                    Ok(()) => S::objects().count(),
                    Err(Error::Timeout) => h.tick(),
                    Err(_) => return h.tell(99),
                }
            }
        });
        let mut given = 0;
        let end = units::<S>(6);
        while Kernel::<S>::now() < end {
            c.ok("permit", S::objects().semaphores[0].give());
            given += 1;
            // On average a third of a wait, of three that wait: so a permit comes about when a wait
            // ends.
            let gap = Duration::from_nanos(SPAN * (u64::from(given) % 17) / 24);
            let next = Kernel::<S>::now().saturating_add(gap);
            while Kernel::<S>::now() < next {
                S::pause();
            }
        }
        c.soon("each permit is taken", || S::objects().number() == given);
        for index in 0..3 {
            c.expect("no other error", c.helper(index).value(), 0);
            c.expect_true("some time-outs", c.helper(index).ticks() > 0);
        }
    });
    tally.case("a thread whose time-out runs is deleted elsewhere", |c| {
        for _ in 0..10 {
            c.start(0, 10, |h| {
                h.tick();
                let _ = AnyThread::<S>::sleep(UNIT);
                h.tell(99);
            });
            c.expect_blocked("it sleeps", 0);
            c.ok("deletion", c.thread(0).delete());
        }
        super::busy::<S>(2);
        c.expect("it never woke", c.helper(0).value(), 0);
    });
}

fn each_processor<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("a time-out on each processor", |c| {
        for index in 0..4 {
            c.start_on(index, 1, index, |h| {
                for _ in 0..5 {
                    let _ = AnyThread::<S>::sleep(UNIT);
                    h.tick();
                }
                h.tell(1);
            });
        }
        for index in 0..4 {
            c.expect_told("it woke each time", index, Ok(()));
            c.expect("there", c.helper(index).seen(), CpuSet::of(cpu(index)));
        }
    });
    tally.case(
        "a thread moves while it sleeps, and wakes on the other processor",
        |c| {
            for target in [2, 3, 1, 2] {
                c.start_on(0, 10, 1, |h| {
                    h.tick();
                    let end = units::<S>(3);
                    let slept = AnyThread::<S>::sleep(Timeout::until(end));
                    h.forget();
                    h.tick();
                    if slept.is_ok() && has_come::<S>(end) {
                        h.tell(1);
                    } else {
                        h.tell(99);
                    }
                });
                let helper = c.helper(0);
                c.soon("it sleeps", || {
                    helper.ticks() == 1 && helper.thread().state() == State::Blocked
                });
                c.ok(
                    "move",
                    helper.thread().set_affinity(CpuSet::of(cpu(target))),
                );
                c.expect_told("it woke in time", 0, Ok(()));
                c.expect("there", helper.seen(), CpuSet::of(cpu(target)));
                c.ok("its end", helper.thread().join(Timeout::FOREVER));
                c.ok("deletion", c.thread(0).delete());
                helper.reset();
            }
        },
    );
    tally.case(
        "an earlier time-out elsewhere does not disturb a later one",
        |c| {
            c.start_on(0, 10, 1, |h| {
                let end = units::<S>(4);
                h.tell_result(S::objects().semaphores[0].take(Timeout::until(end)));
                h.take_place();
            });
            c.start_on(1, 10, 2, |h| {
                let end = units::<S>(1);
                h.tell_result(S::objects().semaphores[0].take(Timeout::until(end)));
                h.take_place();
            });
            for index in 0..2 {
                c.expect_told("time-out", index, Err::<(), _>(Error::Timeout));
            }
            c.soon("both", || S::objects().helper(0).place() != 0);
            c.expect(
                "the earlier first",
                (c.helper(1).place(), c.helper(0).place()),
                (1, 2),
            );
        },
    );
}
