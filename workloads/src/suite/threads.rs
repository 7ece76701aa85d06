//! Owns: the cases of threads: order, life, waiting for each other's end, priority.

use super::case::Tally;
use super::{HIGH, LOW, MAIN, SuiteBoard, UNIT, units};
use taktos_kernel::{AnyThread, Error, Priority, State, Timeout};

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    order(tally);
    life(tally);
    suspension(tally);
    ends(tally);
    joins(tally);
    priorities(tally);
    contexts(tally);
}

fn at(level: u8) -> Priority {
    Priority::new(level).unwrap_or(Priority::LEAST_URGENT)
}

fn order<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "threads: a more urgent one runs as soon as it is started",
        |c| {
            c.start(0, HIGH, || S::objects().log.add('a'));
            c.objects().log.add('m');
            c.expect_log("am");
        },
    );
    tally.case(
        "threads: a less urgent one runs when the others wait",
        |c| {
            c.start(0, LOW, || S::objects().log.add('a'));
            c.expect_state(0, State::Ready);
            c.objects().log.add('m');
            c.let_others_run();
            c.expect_log("ma");
        },
    );
    tally.case(
        "threads: equals run in the order of their start, after the caller's turn",
        |c| {
            c.start(0, MAIN, || S::objects().log.add('a'));
            c.start(1, MAIN, || S::objects().log.add('b'));
            c.objects().log.add('m');
            AnyThread::<S>::yield_now();
            c.objects().log.add('n');
            c.expect_log("mabn");
        },
    );
    tally.case("threads: a yield lets only equals run", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        AnyThread::<S>::yield_now();
        c.expect_log("");
        c.expect_state(0, State::Ready);
    });
    tally.case("threads: equals that yield take turns", |c| {
        fn twice<S: SuiteBoard>(letter: char) {
            S::objects().log.add(letter);
            AnyThread::<S>::yield_now();
            S::objects().log.add(letter);
        }
        c.start(0, MAIN, || twice::<S>('a'));
        c.start(1, MAIN, || twice::<S>('b'));
        c.start(2, MAIN, || twice::<S>('c'));
        for _ in 0..3 {
            AnyThread::<S>::yield_now();
            c.objects().log.add('m');
        }
        c.expect_log("abcmabcmm");
    });
    tally.case(
        "threads: one that was preempted keeps its place before its equals",
        |c| {
            c.start(0, MAIN, || S::objects().log.add('a'));
            c.start(1, HIGH, || S::objects().log.add('h'));
            c.objects().log.add('m');
            AnyThread::<S>::yield_now();
            c.expect_log("hma");
        },
    );
}

fn life<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("threads: one that has ended can be started again", |c| {
        c.start(0, HIGH, || S::objects().log.add('a'));
        c.expect_state(0, State::Dormant);
        c.expect(
            "second start",
            c.objects().thread(0).start(|| S::objects().log.add('b')),
            Ok(()),
        );
        c.expect_log("ab");
    });
    tally.case(
        "threads: a deleted one can be created again, with another priority",
        |c| {
            c.start(0, LOW, || S::objects().log.add('a'));
            c.expect("deletion", c.objects().thread(0).delete(), Ok(()));
            c.start(0, HIGH, || S::objects().log.add('b'));
            c.expect_log("b");
        },
    );
    tally.case("threads: an entry gets its argument", |c| {
        static ARGUMENT: u32 = 7;
        let thread = c.objects().thread(0);
        c.expect("creation", thread.create_as("one", at(HIGH)), Ok(()));
        let started = thread.start_with(
            |argument: &'static u32| S::objects().set_number(*argument),
            &ARGUMENT,
        );
        c.expect("start", started, Ok(()));
        c.expect("argument", c.objects().number(), ARGUMENT);
    });
    tally.case("threads: each has its name, and knows itself", |c| {
        c.start(1, HIGH, || {
            let itself = core::ptr::eq(AnyThread::<S>::current(), &**S::objects().thread(1));
            S::objects().set_number(itself.into());
        });
        c.expect("knows itself", c.objects().number(), 1);
        c.expect("name", c.objects().thread(1).name(), "two");
        c.expect("deletion", c.objects().thread(1).delete(), Ok(()));
        c.expect("name of none", c.objects().thread(1).name(), "");
    });
    tally.case("threads: the one that runs is executing", |c| {
        c.expect("state", AnyThread::<S>::current().state(), State::Executing);
        let main = AnyThread::<S>::current();
        c.expect("second resumption", main.resume(), Err(Error::State));
        c.expect("end of wait", main.cancel_wait(), Err(Error::State));
    });
}

fn suspension<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "threads: one that suspends itself goes on when resumed",
        |c| {
            c.start(0, HIGH, || {
                S::objects().log.add('a');
                let _ = S::objects().log.result(AnyThread::<S>::current().suspend());
                S::objects().log.add('b');
            });
            c.objects().log.add('m');
            c.expect_state(0, State::Blocked);
            c.expect("resumption", c.objects().thread(0).resume(), Ok(()));
            c.expect_log("am.b");
        },
    );
    tally.case("threads: suspended twice is as good as once", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.expect("once", c.objects().thread(0).suspend(), Ok(()));
        c.expect("twice", c.objects().thread(0).suspend(), Ok(()));
        c.let_others_run();
        c.expect_log("");
        c.expect("resumption", c.objects().thread(0).resume(), Ok(()));
        c.let_others_run();
        c.expect_log("a");
    });
    tally.case(
        "threads: what a suspended one waited for is kept until it is resumed",
        |c| {
            c.start(0, HIGH, || {
                let _ = S::objects()
                    .log
                    .result(S::objects().semaphore.take(Timeout::FOREVER));
            });
            c.expect("suspension", c.objects().thread(0).suspend(), Ok(()));
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log("");
            c.expect("permits", c.objects().semaphore.count(), 0);
            c.expect_state(0, State::Blocked);
            c.expect("resumption", c.objects().thread(0).resume(), Ok(()));
            c.expect_log(".");
        },
    );
    tally.case("threads: the time-out of a suspended one runs on", |c| {
        c.start(0, HIGH, || {
            let _ = S::objects()
                .log
                .result(S::objects().semaphore.take(UNIT.into()));
        });
        c.expect("suspension", c.objects().thread(0).suspend(), Ok(()));
        S::busy_until(units::<S>(3));
        c.expect_log("");
        c.expect("resumption", c.objects().thread(0).resume(), Ok(()));
        c.expect_log("T");
    });
    tally.case("threads: a resumed one goes behind its equals", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.start(1, LOW, || S::objects().log.add('b'));
        c.expect("suspension", c.objects().thread(0).suspend(), Ok(()));
        c.expect("resumption", c.objects().thread(0).resume(), Ok(()));
        c.let_others_run();
        c.expect_log("ba");
    });
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("threads: nothing comes after the exit", |c| {
        c.start(0, HIGH, || {
            S::objects().log.add('a');
            if S::objects().number() == 0 {
                AnyThread::<S>::exit();
            }
            S::objects().log.add('b');
        });
        c.expect_log("a");
        c.expect_state(0, State::Dormant);
    });
    tally.case("threads: one can delete itself", |c| {
        c.start(0, HIGH, || {
            S::objects().log.add('a');
            let _ = AnyThread::<S>::current().delete();
            S::objects().log.add('b');
        });
        c.expect_log("a");
        c.expect_state(0, State::NonExistent);
    });
    tally.case(
        "threads: one that is restarted begins anew, at its first priority",
        |c| {
            c.start(0, HIGH, || {
                S::objects().log.add('a');
                let _ = AnyThread::<S>::sleep(Timeout::FOREVER);
                S::objects().log.add('x');
            });
            let thread = c.objects().thread(0);
            c.expect("priority", thread.set_priority(at(LOW)), Ok(()));
            let restarted = thread.restart(|| S::objects().log.add('b'));
            c.expect("restart", restarted, Ok(()));
            c.expect_log("ab");
            c.expect_state(0, State::Dormant);
        },
    );
    tally.case("threads: one does not restart itself", |c| {
        c.start(0, HIGH, || {
            let again = S::objects().thread(0).restart(|| ());
            S::objects()
                .log
                .add(if again == Err(Error::State) { 'a' } else { 'x' });
        });
        c.expect_log("a");
    });
    tally.case("threads: a deleted sleeper is not woken", |c| {
        c.start(0, HIGH, || {
            let _ = AnyThread::<S>::sleep(UNIT);
            S::objects().log.add('a');
        });
        c.expect("deletion", c.objects().thread(0).delete(), Ok(()));
        S::busy_until(units::<S>(3));
        c.expect_log("");
    });
    tally.case(
        "threads: a deleted waiter leaves the others in their order",
        |c| {
            fn wait<S: SuiteBoard>(letter: char) {
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                S::objects().log.add(letter);
            }
            c.start(0, HIGH, || wait::<S>('a'));
            c.start(1, HIGH, || wait::<S>('b'));
            c.start(2, HIGH, || wait::<S>('c'));
            c.expect("deletion", c.objects().thread(1).delete(), Ok(()));
            for _ in 0..3 {
                c.expect("give", c.objects().semaphore.give(), Ok(()));
            }
            c.expect_log("ac");
            c.expect("permits", c.objects().semaphore.count(), 1);
        },
    );
    tally.case("threads: what a deleted one owned is unlocked", |c| {
        c.start(0, LOW, || {
            for mutex in &S::objects().mutexes {
                let _ = mutex.lock(Timeout::FOREVER);
            }
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
        });
        c.let_others_run();
        c.expect(
            "lock",
            c.objects().mutexes[1].lock(Timeout::NONE),
            Err(Error::WouldBlock),
        );
        c.expect("deletion", c.objects().thread(0).delete(), Ok(()));
        for mutex in &c.objects().mutexes {
            c.expect("lock", mutex.lock(Timeout::NONE), Ok(()));
            c.expect("unlock", mutex.unlock(), Ok(()));
        }
    });
    tally.case(
        "threads: what one owns when it ends goes to those who wait for it",
        |c| {
            c.start(0, HIGH, || {
                let _ = S::objects().mutexes[0].lock(Timeout::FOREVER);
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
            });
            c.start(1, HIGH, || {
                let _ = S::objects()
                    .log
                    .result(S::objects().mutexes[0].lock(Timeout::FOREVER));
                S::objects().log.add('b');
            });
            c.objects().log.add('m');
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log("m.b");
            c.expect("lock", c.objects().mutexes[0].lock(Timeout::NONE), Ok(()));
            c.expect("unlock", c.objects().mutexes[0].unlock(), Ok(()));
        },
    );
}

fn joins<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("threads: a join waits for the end", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.expect("join", c.objects().thread(0).join(Timeout::FOREVER), Ok(()));
        c.objects().log.add('m');
        c.expect_log("am");
    });
    tally.case("threads: a join's time passes", |c| {
        c.start(0, LOW, || {
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
        });
        c.expect(
            "join",
            c.objects().thread(0).join(UNIT.into()),
            Err(Error::Timeout),
        );
        c.expect(
            "second join",
            c.objects().thread(0).join(Timeout::NONE),
            Err(Error::WouldBlock),
        );
    });
    tally.case("threads: all who join go on, the most urgent first", |c| {
        fn join<S: SuiteBoard>(letter: char) {
            let _ = S::objects()
                .log
                .result(S::objects().thread(0).join(Timeout::FOREVER));
            S::objects().log.add(letter);
        }
        c.start(0, 4, || {
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
        });
        c.start(1, 7, || join::<S>('b'));
        c.start(2, 6, || join::<S>('c'));
        c.start(3, 7, || join::<S>('d'));
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.expect_log(".c.b.d");
    });
    tally.case("threads: who joins one that is deleted learns it", |c| {
        c.start(0, HIGH, || {
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
        });
        c.start(1, HIGH, || {
            let _ = S::objects()
                .log
                .result(S::objects().thread(0).join(Timeout::FOREVER));
        });
        c.expect("deletion", c.objects().thread(0).delete(), Ok(()));
        c.expect_log("D");
    });
    tally.case("threads: nobody joins itself", |c| {
        c.expect(
            "join",
            AnyThread::<S>::current().join(Timeout::FOREVER),
            Err(Error::Deadlock),
        );
    });
    tally.case("threads: joins do not close a ring", |c| {
        c.start(0, HIGH, || {
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
            let _ = S::objects()
                .log
                .result(S::objects().thread(1).join(Timeout::FOREVER));
        });
        c.start(1, HIGH, || {
            let _ = S::objects()
                .log
                .result(S::objects().thread(0).join(Timeout::FOREVER));
            S::objects().log.add('b');
        });
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.expect_log("R.b");
    });
}

fn priorities<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "threads: one made more urgent than the caller runs at once",
        |c| {
            c.start(0, LOW, || S::objects().log.add('a'));
            c.objects().log.add('m');
            c.expect(
                "new priority",
                c.objects().thread(0).set_priority(at(HIGH)),
                Ok(()),
            );
            c.objects().log.add('n');
            c.expect_log("man");
        },
    );
    tally.case("threads: a caller made less urgent lets others run", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        let main = AnyThread::<S>::current();
        c.expect("less urgent", main.set_priority(at(LOW + 1)), Ok(()));
        c.objects().log.add('m');
        c.expect("as before", main.set_priority(at(MAIN)), Ok(()));
        c.expect_log("am");
    });
    tally.case(
        "threads: a new priority puts one behind its new equals",
        |c| {
            c.start(0, LOW, || S::objects().log.add('a'));
            c.start(1, LOW + 1, || S::objects().log.add('b'));
            c.start(2, LOW + 1, || S::objects().log.add('c'));
            c.expect(
                "new priority",
                c.objects().thread(0).set_priority(at(LOW + 1)),
                Ok(()),
            );
            c.let_others_run();
            c.expect_log("bca");
        },
    );
    tally.case("threads: the same priority again changes nothing", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.start(1, LOW, || S::objects().log.add('b'));
        c.expect(
            "same priority",
            c.objects().thread(0).set_priority(at(LOW)),
            Ok(()),
        );
        c.let_others_run();
        c.expect_log("ab");
    });
    tally.case(
        "threads: a waiter's new priority changes its place in the queue",
        |c| {
            fn wait<S: SuiteBoard>(letter: char) {
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                S::objects().log.add(letter);
            }
            c.start(0, 9, || wait::<S>('a'));
            c.start(1, 9, || wait::<S>('b'));
            c.start(2, 9, || wait::<S>('c'));
            c.expect(
                "less urgent",
                c.objects().thread(0).set_priority(at(10)),
                Ok(()),
            );
            c.expect(
                "more urgent",
                c.objects().thread(2).set_priority(at(7)),
                Ok(()),
            );
            for _ in 0..3 {
                c.expect("give", c.objects().semaphore.give(), Ok(()));
            }
            c.expect_log("cba");
        },
    );
    tally.case("threads: both priorities can be read", |c| {
        c.start(0, LOW, || ());
        c.expect(
            "priorities",
            c.objects().thread(0).priorities(),
            (at(LOW), at(LOW)),
        );
        c.expect(
            "new priority",
            c.objects().thread(0).set_priority(at(LOW + 1)),
            Ok(()),
        );
        c.expect(
            "priorities",
            c.objects().thread(0).priorities(),
            (at(LOW + 1), at(LOW + 1)),
        );
    });
}

fn contexts<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "threads: started from an interrupt, one runs after the handler",
        |c| {
            c.expect(
                "creation",
                c.objects().thread(0).create_as("one", at(HIGH)),
                Ok(()),
            );
            S::trigger_interrupt(|| {
                let _ = S::objects()
                    .log
                    .result(S::objects().thread(0).start(|| S::objects().log.add('a')));
                S::objects().log.add('i');
            });
            c.objects().log.add('m');
            c.expect_log(".iam");
        },
    );
    tally.case(
        "threads: resumed from an interrupt, one runs after the handler",
        |c| {
            c.start(0, HIGH, || {
                let _ = AnyThread::<S>::current().suspend();
                S::objects().log.add('a');
            });
            S::trigger_interrupt(|| {
                let _ = S::objects().log.result(S::objects().thread(0).resume());
                S::objects().log.add('i');
            });
            c.objects().log.add('m');
            c.expect_log(".iam");
        },
    );
    tally.case(
        "threads: suspended from an interrupt, the interrupted one waits",
        |c| {
            c.start(0, LOW, || {
                S::objects().log.add('a');
                let _ = S::objects().log.result(S::objects().thread(1).resume());
                S::objects().log.add('b');
            });
            c.start(1, HIGH, || {
                S::trigger_interrupt(|| {
                    let _ = S::objects().log.result(AnyThread::<S>::current().suspend());
                });
                S::objects().log.add('h');
            });
            c.objects().log.add('m');
            c.let_others_run();
            c.expect_log(".mah.b");
        },
    );
    tally.case(
        "threads: a yield in an interrupt lets the interrupted one's equals run",
        |c| {
            c.start(0, MAIN, || S::objects().log.add('a'));
            S::trigger_interrupt(AnyThread::<S>::yield_now);
            c.objects().log.add('m');
            c.expect_log("am");
        },
    );
    tally.case(
        "threads: a yield in an interrupt keeps what was woken before it",
        |c| {
            c.start(0, HIGH, || {
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                S::objects().log.add('h');
            });
            c.start(1, MAIN, || S::objects().log.add('a'));
            S::trigger_interrupt(|| {
                let _ = S::objects().semaphore.give();
                AnyThread::<S>::yield_now();
            });
            c.objects().log.add('m');
            c.expect_log("hm");
            AnyThread::<S>::yield_now();
        },
    );
    tally.case("threads: a sleep in an interrupt is refused", |c| {
        S::trigger_interrupt(|| {
            let _ = S::objects().log.result(AnyThread::<S>::sleep(UNIT));
        });
        c.expect_log("C");
    });
}
