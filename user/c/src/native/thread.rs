//! Threads: those of CMSIS-RTOS2, by the same handle, and the start.

use super::{Code, Codes, Time, code, failed, native, timeout};
use crate::cmsis::thread::{self, Entry, HIGHEST, JOINABLE, Living, OsThread, ThreadAttributes};
use crate::last;
use crate::object::{Attributes, Id};
use crate::os::in_handler;
use core::ffi::{c_char, c_void};
use core::ptr;
use taktos::board::Board;
use taktos::{AnyThread, Error, State};
use taktos_machine::slow_path;

/// Handle by which C names a thread.
pub type Thread = *mut c_void;

/// The thread of a handle. Errors: `Parameter` for none; `State` for one that has ended.
///
/// # Safety
/// As [`Id::get`].
#[inline(always)]
pub(super) unsafe fn living(thread: Thread) -> Result<&'static AnyThread<Board>, Error> {
    // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
    match unsafe { Id(thread).get::<Living>() } {
        Some(Living(found)) => Ok(found.handle()),
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        None => Err(match unsafe { Id(thread).get::<OsThread>() } {
            Some(_) => Error::State,
            None => Error::Parameter,
        }),
    }
}

/// Returns the error for a handle that has no living thread.
///
/// # Safety
/// As [`living`].
#[cold]
#[inline(never)]
unsafe fn refused(thread: Thread) -> Code {
    // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
    code(unsafe { living(thread) }.map(|_| ()))
}

/// The handle of a thread; null for one that C has not made.
pub(super) fn thread_of(thread: &'static AnyThread<Board>) -> Thread {
    OsThread::of(thread).map_or(ptr::null_mut(), |thread| Id::of(thread).0)
}

/// Makes a thread of the program, in the state that the call requests.
fn make(
    name: *const c_char,
    priority: u32,
    (entry, argument): (Entry, *mut c_void),
    (stack, stack_size): (*mut u8, usize),
) -> Option<Thread> {
    let attributes = ThreadAttributes {
        base: Attributes {
            name,
            bits: JOINABLE,
            ..Attributes::NONE
        },
        stack,
        stack_size: u32::try_from(stack_size).ok()?,
        priority: i32::try_from(priority).ok()?,
        ..ThreadAttributes::NONE
    };
    let made = thread::make(entry, argument, &attributes)?;
    if crate::os::os().is_running() {
        made.launch();
    }
    Some(Id::of(made).0)
}

/// States of a thread.
const NON_EXISTENT: Code = 0;
const ENDED: Code = 1;
const READY: Code = 2;
const RUNNING: Code = 3;
const BLOCKED: Code = 4;

native! {
    /// Makes the kernel ready: threads and objects can be made from here on. Errors: State a second
    /// time.
    fn taktos_initialize() -> Code {
        // SAFETY: it takes no address.
        match unsafe { crate::cmsis::kernel::osKernelInitialize() } {
            0 => 0,
            _ => failed(Error::State),
        }
    }

    /// Starts the threads; does not come back. Errors: State before taktos_initialize, and a second
    /// time.
    fn taktos_start() -> Code {
        // SAFETY: it takes no address.
        unsafe { crate::cmsis::kernel::osKernelStart() };
        failed(Error::State)
    }

    /// Makes a thread that calls `entry` with `argument`, of the priority 1 to 56 (the most
    /// urgent), and starts it once the kernel has started. The stack is the program's, or comes
    /// from the heap where it is null (stack_size bytes, the usual size where that is 0). It is
    /// joined by taktos_thread_join. Null in a handler, without memory, and for what is no
    /// priority.
    fn taktos_thread_create(name: *const c_char, priority: u32, entry: Option<Entry>, argument: *mut c_void, stack: *mut c_void, stack_size: usize) -> Thread {
        let Some(entry) = entry else {
            return ptr::null_mut();
        };
        if in_handler() || priority == 0 {
            return ptr::null_mut();
        }
        make(name, priority, (entry, argument), (stack.cast(), stack_size)).unwrap_or(ptr::null_mut())
    }

    /// The calling thread; the one that was interrupted, in a handler.
    fn taktos_thread_current() -> Thread {
        OsThread::current().map_or(ptr::null_mut(), |thread| Id::of(thread).0)
    }

    /// TAKTOS_THREAD_... : what a thread does; TAKTOS_THREAD_NON_EXISTENT for what is none. Allowed
    /// in handlers.
    fn taktos_thread_state(thread: Thread) -> Code {
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        match unsafe { Id(thread).get::<OsThread>() } {
            None => NON_EXISTENT,
            Some(thread) if thread.has_ended() => ENDED,
            Some(thread) => match thread.handle().state() {
                State::NonExistent => NON_EXISTENT,
                State::Dormant => ENDED,
                State::Ready => READY,
                State::Executing => RUNNING,
                State::Blocked => BLOCKED,
            },
        }
    }

    /// The priority that a thread was given, or an error. Allowed in handlers.
    fn taktos_thread_priority(thread: Thread) -> Code {
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        match unsafe { Id(thread).get::<OsThread>() } {
            Some(thread) if !thread.has_ended() => thread.priority(),
            Some(_) => failed(Error::State),
            None => failed(Error::Parameter),
        }
    }

    /// Gives a thread another priority, 1 to 56. Allowed in handlers. Errors: State for one that
    /// has ended; Parameter.
    fn taktos_thread_set_priority(thread: Thread, priority: u32) -> Code {
        if !(1..=HIGHEST as u32).contains(&priority) {
            return failed(Error::Parameter);
        }
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        match unsafe { Id(thread).get::<OsThread>() } {
            Some(thread) if !thread.has_ended() => code(thread.set_priority(priority as i32)),
            Some(_) => failed(Error::State),
            None => failed(Error::Parameter),
        }
    }

    /// Lets the next thread of the caller's priority run.
    fn taktos_yield() {
        last::yield_now::<Codes>();
    }

    /// Keeps a thread from running until it is resumed. Allowed in handlers. Errors: State for one
    /// that has ended; Parameter.
    fn taktos_thread_suspend(thread: Thread) -> Code {
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        match unsafe { living(thread) } {
            Ok(thread) => last::suspend::<Codes>(thread),
            // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
            Err(_) => slow_path(unsafe { refused(thread) }),
        }
    }

    /// Lets a suspended thread run again. Allowed in handlers. Errors: State if it is not
    /// suspended; Parameter.
    fn taktos_thread_resume(thread: Thread) -> Code {
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        match unsafe { living(thread) } {
            Ok(thread) => thread.resume_last::<Codes>(),
            // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
            Err(_) => slow_path(unsafe { refused(thread) }),
        }
    }

    /// Ends the wait of a thread: its call fails with Cancelled. Allowed in handlers. Errors: State
    /// if it does not wait; Parameter.
    fn taktos_thread_cancel_wait(thread: Thread) -> Code {
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        code(unsafe { living(thread) }.and_then(AnyThread::cancel_wait))
    }

    /// Waits until a thread has ended, and gives its memory back: its handle is none then. Errors:
    /// Timeout, WouldBlock, Cancelled; State for the caller, and one that another thread joins;
    /// Parameter; Context in a handler.
    fn taktos_thread_join(thread: Thread, time: Time) -> Code {
        if in_handler() {
            return failed(Error::Context);
        }
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        let Some(found) = (unsafe { Id(thread).get::<OsThread>() }) else {
            return failed(Error::Parameter);
        };
        let mut waited = Ok(());
        let wait = |thread: &'static OsThread| {
            waited = thread.handle().join(timeout(time));
        };
        match (thread::join(found, wait, |_| ()), waited) {
            (0, _) => 0,
            (_, Err(error)) => failed(error),
            _ => failed(Error::State),
        }
    }

    /// Ends the calling thread.
    fn taktos_thread_exit() {
        thread::exit()
    }

    /// Ends a thread in any state: its mutexes are unlocked, and threads that wait for it get
    /// Deleted. Errors: State for one that has ended; Parameter; Context in a handler.
    fn taktos_thread_stop(thread: Thread) -> Code {
        if in_handler() {
            return failed(Error::Context);
        }
        // SAFETY: the caller guarantees that `thread` is valid for `Id::get`.
        match unsafe { Id(thread).get::<OsThread>() } {
            Some(found) if !found.has_ended() => {
                thread::end(found);
                0
            }
            Some(_) => failed(Error::State),
            None => failed(Error::Parameter),
        }
    }
}
