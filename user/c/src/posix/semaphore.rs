//! Owns: semaphores. Must never know: how the kernel's work.

use super::cancel::point;
use super::clock::{ClockId, REALTIME, TimeSpec, deadline};
use super::errno::Errno;
use super::name::Names;
use super::place::{Kind, Place, fits};
use super::signal::action::restarting;
use super::{alone, minus_one};
use crate::cmsis::interface;
use crate::os::{in_handler, os};
use core::ffi::{c_char, c_int, c_uint};
use core::ptr;
use taktos::board::Board;
use taktos::{Error, Semaphore, Timeout};

/// `SEM_VALUE_MAX`.
pub(super) const MOST: u32 = i32::MAX as u32;

/// `sem_t`.
pub struct PosixSemaphore(Semaphore<Board>);

impl Kind for PosixSemaphore {
    const ALIVE: u32 = u32::from_be_bytes(*b"PSEM");
    const STATIC: Option<Self> = None;
}

const _: () = assert!(fits::<PosixSemaphore>(if size_of::<usize>() == 4 {
    3
} else {
    4
}));

/// Takes a permit; where that has to wait, as `time` says.
unsafe fn take(
    place: *const Place<PosixSemaphore>,
    time: impl FnOnce() -> Result<Timeout, Errno>,
) -> Result<(), Errno> {
    // SAFETY: the caller guarantees that `place` is null or a variable of its type.
    let semaphore = &unsafe { Place::object(place) }?.0;
    if in_handler() {
        return Err(Errno::PERM);
    }
    if semaphore.take(Timeout::NONE).is_ok() {
        super::cancel::test();
        return Ok(());
    }
    let time = time()?;
    restarting(|| point(|| semaphore.take(time))).map_err(Errno::from)
}

/// The semaphores with names.
pub type Named = Names<Place<PosixSemaphore>>;

/// `SEM_FAILED`.
const FAILED: *mut Place<PosixSemaphore> = ptr::null_mut();

/// Destroys a semaphore that no part of the program has open and that no name leads to.
fn end(place: &'static Place<PosixSemaphore>) {
    // SAFETY: a variable, which no code uses any more.
    unsafe { Place::destroy(place) };
}

interface! {
    /// Opens a semaphore by its name. With `O_CREAT` one is made, if there is none, with `count`
    /// permits. `SEM_FAILED` with `ENOENT`, `EEXIST`, `EINVAL`, `ENAMETOOLONG`, `ENOSPC`; `EPERM`
    /// in a handler of an interrupt. The mode is not read. In C the last two are there only with
    /// `O_CREAT`: on these processors they are located where those of such a call are.
    fn sem_open(name: *const c_char, flags: c_int, _mode: c_uint, count: c_uint) -> *mut Place<PosixSemaphore> {
        let make = || match count > MOST {
            true => Err(Errno::INVAL),
            false => Ok(Place::new(PosixSemaphore(Semaphore::with_limit(count, MOST)))),
        };
        let opened = match in_handler() {
            true => Err(Errno::PERM),
            // SAFETY: the caller guarantees that `name` is null or a C string.
            false => alone(|| unsafe { os().posix.semaphores.open(name, flags, make) }),
        };
        match opened {
            Ok(place) => ptr::from_ref(place).cast_mut(),
            Err(error) => {
                error.set();
                FAILED
            }
        }
    }

    /// Closes a semaphore that has a name. `EINVAL` where it is none; `EPERM` in a handler of an
    /// interrupt.
    fn sem_close(place: *mut Place<PosixSemaphore>) -> c_int {
        minus_one(match in_handler() {
            true => Err(Errno::PERM),
            false => alone(|| os().posix.semaphores.close(place, end)),
        })
    }

    /// Takes a semaphore's name away; the semaphore goes at its last close. `ENOENT`,
    /// `ENAMETOOLONG`; `EPERM` in a handler of an interrupt.
    fn sem_unlink(name: *const c_char) -> c_int {
        minus_one(match in_handler() {
            true => Err(Errno::PERM),
            // SAFETY: the caller guarantees that `name` is null or a C string.
            false => alone(|| unsafe { os().posix.semaphores.unlink(name, end) }),
        })
    }

    /// Makes a semaphore with `count` permits. `EINVAL` beyond `SEM_VALUE_MAX`.
    fn sem_init(place: *mut Place<PosixSemaphore>, _shared: c_int, count: c_uint) -> c_int {
        if count > MOST {
            return minus_one(Err(Errno::INVAL));
        }
        // SAFETY: the caller guarantees that `place` is null or a variable that no other code uses.
        minus_one(unsafe { Place::make(place, PosixSemaphore(Semaphore::with_limit(count, MOST))) })
    }

    /// Destroys a semaphore, for which no thread waits.
    fn sem_destroy(place: *mut Place<PosixSemaphore>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        minus_one(unsafe { Place::object(place).map(|_| Place::destroy(place)) })
    }

    /// Gives a permit. Allowed in handlers. `EOVERFLOW` where there are `SEM_VALUE_MAX`.
    fn sem_post(place: *mut Place<PosixSemaphore>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        minus_one(unsafe { Place::object(place) }.and_then(|semaphore| {
            semaphore.0.give().map_err(|error| match error {
                Error::Limit => Errno::OVERFLOW,
                error => error.into(),
            })
        }))
    }

    /// Takes a permit, waiting for it; a point of cancellation. `EPERM` in a handler.
    fn sem_wait(place: *mut Place<PosixSemaphore>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        minus_one(unsafe { take(place, || Ok(Timeout::FOREVER)) })
    }

    /// Takes a permit if there is one: else `EAGAIN`. Allowed in handlers.
    fn sem_trywait(place: *mut Place<PosixSemaphore>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        minus_one(unsafe { Place::object(place) }.and_then(|semaphore| semaphore.0.take(Timeout::NONE).map_err(|_| Errno::AGAIN)))
    }

    /// As `sem_wait`, until the time of day is `time`: `ETIMEDOUT`.
    fn sem_timedwait(place: *mut Place<PosixSemaphore>, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and `time`
        // is null or valid.
        minus_one(unsafe { take(place, || deadline(REALTIME, time)) })
    }

    /// Waits until `clock` shows `time` at the latest: `ETIMEDOUT`.
    fn sem_clockwait(place: *mut Place<PosixSemaphore>, clock: ClockId, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and `time`
        // is null or valid.
        minus_one(unsafe { take(place, || deadline(clock, time)) })
    }

    /// How many permits there are. Allowed in handlers.
    fn sem_getvalue(place: *mut Place<PosixSemaphore>, count: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        minus_one(unsafe { Place::object(place) }.and_then(|semaphore| {
            // SAFETY: the caller guarantees that `count` is null or writable.
            *unsafe { count.as_mut() }.ok_or(Errno::INVAL)? = semaphore.0.count() as c_int;
            Ok(())
        }))
    }
}
