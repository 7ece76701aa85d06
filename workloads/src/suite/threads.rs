//! Owns: the cases of threads: order, life, waiting for each other's end, priority.

use super::case::{Tally, at};
use super::{FOREVER, HIGH, LOW, MAIN, NONE, SuiteBoard, UNIT, log_result, units, wait_for_permit};
use taktos_kernel::{AnyThread, Error, State};

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("threads");
    order(tally);
    life(tally);
    suspension(tally);
    ends(tally);
    joins(tally);
    priorities(tally);
    contexts(tally);
}

fn order<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a more urgent one runs as soon as it is started", |c| {
        c.start(0, HIGH, || S::objects().log.add('a'));
        c.objects().log.add('m');
        c.expect_log("am");
    });
    tally.case("a less urgent one runs when the others wait", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.expect_state(0, State::Ready);
        c.objects().log.add('m');
        c.let_others_run();
        c.expect_log("ma");
    });
    tally.case(
        "equals run in the order of their start, after the caller's turn",
        |c| {
            c.start(0, MAIN, || S::objects().log.add('a'));
            c.start(1, MAIN, || S::objects().log.add('b'));
            c.objects().log.add('m');
            AnyThread::<S>::yield_now();
            c.objects().log.add('n');
            c.expect_log("mabn");
        },
    );
    tally.case("a yield lets only equals run", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        AnyThread::<S>::yield_now();
        c.expect_log("");
        c.expect_state(0, State::Ready);
    });
    tally.case("equals that yield take turns", |c| {
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
        "one that was preempted keeps its place before its equals",
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
    tally.case("one that has ended can be started again", |c| {
        c.start(0, HIGH, || S::objects().log.add('a'));
        c.expect_state(0, State::Dormant);
        c.start_again(0, || S::objects().log.add('b'));
        c.expect_log("ab");
    });
    tally.case(
        "a deleted one can be created again, with another priority",
        |c| {
            c.start(0, LOW, || S::objects().log.add('a'));
            c.ok("deletion", c.thread(0).delete());
            c.start(0, HIGH, || S::objects().log.add('b'));
            c.expect_log("b");
        },
    );
    tally.case("an entry gets its argument", |c| {
        static ARGUMENT: u32 = 7;
        let thread = c.thread(0);
        c.ok("creation", thread.create_as("one", at(HIGH)));
        let started = thread.start_with(
            |argument: &'static u32| S::objects().set_number(*argument),
            &ARGUMENT,
        );
        c.ok("start", started);
        c.expect("argument", c.objects().number(), ARGUMENT);
    });
    tally.case("each has its name, and knows itself", |c| {
        c.start(1, HIGH, || {
            let itself = core::ptr::eq(AnyThread::<S>::current(), &**S::objects().thread(1));
            S::objects().set_number(itself.into());
        });
        c.expect("knows itself", c.objects().number(), 1);
        c.expect("name", c.thread(1).name(), "two");
        c.ok("deletion", c.thread(1).delete());
        c.expect("name of none", c.thread(1).name(), "");
    });
    tally.case("the one that runs is executing", |c| {
        c.expect("state", AnyThread::<S>::current().state(), State::Executing);
        let main = AnyThread::<S>::current();
        c.expect_error("second resumption", main.resume(), Error::State);
        c.expect_error("end of wait", main.cancel_wait(), Error::State);
    });
}

fn suspension<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("one that suspends itself goes on when resumed", |c| {
        c.start(0, HIGH, || {
            S::objects().log.add('a');
            log_result::<S>(AnyThread::<S>::current().suspend());
            S::objects().log.add('b');
        });
        c.objects().log.add('m');
        c.expect_state(0, State::Blocked);
        c.ok("resumption", c.thread(0).resume());
        c.expect_log("am.b");
    });
    tally.case("suspended twice is as good as once", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.ok("once", c.thread(0).suspend());
        c.ok("twice", c.thread(0).suspend());
        c.let_others_run();
        c.expect_log("");
        c.ok("resumption", c.thread(0).resume());
        c.let_others_run();
        c.expect_log("a");
    });
    tally.case(
        "what a suspended one waited for is kept until it is resumed",
        |c| {
            c.start(0, HIGH, || {
                log_result::<S>(S::objects().semaphore.take(FOREVER));
            });
            c.ok("suspension", c.thread(0).suspend());
            c.ok("give", c.objects().semaphore.give());
            c.expect_log("");
            c.expect("permits", c.objects().semaphore.count(), 0);
            c.expect_state(0, State::Blocked);
            c.ok("resumption", c.thread(0).resume());
            c.expect_log(".");
        },
    );
    tally.case("the time-out of a suspended one runs on", |c| {
        c.start(0, HIGH, || {
            log_result::<S>(S::objects().semaphore.take(UNIT.into()));
        });
        c.ok("suspension", c.thread(0).suspend());
        S::busy_until(units::<S>(3));
        c.expect_log("");
        c.ok("resumption", c.thread(0).resume());
        c.expect_log("T");
    });
    tally.case("a resumed one goes behind its equals", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.start(1, LOW, || S::objects().log.add('b'));
        c.ok("suspension", c.thread(0).suspend());
        c.ok("resumption", c.thread(0).resume());
        c.let_others_run();
        c.expect_log("ba");
    });
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("nothing comes after the exit", |c| {
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
    tally.case("one can delete itself", |c| {
        c.start(0, HIGH, || {
            S::objects().log.add('a');
            let _ = AnyThread::<S>::current().delete();
            S::objects().log.add('b');
        });
        c.expect_log("a");
        c.expect_state(0, State::NonExistent);
    });
    tally.case(
        "one that is restarted begins anew, at its first priority",
        |c| {
            c.start(0, HIGH, || {
                S::objects().log.add('a');
                let _ = AnyThread::<S>::sleep(FOREVER);
                S::objects().log.add('x');
            });
            let thread = c.thread(0);
            c.ok("priority", thread.set_priority(at(LOW)));
            let restarted = thread.restart(|| S::objects().log.add('b'));
            c.ok("restart", restarted);
            c.expect_log("ab");
            c.expect_state(0, State::Dormant);
        },
    );
    tally.case("one does not restart itself", |c| {
        c.start(0, HIGH, || {
            let again = S::objects().thread(0).restart(|| ());
            S::objects()
                .log
                .add(if again == Err(Error::State) { 'a' } else { 'x' });
        });
        c.expect_log("a");
    });
    tally.case("a deleted sleeper is not woken", |c| {
        c.start(0, HIGH, || {
            let _ = AnyThread::<S>::sleep(UNIT);
            S::objects().log.add('a');
        });
        c.ok("deletion", c.thread(0).delete());
        S::busy_until(units::<S>(3));
        c.expect_log("");
    });
    tally.case("a deleted waiter leaves the others in their order", |c| {
        fn wait<S: SuiteBoard>(letter: char) {
            wait_for_permit::<S>();
            S::objects().log.add(letter);
        }
        c.start(0, HIGH, || wait::<S>('a'));
        c.start(1, HIGH, || wait::<S>('b'));
        c.start(2, HIGH, || wait::<S>('c'));
        c.ok("deletion", c.thread(1).delete());
        for _ in 0..3 {
            c.ok("give", c.objects().semaphore.give());
        }
        c.expect_log("ac");
        c.expect("permits", c.objects().semaphore.count(), 1);
    });
    tally.case("what a deleted one owned is unlocked", |c| {
        c.start(0, LOW, || {
            for mutex in &S::objects().mutexes {
                let _ = mutex.lock(FOREVER);
            }
            wait_for_permit::<S>();
        });
        c.let_others_run();
        c.expect_error("lock", c.objects().mutexes[1].lock(NONE), Error::WouldBlock);
        c.ok("deletion", c.thread(0).delete());
        for mutex in &c.objects().mutexes {
            c.ok("lock", mutex.lock(NONE));
            c.ok("unlock", mutex.unlock());
        }
    });
    tally.case(
        "what one owns when it ends goes to those who wait for it",
        |c| {
            c.start(0, HIGH, || {
                let _ = S::objects().mutexes[0].lock(FOREVER);
                wait_for_permit::<S>();
            });
            c.start(1, HIGH, || {
                log_result::<S>(S::objects().mutexes[0].lock(FOREVER));
                S::objects().log.add('b');
            });
            c.objects().log.add('m');
            c.ok("give", c.objects().semaphore.give());
            c.expect_log("m.b");
            c.ok("lock", c.objects().mutexes[0].lock(NONE));
            c.ok("unlock", c.objects().mutexes[0].unlock());
        },
    );
}

fn joins<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a join waits for the end", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.ok("join", c.thread(0).join(FOREVER));
        c.objects().log.add('m');
        c.expect_log("am");
    });
    tally.case("a join's time passes", |c| {
        c.start(0, LOW, wait_for_permit::<S>);
        c.expect_error("join", c.thread(0).join(UNIT.into()), Error::Timeout);
        c.expect_error("second join", c.thread(0).join(NONE), Error::WouldBlock);
    });
    tally.case("all who join go on, the most urgent first", |c| {
        fn join<S: SuiteBoard>(letter: char) {
            log_result::<S>(S::objects().thread(0).join(FOREVER));
            S::objects().log.add(letter);
        }
        c.start(0, 4, wait_for_permit::<S>);
        c.start(1, 7, || join::<S>('b'));
        c.start(2, 6, || join::<S>('c'));
        c.start(3, 7, || join::<S>('d'));
        c.ok("give", c.objects().semaphore.give());
        c.expect_log(".c.b.d");
    });
    tally.case("who joins one that is deleted learns it", |c| {
        c.start(0, HIGH, wait_for_permit::<S>);
        c.start(1, HIGH, || {
            log_result::<S>(S::objects().thread(0).join(FOREVER));
        });
        c.ok("deletion", c.thread(0).delete());
        c.expect_log("D");
    });
    tally.case("nobody joins itself", |c| {
        c.expect_error(
            "join",
            AnyThread::<S>::current().join(FOREVER),
            Error::Deadlock,
        );
    });
    tally.case("joins do not close a ring", |c| {
        c.start(0, HIGH, || {
            wait_for_permit::<S>();
            log_result::<S>(S::objects().thread(1).join(FOREVER));
        });
        c.start(1, HIGH, || {
            log_result::<S>(S::objects().thread(0).join(FOREVER));
            S::objects().log.add('b');
        });
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("R.b");
    });
}

fn priorities<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("one made more urgent than the caller runs at once", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.objects().log.add('m');
        c.ok("new priority", c.thread(0).set_priority(at(HIGH)));
        c.objects().log.add('n');
        c.expect_log("man");
    });
    tally.case("a caller made less urgent lets others run", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        let main = AnyThread::<S>::current();
        c.ok("less urgent", main.set_priority(at(LOW + 1)));
        c.objects().log.add('m');
        c.ok("as before", main.set_priority(at(MAIN)));
        c.expect_log("am");
    });
    tally.case("a new priority puts one behind its new equals", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.start(1, LOW + 1, || S::objects().log.add('b'));
        c.start(2, LOW + 1, || S::objects().log.add('c'));
        c.ok("new priority", c.thread(0).set_priority(at(LOW + 1)));
        c.let_others_run();
        c.expect_log("bca");
    });
    tally.case("the same priority again changes nothing", |c| {
        c.start(0, LOW, || S::objects().log.add('a'));
        c.start(1, LOW, || S::objects().log.add('b'));
        c.ok("same priority", c.thread(0).set_priority(at(LOW)));
        c.let_others_run();
        c.expect_log("ab");
    });
    tally.case(
        "a waiter's new priority changes its place in the queue",
        |c| {
            fn wait<S: SuiteBoard>(letter: char) {
                wait_for_permit::<S>();
                S::objects().log.add(letter);
            }
            c.start(0, 9, || wait::<S>('a'));
            c.start(1, 9, || wait::<S>('b'));
            c.start(2, 9, || wait::<S>('c'));
            c.ok("less urgent", c.thread(0).set_priority(at(10)));
            c.ok("more urgent", c.thread(2).set_priority(at(7)));
            for _ in 0..3 {
                c.ok("give", c.objects().semaphore.give());
            }
            c.expect_log("cba");
        },
    );
    tally.case("both priorities can be read", |c| {
        c.start(0, LOW, || ());
        c.expect("priorities", c.thread(0).priorities(), (at(LOW), at(LOW)));
        c.ok("new priority", c.thread(0).set_priority(at(LOW + 1)));
        c.expect(
            "priorities",
            c.thread(0).priorities(),
            (at(LOW + 1), at(LOW + 1)),
        );
    });
}

fn contexts<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "started from an interrupt, one runs after the handler",
        |c| {
            c.ok("creation", c.thread(0).create_as("one", at(HIGH)));
            S::trigger_interrupt(|| {
                log_result::<S>(S::objects().thread(0).start(|| S::objects().log.add('a')));
                S::objects().log.add('i');
            });
            c.objects().log.add('m');
            c.expect_log(".iam");
        },
    );
    tally.case(
        "resumed from an interrupt, one runs after the handler",
        |c| {
            c.start(0, HIGH, || {
                let _ = AnyThread::<S>::current().suspend();
                S::objects().log.add('a');
            });
            S::trigger_interrupt(|| {
                log_result::<S>(S::objects().thread(0).resume());
                S::objects().log.add('i');
            });
            c.objects().log.add('m');
            c.expect_log(".iam");
        },
    );
    tally.case(
        "suspended from an interrupt, the interrupted one waits",
        |c| {
            c.start(0, LOW, || {
                S::objects().log.add('a');
                log_result::<S>(S::objects().thread(1).resume());
                S::objects().log.add('b');
            });
            c.start(1, HIGH, || {
                S::trigger_interrupt(|| {
                    log_result::<S>(AnyThread::<S>::current().suspend());
                });
                S::objects().log.add('h');
            });
            c.objects().log.add('m');
            c.let_others_run();
            c.expect_log(".mah.b");
        },
    );
    tally.case(
        "a yield in an interrupt lets the interrupted one's equals run",
        |c| {
            c.start(0, MAIN, || S::objects().log.add('a'));
            S::trigger_interrupt(AnyThread::<S>::yield_now);
            c.objects().log.add('m');
            c.expect_log("am");
        },
    );
    tally.case(
        "a yield in an interrupt keeps what was woken before it",
        |c| {
            c.start(0, HIGH, || {
                wait_for_permit::<S>();
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
    tally.case("a sleep in an interrupt is refused", |c| {
        S::trigger_interrupt(|| {
            log_result::<S>(AnyThread::<S>::sleep(UNIT));
        });
        c.expect_log("C");
    });
}
