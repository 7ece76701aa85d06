//! Owns: the cases of mutexes: ownership, recursion, waiting, deletion. Priorities are elsewhere.

use super::case::Tally;
use super::log::letter;
use super::{HIGH, LOW, SuiteBoard, UNIT};
use taktos_kernel::{Error, Mutex, State, Timeout};

/// Who owns the mutex before the call.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    Nobody,
    Caller,
    Another,
    /// It is deleted.
    Gone,
}

/// State before, call, result; the state after is looked at by a lock that does not wait.
struct Row<S: SuiteBoard> {
    name: &'static str,
    before: Owner,
    call: fn(&'static Mutex<S>) -> Result<(), Error>,
    result: char,
    lock_after: char,
}

fn bring_into<S: SuiteBoard>(c: &mut super::Case<S>, mutex: &'static Mutex<S>, owner: Owner) {
    match owner {
        Owner::Nobody => {}
        Owner::Caller => c.expect("lock", mutex.lock(Timeout::NONE), Ok(())),
        Owner::Another => {
            c.start(0, LOW, || {
                for mutex in [&S::objects().mutexes[0], &S::objects().recursive] {
                    let _ = mutex.lock(Timeout::FOREVER);
                }
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
            });
            c.let_others_run();
        }
        Owner::Gone => c.expect("deletion", mutex.delete(), Ok(())),
    }
}

fn check<S: SuiteBoard>(c: &mut super::Case<S>, mutex: &'static Mutex<S>, rows: &[Row<S>]) {
    for row in rows {
        S::objects().reset();
        bring_into(c, mutex, row.before);
        c.expect(row.name, letter(&(row.call)(mutex)), row.result);
        c.expect(row.name, letter(&mutex.lock(Timeout::NONE)), row.lock_after);
    }
    S::objects().reset();
}

fn rows<S: SuiteBoard>(again: char) -> [Row<S>; 16] {
    use Owner::{Another, Caller, Gone, Nobody};
    let row = |name, before, call, result, lock_after| Row {
        name,
        before,
        call,
        result,
        lock_after,
    };
    [
        row(
            "lock, free",
            Nobody,
            |m| m.lock(Timeout::FOREVER),
            '.',
            again,
        ),
        row(
            "lock, own",
            Caller,
            |m| m.lock(Timeout::FOREVER),
            again,
            again,
        ),
        row(
            "lock, another's, no wait",
            Another,
            |m| m.lock(Timeout::NONE),
            'W',
            'W',
        ),
        row(
            "lock, another's, some time",
            Another,
            |m| m.lock(UNIT.into()),
            'T',
            'W',
        ),
        row(
            "lock, deleted",
            Gone,
            |m| m.lock(Timeout::FOREVER),
            'D',
            'D',
        ),
        row(
            "lock, deleted, no wait",
            Gone,
            |m| m.lock(Timeout::NONE),
            'D',
            'D',
        ),
        row("unlock, free", Nobody, |m| m.unlock(), 'N', '.'),
        row("unlock, own", Caller, |m| m.unlock(), '.', '.'),
        row("unlock, another's", Another, |m| m.unlock(), 'N', 'W'),
        row("unlock, deleted", Gone, |m| m.unlock(), 'D', 'D'),
        row("delete, free", Nobody, |m| m.delete(), '.', 'D'),
        row("delete, own", Caller, |m| m.delete(), 'U', again),
        row("delete, another's", Another, |m| m.delete(), 'U', 'W'),
        row("delete, deleted", Gone, |m| m.delete(), 'D', 'D'),
        row("renew, deleted", Gone, |m| m.renew(), '.', '.'),
        row("renew, not deleted", Caller, |m| m.renew(), 'S', again),
    ]
}

fn wait<S: SuiteBoard>(timeout: Timeout, letter: char) {
    let mutex = &S::objects().mutexes[0];
    if S::objects().log.result(mutex.lock(timeout)).is_ok() {
        S::objects().log.add(letter);
        let _ = mutex.unlock();
    }
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("mutex: every call in every state", |c| {
        check(c, &c.objects().mutexes[0], &rows('R'));
    });
    tally.case("mutex: every call in every state, recursive", |c| {
        check(c, &c.objects().recursive, &rows('.'));
    });
    recursion(tally);
    waits(tally);
    rings(tally);
    interrupts(tally);
}

fn recursion<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "mutex: a recursive one is unlocked as often as it was locked",
        |c| {
            let mutex = &c.objects().recursive;
            c.start(0, HIGH, || {
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                let _ = S::objects()
                    .log
                    .result(S::objects().recursive.lock(Timeout::NONE));
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                let _ = S::objects()
                    .log
                    .result(S::objects().recursive.lock(Timeout::NONE));
            });
            for _ in 0..3 {
                c.expect("lock", mutex.lock(Timeout::NONE), Ok(()));
            }
            c.expect("unlock", mutex.unlock(), Ok(()));
            c.expect("unlock", mutex.unlock(), Ok(()));
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect("unlock", mutex.unlock(), Ok(()));
            c.expect("unlock too often", mutex.unlock(), Err(Error::NotOwner));
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log("W.");
        },
    );
    tally.case("mutex: recursion has its limit", |c| {
        let mutex = &c.objects().recursive;
        for _ in 0..=u32::from(u16::MAX) {
            c.expect("lock", mutex.lock(Timeout::NONE), Ok(()));
        }
        c.expect("one more", mutex.lock(Timeout::NONE), Err(Error::Limit));
        for _ in 0..=u32::from(u16::MAX) {
            c.expect("unlock", mutex.unlock(), Ok(()));
        }
        c.expect("one more", mutex.unlock(), Err(Error::NotOwner));
    });
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "mutex: it is handed to the most urgent waiter, equals in their order",
        |c| {
            let mutex = &c.objects().mutexes[0];
            c.expect("lock", mutex.lock(Timeout::NONE), Ok(()));
            c.start(0, 8, || wait::<S>(Timeout::FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(Timeout::FOREVER, 'b'));
            c.start(2, 8, || wait::<S>(Timeout::FOREVER, 'c'));
            c.expect("unlock", mutex.unlock(), Ok(()));
            c.expect_log(".b.a.c");
            c.expect("free again", mutex.lock(Timeout::NONE), Ok(()));
        },
    );
    tally.case(
        "mutex: handed over, it belongs to the waiter at once",
        |c| {
            let mutex = &c.objects().plain;
            c.start(0, LOW, || {
                let _ = S::objects()
                    .log
                    .result(S::objects().plain.lock(Timeout::FOREVER));
                S::objects().log.add('a');
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
            });
            c.expect("lock", mutex.lock(Timeout::NONE), Ok(()));
            c.let_others_run();
            c.expect("unlock", mutex.unlock(), Ok(()));
            c.expect_state(0, State::Ready);
            c.expect("lock", mutex.lock(Timeout::NONE), Err(Error::WouldBlock));
            c.let_others_run();
            c.expect_log(".a");
        },
    );
    tally.case(
        "mutex: one whose time has passed no longer stands in the queue",
        |c| {
            let mutex = &c.objects().mutexes[0];
            c.expect("lock", mutex.lock(Timeout::NONE), Ok(()));
            c.start(0, 7, || wait::<S>(UNIT.into(), 'a'));
            c.start(1, 8, || wait::<S>(Timeout::FOREVER, 'b'));
            c.let_others_run();
            c.let_others_run();
            c.expect_log("T");
            c.expect("unlock", mutex.unlock(), Ok(()));
            c.expect_log(".b");
        },
    );
    tally.case(
        "mutex: two of one owner are unlocked in either order",
        |c| {
            let [first, second, third] = &c.objects().mutexes;
            for mutex in [first, second, third] {
                c.expect("lock", mutex.lock(Timeout::NONE), Ok(()));
            }
            for mutex in [second, first, third] {
                c.expect("unlock", mutex.unlock(), Ok(()));
                c.expect("unlock again", mutex.unlock(), Err(Error::NotOwner));
            }
        },
    );
}

fn rings<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "mutex: two threads and two mutexes do not close a ring",
        |c| {
            let [first, second, _] = &c.objects().mutexes;
            c.expect("lock", first.lock(Timeout::NONE), Ok(()));
            c.start(0, HIGH, || {
                let [first, second, _] = &S::objects().mutexes;
                let _ = S::objects().log.result(second.lock(Timeout::FOREVER));
                let _ = S::objects().log.result(first.lock(Timeout::FOREVER));
            });
            c.expect(
                "the second",
                second.lock(Timeout::FOREVER),
                Err(Error::Deadlock),
            );
            c.expect(
                "without waiting",
                second.lock(Timeout::NONE),
                Err(Error::WouldBlock),
            );
            c.expect("unlock", first.unlock(), Ok(()));
            c.expect_log("..");
        },
    );
    tally.case(
        "mutex: three threads and three mutexes do not close a ring",
        |c| {
            fn chain<S: SuiteBoard>(own: usize, wanted: usize) {
                let mutexes = &S::objects().mutexes;
                let _ = S::objects().log.result(mutexes[own].lock(Timeout::FOREVER));
                let _ = S::objects()
                    .log
                    .result(mutexes[wanted].lock(Timeout::FOREVER));
            }
            let mutexes = &c.objects().mutexes;
            c.expect("lock", mutexes[0].lock(Timeout::NONE), Ok(()));
            c.start(0, HIGH, || chain::<S>(1, 0));
            // More urgent still, for the main thread has inherited by now.
            c.start(1, HIGH - 1, || chain::<S>(2, 1));
            c.expect(
                "the last",
                mutexes[2].lock(Timeout::FOREVER),
                Err(Error::Deadlock),
            );
            c.expect("unlock", mutexes[0].unlock(), Ok(()));
            c.expect_log("....");
        },
    );
    tally.case("mutex: a join and a mutex do not close a ring", |c| {
        c.start(0, LOW, || {
            let mutex = &S::objects().mutexes[0];
            let _ = S::objects().log.result(mutex.lock(Timeout::FOREVER));
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
            let _ = mutex.unlock();
        });
        c.let_others_run();
        c.start(1, HIGH, || {
            let _ = S::objects()
                .log
                .result(S::objects().mutexes[0].lock(Timeout::FOREVER));
            let _ = S::objects()
                .log
                .result(S::objects().thread(0).join(Timeout::FOREVER));
        });
        c.start(2, HIGH, || {
            let _ = S::objects()
                .log
                .result(S::objects().thread(1).join(Timeout::FOREVER));
        });
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.let_others_run();
        c.expect_log("....");
    });
}

fn interrupts<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("mutex: a handler cannot wait for it", |c| {
        c.start(0, HIGH, || {
            let _ = S::objects().mutexes[0].lock(Timeout::FOREVER);
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
        });
        S::trigger_interrupt(|| {
            let _ = S::objects()
                .log
                .result(S::objects().mutexes[0].lock(Timeout::FOREVER));
        });
        c.expect_log("C");
    });
}
