//! Owns: what tasks can do beside the standard's threads. Must never know: notifications.

use super::{Base, prepare, truth};
use crate::cmsis::interface;
use crate::cmsis::thread::{OsThread, for_each_living, start_all};
use crate::object::{Id, Memory, Object};
use crate::os::{in_handler, masked, os};
use core::cell::Cell;
use core::ffi::{CStr, c_char, c_void};
use core::ptr;

/// How many pointers a task can have of its own: `configNUM_THREAD_LOCAL_STORAGE_POINTERS` at most.
const POINTERS: usize = 8;

/// The pointers of a task, in the heap.
pub struct Pointers([Cell<*mut c_void>; POINTERS]);

impl Pointers {
    fn make() -> Option<&'static Self> {
        Memory::hold(Self([const { Cell::new(ptr::null_mut()) }; POINTERS]))
    }
}

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

    /// Ends the wait or the delay of a task, as if its time were over. 0 where it does not wait, or is suspended.
    fn xTaskAbortDelay(id: Id) -> Base {
        // SAFETY: the caller's promise.
        let thread = unsafe { task(id) };
        let aborts = |thread: &'static OsThread| !thread.handle().is_suspended() && thread.handle().cancel_wait().is_ok();
        truth(thread.is_some_and(aborts))
    }

    /// Keeps a pointer of the program's for a task, of which each has eight; nothing without memory for them, and in a handler.
    fn vTaskSetThreadLocalStoragePointer(id: Id, index: Base, pointer: *mut c_void) {
        // SAFETY: the caller's promise.
        let Some(thread) = (unsafe { task(id) }).filter(|_| !in_handler()) else {
            return;
        };
        let pointers = thread.pointers().get().or_else(Pointers::make);
        thread.pointers().set(pointers);
        let place = pointers.and_then(|pointers| pointers.0.get(index as usize));
        if let Some(place) = place {
            place.set(pointer);
        }
    }

    /// What was kept so; null where nothing was.
    fn pvTaskGetThreadLocalStoragePointer(id: Id, index: Base) -> *mut c_void {
        // SAFETY: the caller's promise.
        let pointers = unsafe { task(id) }.and_then(|thread| thread.pointers().get());
        let place = pointers.and_then(|pointers| pointers.0.get(index as usize));
        place.map_or(ptr::null_mut(), Cell::get)
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
