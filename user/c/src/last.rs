//! Owns: how calls on threads are made that switch, as the last thing of a function that C calls,
//! in either form of the library. Must never know: the interfaces' names of these calls.
//!
//! A library of instructions preserves for its callers the registers that C preserves: as the last
//! thing of a function that is known to the entry, which saves the rest of them anyway
//! (`suspend_last`). If the library is bitcode, a call is part of its caller, which keeps what it
//! needs and no more, as in Rust.

use taktos::board::Board;
use taktos::{AnyThread, Error};
use taktos_kernel::Told;

/// Whether the library is bitcode.
const PUT_INTO_CALLERS: bool = cfg!(feature = "bitcode");

/// [`AnyThread::yield_now`].
#[inline(always)]
pub fn yield_now<T: Told>() -> i32 {
    if PUT_INTO_CALLERS {
        AnyThread::<Board>::yield_now();
        return 0;
    }
    AnyThread::<Board>::yield_last::<T>()
}

/// [`AnyThread::suspend`].
#[inline(always)]
pub fn suspend<T: Told>(thread: &'static AnyThread<Board>) -> i32 {
    if PUT_INTO_CALLERS {
        return told::<T>(thread.suspend());
    }
    thread.suspend_last::<T>()
}

/// [`AnyThread::resume_or_cancel`].
#[inline(always)]
pub fn resume_or_cancel<T: Told>(thread: &'static AnyThread<Board>) -> i32 {
    if PUT_INTO_CALLERS {
        return told::<T>(thread.resume_or_cancel());
    }
    thread.resume_or_cancel_last::<T>()
}

/// Returns the result of a call, as its code.
#[inline(always)]
fn told<T: Told>(result: Result<(), Error>) -> i32 {
    result.map_or_else(failed::<T>, |()| 0)
}

/// Away from the usual case, which is to stay small.
#[cold]
#[inline(never)]
fn failed<T: Told>(error: Error) -> i32 {
    T::word(error)
}
