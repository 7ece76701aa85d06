//! Owns: the cases of mutexes that threads of two clusters share: owners that run where others wait
//! for them.

use super::case::{Case, Tally, at, cpu, spin};
use super::locks::{add, all_have_added, kind, mutex, own};
use super::objects::{CEILING, instance};
use super::processors::give_to_side;
use super::{Helper, SIDE, SeveralBoard, UNIT, WORK};
use taktos_kernel::{CpuSet, Duration, Error, Message, Timeout};

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("clusters");
    help(tally);
    turns(tally);
    ends_of_help(tally);
    exclusion(tally);
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

/// Both clusters have a ceiling, under MrsP.
fn set_ceilings<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    if KIND == kind::MRSP {
        for name in [WORK, SIDE] {
            let set = instance::<S>(name)
                .and_then(|instance| mutex::<S>(KIND).set_ceiling(instance, at(CEILING)));
            c.ok("ceiling", set);
        }
    }
}

/// Processor 3 goes to the other cluster. The helper 0 owns the mutex of this kind here, and two
/// that are more urgent than any ceiling keep it from the processors.
fn displaced_owner<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    give_to_side(c, &[3]);
    c.start(0, 10, own::<S, KIND>);
    c.expect_told("lock", 0, Ok(()));
    set_ceilings::<S, KIND>(c);
    c.start_spinning(1, [CEILING - 2; 2]);
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

/// A displaced owner is helped by a waiter of the other cluster, and no longer than until it
/// unlocks.
fn helped<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    displaced_owner::<S, KIND>(c);
    c.start_in(3, 20, SIDE, want::<S, KIND>);
    owner_is_helped(c);
    S::objects().set_number(1);
    c.expect_told("then the other has it", 3, Ok(()));
    c.expect_running("and the owner waits at home again", &[1, 2, 3]);
    c.ok("deletion", c.thread(1).delete());
    c.expect_running("until there is a processor", &[0, 2, 3]);
}

fn help<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a displaced owner under MrsP runs in the place of who spins for it",
        helped::<S, { kind::MRSP }>,
    );
    tally.case(
        "one with inheritance runs where somebody waits for it",
        helped::<S, { kind::INHERITANCE }>,
    );
    tally.case("one under OMIP, too", helped::<S, { kind::OMIP }>);
    tally.case("one without protocol is not helped", |c| {
        displaced_owner::<S, { kind::NONE }>(c);
        c.start_in(3, 20, SIDE, want::<S, { kind::NONE }>);
        c.expect_blocked("the other waits", 3);
        c.expect_running("and so does the owner", &[1, 2]);
        S::objects().set_number(1);
        c.ok("deletion", c.thread(1).delete());
        c.expect_told("at last", 3, Ok(()));
    });
    tally.case(
        "who is more urgent there displaces a helped owner, too",
        |c| {
            displaced_owner::<S, { kind::INHERITANCE }>(c);
            c.start_in(3, 20, SIDE, want::<S, { kind::INHERITANCE }>);
            owner_is_helped(c);
            c.start_in(4, 19, SIDE, spin);
            c.expect_running("it instead of the owner", &[1, 2, 4]);
            c.ok("deletion", c.thread(4).delete());
            c.helper(0).forget();
            owner_is_helped(c);
            S::objects().set_number(1);
            c.expect_told("then the other has it", 3, Ok(()));
        },
    );
}

/// Owns the mutex, sends to the helper 1, and continues.
fn own_and_send<S: SeveralBoard, const KIND: usize>(helper: &'static Helper<S>) {
    helper.tell_result(mutex::<S>(KIND).lock(Timeout::FOREVER));
    helper.spin_until(1);
    let receiver = S::objects().helper(1).thread();
    let _ = receiver.send(Message([1, 2]), Timeout::FOREVER);
    helper.spin_until(2);
    let _ = mutex::<S>(KIND).unlock();
}

/// Owns a mutex of its own, waits for the helper 0 with a time-out, and continues.
fn own_and_receive<S: SeveralBoard, const OWN: usize>(helper: &'static Helper<S>) {
    helper.tell_result(mutex::<S>(OWN).lock(Timeout::FOREVER));
    let sender = S::objects().helper(0).thread();
    helper.tell_result(sender.receive_from(Duration::from_secs(1).into()));
    helper.spin();
}

/// An owner wakes its equal, which inherits more. The owner loses its processor by that, and
/// continues at once in the instance of its waiter: its own processor does not know then which
/// thread runs next.
fn displaces_itself<S: SeveralBoard, const KIND: usize, const OWN: usize>(
    c: &mut Case<S>,
    level: u8,
) {
    give_to_side(c, &[3]);
    c.start(0, 20, own_and_send::<S, KIND>);
    c.expect_told("lock", 0, Ok(()));
    set_ceilings::<S, KIND>(c);
    c.start(1, level, own_and_receive::<S, OWN>);
    c.expect_blocked("it waits", 1);
    c.start(2, CEILING - 2, spin);
    c.start(4, CEILING - 1, want::<S, OWN>);
    c.expect_blocked("it waits", 4);
    c.start_in(3, 20, SIDE, want::<S, KIND>);
    c.never("the other has it", || S::objects().helper(3).value() != 0);
    c.helper(1).tell(0);
    S::objects().set_number(1);
    c.expect_told("the message", 1, Ok(()));
    c.helper(0).forget();
    owner_is_helped(c);
    S::objects().set_number(2);
    c.expect_told("then the other has it", 3, Ok(()));
}

fn turns<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "an owner with inheritance wakes who displaces it, and is helped",
        |c| displaces_itself::<S, { kind::INHERITANCE }, { kind::OMIP }>(c, 20),
    );
    tally.case(
        "an owner under OMIP wakes who displaces it, and is helped",
        |c| displaces_itself::<S, { kind::OMIP }, { kind::INHERITANCE }>(c, 20),
    );
    tally.case(
        "an owner under MrsP wakes who displaces it, and is helped",
        |c| displaces_itself::<S, { kind::MRSP }, { kind::INHERITANCE }>(c, CEILING),
    );
}

/// Help ends when the waiter has waited long enough.
fn timed<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    displaced_owner::<S, KIND>(c);
    c.start_in(3, 20, SIDE, want_briefly::<S, KIND>);
    c.expect_told("its wait", 3, Err::<(), _>(Error::Timeout));
    let helped = c.helper(0).seen().contains(cpu(3));
    c.expect_true("the owner was helped", helped);
    c.expect_running("and is not any more", &[1, 2]);
}

/// Help ends when the waiter is deleted.
fn deserted<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    displaced_owner::<S, KIND>(c);
    c.start_in(3, 20, SIDE, want::<S, KIND>);
    owner_is_helped(c);
    c.ok("deletion", c.thread(3).delete());
    c.expect_running("it is not helped any more", &[1, 2]);
    S::objects().set_number(1);
    c.ok("deletion", c.thread(1).delete());
    c.expect_running("it goes on at home", &[0, 2]);
}

/// A helped owner is deleted where it is helped; its waiter has the mutex.
fn gone<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    displaced_owner::<S, KIND>(c);
    c.start_in(3, 20, SIDE, want::<S, KIND>);
    owner_is_helped(c);
    c.ok("deletion", c.thread(0).delete());
    c.expect_told("the other has it", 3, Ok(()));
    c.expect_running("each in its place", &[1, 2, 3]);
}

fn ends_of_help<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("MrsP's help ends by a time-out", timed::<S, { kind::MRSP }>);
    tally.case(
        "inheritance's help ends by a time-out",
        timed::<S, { kind::INHERITANCE }>,
    );
    tally.case("OMIP's help ends by a time-out", timed::<S, { kind::OMIP }>);
    tally.case(
        "MrsP's help ends when the waiter does",
        deserted::<S, { kind::MRSP }>,
    );
    tally.case(
        "inheritance's help ends when the waiter does",
        deserted::<S, { kind::INHERITANCE }>,
    );
    tally.case(
        "OMIP's help ends when the waiter does",
        deserted::<S, { kind::OMIP }>,
    );
    tally.case(
        "an owner under MrsP is deleted while it is helped",
        gone::<S, { kind::MRSP }>,
    );
    tally.case(
        "one with inheritance is deleted while it is helped",
        gone::<S, { kind::INHERITANCE }>,
    );
    tally.case(
        "one under OMIP is deleted while it is helped",
        gone::<S, { kind::OMIP }>,
    );
}

/// Threads of both clusters count with a mutex.
fn count<S: SeveralBoard, const KIND: usize>(c: &mut Case<S>) {
    give_to_side(c, &[2, 3]);
    // Both ceilings are above all of them.
    c.ok("made", mutex::<S>(KIND).make());
    set_ceilings::<S, KIND>(c);
    for index in 0..3 {
        c.start(index, 10 + index as u8, add::<S, KIND>);
    }
    for index in 3..6 {
        c.start_in(index, 10 + index as u8, SIDE, add::<S, KIND>);
    }
    all_have_added(c, 6);
}

fn exclusion<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "both count with a mutex without protocol",
        count::<S, { kind::NONE }>,
    );
    tally.case("with inheritance", count::<S, { kind::INHERITANCE }>);
    tally.case("under OMIP", count::<S, { kind::OMIP }>);
    tally.case("under MrsP", count::<S, { kind::MRSP }>);
    tally.case("an immediate ceiling is for one cluster", |c| {
        give_to_side(c, &[3]);
        c.ok("made", mutex::<S>(kind::CEILING).make());
        c.start_in(0, 10, SIDE, |h| {
            h.tell_result(mutex::<S>(kind::CEILING).lock(Timeout::FOREVER));
        });
        c.expect_told("refused", 0, Err::<(), _>(Error::Parameter));
    });
}
