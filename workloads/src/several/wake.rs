//! Owns: the cases of threads on different processors that wake each other: semaphores, events,
//! notifications, interrupts.

use super::case::{Tally, spin};
use super::{Helper, SeveralBoard};
use taktos_kernel::{AnyThread, Error, Notify, State, Timeout};

/// How often two threads wake each other.
const ROUNDS: u32 = 100;

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("wake");
    semaphores(tally);
    crowds(tally);
    signals(tally);
    interrupts(tally);
}

/// Takes its own semaphore and gives that of the next one of `count`.
fn pass_on<S: SeveralBoard>(helper: &'static Helper<S>, count: usize) {
    let semaphores = &S::objects().semaphores;
    for _ in 0..ROUNDS {
        let taken = semaphores[helper.index()].take(Timeout::FOREVER);
        if taken.is_err() {
            return helper.tell_result(taken);
        }
        helper.tick();
        let _ = semaphores[(helper.index() + 1) % count].give();
    }
    helper.tell(1);
}

fn semaphores<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("two threads give each other permits", |c| {
        c.start_each(0..2, 10, |h| pass_on(h, 2));
        c.ok("the first permit", S::objects().semaphores[0].give());
        for index in 0..2 {
            c.expect_told("all rounds", index, Ok(()));
            c.expect("rounds", c.helper(index).ticks(), ROUNDS);
        }
    });
    if tally.can_bind() {
        tally.case("three threads on three processors pass a permit on", |c| {
            for index in 0..3 {
                c.start_on(index, 10, index + 1, |h| pass_on(h, 3));
            }
            // Main must not be in their way.
            c.ok("the first permit", S::objects().semaphores[0].give());
            c.ok("main sleeps", AnyThread::<S>::sleep(super::UNIT));
            for index in 0..3 {
                c.expect_told("all rounds", index, Ok(()));
                let own = taktos_kernel::CpuSet::of(super::case::cpu(index + 1));
                c.expect("its processor alone", c.helper(index).seen(), own);
            }
        });
    }
    tally.case(
        "a permit wakes a thread that displaces one elsewhere",
        |c| {
            c.start(0, 5, |h| {
                h.tell_result(S::objects().semaphores[0].take(Timeout::FOREVER));
                h.spin();
            });
            c.expect_blocked("it waits", 0);
            c.start_spinning(1, 11..14);
            c.expect_running("the others", &[1, 2, 3]);
            c.ok("permit", S::objects().semaphores[0].give());
            c.expect_running("it instead of the least urgent", &[0, 1, 2]);
        },
    );
}

fn crowds<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "many takers on all processors, and no permit is lost or doubled",
        |c| {
            for index in 0..6 {
                c.start(index, 10 + index as u8 % 2, |h| {
                    while S::objects().semaphores[0].take(Timeout::FOREVER).is_ok() {
                        S::objects().count();
                        h.tick();
                    }
                });
            }
            for _ in 0..300 {
                c.ok("permit", S::objects().semaphores[0].give());
            }
            c.soon("all are taken", || S::objects().number() == 300);
            c.never("more are taken", || S::objects().number() != 300);
        },
    );
    tally.case("many givers on all processors", |c| {
        c.start_each(0..6, 10, |h| {
            for _ in 0..50 {
                let _ = S::objects().semaphores[0].give();
            }
            h.tell(1);
        });
        for _ in 0..300 {
            c.ok(
                "take",
                S::objects().semaphores[0].take(Timeout::after(super::UNIT)),
            );
        }
        c.expect("none is left", S::objects().semaphores[0].count(), 0);
    });
    tally.case("takers and those who cancel their waits", |c| {
        c.start_each(0..2, 10, |h| {
            loop {
                match S::objects().semaphores[0].take(Timeout::FOREVER) {
                    Ok(()) => S::objects().count(),
                    Err(Error::Cancelled) => h.tick(),
                    Err(_) => return h.tell(99),
                }
            }
        });
        c.start(2, 9, |h| {
            for _ in 0..200 {
                let _ = S::objects().helper(0).thread().cancel_wait();
                let _ = S::objects().helper(1).thread().cancel_wait();
                S::pause();
            }
            h.tell(1);
        });
        for _ in 0..100 {
            c.ok("permit", S::objects().semaphores[0].give());
            S::pause();
        }
        c.expect_told("all cancelled", 2, Ok(()));
        c.soon("each permit is taken", || S::objects().number() == 100);
        c.never("one is taken twice", || S::objects().number() != 100);
        c.expect(
            "no other error",
            (c.helper(0).value(), c.helper(1).value()),
            (0, 0),
        );
    });
    tally.case("a semaphore is deleted while others wait elsewhere", |c| {
        c.start_each(0..3, 10, |h| {
            h.tick();
            h.tell_result(S::objects().semaphores[0].take(Timeout::FOREVER));
        });
        let blocked = |index| S::objects().helper(index).thread().state() == State::Blocked;
        c.soon("all wait", || (0..3).all(blocked));
        c.ok("deletion", S::objects().semaphores[0].delete());
        for index in 0..3 {
            c.expect_told("its wait", index, Err::<(), _>(Error::Deleted));
        }
    });
}

fn signals<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("one event wakes threads on all processors", |c| {
        c.start_each(0..3, 10, |_| {
            for round in 0..30 {
                let _ = S::objects().events.wait_any(1 << round, Timeout::FOREVER);
                S::objects().count();
            }
        });
        for round in 0..30 {
            c.ok("event", S::objects().events.set(1 << round));
            c.soon("all have seen it", || {
                S::objects().number() == 3 * (round + 1)
            });
        }
    });
    tally.case("a thread is notified from other processors", |c| {
        c.start(0, 9, |h| {
            // Each time one is taken, of those that have come.
            while AnyThread::<S>::notify_take(Timeout::FOREVER).is_ok() {
                h.tell(h.value() + 1);
            }
        });
        c.start_each(1..4, 10, |h| {
            for _ in 0..50 {
                let _ = S::objects().helper(0).thread().notify(Notify::Increment);
                h.tick();
            }
        });
        let helper = c.helper(0);
        c.soon("all counted", || helper.value() == 150);
    });
    tally.case("conditions are signalled across processors", |c| {
        c.start_each(0..3, 10, |h| {
            let objects = S::objects();
            let _ = objects.mutex.lock(Timeout::FOREVER);
            while objects.number() == 0 {
                h.tick();
                let _ = objects.condition.wait(&objects.mutex, Timeout::FOREVER);
            }
            let _ = objects.mutex.unlock();
            h.tell(1);
        });
        let blocked = |index| S::objects().helper(index).thread().state() == State::Blocked;
        c.soon("all wait", || (0..3).all(blocked));
        let objects = S::objects();
        c.ok("lock", objects.mutex.lock(Timeout::FOREVER));
        objects.set_number(1);
        c.ok("broadcast", objects.condition.broadcast());
        c.ok("unlock", objects.mutex.unlock());
        c.expect_all_told("it has seen the change", 0..3);
    });
}

fn interrupts<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a handler on one processor wakes a thread on another",
        |c| {
            c.start(0, 9, |h| {
                while S::objects().semaphores[0].take(Timeout::FOREVER).is_ok() {
                    h.tick();
                }
            });
            for round in 1..30 {
                S::trigger_interrupt(|| {
                    let _ = S::objects().semaphores[0].give();
                });
                let helper = c.helper(0);
                c.soon("it runs", || helper.ticks() == round);
            }
        },
    );
    tally.case("handlers on all processors give permits", |c| {
        c.start_each(0..3, 10, |h| {
            for _ in 0..40 {
                S::trigger_interrupt(|| {
                    let _ = S::objects().semaphores[0].give();
                });
                h.tick();
            }
        });
        for _ in 0..120 {
            let taken = S::objects().semaphores[0].take(Timeout::after(super::UNIT));
            c.ok("each permit comes", taken);
        }
    });
    tally.case("a handler suspends and resumes a thread elsewhere", |c| {
        c.start(0, 9, spin);
        for _ in 0..30 {
            S::trigger_interrupt(|| {
                let _ = S::objects().helper(0).thread().suspend();
            });
            c.expect("its state", c.thread(0).state(), State::Blocked);
            S::trigger_interrupt(|| {
                let _ = S::objects().helper(0).thread().resume();
            });
        }
        c.expect_running("it runs", &[0]);
    });
}
