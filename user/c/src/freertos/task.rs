//! Owns: what tasks can do beside the standard's threads. Must never know: notifications.

use super::{Base, prepare, truth};
use crate::cmsis::interface;
use crate::cmsis::thread::{OsThread, for_each_living, start_all};
use crate::object::{Id, Object};
use crate::os::{masked, os};
use core::ffi::{CStr, c_char};

/// The task with this id, which has not ended; of null, the caller.
///
/// # Safety
/// As for [`Id::get`].
pub(super) unsafe fn task(id: Id) -> Option<&'static OsThread> {
    if id == Id::NONE {
        return OsThread::current();
    }
    // SAFETY: the caller's promise.
    unsafe { id.get::<OsThread>() }.filter(|thread| !thread.has_ended())
}

interface! {
    /// Starts the tasks; does not come back. Tasks of one priority take turns, each for `slice` ticks; 0: until it waits or yields.
    fn taktos_freertos_start(slice: u32) {
        prepare();
        os().slice.set((slice > 0).then_some(slice));
        start_all();
    }

    /// Makes the kernel ready for objects, if it is not yet.
    fn taktos_freertos_prepare() {
        prepare();
    }

    /// Lets a task that is suspended go on, however often it was; others do as they do. Says whether it was. Allowed in handlers.
    fn xTaskResumeFromISR(id: Id) -> Base {
        // SAFETY: the caller's promise.
        let thread = unsafe { task(id) };
        truth(thread.is_some_and(|thread| thread.handle().resume().is_ok()))
    }

    /// Whether a task is suspended, whatever it waits for. Allowed in handlers.
    fn taktos_freertos_is_suspended(id: Id) -> Base {
        // SAFETY: the caller's promise.
        let thread = unsafe { task(id) };
        truth(thread.is_some_and(|thread| thread.handle().is_suspended()))
    }

    /// The task of a name; null where there is none. Steps: all names.
    fn xTaskGetHandle(name: *const c_char) -> Id {
        if name.is_null() {
            return Id::NONE;
        }
        // SAFETY: the caller's promise: a C string.
        let name = unsafe { CStr::from_ptr(name) };
        let mut found = Id::NONE;
        masked(|| {
            for_each_living(|thread| {
                let of_thread = thread.head().name();
                // SAFETY: a name that a thread was given is a C string that stays.
                if !of_thread.is_null() && unsafe { CStr::from_ptr(of_thread) } == name {
                    found = Id::of(thread);
                }
            });
        });
        found
    }
}
