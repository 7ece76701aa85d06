//! Parts of an executor that other code touches: its thread, which other code wakes, and the queue
//! of its tasks that wait for an instant.
//!
//! Owns: the semaphore that the thread waits for, and whether it must be given, or later; the
//! queue. Must never know: tasks.

#![expect(unsafe_code, reason = "cells that the section guards")]

use crate::Section;
use crate::awaited::List;
use ::core::cell::{Cell, RefCell};
use ::core::sync::atomic::Ordering::{AcqRel, Relaxed};
use ::core::task::Waker;
use critical_section::{CriticalSection, Mutex};
use embassy_time_queue_utils::Queue;
use portable_atomic::{AtomicBool, AtomicU8};
use taktos_kernel::fault::refuse_from_above;
use taktos_kernel::{AnyThread, Semaphore, System, Timeout};

/// The thread checks all tasks before it waits again: a wake that is noticed by then need not give
/// the semaphore.
const AWAKE: u8 = 1;
/// It was woken since it last began to poll.
const ASKED: u8 = 2;

/// The core of an executor.
pub struct Core<S: System> {
    woken: Semaphore<S>,
    /// [`AWAKE`] and [`ASKED`].
    state: AtomicU8,
    late: AtomicBool,
    queue: Mutex<RefCell<Queue>>,
    /// The objects that its tasks await: its thread's alone.
    awaited: List<S>,
    /// The next in the section's list, and the thread that runs this one: from when it is in that
    /// list on.
    next: Cell<Option<&'static Core<S>>>,
    thread: Cell<Option<&'static AnyThread<S>>>,
}

// SAFETY: `next` and `thread` are written once, inside the section, before the core is in its list;
// readers find them by that list, and they are not written any more. `awaited` is used by
// the thread alone.
unsafe impl<S: System> Sync for Core<S> {}

impl<S: System> Core<S> {
    pub(crate) const fn new() -> Self {
        Self {
            woken: Semaphore::binary(0),
            state: AtomicU8::new(0),
            late: AtomicBool::new(false),
            queue: Mutex::new(RefCell::new(Queue::new())),
            awaited: List::new(),
            next: Cell::new(None),
            thread: Cell::new(None),
        }
    }

    /// The next in the section's list.
    pub(crate) fn next(&self) -> Option<&'static Self> {
        self.next.get()
    }

    /// The thread that runs it.
    pub(crate) fn thread(&self) -> Option<&'static AnyThread<S>> {
        self.thread.get()
    }

    /// Becomes the first of the section's list, before `next`. Inside the section, once, by its
    /// thread.
    pub(crate) fn begin(&self, thread: &'static AnyThread<S>, next: Option<&'static Self>) {
        self.thread.set(Some(thread));
        self.next.set(next);
    }

    /// Wakes its thread. In a thread, or a handler that may call the kernel; from inside `section`
    /// when that ends. From above the kernel's level the program ends with a report. Bound:
    /// fixed.
    pub(crate) fn wake(&'static self, section: &Section<S>) {
        if self.state.fetch_or(ASKED, AcqRel) & AWAKE != 0 {
            return;
        }
        match section.is_held() {
            true => {
                self.late.store(true, Relaxed);
                section.note_late();
            }
            false => self.give(),
        }
    }

    pub(crate) fn wake_late(&'static self) {
        if self.late.swap(false, Relaxed) {
            self.give();
        }
    }

    fn give(&'static self) {
        refuse_from_above::<S>();
        // A permit that is there already says the same.
        let _ = self.woken.give();
    }

    /// Its thread begins to look at all tasks.
    pub(crate) fn look(&self) {
        self.state.swap(AWAKE, AcqRel);
    }

    /// Returns whether its thread may wait, since it was not woken while it polled. From here on a
    /// wake-up gives the semaphore.
    pub(crate) fn may_wait(&self) -> bool {
        self.state.swap(0, AcqRel) & ASKED == 0
    }

    /// Blocks until it is woken, or until `timeout`; whether it was woken, or an object that a task
    /// awaits has woken the task.
    pub(crate) fn wait(&'static self, timeout: Timeout) -> bool {
        self.awaited.wait(&self.woken, timeout)
    }

    /// The objects that its tasks await. For its thread.
    pub(crate) fn awaited(&self) -> &List<S> {
        &self.awaited
    }

    /// A task is to be woken at `at`; whether that is sooner than all others here.
    pub(crate) fn wake_at(&self, cs: CriticalSection<'_>, at: u64, waker: &Waker) -> bool {
        self.queue.borrow_ref_mut(cs).schedule_wake(at, waker)
    }

    /// Wakes the tasks that wait for instants that have come. Returns the next instant, or the last
    /// there is.
    pub(crate) fn wake_due(&self, cs: CriticalSection<'_>, now: u64) -> u64 {
        self.queue.borrow_ref_mut(cs).next_expiration(now)
    }
}
