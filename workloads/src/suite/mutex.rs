//! Owns: the cases of mutexes: ownership, recursion, waiting, deletion. Priorities are elsewhere.

use super::case::Tally;
use super::log::letter;
use super::{FOREVER, HIGH, LOW, NONE, SuiteBoard, UNIT, log_result, wait_for_permit};
use taktos_kernel::{Error, Mutex, State, Timeout};

/// Owner of the mutex before the call.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    Nobody,
    Caller,
    Another,
    /// It is deleted.
    Gone,
}

/// Name, state before, call, result; the state after is looked at by a lock that does not wait.
struct Row<S: SuiteBoard>(&'static str, Owner, Call<S>, char, char);

type Call<S> = fn(&'static Mutex<S>) -> Result<(), Error>;

fn bring_into<S: SuiteBoard>(c: &mut super::Case<S>, mutex: &'static Mutex<S>, owner: Owner) {
    match owner {
        Owner::Nobody => {}
        Owner::Caller => c.ok("lock", mutex.lock(NONE)),
        Owner::Another => {
            c.start(0, LOW, || {
                for mutex in [&S::objects().mutexes[0], &S::objects().recursive] {
                    let _ = mutex.lock(FOREVER);
                }
                wait_for_permit::<S>();
            });
            c.let_others_run();
        }
        Owner::Gone => c.ok("deletion", mutex.delete()),
    }
}

fn check<S: SuiteBoard>(c: &mut super::Case<S>, mutex: &'static Mutex<S>, rows: &[Row<S>]) {
    for Row(name, before, call, result, lock_after) in rows {
        S::objects().reset();
        bring_into(c, mutex, *before);
        c.expect(name, letter(&call(mutex)), *result);
        c.expect(name, letter(&mutex.lock(NONE)), *lock_after);
    }
    S::objects().reset();
}

fn rows<S: SuiteBoard>(again: char) -> [Row<S>; 16] {
    use Owner::{Another, Caller, Gone, Nobody};
    let [lock, try_lock, wait]: [Call<S>; 3] = [
        |m| m.lock(FOREVER),
        |m| m.lock(NONE),
        |m| m.lock(UNIT.into()),
    ];
    let unlock: Call<S> = |m| m.unlock();
    let [delete, renew]: [Call<S>; 2] = [|m| m.delete(), |m| m.renew()];
    [
        Row("lock, free", Nobody, lock, '.', again),
        Row("lock, own", Caller, lock, again, again),
        Row("lock, another's, no wait", Another, try_lock, 'W', 'W'),
        Row("lock, another's, some time", Another, wait, 'T', 'W'),
        Row("lock, deleted", Gone, lock, 'D', 'D'),
        Row("lock, deleted, no wait", Gone, try_lock, 'D', 'D'),
        Row("unlock, free", Nobody, unlock, 'N', '.'),
        Row("unlock, own", Caller, unlock, '.', '.'),
        Row("unlock, another's", Another, unlock, 'N', 'W'),
        Row("unlock, deleted", Gone, unlock, 'D', 'D'),
        Row("delete, free", Nobody, delete, '.', 'D'),
        Row("delete, own", Caller, delete, 'U', again),
        Row("delete, another's", Another, delete, 'U', 'W'),
        Row("delete, deleted", Gone, delete, 'D', 'D'),
        Row("renew, deleted", Gone, renew, '.', '.'),
        Row("renew, not deleted", Caller, renew, 'S', again),
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
    tally.about("mutex");
    tally.case("every call in every state", |c| {
        check(c, &c.objects().mutexes[0], &rows('R'));
    });
    tally.case("every call in every state, recursive", |c| {
        check(c, &c.objects().recursive, &rows('.'));
    });
    recursion(tally);
    waits(tally);
    rings(tally);
    interrupts(tally);
}

fn recursion<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a recursive one is unlocked as often as it was locked",
        |c| {
            let mutex = &c.objects().recursive;
            c.start(0, HIGH, || {
                wait_for_permit::<S>();
                log_result::<S>(S::objects().recursive.lock(NONE));
                wait_for_permit::<S>();
                log_result::<S>(S::objects().recursive.lock(NONE));
            });
            for _ in 0..3 {
                c.ok("lock", mutex.lock(NONE));
            }
            c.ok("unlock", mutex.unlock());
            c.ok("unlock", mutex.unlock());
            c.ok("give", c.objects().semaphore.give());
            c.ok("unlock", mutex.unlock());
            c.expect_error("unlock too often", mutex.unlock(), Error::NotOwner);
            c.ok("give", c.objects().semaphore.give());
            c.expect_log("W.");
        },
    );
    tally.case("recursion has its limit", |c| {
        let mutex = &c.objects().recursive;
        for _ in 0..=u32::from(u16::MAX) {
            c.ok("lock", mutex.lock(NONE));
        }
        c.expect_error("one more", mutex.lock(NONE), Error::Limit);
        for _ in 0..=u32::from(u16::MAX) {
            c.ok("unlock", mutex.unlock());
        }
        c.expect_error("one more", mutex.unlock(), Error::NotOwner);
    });
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "it is handed to the most urgent waiter, equals in their order",
        |c| {
            let mutex = &c.objects().mutexes[0];
            c.ok("lock", mutex.lock(NONE));
            c.start(0, 8, || wait::<S>(FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(FOREVER, 'b'));
            c.start(2, 8, || wait::<S>(FOREVER, 'c'));
            c.ok("unlock", mutex.unlock());
            c.expect_log(".b.a.c");
            c.ok("free again", mutex.lock(NONE));
        },
    );
    tally.case("handed over, it belongs to the waiter at once", |c| {
        let mutex = &c.objects().plain;
        c.start(0, LOW, || {
            log_result::<S>(S::objects().plain.lock(FOREVER));
            S::objects().log.add('a');
            wait_for_permit::<S>();
        });
        c.ok("lock", mutex.lock(NONE));
        c.let_others_run();
        c.ok("unlock", mutex.unlock());
        c.expect_state(0, State::Ready);
        c.expect_error("lock", mutex.lock(NONE), Error::WouldBlock);
        c.let_others_run();
        c.expect_log(".a");
    });
    tally.case(
        "one whose time has passed no longer stands in the queue",
        |c| {
            let mutex = &c.objects().mutexes[0];
            c.ok("lock", mutex.lock(NONE));
            c.start(0, 7, || wait::<S>(UNIT.into(), 'a'));
            c.start(1, 8, || wait::<S>(FOREVER, 'b'));
            c.let_time_outs_pass();
            c.expect_log("T");
            c.ok("unlock", mutex.unlock());
            c.expect_log(".b");
        },
    );
    tally.case("two of one owner are unlocked in either order", |c| {
        let [first, second, third] = &c.objects().mutexes;
        for mutex in [first, second, third] {
            c.ok("lock", mutex.lock(NONE));
        }
        for mutex in [second, first, third] {
            c.ok("unlock", mutex.unlock());
            c.expect_error("unlock again", mutex.unlock(), Error::NotOwner);
        }
    });
}

fn rings<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("two threads and two mutexes do not close a ring", |c| {
        let [first, second, _] = &c.objects().mutexes;
        c.ok("lock", first.lock(NONE));
        c.start(0, HIGH, || {
            let [first, second, _] = &S::objects().mutexes;
            log_result::<S>(second.lock(FOREVER));
            log_result::<S>(first.lock(FOREVER));
        });
        c.expect_error("the second", second.lock(FOREVER), Error::Deadlock);
        c.expect_error("without waiting", second.lock(NONE), Error::WouldBlock);
        c.ok("unlock", first.unlock());
        c.expect_log("..");
    });
    tally.case("three threads and three mutexes do not close a ring", |c| {
        fn chain<S: SuiteBoard>(own: usize, wanted: usize) {
            let mutexes = &S::objects().mutexes;
            log_result::<S>(mutexes[own].lock(FOREVER));
            log_result::<S>(mutexes[wanted].lock(FOREVER));
        }
        let mutexes = &c.objects().mutexes;
        c.ok("lock", mutexes[0].lock(NONE));
        c.start(0, HIGH, || chain::<S>(1, 0));
        // More urgent still, for the main thread has inherited by now.
        c.start(1, HIGH - 1, || chain::<S>(2, 1));
        c.expect_error("the last", mutexes[2].lock(FOREVER), Error::Deadlock);
        c.ok("unlock", mutexes[0].unlock());
        c.expect_log("....");
    });
    tally.case("a join and a mutex do not close a ring", |c| {
        c.start(0, LOW, || {
            let mutex = &S::objects().mutexes[0];
            log_result::<S>(mutex.lock(FOREVER));
            wait_for_permit::<S>();
            let _ = mutex.unlock();
        });
        c.let_others_run();
        c.start(1, HIGH, || {
            log_result::<S>(S::objects().mutexes[0].lock(FOREVER));
            log_result::<S>(S::objects().thread(0).join(FOREVER));
        });
        c.start(2, HIGH, || {
            log_result::<S>(S::objects().thread(1).join(FOREVER));
        });
        c.ok("give", c.objects().semaphore.give());
        c.let_others_run();
        c.expect_log("....");
    });
}

fn interrupts<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a handler cannot wait for it", |c| {
        c.start(0, HIGH, || {
            let _ = S::objects().mutexes[0].lock(FOREVER);
            wait_for_permit::<S>();
        });
        S::trigger_interrupt(|| {
            log_result::<S>(S::objects().mutexes[0].lock(FOREVER));
        });
        c.expect_log("C");
    });
}
