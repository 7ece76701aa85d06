//! Owns: the operations of tasks in addition to the standard's threads. Must never know:
//! notifications.

use super::block::Task;
use super::{Base, prepare, truth};
use crate::cmsis::interface;
use crate::cmsis::thread::{self, Entry, OsThread, ThreadAttributes, for_each_living, start_all};
use crate::object::{Id, Object};
use crate::os::{TICK, in_handler, masked, os};
use core::cell::Cell;
use core::ffi::{CStr, c_char, c_void};
use core::ptr;
use taktos::board::Board;
use taktos::{Duration, Kernel};

/// The task with this id, which has not ended; of null, the caller.
///
/// # Safety
/// As for [`Id::get`].
pub(super) unsafe fn task(id: Id) -> Option<&'static OsThread> {
    if id == Id::NONE {
        return OsThread::current();
    }
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    unsafe { id.get::<OsThread>() }.filter(|thread| !thread.has_ended())
}

/// Where it is noted that a task is suspended before the scheduler starts; none afterwards.
fn suspended_early(thread: &'static OsThread) -> Option<&'static Cell<bool>> {
    (!os().is_running()).then(|| Task::of(thread).map(|task| &task.starts_suspended))?
}

interface! {
    /// Makes a task as `osThreadNew` makes a thread; its control block is in `block`, or in the
    /// heap if that is null. Null without memory, in a handler, or without a function.
    fn taktos_freertos_task(entry: Option<Entry>, argument: *mut c_void, attributes: *const ThreadAttributes, block: *mut c_void) -> Id {
        let Some(entry) = entry.filter(|_| !in_handler()) else {
            return Id::NONE;
        };
        prepare();
        // SAFETY: the caller guarantees that `attributes` is null or valid.
        let attributes = unsafe { attributes.as_ref() }.unwrap_or(&ThreadAttributes::NONE);
        let Some(thread) = thread::make(entry, argument, attributes) else {
            return Id::NONE;
        };
        // SAFETY: the caller guarantees that `block` is null, or memory for a task that no other
        // code uses.
        let Some(task) = (unsafe { Task::make(block) }) else {
            thread::end(thread);
            return Id::NONE;
        };
        thread.task().set(Some(task));
        if os().is_running() {
            thread.launch();
        }
        Id::of(thread)
    }

    /// Suspends a task (null: the caller's). The wait of another task ends: it checks again when it
    /// is resumed, and waits on where FreeRTOS's does so (at queues, and to send to streams).
    fn vTaskSuspend(id: Id) {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(thread) = (unsafe { task(id) }).filter(|_| !in_handler()) else {
            return;
        };
        if let Some(early) = suspended_early(thread) {
            early.set(true);
            return;
        }
        if OsThread::current().is_some_and(|current| ptr::eq(current, thread)) {
            if !os().is_locked() {
                let _ = thread.handle().suspend();
            }
            return;
        }
        let _ = thread.handle().suspend();
        if let Some(task) = Task::of(thread) {
            let waited = thread.handle().cancel_wait().is_ok();
            task.was_suspended.set(waited || task.was_suspended.get());
        }
    }

    /// Sets the time forward by `ticks` ticks. 0 if the machine's clock runs by itself, and cannot
    /// be set.
    fn xTaskCatchUpTicks(ticks: u32) -> Base {
        truth(Kernel::<Board>::advance(Duration::from_nanos(u64::from(ticks) * TICK)).is_ok())
    }

    /// Starts the tasks; does not come back. Tasks of one priority take turns, each for `slice`
    /// ticks; 0: until it waits or yields.
    fn taktos_freertos_start(slice: u32) {
        prepare();
        os().slice.set((slice > 0).then_some(slice));
        start_all();
    }

    /// Makes the kernel ready for objects, if it is not yet.
    fn taktos_freertos_prepare() {
        prepare();
    }

    /// Lets a suspended task continue, however often it was suspended; others do as they do.
    /// Returns whether it was suspended. Allowed in handlers.
    fn xTaskResumeFromISR(id: Id) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let thread = unsafe { task(id) };
        let resumes = |thread: &'static OsThread| match suspended_early(thread) {
            Some(early) => early.take(),
            None => thread.handle().resume().is_ok(),
        };
        truth(thread.is_some_and(resumes))
    }

    /// Whether a task is suspended, whatever it waits for. Allowed in handlers.
    fn taktos_freertos_is_suspended(id: Id) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let thread = unsafe { task(id) };
        let is_suspended = |thread: &'static OsThread| match suspended_early(thread) {
            Some(early) => early.get(),
            None => thread.handle().is_suspended(),
        };
        truth(thread.is_some_and(is_suspended))
    }

    /// Ends the wait or the delay of a task, as if its time were over. 0 where it does not wait, or
    /// is suspended.
    fn xTaskAbortDelay(id: Id) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let thread = unsafe { task(id) };
        let aborts = |thread: &'static OsThread| !thread.handle().is_suspended() && thread.handle().cancel_wait().is_ok();
        truth(thread.is_some_and(aborts))
    }

    /// Keeps a pointer of the program's for a task, of which each has eight; nothing in a handler.
    fn vTaskSetThreadLocalStoragePointer(id: Id, index: Base, pointer: *mut c_void) {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(thread) = (unsafe { task(id) }).filter(|_| !in_handler()) else {
            return;
        };
        let place = Task::of(thread).and_then(|task| task.pointers.get(index as usize));
        if let Some(place) = place {
            place.set(pointer);
        }
    }

    /// Returns a pointer that was stored so; null if none was.
    fn pvTaskGetThreadLocalStoragePointer(id: Id, index: Base) -> *mut c_void {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let task = unsafe { task(id) }.and_then(|thread| thread.task().get());
        let place = task.and_then(|task| task.pointers.get(index as usize));
        place.map_or(ptr::null_mut(), Cell::get)
    }

    /// The task of a name; null where there is none. Steps: all names.
    fn xTaskGetHandle(name: *const c_char) -> Id {
        if name.is_null() {
            return Id::NONE;
        }
        // SAFETY: the caller guarantees that `name` is a C string.
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
