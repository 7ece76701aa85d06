//! Owns: threads: how they come to be, what they leave, what a program's `main` is. Must never
//! know: the attributes' form.

use super::attributes::{Attributes, POLICY_OTHER};
use super::cancel::{Cleanup, cancellable, clean_up, is_cancelled, test};
use super::clock::{ClockId, REALTIME, TimeSpec, deadline, next_look};
use super::code;
use super::errno::Errno;
use super::key::{self, Values};
use super::scheduling::follow_policy;
use super::signal;
use super::signal::action::at_call;
use crate::cmsis::interface;
use crate::cmsis::status::{OK, PARAMETER, RESOURCE};
use crate::cmsis::thread::{self, OsThread};
use crate::object::{Id, Memory};
use crate::os::{in_handler, masked, os};
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::ptr;
use taktos::board::Board;
use taktos::{AnyThread, Error, Timeout};

/// Function that a thread calls.
pub type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// Record of a thread in addition to the interface's. It is in the heap, and goes with the thread.
pub struct PosixThread {
    start: Option<Start>,
    argument: *mut c_void,
    /// Result for the thread that joins it.
    result: Cell<*mut c_void>,
    pub(super) policy: Cell<c_int>,
    pub(super) values: Cell<Option<&'static Values>>,
    pub(super) cleanup: Cell<*mut Cleanup>,
    pub(super) cancel_state: Cell<c_int>,
    pub(super) cancel_type: Cell<c_int>,
    pub(super) is_cancelled: Cell<bool>,
    /// Whether it is at a point of cancellation.
    pub(super) is_at_point: Cell<bool>,
    /// Whether it is in another wait that signals end.
    pub(super) takes_signals: Cell<bool>,
    /// Whether it waits for as long as it takes where it waits for a mutex.
    pub(super) waits_for_ever: Cell<bool>,
    /// Number of the clock of its processor time; 0 before the first request for it.
    pub(super) clock: Cell<ClockId>,
    /// Whether it sleeps until an instant of the time of day.
    pub(super) watches_clock: Cell<bool>,
    pub(super) signals: signal::OfThread,
}

impl PosixThread {
    /// A new one, of the heap.
    fn make(start: Option<Start>, argument: *mut c_void, policy: c_int) -> Option<&'static Self> {
        Memory::hold(Self {
            start,
            argument,
            result: Cell::new(ptr::null_mut()),
            policy: Cell::new(policy),
            values: Cell::new(None),
            cleanup: Cell::new(ptr::null_mut()),
            cancel_state: Cell::new(0),
            cancel_type: Cell::new(0),
            is_cancelled: Cell::new(false),
            is_at_point: Cell::new(false),
            takes_signals: Cell::new(false),
            waits_for_ever: Cell::new(true),
            clock: Cell::new(0),
            watches_clock: Cell::new(false),
            signals: signal::OfThread::new(signal::inherited()),
        })
    }

    /// Of a thread that has one.
    pub(super) fn of(thread: &'static OsThread) -> Option<&'static Self> {
        thread.posix()
    }

    /// The calling thread's. One that was made by another interface's call gets it now; none where
    /// there is no memory, and in handlers.
    pub(super) fn current() -> Option<&'static Self> {
        OsThread::current()
            .filter(|_| !in_handler())
            .and_then(Self::of_or_new)
    }

    /// Of a thread, which has one from now on; none where there is no memory.
    pub(super) fn of_or_new(thread: &'static OsThread) -> Option<&'static Self> {
        if thread.posix().is_none() {
            thread.set_posix(Self::make(None, ptr::null_mut(), POLICY_OTHER)?);
        }
        thread.posix()
    }

    /// Gives its memory back.
    ///
    /// # Safety
    /// The thread is gone.
    pub(crate) unsafe fn free(&'static self) {
        // SAFETY: the caller guarantees that the thread is gone. `make` allocated it from the heap.
        unsafe {
            if let Some(values) = self.values.get() {
                key::free_values(values);
            }
            self.signals.free();
            Memory::let_go(self);
        }
    }
}

/// The thread of an id that has not ended. Errors: `ESRCH`.
///
/// # Safety
/// As for [`Id::get`].
pub(super) unsafe fn living(id: Id) -> Result<&'static OsThread, Errno> {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let thread = unsafe { id.get::<OsThread>() };
    thread
        .filter(|thread| !thread.has_ended())
        .ok_or(Errno::SRCH)
}

/// Where every thread begins.
unsafe extern "C" fn begin(_: *mut c_void) {
    let Some(thread) = PosixThread::current() else {
        return;
    };
    if let Some(start) = thread.start {
        // SAFETY: the program gave both to `pthread_create`.
        exit_with(unsafe { start(thread.argument) })
    }
}

/// Ends the calling thread with a result: its handlers are called, then the destructors of its
/// values. With the last thread the program ends.
pub(super) fn exit_with(result: *mut c_void) -> ! {
    if let Some(thread) = PosixThread::current() {
        // A thread that has begun to end cannot be cancelled.
        thread.cancel_state.set(1);
        // Signals that came while the thread computed are not lost with it.
        at_call();
        clean_up(thread);
        key::destroy_values(thread);
        thread.result.set(result);
    }
    let living = &os().posix.living;
    let is_last = masked(|| {
        living.update(|count| count.saturating_sub(1));
        living.get() == 0
    });
    if is_last {
        end_program(0);
    }
    thread::exit()
}

/// Makes a thread, which does not run yet.
fn make(
    start: Start,
    argument: *mut c_void,
    attributes: &Attributes,
) -> Result<&'static OsThread, Errno> {
    let (policy, priority) = attributes.scheduling();
    let record = PosixThread::make(Some(start), argument, policy).ok_or(Errno::AGAIN)?;
    let thread = thread::make(begin, ptr::null_mut(), &attributes.of_thread(priority));
    let Some(thread) = thread else {
        // SAFETY: no thread has it.
        unsafe { record.free() };
        return Err(Errno::AGAIN);
    };
    thread.set_posix(record);
    masked(|| os().posix.living.update(|count| count + 1));
    follow_policy(thread, policy);
    Ok(thread)
}

/// Makes a thread that no thread joins, and starts it.
pub(super) fn start(
    start: Start,
    argument: *mut c_void,
    attributes: &Attributes,
) -> Result<(), Errno> {
    make(start, argument, attributes)?.launch();
    Ok(())
}

fn waits_for_ever(thread: &'static OsThread) -> bool {
    PosixThread::of(thread).is_none_or(|thread| thread.waits_for_ever.get())
}

/// Waits for a thread's end, whatever signals come.
fn join_for(thread: &'static OsThread, time: Timeout) -> Result<(), Error> {
    loop {
        match cancellable(|| thread.handle().join(time)) {
            Err(Error::Cancelled) if !is_cancelled() => {}
            // It waits for the caller, but for a time only.
            Err(Error::Deadlock) if !waits_for_ever(thread) => {
                let next = next_look(time)?;
                let _ = cancellable(|| AnyThread::<Board>::sleep(next));
            }
            other => return other,
        }
    }
}

/// Waits for a thread's end as long as `time` says, and takes its result.
unsafe fn join(id: Id, result: *mut *mut c_void, time: Timeout) -> Result<(), Errno> {
    if in_handler() {
        return Err(Errno::PERM);
    }
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let thread = unsafe { id.get::<OsThread>() }.ok_or(Errno::SRCH)?;
    if OsThread::current().is_some_and(|current| ptr::eq(current, thread)) {
        return Err(Errno::DEADLK);
    }
    let mut left = ptr::null_mut();
    let mut error = Errno::INVAL;
    let joined = thread::join(
        thread,
        |thread| {
            let ended = match time.is_none() {
                true => Err(Error::WouldBlock),
                false => join_for(thread, time),
            };
            if let Err(reason) = ended {
                error = reason.into();
            }
        },
        |thread| {
            if let Some(record) = thread.posix() {
                left = record.result.get();
            }
        },
    );
    if joined != OK {
        // A joiner that is cancelled leaves the thread to be joined by others.
        test();
        return Err(error);
    }
    if !result.is_null() {
        // SAFETY: the caller guarantees that `result` is writable.
        unsafe { result.write(left) };
    }
    Ok(())
}

unsafe extern "C" {
    /// The size of the stack of the thread that calls `main`, by the linker script.
    #[cfg(target_os = "none")]
    static _taktos_main_stack_size: u8;
}

/// Calls the program's `main` in a thread, in a program of POSIX threads: its linker options say
/// so. The kernel starts with that thread.
#[cfg(target_os = "none")]
#[unsafe(no_mangle)]
extern "C" fn taktos_run_main_in_thread() -> ! {
    unsafe extern "C" fn main(_: *mut c_void) -> *mut c_void {
        end_program(crate::start::program::main())
    }
    // SAFETY: no address is handed over.
    unsafe { crate::cmsis::kernel::osKernelInitialize() };
    let mut attributes = Attributes::NEW;
    attributes.set_stack_size((&raw const _taktos_main_stack_size).addr());
    let status = match make(main, ptr::null_mut(), &attributes) {
        Ok(_) => thread::start_all(),
        Err(_) => -1,
    };
    end_program(status)
}

#[cfg(target_os = "none")]
use crate::start::program::taktos_end as end_program;

#[cfg(not(target_os = "none"))]
fn end_program(status: c_int) -> ! {
    std::process::exit(status)
}

interface! {
    /// Makes a thread that calls `start`. If it is above its maker it runs at once, with its id
    /// already written. `EAGAIN` without memory; `EINVAL` for attributes that are none; `EPERM` in
    /// a handler. A stack that is given has no guard.
    fn pthread_create(id: *mut Id, attributes: *const Attributes, start: Option<Start>, argument: *mut c_void) -> c_int {
        if in_handler() {
            return Errno::PERM.0;
        }
        // SAFETY: the caller guarantees that `attributes` is null or valid.
        let attributes = match unsafe { attributes.as_ref() } {
            None => &Attributes::NEW,
            Some(attributes) if attributes.is_alive() => attributes,
            Some(_) => return Errno::INVAL.0,
        };
        let (Some(start), false) = (start, id.is_null()) else {
            return Errno::INVAL.0;
        };
        code(make(start, argument, attributes).map(|thread| {
            // SAFETY: the caller guarantees that `id` is writable.
            unsafe { id.write(Id::of(thread)) };
            if os().is_running() {
                thread.launch();
            }
        }))
    }

    /// Waits for a thread's end; a point of cancellation. `EDEADLK` for the caller and for threads
    /// that would wait for each other; `EINVAL` if it is not joinable or another thread joins it;
    /// `ESRCH` if there is none; `EPERM` in a handler.
    fn pthread_join(id: Id, result: *mut *mut c_void) -> c_int {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`, and `result` is null or
        // writable.
        code(unsafe { join(id, result, Timeout::FOREVER) })
    }

    /// Joins a thread, waiting until the time of day is `time` at the latest: `ETIMEDOUT`.
    fn pthread_timedjoin_np(id: Id, result: *mut *mut c_void, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `time` is null or valid, `id` is valid for `Id::get`,
        // and `result` is null or writable.
        code(unsafe { deadline(REALTIME, time).and_then(|time| join(id, result, time)) })
    }

    /// Joins a thread, but only if it has ended: else `EBUSY`.
    fn pthread_tryjoin_np(id: Id, result: *mut *mut c_void) -> c_int {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`, and `result` is null or
        // writable.
        code(unsafe { join(id, result, Timeout::NONE) })
    }

    /// Detaches a thread: no thread is to join it any more. `EINVAL` if it is not joinable, `ESRCH`
    /// if there is none; `EPERM` in a handler.
    fn pthread_detach(id: Id) -> c_int {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { thread::osThreadDetach(id) } {
            OK => 0,
            PARAMETER => Errno::SRCH.0,
            RESOURCE => Errno::INVAL.0,
            _ => Errno::PERM.0,
        }
    }

    /// Ends the calling thread with a result. In `main` the other threads continue.
    fn pthread_exit(result: *mut c_void) -> ! {
        exit_with(result)
    }

    /// Accepts functions to call when the program forks, which it cannot: none is ever called.
    fn pthread_atfork(_prepare: Option<unsafe extern "C" fn()>, _parent: Option<unsafe extern "C" fn()>, _child: Option<unsafe extern "C" fn()>) -> c_int {
        0
    }

    /// The calling thread; in a handler, the one that was interrupted.
    fn pthread_self() -> Id {
        OsThread::current().map_or(Id::NONE, Id::of)
    }

    /// Whether two ids are of the same thread.
    fn pthread_equal(one: Id, other: Id) -> c_int {
        at_call();
        c_int::from(one == other)
    }
}
