//! Owns: the cases of threads that are suspended, ended, deleted and started again from another
//! processor than that which runs them.

use super::SeveralBoard;
use super::case::{Tally, spin};
use taktos_kernel::{AnyThread, Error, State, Timeout};

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("life");
    suspension(tally);
    ends(tally);
    restarts(tally);
    amongst_each_other(tally);
}

fn suspension<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a thread is suspended that runs elsewhere, and resumed",
        |c| {
            c.start_spinning(0, 10..14);
            c.expect_running("the most urgent", &[0, 1, 2]);
            c.ok("suspend", c.thread(1).suspend());
            c.expect("its state", c.thread(1).state(), State::Blocked);
            c.expect_running("the next instead", &[0, 2, 3]);
            c.ok("resume", c.thread(1).resume());
            c.expect_running("it is back", &[0, 1, 2]);
        },
    );
    tally.case("a thread is suspended and resumed many times", |c| {
        c.start(0, 10, spin);
        for _ in 0..50 {
            c.ok("suspend", c.thread(0).suspend());
            c.ok("resume", c.thread(0).resume());
        }
        c.expect_running("it runs", &[0]);
    });
    tally.case("a thread that is suspended elsewhere stands still", |c| {
        c.start(0, 10, spin);
        c.expect_running("it runs", &[0]);
        c.ok("suspend", c.thread(0).suspend());
        // It may be on its way from its processor still.
        let helper = c.helper(0);
        c.soon("it has stopped", || {
            let before = helper.ticks();
            super::busy::<S>(1);
            helper.ticks() == before
        });
        let before = helper.ticks();
        c.never("it goes on", || helper.ticks() != before);
    });
}

fn ends<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "the end of a thread on another processor is waited for",
        |c| {
            c.start(0, 10, |h| h.spin_until(1));
            c.start(1, 9, |h| {
                h.tick();
                h.tell_result(S::objects().helper(0).thread().join(Timeout::FOREVER));
            });
            let helper = c.helper(1);
            c.soon("it waits", || {
                helper.thread().state() == State::Blocked && helper.ticks() == 1
            });
            c.expect("not yet", helper.value(), 0);
            S::objects().set_number(1);
            c.expect_told("end", 1, Ok(()));
            c.expect("its state", c.thread(0).state(), State::Dormant);
        },
    );
    tally.case("a thread is deleted that runs elsewhere", |c| {
        c.start_spinning(0, 10..14);
        c.expect_running("the most urgent", &[0, 1, 2]);
        c.ok("deletion", c.thread(0).delete());
        c.expect("its state", c.thread(0).state(), State::NonExistent);
        c.expect_error("another deletion", c.thread(0).delete(), Error::Deleted);
        c.expect_running("the next instead", &[1, 2, 3]);
    });
    tally.case(
        "who waits for a thread that is deleted elsewhere is told",
        |c| {
            c.start(0, 10, spin);
            c.start(1, 9, |h| {
                h.tick();
                h.tell_result(S::objects().helper(0).thread().join(Timeout::FOREVER));
            });
            let helper = c.helper(1);
            c.soon("it waits", || {
                helper.thread().state() == State::Blocked && helper.ticks() == 1
            });
            c.ok("deletion", c.thread(0).delete());
            c.expect_told("the wait", 1, Err::<(), _>(Error::Deleted));
        },
    );
    tally.case(
        "what a thread owned that is deleted elsewhere is free",
        |c| {
            c.start(0, 10, |h| {
                h.tell_result(S::objects().mutex.lock(Timeout::FOREVER));
                h.spin();
            });
            c.expect_told("its lock", 0, Ok(()));
            c.expect_error(
                "it is owned",
                S::objects().mutex.lock(Timeout::NONE),
                Error::WouldBlock,
            );
            c.ok("deletion", c.thread(0).delete());
            c.ok("lock", S::objects().mutex.lock(Timeout::NONE));
            c.ok("unlock", S::objects().mutex.unlock());
        },
    );
}

fn restarts<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a thread is deleted that runs elsewhere and started anew at once",
        |c| {
            for round in 0..40 {
                S::objects().set_number(round + 1);
                c.start(0, 10, |h| {
                    h.tell(S::objects().number());
                    h.spin();
                });
                if round % 3 != 0 {
                    let helper = c.helper(0);
                    c.soon("it has begun anew", || helper.value() == round + 1);
                }
                c.ok("deletion", c.thread(0).delete());
            }
            c.start(0, 10, spin);
            c.expect_running("it runs", &[0]);
        },
    );
    tally.case(
        "a thread that ends elsewhere is started anew at once",
        |c| {
            c.create(0, 10);
            for round in 1..60 {
                c.go(0, |h| h.tick());
                let helper = c.helper(0);
                c.soon("it has run", || helper.ticks() == round);
                c.ok("its end", helper.thread().join(Timeout::FOREVER));
            }
        },
    );
}

fn amongst_each_other<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("two threads suspend and resume a third one", |c| {
        c.start(0, 10, spin);
        c.start_each(1..3, 9, |h| {
            let victim = S::objects().helper(0).thread();
            for _ in 0..100 {
                let _ = victim.suspend();
                h.tick();
                let _ = victim.resume();
            }
            h.tell(1);
        });
        c.expect_all_told("it is done", 1..3);
        let _ = c.thread(0).resume();
        c.expect_running("the third one runs", &[0]);
    });
    tally.case("two threads delete each other, and one is left", |c| {
        for _ in 0..20 {
            S::objects().set_number(0);
            c.start_each(0..2, 10, |h| {
                S::objects().count();
                while S::objects().number() < 3 {
                    S::pause();
                }
                let _ = S::objects().helper(1 - h.index()).thread().delete();
                AnyThread::<S>::current().suspend().unwrap_or(());
            });
            c.soon("both are there", || S::objects().number() == 2);
            S::objects().count();
            let left = || {
                let there =
                    |index| S::objects().helper(index).thread().state() != State::NonExistent;
                (there(0), there(1))
            };
            c.soon("one is gone", || left() != (true, true));
            c.expect_true("one is left", left() != (false, false));
            for index in 0..2 {
                let _ = c.thread(index).delete();
            }
        }
    });
}
