//! State that a partition leaves when it ends: robust mutexes that it owns, interrupts that it let
//! through; and a device that never is quiet.
//!
//! Owns: what the threads of partitions do with them, and what must come of it. Must never know:
//! other attacks, a board.

use super::{AttackBoard, Objects, Told, calls_of, checked, failed, life, role};
use crate::user_mode::expect;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_abi::Timeout;
use taktos_kernel::user::Line;
use taktos_kernel::{AnyThread, Condition, Error, Mutex, Span};
use taktos_user::notify_wait;

/// The objects, of which the first partition has handles.
pub struct LeftBehind<S: AttackBoard> {
    /// A robust one.
    pub mutex: &'static Mutex<S>,
    /// At which threads wait that end.
    pub condition: &'static Condition<S>,
    /// The interrupt of a device that requests it again as soon as it may: by [`ask`].
    pub line: &'static Line<S>,
}

const LINE: taktos_user::Interrupt = taktos_user::Interrupt::at(10);
const MUTEX: taktos_user::Mutex = taktos_user::Mutex::at(11);
/// The bits of the interrupt's notification.
pub const BITS: u32 = 0x50;

/// How often the handler came.
static HANDLED: AtomicU32 = AtomicU32::new(0);

/// Makes the interrupt come, as the device does whenever it is let through.
pub fn ask<S: AttackBoard>() {
    S::pend_interrupt();
}

/// Does the work of the interrupt's handler. Returns whether the interrupt was the device's.
pub(super) fn handle<S: AttackBoard>(line: &'static Line<S>) -> bool {
    let is_of_device = line.is_open();
    if is_of_device {
        HANDLED.fetch_add(1, Relaxed);
        line.arrived();
    }
    is_of_device
}

/// Runs all, and says whether all was as it must be.
pub(super) fn check<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    S::enable_interrupt();
    storm_of_interrupts(objects) & mutexes_tell(objects)
}

/// How often the partition lets the interrupt through.
const ACKNOWLEDGED: u32 = 1_000;

/// The interrupt comes once for each time that it is let through, and no more when the partition is
/// stopped.
fn storm_of_interrupts<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    HANDLED.store(0, Relaxed);
    let came = life(objects, role::INTERRUPTS);
    let calls = calls_of(objects.first);
    let handled = HANDLED.load(Relaxed);
    let mut passed = checked::<S>("who has a device goes on", came.is_none())
        & checked::<S>("each interrupt is told of", !failed(objects.first))
        & checked::<S>("all are acknowledged", calls == Ok(ACKNOWLEDGED))
        & checked::<S>("each comes once", handled == ACKNOWLEDGED);
    let _ = life(objects, role::INTERRUPT);
    objects.first.stop();
    let before = HANDLED.load(Relaxed);
    ask::<S>();
    let _ = AnyThread::<S>::sleep(100.micros());
    passed &= checked::<S>(
        "nothing comes for who is no more",
        HANDLED.load(Relaxed) == before,
    );
    passed & checked::<S>("it is masked", !objects.left_behind.line.is_open())
}

/// A robust mutex reports that its owner died, until a thread marks its data as consistent. Without
/// that, no thread gets it any more.
fn mutexes_tell<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    let LeftBehind { mutex, .. } = objects.left_behind;
    let mut passed = true;
    let mut expects = |expected: Result<(), Error>| {
        let came = life(objects, role::LOCK);
        let told = objects.first.look_at(|told| told.wrong[0].load(Relaxed));
        let expected = expected.err().map_or(0, |error| error as u32);
        passed &= checked::<S>("the mutex tells", came.is_none() && told == Ok(expected));
    };
    // Each life ends with it.
    expects(Ok(()));
    expects(Err(Error::OwnerDied));
    let locked = mutex.lock(Timeout::NONE);
    let mended = mutex.make_consistent();
    let unlocked = mutex.unlock();
    expects(Ok(()));
    let left = [mutex.lock(Timeout::NONE), mutex.unlock()];
    expects(Err(Error::NotRecoverable));
    passed
        & checked::<S>(
            "privileged code is told, too",
            [locked, mended, unlocked] == [Err(Error::OwnerDied), Ok(()), Ok(())],
        )
        & checked::<S>(
            "what is not mended",
            left == [Err(Error::OwnerDied), Ok(())],
        )
        & checked::<S>("it can be renewed", mutex.renew() == Ok(()))
}

/// Lets the interrupt through again and again, and looks whether it has come each time.
pub(super) fn acknowledge(told: &'static Told) {
    for number in 0..ACKNOWLEDGED {
        expect(LINE.acknowledge());
        if number % 4 == 0 {
            let word = notify_wait(u32::MAX, Timeout::FOREVER);
            told.demand(word == Ok(BITS));
        }
        told.count();
    }
}

/// Lets the interrupt through, and is not there when it comes again.
pub(super) fn acknowledge_once() {
    expect(LINE.acknowledge());
}

/// Locks the mutex, reports the result, and makes the mutex consistent if its owner died.
pub(super) fn lock(told: &'static Told) {
    let locked = MUTEX.lock(Timeout::NONE);
    if locked == Err(Error::OwnerDied) {
        expect(MUTEX.make_consistent());
    }
    told.wrong[0].store(locked.err().map_or(0, |error| error as u32), Relaxed);
}
