//! Owns: the cases of priorities under mutexes: inheritance, ceilings, and that inversion is bounded.

use super::case::Tally;
use super::objects::CEILING;
use super::{LOW, MAIN, SuiteBoard, UNIT};
use taktos_kernel::{AnyThread, Error, Mutex, Priority, Timeout};

fn at(level: u8) -> Priority {
    Priority::new(level).unwrap_or(Priority::LEAST_URGENT)
}

/// Locks the mutex `index`, then waits for a permit, and unlocks it.
fn hold<S: SuiteBoard>(index: usize, letter: char) {
    let mutex = &S::objects().mutexes[index];
    let _ = mutex.lock(Timeout::FOREVER);
    let _ = S::objects().semaphore.take(Timeout::FOREVER);
    S::objects().log.add(letter);
    let _ = mutex.unlock();
}

/// Locks `mutex` and unlocks it.
fn pass<S: SuiteBoard>(mutex: &'static Mutex<S>, timeout: Timeout, letter: char) {
    if S::objects().log.result(mutex.lock(timeout)).is_ok() {
        S::objects().log.add(letter);
        let _ = mutex.unlock();
    }
}

/// Has the helper `index`, made at [`LOW`], hold the mutex `index`.
fn start_holder<S: SuiteBoard>(c: &mut super::Case<S>, index: usize, body: fn()) {
    c.start(index, LOW, body);
    c.let_others_run();
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    inheritance(tally);
    chains(tally);
    loss(tally);
    ceilings(tally);
    inversion(tally);
}

fn inheritance<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "inheritance: the owner has its waiter's priority until it unlocks",
        |c| {
            start_holder(c, 0, || hold::<S>(0, 'l'));
            c.expect_priority(0, LOW);
            c.start(1, 5, || {
                pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'h')
            });
            c.expect_priority(0, 5);
            c.expect(
                "own priority",
                c.objects().thread(0).priorities().0,
                at(LOW),
            );
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_priority(0, LOW);
            c.expect_log("l.h");
        },
    );
    tally.case("inheritance: the most urgent waiter counts", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 9, || {
            pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'a')
        });
        c.expect_priority(0, 9);
        c.start(2, 4, || {
            pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'b')
        });
        c.expect_priority(0, 4);
        c.start(3, 6, || {
            pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'c')
        });
        c.expect_priority(0, 4);
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.expect_log("l.b.c.a");
    });
    tally.case(
        "inheritance: a waiter that is less urgent changes nothing",
        |c| {
            c.expect("lock", c.objects().mutexes[0].lock(Timeout::NONE), Ok(()));
            c.start(0, LOW, || {
                pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'a')
            });
            c.let_others_run();
            c.expect(
                "priorities",
                AnyThread::<S>::current().priorities(),
                (at(MAIN), at(MAIN)),
            );
            c.expect("unlock", c.objects().mutexes[0].unlock(), Ok(()));
            c.let_others_run();
            c.expect_log(".a");
        },
    );
    tally.case(
        "inheritance: of two mutexes the more urgent waiter counts, then the other",
        |c| {
            c.start(0, LOW, || {
                let [first, second, _] = &S::objects().mutexes;
                let _ = first.lock(Timeout::FOREVER);
                let _ = second.lock(Timeout::FOREVER);
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                let _ = first.unlock();
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                let _ = second.unlock();
            });
            c.let_others_run();
            c.start(1, 5, || {
                pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'a')
            });
            c.start(2, 7, || {
                pass::<S>(&S::objects().mutexes[1], Timeout::FOREVER, 'b')
            });
            c.expect_priority(0, 5);
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_priority(0, 7);
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_priority(0, LOW);
            c.expect_log(".a.b");
        },
    );
    tally.case("inheritance: none where the mutex has no protocol", |c| {
        c.start(0, LOW, || {
            let _ = S::objects().plain.lock(Timeout::FOREVER);
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
            let _ = S::objects().plain.unlock();
        });
        c.let_others_run();
        c.start(1, 5, || {
            pass::<S>(&S::objects().plain, Timeout::FOREVER, 'h')
        });
        c.expect_priority(0, LOW);
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.let_others_run();
        c.expect_log(".h");
    });
    tally.case(
        "inheritance: the new owner has the priority of those who still wait",
        |c| {
            start_holder(c, 0, || hold::<S>(0, 'l'));
            c.start(1, 9, || {
                let _ = S::objects().mutexes[0].lock(Timeout::FOREVER);
                S::objects().log.add('a');
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                let _ = S::objects().mutexes[0].unlock();
                S::objects().log.add('b');
            });
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log("la");
            c.start(2, 5, || {
                pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'h')
            });
            c.expect_priority(1, 5);
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_priority(1, 9);
            c.expect_log(".hb");
        },
    );
}

fn chains<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn link<S: SuiteBoard>(own: usize, wanted: usize) {
        let mutexes = &S::objects().mutexes;
        let _ = mutexes[own].lock(Timeout::FOREVER);
        pass::<S>(&mutexes[wanted], Timeout::FOREVER, 'x');
        let _ = mutexes[own].unlock();
    }
    tally.case(
        "inheritance: it goes along a chain of owners that wait",
        |c| {
            start_holder(c, 0, || hold::<S>(0, 'l'));
            c.start(1, 12, || link::<S>(1, 0));
            c.start(2, 10, || link::<S>(2, 1));
            c.expect_priority(0, 10);
            c.start(3, 5, || {
                pass::<S>(&S::objects().mutexes[2], Timeout::FOREVER, 'h')
            });
            for index in 0..4 {
                c.expect_priority(index, 5);
            }
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log("l.x.x.h");
            for (index, level) in [(0, LOW), (1, 12), (2, 10), (3, 5)] {
                c.expect_priority(index, level);
            }
        },
    );
    tally.case("inheritance: a new priority goes along a chain too", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 12, || link::<S>(1, 0));
        c.start(2, 10, || {
            pass::<S>(&S::objects().mutexes[1], Timeout::FOREVER, 'h')
        });
        c.expect(
            "more urgent",
            c.objects().thread(2).set_priority(at(3)),
            Ok(()),
        );
        for index in 0..3 {
            c.expect_priority(index, 3);
        }
        c.expect(
            "less urgent",
            c.objects().thread(2).set_priority(at(14)),
            Ok(()),
        );
        for (index, level) in [(0, 12), (1, 12), (2, 14)] {
            c.expect_priority(index, level);
        }
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.expect_log("l.x.h");
    });
}

fn loss<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("inheritance: it ends with the waiter's time", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 5, || {
            pass::<S>(&S::objects().mutexes[0], UNIT.into(), 'h')
        });
        c.expect_priority(0, 5);
        c.let_others_run();
        c.let_others_run();
        c.expect_log("T");
        c.expect_priority(0, LOW);
    });
    tally.case("inheritance: it ends with the waiter's deletion", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 5, || {
            pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'h')
        });
        c.start(2, 9, || {
            pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'i')
        });
        c.expect("deletion", c.objects().thread(1).delete(), Ok(()));
        c.expect_priority(0, 9);
        c.expect("end of wait", c.objects().thread(2).cancel_wait(), Ok(()));
        c.expect_priority(0, LOW);
        c.expect_log("X");
    });
    tally.case("inheritance: the loss goes along a chain", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 12, || {
            let [first, second, _] = &S::objects().mutexes;
            let _ = second.lock(Timeout::FOREVER);
            let _ = first.lock(Timeout::FOREVER);
        });
        c.start(2, 5, || {
            pass::<S>(&S::objects().mutexes[1], UNIT.into(), 'h')
        });
        c.expect_priority(0, 5);
        c.let_others_run();
        c.let_others_run();
        c.expect_log("T");
        c.expect_priority(1, 12);
        c.expect_priority(0, 12);
    });
    tally.case(
        "inheritance: a new priority of its own does not take what was lent",
        |c| {
            start_holder(c, 0, || hold::<S>(0, 'l'));
            c.start(1, 5, || {
                pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'h')
            });
            c.expect(
                "new priority",
                c.objects().thread(0).set_priority(at(20)),
                Ok(()),
            );
            c.expect_priority(0, 5);
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_priority(0, 20);
            c.expect_log("l.h");
        },
    );
}

fn ceilings<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn effective<S: SuiteBoard>() -> u8 {
        AnyThread::<S>::current().priorities().1.level()
    }
    tally.case(
        "ceiling: the owner has it as long as it owns the mutex",
        |c| {
            let mutex = &c.objects().ceiling;
            c.expect("lock", mutex.lock(Timeout::NONE), Ok(()));
            c.expect("priority", effective::<S>(), CEILING);
            c.start(0, CEILING + 1, || S::objects().log.add('a'));
            c.objects().log.add('m');
            c.expect("unlock", mutex.unlock(), Ok(()));
            c.expect("priority", effective::<S>(), MAIN);
            c.objects().log.add('n');
            c.expect_log("man");
        },
    );
    tally.case(
        "ceiling: who is more urgent may not lock the mutex, owned or not",
        |c| {
            c.start(0, CEILING - 1, || {
                let _ = S::objects()
                    .log
                    .result(S::objects().ceiling.lock(Timeout::FOREVER));
            });
            c.expect("lock", c.objects().ceiling.lock(Timeout::NONE), Ok(()));
            c.expect(
                "second start",
                c.objects().thread(0).start(|| {
                    let _ = S::objects()
                        .log
                        .result(S::objects().ceiling.lock(Timeout::FOREVER));
                }),
                Ok(()),
            );
            c.expect("unlock", c.objects().ceiling.unlock(), Ok(()));
            c.expect_log("EE");
        },
    );
    tally.case("ceiling: one at the ceiling may lock the mutex", |c| {
        c.start(0, CEILING, || {
            pass::<S>(&S::objects().ceiling, Timeout::NONE, 'a')
        });
        c.expect_log(".a");
    });
    tally.case("ceiling: a new owner has it", |c| {
        c.start(0, LOW, || {
            let _ = S::objects()
                .log
                .result(S::objects().ceiling.lock(Timeout::FOREVER));
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
            let _ = S::objects().ceiling.unlock();
        });
        c.let_others_run();
        c.expect_priority(0, CEILING);
        c.start(1, CEILING + 2, || {
            let _ = S::objects()
                .log
                .result(S::objects().ceiling.lock(Timeout::FOREVER));
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
            let _ = S::objects().ceiling.unlock();
        });
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.expect_priority(0, LOW);
        c.expect_priority(1, CEILING);
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.expect_priority(1, CEILING + 2);
        c.expect_log("..");
    });
    tally.case("ceiling: errors as of any mutex", |c| {
        let mutex = &c.objects().ceiling;
        c.expect("unlock", mutex.unlock(), Err(Error::NotOwner));
        c.expect("lock", mutex.lock(Timeout::FOREVER), Ok(()));
        c.expect("again", mutex.lock(Timeout::FOREVER), Err(Error::Deadlock));
        c.expect("unlock", mutex.unlock(), Ok(()));
        c.expect("deletion", mutex.delete(), Ok(()));
        c.expect("lock", mutex.lock(Timeout::FOREVER), Err(Error::Deleted));
    });
    tally.case(
        "ceiling and inheritance: the more urgent counts, in either order of unlocking",
        |c| {
            let (ceiling, mutex) = (&c.objects().ceiling, &c.objects().mutexes[0]);
            c.expect("lock", mutex.lock(Timeout::NONE), Ok(()));
            c.expect("lock", ceiling.lock(Timeout::NONE), Ok(()));
            c.start(0, 5, || {
                pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'h')
            });
            c.expect("both", effective::<S>(), 5);
            c.expect("unlock", mutex.unlock(), Ok(()));
            c.expect("the ceiling", effective::<S>(), CEILING);
            c.expect("unlock", ceiling.unlock(), Ok(()));
            c.expect("none", effective::<S>(), MAIN);
            c.expect_log(".h");
        },
    );
}

/// A less urgent thread holds what an urgent one wants, and one in the middle is busy: the classical inversion.
fn inversion<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn work<S: SuiteBoard>(letter: char) {
        S::busy_until(super::units::<S>(2));
        S::objects().log.add(letter);
    }
    /// Wakes the others while it holds `mutex`, works, and unlocks it.
    fn critical<S: SuiteBoard>(mutex: &'static Mutex<S>) {
        let _ = mutex.lock(Timeout::FOREVER);
        for _ in 0..2 {
            let _ = S::objects().semaphore.give();
        }
        work::<S>('l');
        let _ = mutex.unlock();
        S::objects().log.add('e');
    }
    fn middle<S: SuiteBoard>() {
        let _ = S::objects().semaphore.take(Timeout::FOREVER);
        work::<S>('m');
    }
    fn urgent<S: SuiteBoard>(mutex: &'static Mutex<S>) {
        let _ = S::objects().semaphore.take(Timeout::FOREVER);
        let _ = mutex.lock(Timeout::FOREVER);
        S::objects().log.add('h');
        let _ = mutex.unlock();
    }
    tally.case(
        "inversion: without a protocol the middle one delays the urgent one",
        |c| {
            c.start(0, 5, || urgent::<S>(&S::objects().plain));
            c.start(1, 9, || middle::<S>());
            c.start(2, LOW, || critical::<S>(&S::objects().plain));
            c.expect("join", c.objects().thread(2).join(Timeout::FOREVER), Ok(()));
            c.expect_log("mlhe");
        },
    );
    tally.case(
        "inversion: under inheritance it waits for the critical section only",
        |c| {
            c.start(0, 5, || urgent::<S>(&S::objects().mutexes[0]));
            c.start(1, 9, || middle::<S>());
            c.start(2, LOW, || critical::<S>(&S::objects().mutexes[0]));
            c.expect("join", c.objects().thread(2).join(Timeout::FOREVER), Ok(()));
            c.expect_log("lhme");
        },
    );
    tally.case(
        "inversion: under a ceiling the middle one does not even begin",
        |c| {
            c.start(0, CEILING, || urgent::<S>(&S::objects().ceiling));
            c.start(1, CEILING + 2, || middle::<S>());
            c.start(2, LOW, || critical::<S>(&S::objects().ceiling));
            c.expect("join", c.objects().thread(2).join(Timeout::FOREVER), Ok(()));
            c.expect_log("lhme");
        },
    );
    tally.case("inversion: under inheritance along a chain too", |c| {
        c.start(0, LOW, || {
            let _ = S::objects().mutexes[0].lock(Timeout::FOREVER);
            let _ = S::objects().other_semaphore.take(Timeout::FOREVER);
            for _ in 0..2 {
                let _ = S::objects().semaphore.give();
            }
            work::<S>('l');
            let _ = S::objects().mutexes[0].unlock();
            S::objects().log.add('e');
        });
        c.let_others_run();
        c.start(1, 12, || {
            let _ = S::objects().mutexes[1].lock(Timeout::FOREVER);
            pass::<S>(&S::objects().mutexes[0], Timeout::FOREVER, 'x');
            let _ = S::objects().mutexes[1].unlock();
        });
        c.start(2, 5, || urgent::<S>(&S::objects().mutexes[1]));
        c.start(3, 9, || middle::<S>());
        c.expect("give", c.objects().other_semaphore.give(), Ok(()));
        c.expect("join", c.objects().thread(0).join(Timeout::FOREVER), Ok(()));
        c.expect_log("l.xhme");
    });
}
