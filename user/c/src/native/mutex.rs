//! Mutexes: one owner at a time, without priority inversion.

use super::{At, Code, Time, failed, in_thread, kind, native, timeout, with};
use crate::cmsis::thread::level;
use taktos::board::Board;
use taktos::{Error, Mutex, OwnerEnd, Protocol};

pub(super) type Object = Mutex<Board>;
kind!(Object as taktos_mutex_t, 0x9D, 12);

/// The bits of a mutex's options.
const RECURSIVE: u32 = 1;
const NO_INHERITANCE: u32 = 2;
const ROBUST: u32 = 4;
const STAYS_LOCKED: u32 = 8;

native! {
    /// Makes a mutex, of TAKTOS_MUTEX_... options: recursive; without inheritance; robust: the next
    /// owner gets OwnerDied when the owner has ended; or one that stays locked then. Without
    /// options the most urgent waiter's priority is inherited, and it is unlocked when its owner
    /// ends. Errors: Parameter for other options, or the last two together.
    fn taktos_mutex_init(mutex: At<Object>, options: u32) -> Code {
        let both = ROBUST | STAYS_LOCKED;
        if options & !(RECURSIVE | NO_INHERITANCE | both) != 0 || options & both == both {
            return failed(Error::Parameter);
        }
        let protocol = match options & NO_INHERITANCE {
            0 => Protocol::Inheritance,
            _ => Protocol::None,
        };
        // SAFETY: the caller guarantees that `mutex` is null or memory of the header's type that
        // stays.
        unsafe { mutex.make(with_options(Mutex::with_protocol(protocol), options)) }
    }

    /// Makes a mutex with a ceiling, the priority `ceiling` (1 to 56, 56 the most urgent): a thread
    /// that locks it has that priority until it unlocks it. Options but for
    /// TAKTOS_MUTEX_NO_INHERITANCE as above. Errors: Parameter if `ceiling` is not a priority, and
    /// as above.
    fn taktos_mutex_init_ceiling(mutex: At<Object>, ceiling: u32, options: u32) -> Code {
        let both = ROBUST | STAYS_LOCKED;
        if options & !(RECURSIVE | both) != 0 || options & both == both || !(1..=56).contains(&ceiling) {
            return failed(Error::Parameter);
        }
        let protocol = Protocol::Ceiling(level(ceiling as i32));
        // SAFETY: the caller guarantees that `mutex` is null or memory of the header's type that
        // stays.
        unsafe { mutex.make(with_options(Mutex::with_protocol(protocol), options)) }
    }

    /// Locks it. Errors: Timeout, WouldBlock, Cancelled, Deadlock, Ceiling, Limit, NotRecoverable;
    /// OwnerDied, where the caller owns it all the same; Context in a handler.
    fn taktos_mutex_lock(mutex: At<Object>, time: Time) -> Code {
        // SAFETY: the caller guarantees that `mutex` is null or memory of the header's type.
        unsafe { with(mutex, |object| object.lock(timeout(time))) }
    }

    /// Unlocks it. Errors: NotOwner; Context in a handler.
    fn taktos_mutex_unlock(mutex: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `mutex` is null or memory of the header's type.
        unsafe { with(mutex, |object| in_thread().and_then(|()| object.unlock())) }
    }

    /// Marks as consistent what an ended owner has left: the mutex is as any other again. Errors:
    /// NotOwner, State; Context in a handler.
    fn taktos_mutex_make_consistent(mutex: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `mutex` is null or memory of the header's type.
        unsafe { with(mutex, |object| in_thread().and_then(|()| object.make_consistent())) }
    }

    /// Deletes it: its waiters get Deleted. Errors: InUse while it is owned.
    fn taktos_mutex_delete(mutex: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `mutex` is null or memory of the header's type.
        unsafe { mutex.end(|object| object.delete()) }
    }
}

fn with_options(mutex: Object, options: u32) -> Object {
    let mutex = match options & RECURSIVE {
        0 => mutex,
        _ => mutex.recursive(),
    };
    match options & (ROBUST | STAYS_LOCKED) {
        ROBUST => mutex.when_owner_ends(OwnerEnd::Tell),
        STAYS_LOCKED => mutex.when_owner_ends(OwnerEnd::StayLocked),
        _ => mutex,
    }
}
