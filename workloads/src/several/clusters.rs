//! Owns: the cases of mutexes that threads of two clusters share: owners that run where others wait for them.

use super::case::{Case, Tally, at, cpu};
use super::locks::{kind, mutex};
use super::objects::{CEILING, instance};
use super::processors::give_to_side;
use super::{Helper, SIDE, SeveralBoard, UNIT, WORK};
use taktos_kernel::{CpuSet, Error, State, Timeout};

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    help(tally);
    ends_of_help(tally);
    exclusion(tally);
}

/// Locks, ticks until the case's number is 1, unlocks and goes on.
fn own<S: SeveralBoard, const KIND: usize>(helper: &'static Helper<S>) {
    helper.tell_result(mutex::<S>(KIND).lock(Timeout::FOREVER));
    helper.spin_until(1);
    let _ = mutex::<S>(KIND).unlock();
    helper.spin();
}

/// Wants it.
fn want<S: SeveralBoard, const KIND: usize>(helper: &'static Helper<S>) {
    helper.tell_result(mutex::<S>(KIND).lock(Timeout::FOREVER));
    let _ = mutex::<S>(KIND).unlock();
    helper.spin_until(2);
}

/// Wants it, but not for ever.
fn want_briefly<S: SeveralBoard, const KIND: usize>(helper: &'static Helper<S>) {
    helper.tell_result(mutex::<S>(KIND).lock(Timeout::after(UNIT)));
}

/// Processor 3 goes to the other cluster. The helper 0 owns the mutex of this kind here, and two that are more urgent than any
/// ceiling keep it from the processors.
fn displaced_owner<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    give_to_side(c, &[3]);
    c.start(0, 10, own::<S, KIND>);
    c.expect_told("lock", 0, Ok(()));
    if matches!(KIND, kind::MRSP) {
        for name in [WORK, SIDE] {
            let set = instance::<S>(name)
                .and_then(|instance| mutex::<S>(KIND).set_ceiling(instance, at(CEILING)));
            c.ok("ceiling", set);
        }
    }
    for index in 1..3 {
        c.start(index, CEILING - 2, |h| h.spin());
    }
    c.expect_running("the owner is displaced", &[1, 2]);
    c.helper(0).forget();
}

/// The owner runs on the other cluster's processor, and nowhere else.
fn owner_is_helped<S: SeveralBoard>(c: &mut Case<S>) {
    c.expect_only_on(
        "the owner runs where it is waited for",
        0,
        CpuSet::of(cpu(3)),
    );
    c.expect("the other waits", c.helper(3).value(), 0);
}

/// A displaced owner is helped by a waiter of the other cluster, and no longer than until it unlocks.
fn helped<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    displaced_owner::<S, KIND>(c);
    c.start_in(3, 20, SIDE, want::<S, KIND>);
    owner_is_helped(c);
    S::objects().set_number(1);
    c.expect_told("then the other has it", 3, Ok(()));
    c.expect_running("and the owner waits at home again", &[1, 2, 3]);
    c.ok("deletion", c.helper(1).thread().delete());
    c.expect_running("until there is a processor", &[0, 2, 3]);
}

fn help<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "clusters: a displaced owner under MrsP runs in the place of who spins for it",
        |c| {
            helped::<S, { kind::MRSP }>(c);
        },
    );
    tally.case(
        "clusters: one with inheritance runs where somebody waits for it",
        |c| {
            helped::<S, { kind::INHERITANCE }>(c);
        },
    );
    tally.case("clusters: one under OMIP, too", |c| {
        helped::<S, { kind::OMIP }>(c)
    });
    tally.case("clusters: one without protocol is not helped", |c| {
        displaced_owner::<S, { kind::NONE }>(c);
        c.start_in(3, 20, SIDE, want::<S, { kind::NONE }>);
        let waiter = c.helper(3);
        c.soon("the other waits", || {
            waiter.thread().state() == State::Blocked
        });
        c.expect_running("and so does the owner", &[1, 2]);
        S::objects().set_number(1);
        c.ok("deletion", c.helper(1).thread().delete());
        c.expect_told("at last", 3, Ok(()));
    });
    tally.case(
        "clusters: who is more urgent there displaces a helped owner, too",
        |c| {
            displaced_owner::<S, { kind::INHERITANCE }>(c);
            c.start_in(3, 20, SIDE, want::<S, { kind::INHERITANCE }>);
            owner_is_helped(c);
            c.start_in(4, 19, SIDE, |h| h.spin());
            c.expect_running("it instead of the owner", &[1, 2, 4]);
            c.ok("deletion", c.helper(4).thread().delete());
            c.helper(0).forget();
            owner_is_helped(c);
            S::objects().set_number(1);
            c.expect_told("then the other has it", 3, Ok(()));
        },
    );
}

/// Help ends when the waiter has waited long enough.
fn timed<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    displaced_owner::<S, KIND>(c);
    c.start_in(3, 20, SIDE, want_briefly::<S, KIND>);
    c.expect_told("its wait", 3, Err::<(), _>(Error::Timeout));
    let helped = c.helper(0).seen().contains(cpu(3));
    c.expect("the owner was helped", helped, true);
    c.expect_running("and is not any more", &[1, 2]);
}

/// Help ends when the waiter is deleted.
fn deserted<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    displaced_owner::<S, KIND>(c);
    c.start_in(3, 20, SIDE, want::<S, KIND>);
    owner_is_helped(c);
    c.ok("deletion", c.helper(3).thread().delete());
    c.expect_running("it is not helped any more", &[1, 2]);
    S::objects().set_number(1);
    c.ok("deletion", c.helper(1).thread().delete());
    c.expect_running("it goes on at home", &[0, 2]);
}

/// A helped owner is deleted where it is helped; who waits has the mutex.
fn gone<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    displaced_owner::<S, KIND>(c);
    c.start_in(3, 20, SIDE, want::<S, KIND>);
    owner_is_helped(c);
    c.ok("deletion", c.helper(0).thread().delete());
    c.expect_told("the other has it", 3, Ok(()));
    c.expect_running("each in its place", &[1, 2, 3]);
}

fn ends_of_help<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("clusters: MrsP's help ends by a time-out", |c| {
        timed::<S, { kind::MRSP }>(c)
    });
    tally.case("clusters: inheritance's help ends by a time-out", |c| {
        timed::<S, { kind::INHERITANCE }>(c);
    });
    tally.case("clusters: OMIP's help ends by a time-out", |c| {
        timed::<S, { kind::OMIP }>(c)
    });
    tally.case("clusters: MrsP's help ends when the waiter does", |c| {
        deserted::<S, { kind::MRSP }>(c);
    });
    tally.case(
        "clusters: inheritance's help ends when the waiter does",
        |c| {
            deserted::<S, { kind::INHERITANCE }>(c);
        },
    );
    tally.case("clusters: OMIP's help ends when the waiter does", |c| {
        deserted::<S, { kind::OMIP }>(c);
    });
    tally.case(
        "clusters: an owner under MrsP is deleted while it is helped",
        |c| {
            gone::<S, { kind::MRSP }>(c);
        },
    );
    tally.case(
        "clusters: one with inheritance is deleted while it is helped",
        |c| {
            gone::<S, { kind::INHERITANCE }>(c);
        },
    );
    tally.case(
        "clusters: one under OMIP is deleted while it is helped",
        |c| {
            gone::<S, { kind::OMIP }>(c);
        },
    );
}

/// Threads of both clusters count with a mutex.
fn count<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    fn add<S: SeveralBoard, const KIND: usize>(helper: &'static Helper<S>) {
        let number = &S::objects().plain_number;
        for _ in 0..40 {
            if mutex::<S>(KIND).lock(Timeout::FOREVER).is_err() {
                return helper.tell(99);
            }
            let read = number.load(core::sync::atomic::Ordering::Relaxed);
            S::pause();
            number.store(read + 1, core::sync::atomic::Ordering::Relaxed);
            if mutex::<S>(KIND).unlock().is_err() {
                return helper.tell(98);
            }
        }
        helper.tell(1);
    }
    give_to_side(c, &[2, 3]);
    // Both ceilings are above all of them.
    c.ok("made", mutex::<S>(KIND).make());
    if KIND == kind::MRSP {
        let side = instance::<S>(SIDE);
        let set = side.and_then(|side| mutex::<S>(KIND).set_ceiling(side, at(CEILING)));
        c.ok("ceiling", set);
    }
    for index in 0..3 {
        c.start(index, 10 + index as u8, add::<S, KIND>);
    }
    for index in 3..6 {
        c.start_in(index, 10 + index as u8, SIDE, add::<S, KIND>);
    }
    for index in 0..6 {
        c.expect_told("no call failed", index, Ok(()));
    }
    let number = S::objects()
        .plain_number
        .load(core::sync::atomic::Ordering::Relaxed);
    c.expect("nothing is lost", number, 6 * 40);
}

fn exclusion<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("clusters: both count with a mutex without protocol", |c| {
        count::<S, { kind::NONE }>(c);
    });
    tally.case("clusters: with inheritance", |c| {
        count::<S, { kind::INHERITANCE }>(c)
    });
    tally.case("clusters: under OMIP", |c| count::<S, { kind::OMIP }>(c));
    tally.case("clusters: under MrsP", |c| count::<S, { kind::MRSP }>(c));
    tally.case("clusters: an immediate ceiling is for one cluster", |c| {
        give_to_side(c, &[3]);
        c.ok("made", mutex::<S>(kind::CEILING).make());
        c.start_in(0, 10, SIDE, |h| {
            h.tell_result(mutex::<S>(kind::CEILING).lock(Timeout::FOREVER));
        });
        c.expect_told("refused", 0, Err::<(), _>(Error::Parameter));
    });
}
