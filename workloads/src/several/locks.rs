//! Owns: the cases of mutexes among threads on several processors of one cluster, of each kind.

use super::WORK;
use super::case::{Case, Tally, at};
use super::objects::CEILING;
use super::objects::instance;
use super::{Helper, SeveralBoard, UNIT};
use core::sync::atomic::Ordering::Relaxed;
use taktos_kernel::{AnyThread, ClusterMutex, Error, State, Timeout};

/// How often each helper locks.
const ROUNDS: u32 = 60;

/// The kinds of cluster mutexes, by their place among the objects.
pub(super) mod kind {
    pub const NONE: usize = 0;
    pub const INHERITANCE: usize = 1;
    pub const OMIP: usize = 2;
    pub const CEILING: usize = 3;
    pub const MRSP: usize = 4;
}

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("locks");
    exclusion(tally);
    limits(tally);
    ends(tally);
    turns(tally);
    ceilings(tally);
    urgency(tally);
}

/// The cluster mutex of a kind.
pub(super) fn mutex<S: SeveralBoard>(kind: usize) -> &'static ClusterMutex<S> {
    &S::objects().cluster[kind]
}

/// Adds one to the plain number, slowly and without any protection.
fn add_one<S: SeveralBoard>() {
    let number = &S::objects().plain_number;
    let read = number.load(Relaxed);
    S::pause();
    S::pause();
    number.store(read + 1, Relaxed);
}

/// Adds to the plain number with the cluster mutex `KIND`.
pub(super) fn add<S: SeveralBoard, const KIND: usize>(helper: &'static Helper<S>) {
    for _ in 0..ROUNDS {
        let locked = mutex::<S>(KIND).lock(Timeout::FOREVER);
        if locked.is_err() {
            return helper.tell_result(locked);
        }
        add_one::<S>();
        let unlocked = mutex::<S>(KIND).unlock();
        if unlocked.is_err() {
            return helper.tell_result(unlocked);
        }
        helper.tick();
    }
    helper.tell(1);
}

pub(super) fn all_have_added<S: SeveralBoard>(c: &mut Case<S>, helpers: u32) {
    c.expect_all_told("no call failed", 0..helpers as usize);
    let number = S::objects().plain_number.load(Relaxed);
    c.expect("nothing is lost", number, helpers * ROUNDS);
}

fn exclude<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    for index in 0..5 {
        c.start(index, 10 + index as u8 % 2, add::<S, KIND>);
    }
    all_have_added(c, 5);
}

fn exclusion<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("without one, updates on several processors are lost", |c| {
        // Otherwise the cases that follow would show nothing.
        c.start_each(0..3, 10, |h| {
            while S::objects().number() == 0 {
                S::pause();
            }
            for _ in 0..ROUNDS * 20 {
                add_one::<S>();
            }
            h.tell(1);
        });
        S::objects().set_number(1);
        c.expect_all_told("done", 0..3);
        let number = S::objects().plain_number.load(Relaxed);
        c.expect_true("some are lost", number < 3 * ROUNDS * 20);
    });
    tally.case("a mutex excludes", |c| {
        for index in 0..5 {
            c.start(index, 10 + index as u8 % 2, |h| {
                for _ in 0..ROUNDS {
                    let _ = S::objects().mutex.lock(Timeout::FOREVER);
                    add_one::<S>();
                    let _ = S::objects().mutex.unlock();
                }
                h.tell(1);
            });
        }
        all_have_added(c, 5);
    });
    tally.case(
        "a cluster mutex without protocol excludes",
        exclude::<S, { kind::NONE }>,
    );
    tally.case(
        "one with inheritance excludes",
        exclude::<S, { kind::INHERITANCE }>,
    );
    tally.case("one under OMIP excludes", exclude::<S, { kind::OMIP }>);
    tally.case(
        "one with a ceiling excludes",
        exclude::<S, { kind::CEILING }>,
    );
    tally.case("one under MrsP excludes", exclude::<S, { kind::MRSP }>);
}

/// Locks all cluster mutexes, and keeps them until the case's number is 1.
fn own_all<S: SeveralBoard>(helper: &'static Helper<S>) {
    for mutex in &S::objects().cluster {
        let locked = mutex.lock(Timeout::FOREVER);
        if locked.is_err() {
            return helper.tell_result(locked);
        }
    }
    helper.tell(1);
    helper.spin_until(1);
    for mutex in &S::objects().cluster {
        let _ = mutex.unlock();
    }
    helper.take_place();
    helper.spin();
}

fn limits<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "waits for each kind end by time-outs, and then it can be had",
        |c| {
            c.start(0, 10, own_all);
            c.expect_told("its locks", 0, Ok(()));
            c.start(1, 11, |h| {
                for mutex in &S::objects().cluster {
                    let tried = mutex.lock(Timeout::NONE);
                    let locked = mutex.lock(Timeout::after(UNIT));
                    if tried != Err(Error::WouldBlock) || locked != Err(Error::Timeout) {
                        return h.tell(99);
                    }
                    h.tick();
                }
                h.tell(1);
                S::objects().set_number(1);
                for mutex in &S::objects().cluster {
                    if mutex.lock(Timeout::FOREVER).is_err() || mutex.unlock().is_err() {
                        return h.tell(98);
                    }
                }
                h.take_place();
            });
            c.expect_told("time-outs", 1, Ok(()));
            let helper = c.helper(1);
            c.soon("it had them all", || helper.place() != 0);
            c.expect("no error", helper.value(), 1);
        },
    );
    tally.case(
        "only the owner unlocks, and what is owned is not deleted",
        |c| {
            c.start(0, 10, own_all);
            c.expect_told("its locks", 0, Ok(()));
            for mutex in &S::objects().cluster {
                c.expect_error("another's unlock", mutex.unlock(), Error::NotOwner);
                c.expect_error("deletion", mutex.delete(), Error::InUse);
            }
            S::objects().set_number(1);
            let helper = c.helper(0);
            c.soon("all are free", || helper.place() != 0);
        },
    );
    tally.case("who is more urgent than a ceiling may not lock", |c| {
        c.start(0, CEILING - 1, |h| {
            let refused = |kind| mutex::<S>(kind).lock(Timeout::FOREVER);
            // Made by a thread that may lock, at home in the instance that the ceiling is for.
            h.spin_until(1);
            let both = [refused(kind::CEILING), refused(kind::MRSP)];
            h.tell(if both == [Err(Error::Ceiling); 2] {
                1
            } else {
                99
            });
        });
        c.start(1, 10, |h| {
            for kind in [kind::CEILING, kind::MRSP] {
                let _ = mutex::<S>(kind).lock(Timeout::FOREVER);
                let _ = mutex::<S>(kind).unlock();
            }
            S::objects().set_number(1);
            h.tell(1);
        });
        c.expect_told("refused", 0, Ok(()));
    });
}

fn ends<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("what a deleted thread owned goes to those who wait", |c| {
        for mutex in 0..S::objects().cluster.len() {
            S::objects().set_number(mutex as u32);
            c.start(0, 10, |h| {
                let mutex = &S::objects().cluster[S::objects().number() as usize];
                h.tell_result(mutex.lock(Timeout::FOREVER));
                h.spin();
            });
            c.expect_told("lock", 0, Ok(()));
            c.start(1, 11, |h| {
                let mutex = &S::objects().cluster[S::objects().number() as usize];
                h.tick();
                h.tell_result(mutex.lock(Timeout::FOREVER));
                let _ = mutex.unlock();
            });
            let waiter = c.helper(1);
            c.soon("it asks", || waiter.ticks() == 1);
            c.never("it waits", || waiter.value() != 0);
            c.ok("deletion", c.thread(0).delete());
            c.expect_told("it has it", 1, Ok(()));
            c.ok("its end", waiter.thread().join(Timeout::FOREVER));
            c.ok("deletion", waiter.thread().delete());
            super::busy::<S>(1);
            c.helper(0).reset();
            c.helper(1).reset();
        }
    });
    tally.case(
        "a thread that waits is deleted, and the others get their turns",
        |c| {
            for mutex in 0..S::objects().cluster.len() {
                S::objects().set_number(100 + mutex as u32);
                for index in 0..3 {
                    c.start(index, 10, |h| {
                        let mutex = &S::objects().cluster[S::objects().number() as usize - 100];
                        h.tick();
                        h.tell_result(mutex.lock(Timeout::FOREVER));
                        h.spin_until(200);
                        let _ = mutex.unlock();
                        h.take_place();
                    });
                    let helper = c.helper(index);
                    c.soon("it asks", || helper.ticks() > 0);
                    if index == 0 {
                        c.expect_told("lock", 0, Ok(()));
                    }
                }
                super::busy::<S>(1);
                c.expect(
                    "both wait",
                    (c.helper(1).value(), c.helper(2).value()),
                    (0, 0),
                );
                c.ok("deletion", c.thread(1).delete());
                S::objects().set_number(200);
                c.expect_told("the third has it", 2, Ok(()));
                let helper = c.helper(2);
                c.soon("all are done", || helper.place() != 0);
                c.ok("its end", helper.thread().join(Timeout::FOREVER));
                for index in [0, 2] {
                    c.ok("deletion", c.thread(index).delete());
                }
                super::busy::<S>(1);
                (0..3).for_each(|index| c.helper(index).reset());
            }
        },
    );
}

/// The helper 0 owns the cluster mutex `KIND` until the case's number is 1, and the helpers 1 and 2
/// wait for it, the second the more urgent one.
fn two_wait<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    c.start(0, 13, |h| {
        h.tell_result(mutex::<S>(KIND).lock(Timeout::FOREVER));
        h.spin_until(1);
        let _ = mutex::<S>(KIND).unlock();
        h.take_place();
    });
    c.expect_told("lock", 0, Ok(()));
    for index in [1, 2] {
        c.start(index, 13 - index as u8, |h| {
            let locked = mutex::<S>(KIND).lock(Timeout::FOREVER);
            h.take_place();
            h.tell_result(locked.and(mutex::<S>(KIND).unlock()));
        });
        c.expect_blocked("it waits", index);
    }
}

/// The order of two waiters is that of their priorities when the mutex is unlocked.
fn waits_by_priority<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    two_wait::<S, KIND>(c);
    let changed = c.thread(1).set_priority(at(10));
    c.ok("a more urgent priority", changed);
    S::objects().set_number(1);
    c.expect_all_told("its turn", [1, 2]);
    let places = [1, 2].map(|index| c.helper(index).place());
    c.expect_true("the first is served first", places[0] < places[1]);
}

/// One that is stopped while it waits is passed over.
fn stopped_while_it_waits<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    two_wait::<S, KIND>(c);
    c.ok("stop", c.thread(2).stop());
    S::objects().set_number(1);
    c.expect_told("the other has it", 1, Ok(()));
    c.expect("who was stopped has not", c.helper(2).value(), 0);
    let state = c.thread(2).state();
    c.expect("it is dormant", state, State::Dormant);
    c.start(3, 12, |h| {
        h.tell_result(mutex::<S>(KIND).lock(Timeout::NONE));
        let _ = mutex::<S>(KIND).unlock();
    });
    c.expect_told("a third finds it free", 3, Ok(()));
}

fn turns<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "waiters of one without protocol are served by their present priorities",
        waits_by_priority::<S, { kind::NONE }>,
    );
    tally.case(
        "those of one with a ceiling, too",
        waits_by_priority::<S, { kind::CEILING }>,
    );
    tally.case(
        "those of one with inheritance, too",
        waits_by_priority::<S, { kind::INHERITANCE }>,
    );
    tally.case(
        "who is stopped while it waits for one without protocol is passed over",
        stopped_while_it_waits::<S, { kind::NONE }>,
    );
    tally.case(
        "so is one that waits for one with a ceiling",
        stopped_while_it_waits::<S, { kind::CEILING }>,
    );
    tally.case(
        "so is one that waits for one with inheritance",
        stopped_while_it_waits::<S, { kind::INHERITANCE }>,
    );
}

/// The helper 0, of little urgency, locks the cluster mutex `KIND` and waits for a permit; the
/// helper 1, between it and the ceiling, waits for one before.
fn owner_and_other_wait<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    c.start(1, 10, |h| {
        let taken = S::objects().semaphores[0].take(Timeout::FOREVER);
        h.tell_result(taken);
        h.take_place();
    });
    c.start(0, 20, |h| {
        let locked = mutex::<S>(KIND).lock(Timeout::FOREVER);
        let taken = S::objects().semaphores[0].take(Timeout::FOREVER);
        h.tell_result(locked.and(taken));
        h.take_place();
        let _ = mutex::<S>(KIND).unlock();
        h.take_place();
    });
    for index in 0..2 {
        c.expect_blocked("it waits", index);
    }
}

/// An owner waits by its ceiling, and in the order that follows from another one.
fn owner_waits_by_ceiling<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    let permits = &S::objects().semaphores[0];
    owner_and_other_wait::<S, KIND>(c);
    c.ok("permit", permits.give());
    c.expect_told("the owner is served first", 0, Ok(()));
    c.expect("and not the other", c.helper(1).value(), 0);
    c.ok("permit", permits.give());
    c.expect_told("then the other", 1, Ok(()));
}

fn ceilings<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "an owner waits for others by its ceiling",
        owner_waits_by_ceiling::<S, { kind::CEILING }>,
    );
    tally.case(
        "an owner under MrsP, too",
        owner_waits_by_ceiling::<S, { kind::MRSP }>,
    );
    tally.case("a ceiling that is changed counts at once", |c| {
        let permits = &S::objects().semaphores[0];
        owner_and_other_wait::<S, { kind::CEILING }>(c);
        let set = instance::<S>(WORK)
            .and_then(|instance| mutex::<S>(kind::CEILING).set_ceiling(instance, at(15)));
        c.ok("a less urgent ceiling", set);
        c.ok("permit", permits.give());
        c.expect_told("the other is served first", 1, Ok(()));
        c.expect("and not the owner", c.helper(0).value(), 0);
        c.ok("permit", permits.give());
        c.expect_told("then the owner", 0, Ok(()));
    });
    tally.case("an owner that blocks leaves its processor", |c| {
        c.start(0, 20, |h| {
            h.tell_result(mutex::<S>(kind::MRSP).lock(Timeout::FOREVER));
            let taken = S::objects().semaphores[0].take(Timeout::FOREVER);
            h.tell_result(taken);
            // By its own priority it waits for a processor.
            let _ = mutex::<S>(kind::MRSP).unlock();
        });
        c.expect_told("lock", 0, Ok(()));
        c.expect_blocked("it waits", 0);
        c.start_spinning(1, [15; 3]);
        c.expect_running("others have all processors", &[1, 2, 3]);
        c.helper(0).reset();
        c.ok("permit", S::objects().semaphores[0].give());
        c.expect_told("it goes on by its ceiling", 0, Ok(()));
    });
}

/// A thread of little urgency owns a lock, three of more urgency keep it from the processors, and
/// one that is urgent wants the lock: whether the owner then runs.
fn inversion<S: SeveralBoard>(
    c: &mut Case<S>,
    own: fn(&'static Helper<S>),
    want: fn(&'static Helper<S>),
) {
    c.start(0, 25, own);
    c.expect_told("lock", 0, Ok(()));
    c.start_spinning(1, [15; 3]);
    c.start(4, 8, want);
}

/// Locks, ticks until the case's number is 1, unlocks and continues.
pub(super) fn own<S: SeveralBoard, const KIND: usize>(helper: &'static Helper<S>) {
    helper.tell_result(mutex::<S>(KIND).lock(Timeout::FOREVER));
    helper.spin_until(1);
    let _ = mutex::<S>(KIND).unlock();
    helper.spin();
}

fn want<S: SeveralBoard, const KIND: usize>(helper: &'static Helper<S>) {
    helper.tell_result(mutex::<S>(KIND).lock(Timeout::FOREVER));
    let _ = mutex::<S>(KIND).unlock();
}

/// The owner runs until it unlocks, and not after that.
fn owner_runs<S: SeveralBoard>(c: &mut Case<S>) {
    let owner = c.helper(0);
    let ticks = owner.ticks();
    c.soon("the owner runs", || owner.ticks() > ticks + 2);
    c.expect("the other waits", c.helper(4).value(), 0);
    S::objects().set_number(1);
    c.expect_told("then the other has it", 4, Ok(()));
    c.expect_running("and the owner waits again", &[1, 2, 3]);
}

/// The owner of the cluster mutex `KIND` runs for an urgent waiter.
fn kind_runs<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    inversion(c, own::<S, KIND>, want::<S, KIND>);
    owner_runs(c);
}

fn urgency<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "the owner of a mutex runs for an urgent waiter, wherever",
        |c| {
            fn own<S: SeveralBoard>(helper: &'static Helper<S>) {
                helper.tell_result(S::objects().mutex.lock(Timeout::FOREVER));
                helper.spin_until(1);
                let _ = S::objects().mutex.unlock();
                helper.spin();
            }
            fn want<S: SeveralBoard>(helper: &'static Helper<S>) {
                helper.tell_result(S::objects().mutex.lock(Timeout::FOREVER));
                let _ = S::objects().mutex.unlock();
            }
            inversion(c, own, want);
            owner_runs(c);
        },
    );
    tally.case(
        "that of a cluster mutex with inheritance",
        kind_runs::<S, { kind::INHERITANCE }>,
    );
    tally.case("that of one under OMIP", kind_runs::<S, { kind::OMIP }>);
    tally.case(
        "that of one with a ceiling",
        kind_runs::<S, { kind::CEILING }>,
    );
    tally.case("that of one under MrsP", kind_runs::<S, { kind::MRSP }>);
    tally.case("that of one without protocol waits", |c| {
        inversion(c, own::<S, { kind::NONE }>, want::<S, { kind::NONE }>);
        c.expect_blocked("the other waits", 4);
        c.expect_running("and so does the owner", &[1, 2, 3]);
        S::objects().set_number(1);
        c.ok("main sleeps", AnyThread::<S>::sleep(UNIT));
        c.expect_told("a free processor helps", 4, Ok(()));
    });
}
