//! Condition variables between threads of a partition, and a thread that waits when its partition
//! ends.
//!
//! Owns: what the threads do, and what must come of it. Must never know: other attacks, a board.

use super::{AttackBoard, Objects, Told, calls_of, checked, failed, life, role};
use crate::user_mode::{RIGHT, expect};
use taktos_abi::Timeout;
use taktos_kernel::{AnyThread, Error, Span};
use taktos_user::Mutex;

const MUTEX: Mutex = Mutex::at(5);
const CONDITION: taktos_user::Condition = taktos_user::Condition::at(12);
/// How often one waits for the other.
const ROUNDS: u32 = 100;

/// Runs all, and says whether all was as it must be.
pub(super) fn check<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    let came = life(objects, role::CONDITION);
    let rounds = calls_of(objects.first);
    let mut passed = checked::<S>("who waits at a condition goes on", came.is_none())
        & checked::<S>("it owns the mutex then", !failed(objects.first))
        & checked::<S>("each signal is told", rounds == Ok(ROUNDS));
    let begun = objects.first.restart_with(role::CONDITION | 1).is_ok();
    let _ = AnyThread::<S>::sleep(100.micros());
    let condition = objects.left_behind.condition;
    passed &= checked::<S>("one waits", begun && condition.has_waiters());
    objects.first.stop();
    passed & checked::<S>("who is no more does not wait", !condition.has_waiters())
}

/// Waits for as many signals as the other thread gives, and notes whether the mutex was its own
/// after each wait; or, if `for_ever` is set, for one that no thread gives.
pub(super) fn wait(told: &'static Told, for_ever: usize) {
    let note = |right: bool| told.demand(right);
    note(CONDITION.wait(MUTEX, Timeout::FOREVER) == Err(Error::NotOwner));
    expect(MUTEX.lock(Timeout::FOREVER));
    note(CONDITION.wait(MUTEX, Timeout::NONE) == Err(Error::WouldBlock));
    note(CONDITION.wait(MUTEX, Timeout::after(10.micros())) == Err(Error::Timeout));
    note(MUTEX.unlock() == Ok(()));
    expect(MUTEX.lock(Timeout::FOREVER));
    if for_ever != 0 {
        note(CONDITION.wait(MUTEX, Timeout::FOREVER).is_ok());
    }
    expect(RIGHT.start(role::CONDITION));
    for _ in 0..ROUNDS {
        note(CONDITION.wait(MUTEX, Timeout::FOREVER) == Ok(()));
        told.count();
    }
    note(MUTEX.unlock() == Ok(()));
    note(MUTEX.unlock() == Err(Error::NotOwner));
}

/// Signals by turns one, and all, whenever the mutex is free, which it is where the other one
/// waits.
pub(super) fn signal() {
    for round in 0..ROUNDS {
        expect(MUTEX.lock(Timeout::FOREVER));
        expect(match round % 2 {
            0 => CONDITION.signal(),
            _ => CONDITION.broadcast(),
        });
        expect(MUTEX.unlock());
    }
}
