//! Semaphores: a count of permits, and threads that wait for one.

use super::{At, Code, OK, Time, failed, kind, native, timeout, with};
use taktos::board::Board;
use taktos::{Error, Semaphore};
use taktos_machine::slow_path;

type Object = Semaphore<Board>;
kind!(Object as taktos_semaphore_t, 0x95, 8);

native! {
    /// Makes a semaphore with `count` permits and at most `limit`. Errors: Parameter unless 1 <=
    /// limit and count <= limit.
    fn taktos_semaphore_init(semaphore: At<Object>, count: u32, limit: u32) -> Code {
        if limit == 0 || count > limit {
            return failed(Error::Parameter);
        }
        // SAFETY: the caller guarantees that `semaphore` is null or memory of the header's type
        // that stays.
        unsafe { semaphore.make(Semaphore::with_limit(count, limit)) }
    }

    /// Gives a permit: to the most urgent waiter, or to the count. Allowed in handlers. Errors:
    /// Limit.
    fn taktos_semaphore_give(semaphore: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `semaphore` is null or memory of the header's type.
        match unsafe { semaphore.get() } {
            Ok(object) if object.give_at_once() => OK,
            // SAFETY: the caller guarantees that `semaphore` is null or memory of the header's
            // type.
            _ => slow_path(unsafe { give(semaphore) }),
        }
    }

    /// Takes a permit. Allowed in handlers without waiting. Errors: Timeout, WouldBlock, Cancelled;
    /// Context in a handler that would have to wait.
    fn taktos_semaphore_take(semaphore: At<Object>, time: Time) -> Code {
        // SAFETY: the caller guarantees that `semaphore` is null or memory of the header's type.
        match unsafe { semaphore.get() } {
            Ok(object) if object.take_at_once() => OK,
            // SAFETY: the caller guarantees that `semaphore` is null or memory of the header's
            // type.
            _ => slow_path(unsafe { take(semaphore, time) }),
        }
    }

    /// The number of permits, or an error. Allowed in handlers.
    fn taktos_semaphore_count(semaphore: At<Object>) -> i64 {
        // SAFETY: the caller guarantees that `semaphore` is null or memory of the header's type.
        match unsafe { semaphore.get() } {
            Ok(object) => object.count().into(),
            Err(error) => failed(error).into(),
        }
    }

    /// Deletes it: its waiters get Deleted.
    fn taktos_semaphore_delete(semaphore: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `semaphore` is null or memory of the header's type.
        unsafe { semaphore.end(|object| object.delete()) }
    }
}

/// [`taktos_semaphore_give`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn give(semaphore: At<Object>) -> Code {
    // SAFETY: the caller guarantees that `semaphore` is null or memory of the header's type.
    unsafe { with(semaphore, |object| object.give()) }
}

/// [`taktos_semaphore_take`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn take(semaphore: At<Object>, time: Time) -> Code {
    // SAFETY: the caller guarantees that `semaphore` is null or memory of the header's type.
    unsafe { with(semaphore, |object| object.take(timeout(time))) }
}
