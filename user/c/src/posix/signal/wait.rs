//! Owns: which signals a thread lets through, and how it waits for one. Must never know: their
//! senders.

use super::super::cancel::point;
use super::super::clock::{TimeSpec, after};
use super::super::errno::Errno;
use super::super::thread::PosixThread;
use super::super::{code, minus_one};
use super::action::{deliver, is_due};
use super::{Info, KILL, STOP, Set, bit, only};
use crate::cmsis::interface;
use crate::os::{in_handler, os};
use core::ffi::c_int;
use core::ptr;
use taktos::board::Board;
use taktos::{AnyThread, Error, Timeout};

/// `SIG_SETMASK`, `SIG_BLOCK` and `SIG_UNBLOCK`.
const EXACTLY: c_int = 0;
const MORE: c_int = 1;
const LESS: c_int = 2;

/// Returns the signals that cannot be blocked.
fn never_blocked() -> Set {
    bit(KILL) | bit(STOP)
}

/// The calling thread, in which signals can be handled. Errors: `EPERM` in a handler of an
/// interrupt and before there are threads.
fn current() -> Result<&'static PosixThread, Errno> {
    PosixThread::current()
        .filter(|_| !in_handler())
        .ok_or(Errno::PERM)
}

/// Changes what the caller lets through.
///
/// # Safety
/// The addresses are null or lead to sets.
unsafe fn change(how: c_int, set: *const Set, old: *mut Set) -> Result<(), Errno> {
    let thread = current()?;
    let blocked = &thread.signals.blocked;
    let before = blocked.get();
    // SAFETY: the caller guarantees that `set` is null or valid.
    if let Some(set) = unsafe { set.as_ref() } {
        let new = match how {
            EXACTLY => *set,
            MORE => before | set,
            LESS => before & !set,
            _ => return Err(Errno::INVAL),
        };
        blocked.set(new & !never_blocked());
    }
    if !old.is_null() {
        // SAFETY: the caller guarantees that `old` is writable.
        unsafe { old.write(before) };
    }
    deliver(thread);
    Ok(())
}

/// Does not let a signal through to the caller any more, or does again. Errors: `EINVAL` for what
/// is none.
pub(super) fn hold_back(number: c_int, holds: bool) -> Result<(), Errno> {
    let signal = only(number).ok_or(Errno::INVAL)?;
    let how = if holds { MORE } else { LESS };
    // SAFETY: a set, and null.
    unsafe { change(how, &raw const signal, ptr::null_mut()) }
}

/// Whether the caller does not let a signal through.
pub(super) fn is_blocked(number: c_int) -> Result<bool, Errno> {
    Ok(current()?.signals.blocked.get() & bit(number) != 0)
}

/// Waits until one of the signals is pending, and takes it. Errors: `EAGAIN` where the time is
/// over, `EINTR` where a handler was called.
fn take(wanted: Set, time: Timeout) -> Result<Info, Errno> {
    let thread = current()?;
    let signals = &thread.signals;
    let taken = || {
        let got = signals.pending.take(wanted);
        let got = got.or_else(|| os().posix.signals.pending.take(wanted))?;
        let info = got.info;
        got.settle();
        Some(info)
    };
    signals.awaited.set(wanted);
    let waited = point(|| match taken() {
        Some(info) => Ok(info),
        None if time.is_none() => Err(Error::Timeout),
        None => AnyThread::<Board>::sleep(time).and(Err(Error::Timeout)),
    });
    signals.awaited.set(0);
    waited.or_else(|error| match (taken(), error) {
        (Some(info), _) => Ok(info),
        (None, Error::Cancelled) => Err(Errno::INTR),
        (None, _) => Err(Errno::AGAIN),
    })
}

/// Waits until a handler was called, with other signals let through meanwhile.
fn suspend(blocked: Option<Set>) -> Errno {
    let thread = match current() {
        Ok(thread) => thread,
        Err(error) => return error,
    };
    let cell = &thread.signals.blocked;
    let before = cell.get();
    if let Some(blocked) = blocked {
        cell.set(blocked & !never_blocked());
    }
    let mut called = is_due(thread) && deliver(thread);
    while !called {
        called = matches!(
            point(|| AnyThread::<Board>::sleep(Timeout::FOREVER)),
            Err(Error::Cancelled)
        );
    }
    cell.set(before);
    deliver(thread);
    Errno::INTR
}

/// The set at an address. Errors: `EINVAL` for null.
///
/// # Safety
/// The address is null or leads to a set.
unsafe fn set_at(set: *const Set) -> Result<Set, Errno> {
    // SAFETY: the caller guarantees that `set` is null or valid.
    unsafe { set.as_ref() }.copied().ok_or(Errno::INVAL)
}

/// Returns the result of a call that takes a signal: its number, or −1.
///
/// # Safety
/// `to` is null, or there is space.
unsafe fn told(taken: Result<Info, Errno>, to: *mut Info) -> c_int {
    match taken {
        Ok(info) => {
            if !to.is_null() {
                // SAFETY: the caller guarantees that `to` is writable.
                unsafe { to.write(info) };
            }
            info.number
        }
        Err(error) => minus_one(Err(error)),
    }
}

interface! {
    /// Changes which signals the calling thread does not let through. `EINVAL`; `EPERM` in a
    /// handler of an interrupt.
    fn pthread_sigmask(how: c_int, set: *const Set, old: *mut Set) -> c_int {
        // SAFETY: the caller guarantees that `set` is null or valid, and `old` is null or writable.
        code(unsafe { change(how, set, old) })
    }

    /// Changes the blocked signals as `pthread_sigmask` does, with the error in `errno`.
    fn sigprocmask(how: c_int, set: *const Set, old: *mut Set) -> c_int {
        // SAFETY: the caller guarantees that `set` is null or valid, and `old` is null or writable.
        minus_one(unsafe { change(how, set, old) })
    }

    /// Does not let a signal through any more.
    fn sighold(number: c_int) -> c_int {
        minus_one(hold_back(number, true))
    }

    /// Lets a signal through again.
    fn sigrelse(number: c_int) -> c_int {
        minus_one(hold_back(number, false))
    }

    /// Lets a signal through and waits until a handler was called: −1 with `EINTR`.
    fn sigpause(number: c_int) -> c_int {
        minus_one(Err(match (current(), only(number)) {
            (Ok(thread), Some(signal)) => suspend(Some(thread.signals.blocked.get() & !signal)),
            (Err(error), _) => error,
            (_, None) => Errno::INVAL,
        }))
    }

    /// The signals that are pending for the calling thread and for the program.
    fn sigpending(set: *mut Set) -> c_int {
        minus_one(current().and_then(|thread| {
            // SAFETY: the caller guarantees that `set` is null or writable.
            let place = unsafe { set.as_mut() }.ok_or(Errno::INVAL)?;
            *place = thread.signals.pending.set() | os().posix.signals.pending.set();
            Ok(())
        }))
    }

    /// Waits for one of the signals, which the caller does not let through; a point of
    /// cancellation, at which handlers of others run.
    fn sigwait(set: *const Set, number: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `set` is null or valid.
        let wanted = unsafe { set_at(set) };
        code(wanted.and_then(|wanted| {
            let info = loop {
                match take(wanted, Timeout::FOREVER) {
                    Err(Errno::INTR) => {}
                    other => break other?,
                }
            };
            // SAFETY: the caller guarantees that `number` is null or writable.
            *unsafe { number.as_mut() }.ok_or(Errno::INVAL)? = info.number;
            Ok(())
        }))
    }

    /// Waits for a signal as `sigwait` does, and writes the information on it. Returns the signal's
    /// number; `EINTR` if a handler of another one was called.
    fn sigwaitinfo(set: *const Set, info: *mut Info) -> c_int {
        // SAFETY: the caller guarantees that `info` is null or writable, and `set` is null or
        // valid.
        unsafe { told(set_at(set).and_then(|wanted| take(wanted, Timeout::FOREVER)), info) }
    }

    /// Waits for a signal for `time` at most (null: as long as it takes): `EAGAIN`.
    fn sigtimedwait(set: *const Set, info: *mut Info, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `time` is null or valid.
        let time = match unsafe { time.as_ref() } {
            None => Ok(Timeout::FOREVER),
            Some(time) => after(*time),
        };
        // SAFETY: the caller guarantees that `info` is null or writable, and `set` is null or
        // valid.
        unsafe { told(set_at(set).and_then(|wanted| take(wanted, time?)), info) }
    }

    /// Waits until a handler was called, with exactly these signals not let through meanwhile: −1
    /// with `EINTR`.
    fn sigsuspend(set: *const Set) -> c_int {
        // SAFETY: the caller guarantees that `set` is null or valid.
        match unsafe { set_at(set) } {
            Ok(blocked) => minus_one(Err(suspend(Some(blocked)))),
            Err(error) => minus_one(Err(error)),
        }
    }

    /// Waits until a handler was called: −1 with `EINTR`.
    fn pause() -> c_int {
        minus_one(Err(suspend(None)))
    }
}
