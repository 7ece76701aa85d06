//! Owns: the cases of priorities under mutexes: inheritance, ceilings, and that inversion is
//! bounded.

use super::case::{Tally, at};
use super::objects::CEILING;
use super::{FOREVER, LOW, MAIN, NONE, SuiteBoard, UNIT, log_result, wait_for_permit};
use taktos_kernel::{AnyThread, Error, Mutex, Timeout};

/// Locks the mutex `index`, then waits for a permit, and unlocks it.
fn hold<S: SuiteBoard>(index: usize, letter: char) {
    let mutex = &S::objects().mutexes[index];
    let _ = mutex.lock(FOREVER);
    wait_for_permit::<S>();
    S::objects().log.add(letter);
    let _ = mutex.unlock();
}

/// Locks `mutex` and unlocks it.
fn pass_by<S: SuiteBoard>(mutex: &'static Mutex<S>, timeout: Timeout, letter: char) {
    if S::objects().log.result(mutex.lock(timeout)).is_ok() {
        S::objects().log.add(letter);
        let _ = mutex.unlock();
    }
}

/// Locks the mutex `index` and unlocks it.
fn pass<S: SuiteBoard>(index: usize, letter: char) {
    pass_by::<S>(&S::objects().mutexes[index], FOREVER, letter);
}

/// Makes the helper `index`, created at [`LOW`], hold the mutex `index`.
fn start_holder<S: SuiteBoard>(c: &mut super::Case<S>, index: usize, body: fn()) {
    c.start(index, LOW, body);
    c.let_others_run();
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("inheritance");
    inheritance(tally);
    chains(tally);
    loss(tally);
    tally.about("ceiling");
    ceilings(tally);
    tally.about("inversion");
    inversion(tally);
}

fn inheritance<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "the owner has its waiter's priority until it unlocks",
        |c| {
            start_holder(c, 0, || hold::<S>(0, 'l'));
            c.expect_priority(0, LOW);
            c.start(1, 5, || pass::<S>(0, 'h'));
            c.expect_priority(0, 5);
            c.expect("own priority", c.thread(0).priorities().0, at(LOW));
            c.ok("give", c.objects().semaphore.give());
            c.expect_priority(0, LOW);
            c.expect_log("l.h");
        },
    );
    tally.case("the most urgent waiter counts", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 9, || pass::<S>(0, 'a'));
        c.expect_priority(0, 9);
        c.start(2, 4, || pass::<S>(0, 'b'));
        c.expect_priority(0, 4);
        c.start(3, 6, || pass::<S>(0, 'c'));
        c.expect_priority(0, 4);
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("l.b.c.a");
    });
    tally.case("a waiter that is less urgent changes nothing", |c| {
        c.ok("lock", c.objects().mutexes[0].lock(NONE));
        c.start(0, LOW, || pass::<S>(0, 'a'));
        c.let_others_run();
        c.expect(
            "priorities",
            AnyThread::<S>::current().priorities(),
            (at(MAIN), at(MAIN)),
        );
        c.ok("unlock", c.objects().mutexes[0].unlock());
        c.let_others_run();
        c.expect_log(".a");
    });
    tally.case(
        "of two mutexes the more urgent waiter counts, then the other",
        |c| {
            c.start(0, LOW, || {
                let [first, second, _] = &S::objects().mutexes;
                let _ = first.lock(FOREVER);
                let _ = second.lock(FOREVER);
                wait_for_permit::<S>();
                let _ = first.unlock();
                wait_for_permit::<S>();
                let _ = second.unlock();
            });
            c.let_others_run();
            c.start(1, 5, || pass::<S>(0, 'a'));
            c.start(2, 7, || pass::<S>(1, 'b'));
            c.expect_priority(0, 5);
            c.ok("give", c.objects().semaphore.give());
            c.expect_priority(0, 7);
            c.ok("give", c.objects().semaphore.give());
            c.expect_priority(0, LOW);
            c.expect_log(".a.b");
        },
    );
    tally.case("none where the mutex has no protocol", |c| {
        c.start(0, LOW, || {
            let _ = S::objects().plain.lock(FOREVER);
            wait_for_permit::<S>();
            let _ = S::objects().plain.unlock();
        });
        c.let_others_run();
        c.start(1, 5, || pass_by::<S>(&S::objects().plain, FOREVER, 'h'));
        c.expect_priority(0, LOW);
        c.ok("give", c.objects().semaphore.give());
        c.let_others_run();
        c.expect_log(".h");
    });
    tally.case(
        "the new owner has the priority of those who still wait",
        |c| {
            start_holder(c, 0, || hold::<S>(0, 'l'));
            c.start(1, 9, || {
                let _ = S::objects().mutexes[0].lock(FOREVER);
                S::objects().log.add('a');
                wait_for_permit::<S>();
                let _ = S::objects().mutexes[0].unlock();
                S::objects().log.add('b');
            });
            c.ok("give", c.objects().semaphore.give());
            c.expect_log("la");
            c.start(2, 5, || pass::<S>(0, 'h'));
            c.expect_priority(1, 5);
            c.ok("give", c.objects().semaphore.give());
            c.expect_priority(1, 9);
            c.expect_log(".hb");
        },
    );
}

fn chains<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn link<S: SuiteBoard>(own: usize, wanted: usize) {
        let mutexes = &S::objects().mutexes;
        let _ = mutexes[own].lock(FOREVER);
        pass::<S>(wanted, 'x');
        let _ = mutexes[own].unlock();
    }
    tally.case("it goes along a chain of owners that wait", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 12, || link::<S>(1, 0));
        c.start(2, 10, || link::<S>(2, 1));
        c.expect_priority(0, 10);
        c.start(3, 5, || pass::<S>(2, 'h'));
        for index in 0..4 {
            c.expect_priority(index, 5);
        }
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("l.x.x.h");
        for (index, level) in [(0, LOW), (1, 12), (2, 10), (3, 5)] {
            c.expect_priority(index, level);
        }
    });
    tally.case("a new priority goes along a chain too", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 12, || link::<S>(1, 0));
        c.start(2, 10, || pass::<S>(1, 'h'));
        c.ok("more urgent", c.thread(2).set_priority(at(3)));
        for index in 0..3 {
            c.expect_priority(index, 3);
        }
        c.ok("less urgent", c.thread(2).set_priority(at(14)));
        for (index, level) in [(0, 12), (1, 12), (2, 14)] {
            c.expect_priority(index, level);
        }
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("l.x.h");
    });
}

fn loss<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("it ends with the waiter's time", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 5, || {
            pass_by::<S>(&S::objects().mutexes[0], UNIT.into(), 'h')
        });
        c.expect_priority(0, 5);
        c.let_time_outs_pass();
        c.expect_log("T");
        c.expect_priority(0, LOW);
    });
    tally.case("it ends with the waiter's deletion", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 5, || pass::<S>(0, 'h'));
        c.start(2, 9, || pass::<S>(0, 'i'));
        c.ok("deletion", c.thread(1).delete());
        c.expect_priority(0, 9);
        c.ok("end of wait", c.thread(2).cancel_wait());
        c.expect_priority(0, LOW);
        c.expect_log("X");
    });
    tally.case("the loss goes along a chain", |c| {
        start_holder(c, 0, || hold::<S>(0, 'l'));
        c.start(1, 12, || {
            let [first, second, _] = &S::objects().mutexes;
            let _ = second.lock(FOREVER);
            let _ = first.lock(FOREVER);
        });
        c.start(2, 5, || {
            pass_by::<S>(&S::objects().mutexes[1], UNIT.into(), 'h')
        });
        c.expect_priority(0, 5);
        c.let_time_outs_pass();
        c.expect_log("T");
        c.expect_priority(1, 12);
        c.expect_priority(0, 12);
    });
    tally.case(
        "a new priority of its own does not take what was lent",
        |c| {
            start_holder(c, 0, || hold::<S>(0, 'l'));
            c.start(1, 5, || pass::<S>(0, 'h'));
            c.ok("new priority", c.thread(0).set_priority(at(20)));
            c.expect_priority(0, 5);
            c.ok("give", c.objects().semaphore.give());
            c.expect_priority(0, 20);
            c.expect_log("l.h");
        },
    );
}

fn ceilings<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn effective<S: SuiteBoard>() -> u8 {
        AnyThread::<S>::current().priorities().1.level()
    }
    tally.case("the owner has it as long as it owns the mutex", |c| {
        let mutex = &c.objects().ceiling;
        c.ok("lock", mutex.lock(NONE));
        c.expect("priority", effective::<S>(), CEILING);
        c.start(0, CEILING + 1, || S::objects().log.add('a'));
        c.objects().log.add('m');
        c.ok("unlock", mutex.unlock());
        c.expect("priority", effective::<S>(), MAIN);
        c.objects().log.add('n');
        c.expect_log("man");
    });
    tally.case(
        "who is more urgent may not lock the mutex, owned or not",
        |c| {
            c.start(0, CEILING - 1, || {
                log_result::<S>(S::objects().ceiling.lock(FOREVER));
            });
            c.ok("lock", c.objects().ceiling.lock(NONE));
            c.start_again(0, || {
                log_result::<S>(S::objects().ceiling.lock(FOREVER));
            });
            c.ok("unlock", c.objects().ceiling.unlock());
            c.expect_log("EE");
        },
    );
    tally.case("one at the ceiling may lock the mutex", |c| {
        c.start(0, CEILING, || {
            pass_by::<S>(&S::objects().ceiling, NONE, 'a')
        });
        c.expect_log(".a");
    });
    tally.case("a new owner has it", |c| {
        c.start(0, LOW, || {
            log_result::<S>(S::objects().ceiling.lock(FOREVER));
            wait_for_permit::<S>();
            let _ = S::objects().ceiling.unlock();
        });
        c.let_others_run();
        c.expect_priority(0, CEILING);
        c.start(1, CEILING + 2, || {
            log_result::<S>(S::objects().ceiling.lock(FOREVER));
            wait_for_permit::<S>();
            let _ = S::objects().ceiling.unlock();
        });
        c.ok("give", c.objects().semaphore.give());
        c.expect_priority(0, LOW);
        c.expect_priority(1, CEILING);
        c.ok("give", c.objects().semaphore.give());
        c.expect_priority(1, CEILING + 2);
        c.expect_log("..");
    });
    tally.case("errors as of any mutex", |c| {
        let mutex = &c.objects().ceiling;
        c.expect_error("unlock", mutex.unlock(), Error::NotOwner);
        c.ok("lock", mutex.lock(FOREVER));
        c.expect_error("again", mutex.lock(FOREVER), Error::Deadlock);
        c.ok("unlock", mutex.unlock());
        c.ok("deletion", mutex.delete());
        c.expect_error("lock", mutex.lock(FOREVER), Error::Deleted);
    });
    tally.case(
        "beside inheritance, the more urgent counts, in either order of unlocking",
        |c| {
            let (ceiling, mutex) = (&c.objects().ceiling, &c.objects().mutexes[0]);
            c.ok("lock", mutex.lock(NONE));
            c.ok("lock", ceiling.lock(NONE));
            c.start(0, 5, || pass::<S>(0, 'h'));
            c.expect("both", effective::<S>(), 5);
            c.ok("unlock", mutex.unlock());
            c.expect("the ceiling", effective::<S>(), CEILING);
            c.ok("unlock", ceiling.unlock());
            c.expect("none", effective::<S>(), MAIN);
            c.expect_log(".h");
        },
    );
}

/// A less urgent thread holds what an urgent one wants, and one in the middle is busy: the
/// classical inversion.
fn inversion<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn work<S: SuiteBoard>(letter: char) {
        S::busy_until(super::units::<S>(2));
        S::objects().log.add(letter);
    }
    /// Wakes the others while it holds `mutex`, works, and unlocks it.
    fn critical<S: SuiteBoard>(mutex: &'static Mutex<S>) {
        let _ = mutex.lock(FOREVER);
        for _ in 0..2 {
            let _ = S::objects().semaphore.give();
        }
        work::<S>('l');
        let _ = mutex.unlock();
        S::objects().log.add('e');
    }
    fn middle<S: SuiteBoard>() {
        wait_for_permit::<S>();
        work::<S>('m');
    }
    fn urgent<S: SuiteBoard>(mutex: &'static Mutex<S>) {
        wait_for_permit::<S>();
        let _ = mutex.lock(FOREVER);
        S::objects().log.add('h');
        let _ = mutex.unlock();
    }
    tally.case(
        "without a protocol the middle one delays the urgent one",
        |c| {
            c.start(0, 5, || urgent::<S>(&S::objects().plain));
            c.start(1, 9, || middle::<S>());
            c.start(2, LOW, || critical::<S>(&S::objects().plain));
            c.ok("join", c.thread(2).join(FOREVER));
            c.expect_log("mlhe");
        },
    );
    tally.case(
        "under inheritance it waits for the critical section only",
        |c| {
            c.start(0, 5, || urgent::<S>(&S::objects().mutexes[0]));
            c.start(1, 9, || middle::<S>());
            c.start(2, LOW, || critical::<S>(&S::objects().mutexes[0]));
            c.ok("join", c.thread(2).join(FOREVER));
            c.expect_log("lhme");
        },
    );
    tally.case("under a ceiling the middle one does not even begin", |c| {
        c.start(0, CEILING, || urgent::<S>(&S::objects().ceiling));
        c.start(1, CEILING + 2, || middle::<S>());
        c.start(2, LOW, || critical::<S>(&S::objects().ceiling));
        c.ok("join", c.thread(2).join(FOREVER));
        c.expect_log("lhme");
    });
    tally.case("under inheritance along a chain too", |c| {
        c.start(0, LOW, || {
            let _ = S::objects().mutexes[0].lock(FOREVER);
            let _ = S::objects().other_semaphore.take(FOREVER);
            for _ in 0..2 {
                let _ = S::objects().semaphore.give();
            }
            work::<S>('l');
            let _ = S::objects().mutexes[0].unlock();
            S::objects().log.add('e');
        });
        c.let_others_run();
        c.start(1, 12, || {
            let _ = S::objects().mutexes[1].lock(FOREVER);
            pass::<S>(0, 'x');
            let _ = S::objects().mutexes[1].unlock();
        });
        c.start(2, 5, || urgent::<S>(&S::objects().mutexes[1]));
        c.start(3, 9, || middle::<S>());
        c.ok("give", c.objects().other_semaphore.give());
        c.ok("join", c.thread(0).join(FOREVER));
        c.expect_log("l.xhme");
    });
}
