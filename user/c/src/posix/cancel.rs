//! Owns: cancellation: a thread ends at the next point at which it may. Must never know: what is
//! waited for there.
//!
//! A thread that requests the asynchronous kind ends in every wait, and at the request; but not
//! between its calls, as if its cancellation was deferred.

use super::errno::Errno;
use super::signal::action::{deliver, is_due};
use super::thread::{PosixThread, exit_with, living};
use crate::cmsis::interface;
use crate::object::Id;
use crate::os::{TICK, in_handler, masked};
use core::ffi::{c_int, c_void};
use taktos::board::Board;
use taktos::{AnyThread, Duration, Error, State, Timeout};

/// `PTHREAD_CANCELED`.
const CANCELED: *mut c_void = core::ptr::without_provenance_mut(usize::MAX);
const ENABLE: c_int = 0;
const DISABLE: c_int = 1;
const DEFERRED: c_int = 0;
const ASYNCHRONOUS: c_int = 1;

/// A handler that is called when its thread ends. It is located on the thread's stack, where
/// `pthread_cleanup_push` has put it.
#[repr(C)]
pub struct Cleanup {
    routine: Option<unsafe extern "C" fn(*mut c_void)>,
    argument: *mut c_void,
    next: *mut Cleanup,
}

impl Cleanup {
    /// One that is not put anywhere yet.
    pub(super) fn new(routine: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) -> Self {
        Self {
            routine: Some(routine),
            argument,
            next: core::ptr::null_mut(),
        }
    }
}

/// A wait that is a point of cancellation: does not come back where the thread is cancelled. With a
/// thread that is none of the interface's it is a wait like others.
pub fn point<T>(wait: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let result = cancellable(wait);
    if matches!(result, Err(Error::Cancelled)) {
        test();
    }
    result
}

/// Waits at a point of cancellation as [`point`] does, but returns `Cancelled`: the caller has
/// something to put right before it calls [`test`]. Both return it also if a handler of a signal
/// was called.
pub(super) fn cancellable<T>(wait: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let Some(thread) = PosixThread::current() else {
        return wait();
    };
    // A thread that cancels this one or sends it a signal from here on ends the wait.
    thread.is_at_point.set(true);
    while is_due(thread) {
        thread.is_at_point.set(false);
        deliver(thread);
        thread.is_at_point.set(true);
    }
    let result = match is_to_end(thread) {
        true => Err(Error::Cancelled),
        false => wait(),
    };
    thread.is_at_point.set(false);
    if matches!(result, Err(Error::Cancelled)) && !is_to_end(thread) {
        deliver(thread);
    }
    result
}

/// A wait that is no point of cancellation, but that signals and asynchronous cancellation end,
/// with `Cancelled`: the caller has [`handle_signals`] and waits again.
pub(super) fn until_signal<T>(wait: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let Some(thread) = PosixThread::current() else {
        return wait();
    };
    thread.takes_signals.set(true);
    let result = match is_due(thread) || is_to_end_anywhere(thread) {
        true => Err(Error::Cancelled),
        false => wait(),
    };
    thread.takes_signals.set(false);
    result
}

/// Does what is to be done about the signals that the calling thread has got. Does not come back
/// where it is cancelled asynchronously.
pub(super) fn handle_signals() {
    if let Some(thread) = PosixThread::current() {
        deliver(thread);
        test_anywhere(thread);
    }
}

fn is_to_end(thread: &'static PosixThread) -> bool {
    thread.is_cancelled.get() && thread.cancel_state.get() == ENABLE
}

/// Whether it is to end wherever it is.
fn is_to_end_anywhere(thread: &'static PosixThread) -> bool {
    is_to_end(thread) && thread.cancel_type.get() == ASYNCHRONOUS
}

/// Ends the calling thread where it is cancelled asynchronously.
fn test_anywhere(thread: &'static PosixThread) {
    if is_to_end_anywhere(thread) {
        exit_with(CANCELED);
    }
}

/// Whether the calling thread is cancelled asynchronously.
pub(super) fn is_cancelled_anywhere() -> bool {
    PosixThread::current().is_some_and(is_to_end_anywhere)
}

/// Whether the calling thread is cancelled and may be.
pub(super) fn is_cancelled() -> bool {
    PosixThread::current().is_some_and(is_to_end)
}

/// A point of cancellation that waits for nothing.
pub(super) fn test() {
    if is_cancelled() {
        exit_with(CANCELED);
    }
}

/// Ends the wait of a thread, if it is in one that is to be ended. One that is about to wait is
/// given the time for that.
pub(super) fn end_wait(handle: &'static AnyThread<Board>, is_to_be_ended: impl Fn() -> bool) {
    while is_to_be_ended() && handle.cancel_wait().is_err() {
        if handle.state() == State::NonExistent {
            return;
        }
        let _ = AnyThread::<Board>::sleep(Timeout::after(Duration::from_nanos(TICK)));
    }
}

/// Calls the handlers of the calling thread, the last one first.
pub(super) fn clean_up(thread: &'static PosixThread) {
    while let Some(cleanup) = core::ptr::NonNull::new(thread.cleanup.get()) {
        // SAFETY: it is located on the calling thread's stack, and the function that has put it
        // there has not returned.
        let cleanup = unsafe { cleanup.as_ref() };
        thread.cleanup.set(cleanup.next);
        if let Some(routine) = cleanup.routine {
            // SAFETY: the program gave both.
            unsafe { routine(cleanup.argument) };
        }
    }
}

/// Exchanges one of two values. Errors: `EINVAL` for another one.
unsafe fn exchange(
    place: impl FnOnce(&'static PosixThread) -> &'static core::cell::Cell<c_int>,
    allowed: [c_int; 2],
    new: c_int,
    old: *mut c_int,
) -> c_int {
    let Some(thread) = PosixThread::current().filter(|_| allowed.contains(&new)) else {
        return Errno::INVAL.0;
    };
    let before = place(thread).replace(new);
    if !old.is_null() {
        // SAFETY: the caller guarantees that `old` is writable.
        unsafe { old.write(before) };
    }
    test_anywhere(thread);
    0
}

interface! {
    /// Requests that a thread ends at its next point of cancellation, or, if it chose the
    /// asynchronous kind, in its present wait. `ESRCH` if there is no such thread; `EPERM` in a
    /// handler.
    fn pthread_cancel(id: Id) -> c_int {
        if in_handler() {
            return Errno::PERM.0;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Ok(thread) = (unsafe { living(id) }) else {
            return Errno::SRCH.0;
        };
        let Some(record) = PosixThread::of(thread) else {
            return Errno::SRCH.0;
        };
        masked(|| record.is_cancelled.set(true));
        if core::ptr::eq(thread.handle(), AnyThread::current()) {
            test_anywhere(record);
        } else {
            end_wait(thread.handle(), || {
                record.is_at_point.get() && is_to_end(record)
                    || record.takes_signals.get() && is_to_end_anywhere(record)
            });
        }
        0
    }

    /// Says whether the calling thread may be cancelled, and what was so before.
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `old` is null or writable.
        unsafe { exchange(|thread| &thread.cancel_state, [ENABLE, DISABLE], state, old) }
    }

    /// Says where the calling thread may be cancelled, and what was so before: at points of
    /// cancellation, or in every wait.
    fn pthread_setcanceltype(kind: c_int, old: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `old` is null or writable.
        unsafe { exchange(|thread| &thread.cancel_type, [DEFERRED, ASYNCHRONOUS], kind, old) }
    }

    /// A point of cancellation that waits for nothing.
    fn pthread_testcancel() {
        test();
    }

    /// Does the work of `pthread_cleanup_push`, with a handler on the stack.
    fn taktos_posix_cleanup_push(cleanup: *mut Cleanup) {
        if let Some(thread) = PosixThread::current() {
            // SAFETY: the macro's variable.
            unsafe { (*cleanup).next = thread.cleanup.replace(cleanup) };
        }
    }

    /// Does the work of `pthread_cleanup_pop`.
    fn taktos_posix_cleanup_pop(cleanup: *mut Cleanup, executes: c_int) {
        let Some(thread) = PosixThread::current() else { return };
        // SAFETY: the macro's variable.
        let cleanup = unsafe { &*cleanup };
        thread.cleanup.set(cleanup.next);
        if let Some(routine) = cleanup.routine.filter(|_| executes != 0) {
            // SAFETY: the program gave both.
            unsafe { routine(cleanup.argument) };
        }
    }
}
