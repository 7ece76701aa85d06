//! Owns: sets of signals. Must never know: what signals do.

use super::super::errno::Errno;
use super::super::minus_one;
use super::{Set, only};
use crate::cmsis::interface;
use core::ffi::c_int;

/// Changes a set by one signal. Errors: `EINVAL` for what is none.
///
/// # Safety
/// The address is null or leads to a set.
unsafe fn change(set: *mut Set, number: c_int, change: impl FnOnce(Set, Set) -> Set) -> c_int {
    // SAFETY: the caller guarantees that `set` is null or writable.
    let place = unsafe { set.as_mut() };
    minus_one(match (place, only(number)) {
        (Some(place), Some(bit)) => {
            *place = change(*place, bit);
            Ok(())
        }
        _ => Err(Errno::INVAL),
    })
}

/// Makes a set from the start.
///
/// # Safety
/// As for [`change`].
unsafe fn make(set: *mut Set, signals: Set) -> c_int {
    // SAFETY: the caller guarantees that `set` is null or writable.
    minus_one(
        unsafe { set.as_mut() }
            .map(|set| *set = signals)
            .ok_or(Errno::INVAL),
    )
}

interface! {
    /// Makes a set of no signal.
    fn sigemptyset(set: *mut Set) -> c_int {
        // SAFETY: the caller guarantees that `set` is null or writable.
        unsafe { make(set, 0) }
    }

    /// Makes a set of all signals.
    fn sigfillset(set: *mut Set) -> c_int {
        // SAFETY: the caller guarantees that `set` is null or writable.
        unsafe { make(set, Set::MAX >> (Set::BITS - super::LAST as u32)) }
    }

    /// Adds a signal.
    fn sigaddset(set: *mut Set, number: c_int) -> c_int {
        // SAFETY: the caller guarantees that `set` is null or writable.
        unsafe { change(set, number, |set, bit| set | bit) }
    }

    /// Takes one out.
    fn sigdelset(set: *mut Set, number: c_int) -> c_int {
        // SAFETY: the caller guarantees that `set` is null or writable.
        unsafe { change(set, number, |set, bit| set & !bit) }
    }

    /// Whether a signal is in a set: 1 or 0.
    fn sigismember(set: *const Set, number: c_int) -> c_int {
        // SAFETY: the caller guarantees that `set` is null or valid.
        match (unsafe { set.as_ref() }, only(number)) {
            (Some(set), Some(bit)) => c_int::from(set & bit != 0),
            _ => minus_one(Err(Errno::INVAL)),
        }
    }
}
