//! Owns: the clocks of threads' processor time, in a library with the feature `processor-time`.
//! Must never know: their readers.
//!
//! A thread's clock gets a number at the first request for it, and no other clock gets that number
//! afterwards.

use super::clock::ClockId;
use super::code;
use super::errno::Errno;
use super::thread::{PosixThread, living};
use crate::cmsis::interface;
use crate::cmsis::thread::{OsThread, for_each_living};
use crate::object::Id;
use crate::os::{in_handler, masked, os};
use core::ffi::c_int;

/// `CLOCK_THREAD_CPUTIME_ID`: the calling thread's, in newlib's headers and in Linux's.
pub const OWN: ClockId = 3;
/// The first number of a thread's, above all others.
pub const FIRST: ClockId = 16;

/// Whether there are such clocks.
pub const ARE_THERE: bool = cfg!(feature = "processor-time");

/// The thread of a clock. Errors: `EINVAL` where there is none, or not any more.
fn thread_of(clock: ClockId) -> Result<&'static OsThread, Errno> {
    let mut found = None;
    match clock {
        _ if !ARE_THERE => {}
        OWN => found = OsThread::current(),
        FIRST.. => masked(|| {
            for_each_living(|thread| {
                if PosixThread::of(thread).is_some_and(|posix| posix.clock.get() == clock) {
                    found = Some(thread);
                }
            });
        }),
        _ => {}
    }
    found.ok_or(Errno::INVAL)
}

/// Returns the time of a clock, in nanoseconds. Errors: `EINVAL` if it is not a clock.
pub(super) fn shown(clock: ClockId) -> Result<i64, Errno> {
    thread_of(clock).map(had)
}

#[cfg(feature = "processor-time")]
fn had(thread: &'static OsThread) -> i64 {
    thread.handle().processor_time().as_nanos() as i64
}

#[cfg(not(feature = "processor-time"))]
fn had(_: &'static OsThread) -> i64 {
    0
}

/// The number of a thread's clock. Errors: `EAGAIN` without memory.
fn number_of(thread: &'static OsThread) -> Result<ClockId, Errno> {
    let posix = PosixThread::of_or_new(thread).ok_or(Errno::AGAIN)?;
    let last = &os().posix.clocks;
    Ok(masked(|| {
        if posix.clock.get() == 0 {
            last.update(|number| number + 1);
            posix.clock.set(last.get());
        }
        posix.clock.get()
    }))
}

/// Returns the number of a clock, which is the same for all callers. Errors: `EINVAL` if it is not
/// a clock; `EAGAIN` without memory.
pub(super) fn named(clock: ClockId) -> Result<ClockId, Errno> {
    thread_of(clock).and_then(number_of)
}

interface! {
    /// The clock of a thread's processor time. `ENOTSUP` where there are none, `ESRCH`, `EAGAIN`
    /// without memory; `EPERM` in a handler.
    fn pthread_getcpuclockid(id: Id, clock: *mut ClockId) -> c_int {
        let number = || {
            if in_handler() {
                return Err(Errno::PERM);
            }
            // SAFETY: the caller guarantees that `id` is valid for `Id::get`, and `clock` is null
            // or writable.
            let (thread, place) = unsafe { (living(id)?, clock.as_mut()) };
            if !ARE_THERE {
                return Err(Errno::NOTSUP);
            }
            *place.ok_or(Errno::INVAL)? = number_of(thread)?;
            Ok(())
        };
        code(number())
    }
}
