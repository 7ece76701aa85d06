//! Owns: what newlib's functions share, kept apart: its `malloc`, which threads take in turn, and the error of its conversions, which it notes in a
//! structure (`struct _reent`) that all threads have in common.
//! Must never know: what the program does with it.
//!
//! The structure begins with the error, and conversions of integers look at nothing else of it: they get the thread's `errno` instead of one.
//! Those of floating-point values keep their large numbers in it, too, so threads take turns there. A linker has the program's calls come here
//! (`--wrap`).

use crate::os::{os, surely_in_thread};
use crate::posix::errno::{Errno, place};
use core::ffi::{c_char, c_int, c_long, c_longlong, c_ulong, c_ulonglong, c_void};
use core::mem::replace;
use taktos::board::Board;
use taktos::{Error, Mutex, OwnerEnd, Timeout};

/// Whose turn it is.
static TURN: Mutex<Board> = Mutex::new().recursive().when_owner_ends(OwnerEnd::Unlock);

/// Waits for the turn, where there are threads.
fn take_turn() {
    // What ends the waits of POSIX threads does not end this one.
    while os().is_running()
        && surely_in_thread()
        && TURN.lock(Timeout::FOREVER) == Err(Error::Cancelled)
    {}
}

/// Ends the turn.
fn end_turn() {
    if os().is_running() && surely_in_thread() {
        let _ = TURN.unlock();
    }
}

/// What newlib calls before it looks at `malloc`'s memory.
#[unsafe(no_mangle)]
extern "C" fn __malloc_lock(_: *mut c_void) {
    take_turn();
}

/// And afterwards.
#[unsafe(no_mangle)]
extern "C" fn __malloc_unlock(_: *mut c_void) {
    end_turn();
}

unsafe extern "C" {
    /// The structure that all have in common, of which this is the beginning.
    static _impure_ptr: *mut c_int;
}

/// Does `convert` while no other thread converts, with its error told to the calling thread.
fn converted<T>(convert: impl FnOnce() -> T) -> T {
    take_turn();
    // SAFETY: the error in newlib's structure, which is this thread's as long as its turn.
    let error = unsafe { &mut *_impure_ptr };
    let before = replace(error, 0);
    let result = convert();
    // SAFETY: as above; the conversion wrote there.
    let found = replace(unsafe { &mut *_impure_ptr }, before);
    end_turn();
    if found != 0 {
        Errno(found).set();
    }
    result
}

/// Conversions of integers: their name with `--wrap`, newlib's that takes the structure, and what they give.
macro_rules! integers {
    ($($wrapped:ident = $own:ident -> $value:ty;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $wrapped(text: *const c_char, end: *mut *mut c_char, base: c_int) -> $value {
                unsafe extern "C" {
                    fn $own(error: *mut c_int, text: *const c_char, end: *mut *mut c_char, base: c_int) -> $value;
                }
                // SAFETY: the caller's promise; of the structure the error alone is looked at.
                unsafe { $own(place(), text, end, base) }
            }
        )*
    };
}

integers! {
    __wrap_strtol = _strtol_r -> c_long;
    __wrap_strtoul = _strtoul_r -> c_ulong;
    __wrap_strtoll = _strtoll_r -> c_longlong;
    __wrap_strtoull = _strtoull_r -> c_ulonglong;
    __wrap_strtoimax = _strtoimax_r -> c_longlong;
    __wrap_strtoumax = _strtoumax_r -> c_ulonglong;
}

/// Conversions of floating-point values: their name with `--wrap`, newlib's then, and what they give.
macro_rules! floats {
    ($($wrapped:ident = $own:ident -> $value:ty;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $wrapped(text: *const c_char, end: *mut *mut c_char) -> $value {
                unsafe extern "C" {
                    fn $own(text: *const c_char, end: *mut *mut c_char) -> $value;
                }
                // SAFETY: the caller's promise.
                converted(|| unsafe { $own(text, end) })
            }
        )*
    };
}

floats! {
    __wrap_strtod = __real_strtod -> f64;
    __wrap_strtof = __real_strtof -> f32;
    // As wide as `double` on these processors.
    __wrap_strtold = __real_strtold -> f64;
}
