//! Every status of every protocol: state before, call, answer, state after.

use crate::world::World;
use taktos_schedule::smp::*;

const PROTOCOLS: [Protocol; 4] = [
    Protocol::None,
    Protocol::Inheritance,
    Protocol::Ceiling,
    Protocol::MrsP,
];

/// The state before: of the lock, as the caller sees it, and of the caller.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Before {
    Free,
    Mine,
    MineTwice,
    Others,
    /// The owner waits for a lock of the caller's.
    Circle,
    /// The owner waits for a thread that waits for a lock of the caller's.
    LongCircle,
    FreeTooUrgent,
    BusyTooUrgent,
    CircleTooUrgent,
    /// The caller is of another cluster than the lock's creator.
    ForeignFree,
    ForeignBusy,
    Asleep,
    Waiting,
    Deleted,
}
use Before::*;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Call {
    Try,
    Wait,
    Surrender,
    Delete,
    Flush,
    TimeOut,
    SetCeiling,
    SetForeignCeiling,
    SetCeilingBeyond,
}
use Call::*;

/// The result of any call, in one type.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Answer {
    Is(Obtained),
    Done,
    Refused(Error),
}
use Answer::{Done, Is};

const OWNED: Answer = Is(Obtained::Owned);
const WAITS: Answer = Is(Obtained::Waiting);
const SPINS: Answer = Is(Obtained::Spinning);
const STATE: Answer = Answer::Refused(Error::IncorrectState);
const BUSY: Answer = Answer::Refused(Error::Unsatisfied);
const UNDEF: Answer = Answer::Refused(Error::NotDefined);
const PRIO: Answer = Answer::Refused(Error::InvalidPriority);
const OWNER: Answer = Answer::Refused(Error::NotOwner);
const INUSE: Answer = Answer::Refused(Error::ResourceInUse);
const NO_ID: Answer = Answer::Refused(Error::InvalidId);

/// Answers for no protocol, inheritance, ceiling, MrsP.
const TABLE: &[(Before, Call, [Answer; 4])] = &[
    (Free, Try, [OWNED, OWNED, OWNED, OWNED]),
    (Free, Wait, [OWNED, OWNED, OWNED, OWNED]),
    (Free, Surrender, [OWNER, OWNER, OWNER, OWNER]),
    (Free, Delete, [Done, Done, Done, Done]),
    (Free, Flush, [Done, Done, Done, UNDEF]),
    (Free, TimeOut, [STATE, STATE, STATE, STATE]),
    (Free, SetCeiling, [UNDEF, UNDEF, Done, Done]),
    (Free, SetForeignCeiling, [UNDEF, UNDEF, UNDEF, Done]),
    (Free, SetCeilingBeyond, [UNDEF, UNDEF, PRIO, PRIO]),
    (Mine, Try, [OWNED, OWNED, OWNED, STATE]),
    (Mine, Wait, [OWNED, OWNED, OWNED, STATE]),
    (Mine, Surrender, [Done, Done, Done, Done]),
    (Mine, Delete, [INUSE, INUSE, INUSE, INUSE]),
    (Mine, Flush, [Done, Done, Done, UNDEF]),
    (Mine, SetCeiling, [UNDEF, UNDEF, Done, Done]),
    (MineTwice, Surrender, [Done, Done, Done, Done]),
    (MineTwice, Delete, [INUSE, INUSE, INUSE, INUSE]),
    (Others, Try, [BUSY, BUSY, BUSY, BUSY]),
    (Others, Wait, [WAITS, WAITS, WAITS, SPINS]),
    (Others, Surrender, [OWNER, OWNER, OWNER, OWNER]),
    (Others, Delete, [INUSE, INUSE, INUSE, INUSE]),
    (Circle, Try, [BUSY, BUSY, BUSY, BUSY]),
    (Circle, Wait, [STATE, STATE, STATE, STATE]),
    (LongCircle, Wait, [STATE, STATE, STATE, STATE]),
    (FreeTooUrgent, Try, [OWNED, OWNED, PRIO, PRIO]),
    (FreeTooUrgent, Wait, [OWNED, OWNED, PRIO, PRIO]),
    (BusyTooUrgent, Try, [BUSY, BUSY, BUSY, BUSY]),
    (BusyTooUrgent, Wait, [WAITS, WAITS, WAITS, PRIO]),
    (CircleTooUrgent, Wait, [STATE, STATE, STATE, PRIO]),
    (ForeignFree, Try, [OWNED, OWNED, UNDEF, OWNED]),
    (ForeignFree, Wait, [OWNED, OWNED, UNDEF, OWNED]),
    (ForeignBusy, Try, [BUSY, BUSY, UNDEF, BUSY]),
    (ForeignBusy, Wait, [WAITS, WAITS, UNDEF, SPINS]),
    (Asleep, Wait, [STATE, STATE, STATE, STATE]),
    (Waiting, Wait, [STATE, STATE, STATE, STATE]),
    (Waiting, Try, [STATE, STATE, STATE, STATE]),
    (Waiting, TimeOut, [Done, Done, Done, Done]),
    (Waiting, Flush, [Done, Done, Done, UNDEF]),
    (Waiting, Delete, [INUSE, INUSE, INUSE, INUSE]),
    (Deleted, Try, [NO_ID, NO_ID, NO_ID, NO_ID]),
    (Deleted, Surrender, [NO_ID, NO_ID, NO_ID, NO_ID]),
    (Deleted, Delete, [NO_ID, NO_ID, NO_ID, NO_ID]),
    (Deleted, Flush, [NO_ID, NO_ID, NO_ID, NO_ID]),
    (Deleted, SetCeiling, [NO_ID, NO_ID, NO_ID, NO_ID]),
];

/// Three processors in cluster A, one in B. The ceilings are 5, threads have 8.
fn prepare(world: &mut World, protocol: Protocol, before: Before) -> (Lock, Thread) {
    let creator = world.thread(0, 8);
    let new = |world: &mut World| {
        if protocol == Protocol::MrsP {
            world.mrsp(creator, &[5, 5])
        } else {
            world.lock(protocol, creator, 5)
        }
    };
    let lock = new(world);
    let other = world.thread(0, 8);
    let caller = match before {
        ForeignFree | ForeignBusy => world.thread(1, 8),
        _ => world.thread(0, 8),
    };
    match before {
        Free | FreeTooUrgent | ForeignFree | Asleep | Deleted => {}
        Mine | MineTwice => {
            assert_eq!(world.obtain(lock, caller), Ok(Obtained::Owned));
        }
        _ => assert_eq!(world.obtain(lock, other), Ok(Obtained::Owned)),
    }
    match before {
        MineTwice if protocol != Protocol::MrsP => {
            assert_eq!(world.obtain(lock, caller), Ok(Obtained::Owned));
        }
        Circle | CircleTooUrgent => {
            let mine = new(world);
            assert_eq!(world.obtain(mine, caller), Ok(Obtained::Owned));
            let _ = world.obtain(mine, other).unwrap();
        }
        LongCircle => {
            let mine = new(world);
            let between = new(world);
            assert_eq!(world.obtain(mine, caller), Ok(Obtained::Owned));
            assert_eq!(world.obtain(between, creator), Ok(Obtained::Owned));
            let _ = world.obtain(between, other).unwrap();
            let _ = world.obtain(mine, creator).unwrap();
        }
        Asleep => world.sleep(caller),
        Waiting => {
            let _ = world.obtain(lock, caller).unwrap();
        }
        Deleted => world.system.delete_lock(lock).unwrap(),
        _ => {}
    }
    if matches!(before, FreeTooUrgent | BusyTooUrgent | CircleTooUrgent) {
        world.set_priority(caller, 3);
    }
    (lock, caller)
}

fn answer(world: &mut World, lock: Lock, caller: Thread, call: Call) -> Answer {
    let done = |result: Result<(), Error>| result.map(|()| Done);
    let result = match call {
        Try => world.try_obtain(lock, caller).map(Is),
        Wait => world.obtain(lock, caller).map(Is),
        Surrender => world.surrender(lock, caller).map(|_| Done),
        Delete => done(world.act(|system, _, _| system.delete_lock(lock))),
        Flush => done(world.flush(lock)),
        TimeOut => done(world.time_out(caller)),
        SetCeiling => world.set_ceiling(lock, 0, 4).map(|old| {
            assert_eq!(old, Priority(5));
            assert_eq!(world.set_ceiling(lock, 0, 5), Ok(Priority(4)));
            Done
        }),
        SetForeignCeiling => world.set_ceiling(lock, 1, 4).map(|_| Done),
        SetCeilingBeyond => world.set_ceiling(lock, 0, 256).map(|_| Done),
    };
    result.unwrap_or_else(Answer::Refused)
}

/// All that a refused call must leave alone.
fn state(world: &World, lock: Lock, caller: Thread) -> impl PartialEq + std::fmt::Debug + use<> {
    let mut waiters = Vec::new();
    let _ = world
        .system
        .for_each_waiter(lock, |instance, thread| waiters.push((instance, thread)));
    (
        world.running(),
        world.system.owner(lock),
        waiters,
        world.system.waits_for(caller),
        world.system.reasons(caller),
        world.priority(caller),
    )
}

#[test]
fn every_row_of_the_table() {
    for (before, call, answers) in TABLE {
        for (protocol, expected) in columns(answers) {
            let row = format!("{protocol:?} {before:?} {call:?}");
            let clusters = [(PolicyKind::Priority, 3), (PolicyKind::Priority, 1)];
            let mut world = World::new(&clusters);
            let (lock, caller) = prepare(&mut world, protocol, *before);
            let first = state(&world, lock, caller);
            let owned_before = world.system.owner(lock);
            let got = answer(&mut world, lock, caller, *call);
            assert_eq!(got, *expected, "{row}");
            let after = world.system.owner(lock);
            let reasons = world.system.reasons(caller).unwrap();
            match got {
                Answer::Refused(_) => assert_eq!(state(&world, lock, caller), first, "{row}"),
                OWNED => assert_eq!(after, Ok(Some(caller)), "{row}"),
                WAITS => {
                    assert_eq!(reasons, Reasons::LOCK, "{row}");
                    assert_eq!(after, owned_before, "{row}");
                }
                SPINS => {
                    assert!(reasons.is_empty(), "{row}");
                    assert_eq!(world.priority(caller), 5, "{row}");
                }
                Done => check_done(&world, lock, caller, *call, *before, &row, protocol),
            }
        }
    }
}

/// The answers by protocol; those of OMIP are those of inheritance.
fn columns(answers: &[Answer; 4]) -> impl Iterator<Item = (Protocol, &Answer)> {
    let omip = (Protocol::Omip, &answers[1]);
    PROTOCOLS.into_iter().zip(answers).chain([omip])
}

fn check_done(
    world: &World,
    lock: Lock,
    caller: Thread,
    call: Call,
    before: Before,
    row: &str,
    protocol: Protocol,
) {
    let owner = world.system.owner(lock);
    match (call, before) {
        (Surrender, MineTwice) if protocol != Protocol::MrsP => {
            assert_eq!(owner, Ok(Some(caller)), "{row}");
        }
        (Surrender, _) => {
            assert_eq!(owner, Ok(None), "{row}");
            assert_eq!(world.priority(caller), 8, "{row}");
        }
        (Delete, _) => assert_eq!(owner, Err(Error::InvalidId), "{row}"),
        (TimeOut | Flush, Waiting) => {
            let outcome = match call {
                TimeOut => Outcome::Timeout,
                _ => Outcome::Flushed,
            };
            assert_eq!(world.outcome(caller), Some(outcome), "{row}");
            assert_eq!(world.system.reasons(caller), Ok(Reasons::NONE), "{row}");
            assert_eq!(world.system.waits_for(caller), Ok(None), "{row}");
            assert_eq!(world.priority(caller), 8, "{row}");
        }
        _ => {}
    }
}

#[test]
fn creation() {
    use Protocol::*;
    let mut world = World::partitioned(1);
    let creator = world.thread(0, 8);
    let mut create = |protocol, ceiling: Option<u32>, locked| {
        world.act(|system, now, due| {
            let ceiling = ceiling.map(Priority);
            system.create_lock(protocol, creator, ceiling, locked, now, due)
        })
    };
    for protocol in [Ceiling, MrsP] {
        assert_eq!(
            create(protocol, Option::None, false),
            Err(Error::InvalidPriority)
        );
        assert_eq!(
            create(protocol, Some(256), false),
            Err(Error::InvalidPriority)
        );
        assert_eq!(create(protocol, Some(9), true), Err(Error::InvalidPriority));
        assert!(create(protocol, Some(9), false).is_ok());
        assert!(create(protocol, Some(8), true).is_ok());
    }
    for protocol in [None, Inheritance] {
        assert!(create(protocol, Option::None, true).is_ok());
        assert!(
            create(protocol, Some(0), true).is_ok(),
            "no ceiling: ignored"
        );
    }
    assert_eq!(create(None, Option::None, false), Err(Error::TooMany));
}

#[test]
fn locked_when_created() {
    for protocol in PROTOCOLS {
        let mut world = World::partitioned(1);
        let creator = world.thread(0, 8);
        let lock = world
            .act(|system, now, due| {
                system.create_lock(protocol, creator, Some(Priority(5)), true, now, due)
            })
            .unwrap();
        assert_eq!(world.owner(lock), Some(creator));
        let raised = matches!(protocol, Protocol::Ceiling | Protocol::MrsP);
        assert_eq!(world.priority(creator), if raised { 5 } else { 8 });
        let again = world.obtain(lock, creator);
        if protocol == Protocol::MrsP {
            assert_eq!(again, Err(Error::IncorrectState));
        } else {
            assert_eq!(again, Ok(Obtained::Owned));
            assert_eq!(world.surrender(lock, creator), Ok(None));
        }
        assert_eq!(world.surrender(lock, creator), Ok(None));
        assert_eq!(world.owner(lock), None);
        assert_eq!(world.priority(creator), 8);
    }
}

#[test]
fn a_thread_that_does_not_exist_has_no_locks() {
    let mut world = World::partitioned(1);
    let creator = world.thread(0, 8);
    let lock = world.lock(Protocol::MrsP, creator, 5);
    let nobody = Thread::new(20).unwrap();
    assert_eq!(world.try_obtain(lock, nobody), Err(Error::InvalidId));
    assert_eq!(world.surrender(lock, nobody), Err(Error::InvalidId));
    assert_eq!(world.time_out(nobody), Err(Error::InvalidId));
    let nothing = Lock::new(77).unwrap();
    assert_eq!(world.try_obtain(nothing, creator), Err(Error::InvalidId));
    assert_eq!(world.set_ceiling(lock, 3, 4), Err(Error::InvalidId));
}

#[test]
fn a_deleted_lock_leaves_its_row_clean() {
    let mut world = World::partitioned(2);
    let creator = world.thread(0, 8);
    let first = world.mrsp(creator, &[5, 6]);
    world.system.delete_lock(first).unwrap();
    let second = world.lock(Protocol::MrsP, creator, 7);
    assert_eq!(second, first);
    let foreign = Instance::new(1).unwrap();
    assert_eq!(world.system.ceiling(second, foreign), Ok(Priority(0)));
}
