//! Owns: what a thread has as a task of FreeRTOS's: pointers, notifications, the mutexes that it
//! holds, and what it inherits by them. Must never know: how the thread came to be.

use super::notification::Notification;
use super::queue::OsQueue;
use crate::cmsis::thread::OsThread;
use crate::object::Memory;
use crate::os::masked;
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{self, NonNull};

/// How many pointers and notifications a task has: what `configNUM_THREAD_LOCAL_STORAGE_POINTERS`
/// and `configTASK_NOTIFICATION_ARRAY_ENTRIES` are at most.
const POINTERS: usize = 8;
const NOTIFICATIONS: usize = 8;

/// The data of a task. Threads of other interfaces get one when they make a call that needs it.
pub struct Task {
    in_heap: bool,
    pub(super) pointers: [Cell<*mut c_void>; POINTERS],
    pub(super) notifications: [Notification; NOTIFICATIONS],
    /// The last of the mutexes that it holds, which leads to the others.
    pub(super) held: Cell<Option<&'static OsQueue>>,
    /// The mutex that it waits for, and whether without a time.
    pub(super) waits_for: Cell<Option<&'static OsQueue>>,
    pub(super) waits_for_ever: Cell<bool>,
    /// The priority that the task inherits from waiters for its mutexes, in the standard's numbers;
    /// 0: none.
    pub(super) inherited: Cell<i32>,
    /// Whether it was suspended while it waited: its wait has ended, and a wait at a queue begins
    /// again.
    pub(super) was_suspended: Cell<bool>,
    /// Whether it was suspended before the scheduler started.
    pub(super) starts_suspended: Cell<bool>,
}

/// The words that `FreeRTOS.h` has for one in a `StaticTask_t`.
const WORDS: usize = 30;
const _: () = assert!(size_of::<Task>() <= WORDS * size_of::<usize>());

impl Task {
    fn new(in_heap: bool) -> Self {
        Self {
            in_heap,
            pointers: [const { Cell::new(ptr::null_mut()) }; POINTERS],
            notifications: [const { Notification::new() }; NOTIFICATIONS],
            held: Cell::new(None),
            waits_for: Cell::new(None),
            waits_for_ever: Cell::new(false),
            inherited: Cell::new(0),
            was_suspended: Cell::new(false),
            starts_suspended: Cell::new(false),
        }
    }

    /// Makes one in memory that the program gives, or in the heap; none if the heap has no space.
    ///
    /// # Safety
    /// The address is null, or there is memory for one, at a multiple of a word, that no other code
    /// uses.
    pub(super) unsafe fn make(place: *mut c_void) -> Option<&'static Self> {
        let Some(place) = NonNull::new(place.cast::<Self>()) else {
            return Memory::hold(Self::new(true));
        };
        // SAFETY: the caller guarantees that `place` is aligned memory for a task that no other
        // code uses.
        unsafe {
            place.write(Self::new(false));
            Some(place.as_ref())
        }
    }

    /// The thread's, which it has from now on; none where there is no memory for it. Allowed in
    /// handlers.
    pub(super) fn of(thread: &'static OsThread) -> Option<&'static Self> {
        thread.task().get().or_else(|| Self::add_to(thread))
    }

    /// Gives a thread one that has none.
    #[cold]
    #[inline(never)]
    fn add_to(thread: &'static OsThread) -> Option<&'static Self> {
        let place = thread.task();
        let new = Memory::hold(Self::new(true))?;
        // A handler may have been quicker.
        let before = masked(|| place.get().or_else(|| place.replace(Some(new))));
        if let Some(before) = before {
            // SAFETY: no other code has its address.
            unsafe { Memory::let_go(new) };
            return Some(before);
        }
        Some(new)
    }

    /// Gives its memory back.
    ///
    /// # Safety
    /// Its thread is gone.
    pub(crate) unsafe fn free(&'static self) {
        if self.in_heap {
            // SAFETY: `hold` gave it; the caller guarantees that its thread is gone.
            unsafe { Memory::let_go(self) };
        }
    }

    /// Disowns the mutexes that it holds when its thread ends: they stay locked, without an owner.
    pub(crate) fn end(&'static self) {
        masked(|| {
            while let Some(queue) = self.held.get() {
                super::mutex::disown(queue);
            }
        });
    }

    /// Returns whether it was suspended before the scheduler started; `true` only once.
    pub(crate) fn starts_suspended(&self) -> bool {
        self.starts_suspended.take()
    }

    /// The priority that it inherits; 0: none.
    pub(crate) fn inherited(&self) -> i32 {
        self.inherited.get()
    }
}

/// Returns whether the calling task was suspended while it waited. Called once for each time.
pub(super) fn was_suspended() -> bool {
    let task = OsThread::current().and_then(|thread| thread.task().get());
    task.is_some_and(|task| task.was_suspended.take())
}
