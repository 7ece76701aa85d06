//! Owns: locks of many readers or one writer. Must never know: what is read.
//!
//! The most urgent thread gets the lock, and of equals a writer before readers, as the standard has
//! it for threads of `SCHED_FIFO`. So a thread that reads already, and locks again while a writer
//! waits that is not below it, waits for itself.

use super::attributes::require;
use super::cancel::{handle_signals, is_cancelled_anywhere, until_signal};
use super::clock::{ClockId, MONOTONIC, REALTIME, TimeSpec, deadline};
use super::code;
use super::errno::Errno;
use super::place::{Kind, Place, fits};
use crate::cmsis::interface;
use crate::cmsis::thread::OsThread;
use crate::object::Id;
use crate::os::in_handler;
use core::cell::Cell;
use core::ffi::c_int;
use core::ptr;
use taktos::board::Board;
use taktos::{Condition, Error, Mutex, Timeout};

/// `pthread_rwlock_t`.
pub struct RwLock {
    /// Guards the rest.
    mutex: Mutex<Board>,
    may_read: Condition<Board>,
    may_write: Condition<Board>,
    readers: Cell<u32>,
    /// Thread that writes.
    writer: Cell<Id>,
    /// First of the waiters; each is on its thread's stack.
    waiting: Cell<*const Waiting>,
}

/// A thread that waits for a lock.
struct Waiting {
    priority: c_int,
    writes: bool,
    next: Cell<*const Waiting>,
}

impl RwLock {
    #[expect(clippy::declare_interior_mutable_const, reason = "an initial value")]
    const NEW: Self = Self {
        mutex: Mutex::new(),
        may_read: Condition::new(),
        may_write: Condition::new(),
        readers: Cell::new(0),
        writer: Cell::new(Id::NONE),
        waiting: Cell::new(ptr::null()),
    };

    fn is_locked(&self) -> bool {
        self.readers.get() > 0 || self.writer.get() != Id::NONE
    }

    /// Does `body` while no other thread reads or changes the lock.
    fn alone<T>(&'static self, body: impl FnOnce(Id) -> Result<T, Errno>) -> Result<T, Errno> {
        require(!in_handler(), Errno::PERM)?;
        self.mutex.lock(Timeout::FOREVER)?;
        // SAFETY: no address is handed over.
        let result = body(unsafe { super::thread::pthread_self() });
        self.mutex.unlock()?;
        result
    }

    /// Returns the priority of the most urgent waiter, to write or to read; 0 if there is none.
    /// Steps: the waiters.
    fn most_urgent(&self, writes: bool) -> c_int {
        let (mut most, mut next) = (0, self.waiting.get());
        // SAFETY: a waiter takes itself out before its stack goes; the lock's mutex is the
        // caller's.
        while let Some(waiting) = unsafe { next.as_ref() } {
            if waiting.writes == writes {
                most = most.max(waiting.priority);
            }
            next = waiting.next.get();
        }
        most
    }

    /// Waits for its turn while `must_wait`, which gets the caller's priority, returns `true`.
    /// `time` is called only then.
    fn wait(
        &'static self,
        writes: bool,
        must_wait: impl Fn(c_int) -> bool,
        time: impl FnOnce() -> Result<Timeout, Errno>,
    ) -> Result<(), Errno> {
        let priority = OsThread::current().map_or(0, OsThread::priority);
        if !must_wait(priority) {
            return Ok(());
        }
        let time = time()?;
        require(!time.is_none(), Errno::BUSY)?;
        let waiting = Waiting {
            priority,
            writes,
            next: Cell::new(self.waiting.get()),
        };
        self.waiting.set(&raw const waiting);
        let condition = match writes {
            true => &self.may_write,
            false => &self.may_read,
        };
        let mut waited = Ok(());
        while waited.is_ok() && must_wait(priority) {
            waited = until_signal(|| condition.wait(&self.mutex, time));
            if matches!(waited, Err(Error::Cancelled)) {
                // A thread that ends here leaves no entry in the list.
                if is_cancelled_anywhere() {
                    self.take_out(&waiting);
                    self.pass_on();
                }
                // A handler may use the lock.
                self.mutex.unlock()?;
                handle_signals();
                waited = self.mutex.lock(Timeout::FOREVER);
            }
        }
        self.take_out(&waiting);
        Ok(waited?)
    }

    /// Takes a waiter out of the list.
    fn take_out(&self, waiting: &Waiting) {
        let mut place = &self.waiting;
        // SAFETY: as for `most_urgent`.
        while let Some(other) = unsafe { place.get().as_ref() } {
            if ptr::eq(other, waiting) {
                return place.set(waiting.next.get());
            }
            place = &other.next;
        }
    }

    fn read(&'static self, time: impl FnOnce() -> Result<Timeout, Errno>) -> Result<(), Errno> {
        self.alone(|caller| {
            require(self.writer.get() != caller, Errno::DEADLK)?;
            let must_wait = |priority: c_int| {
                self.writer.get() != Id::NONE || self.most_urgent(true) >= priority.max(1)
            };
            self.waited(self.wait(false, must_wait, time))?;
            let more = self.readers.get().checked_add(1).ok_or(Errno::AGAIN)?;
            self.readers.set(more);
            Ok(())
        })
    }

    fn write(&'static self, time: impl FnOnce() -> Result<Timeout, Errno>) -> Result<(), Errno> {
        self.alone(|caller| {
            require(self.writer.get() != caller, Errno::DEADLK)?;
            let must_wait = |priority| self.is_locked() || self.most_urgent(false) > priority;
            self.waited(self.wait(true, must_wait, time))?;
            self.writer.set(caller);
            Ok(())
        })
    }

    /// Returns the result of a wait. If the wait failed, others may have waited for this thread
    /// alone.
    fn waited(&'static self, result: Result<(), Errno>) -> Result<(), Errno> {
        if result.is_err() {
            self.pass_on();
        }
        result
    }

    /// Wakes the threads that have the turn: each checks again whether it has.
    fn pass_on(&'static self) {
        if self.writer.get() != Id::NONE {
            return;
        }
        let writer = self.most_urgent(true);
        if self.most_urgent(false) > writer {
            let _ = self.may_read.broadcast();
        } else if writer > 0 && self.readers.get() == 0 {
            let _ = self.may_write.signal();
        }
    }

    fn unlock(&'static self) -> Result<(), Errno> {
        self.alone(|caller| {
            if self.writer.get() == caller {
                self.writer.set(Id::NONE);
            } else {
                let error = match self.is_locked() {
                    true => Errno::PERM,
                    false => Errno::INVAL,
                };
                let readers = self.readers.get().checked_sub(1).ok_or(error)?;
                self.readers.set(readers);
            }
            self.pass_on();
            Ok(())
        })
    }
}

impl Kind for RwLock {
    const ALIVE: u32 = u32::from_be_bytes(*b"PRWL");
    #[expect(clippy::declare_interior_mutable_const, reason = "an initial value")]
    const STATIC: Option<Self> = Some(Self::NEW);
}

/// `pthread_rwlockattr_t`, and that of barriers: whether processes share the object.
pub struct Shared(Cell<c_int>);

impl Kind for Shared {
    const ALIVE: u32 = u32::from_be_bytes(*b"PSHA");
    const STATIC: Option<Self> = None;
}

const _: () = assert!(fits::<Shared>(2));
const _: () = assert!(fits::<RwLock>(if size_of::<usize>() == 4 {
    8 + 2 * 5
} else {
    11 + 2 * 7
}));

/// Nothing, or the error where attributes are given and are none.
pub(super) unsafe fn check(attributes: *const Place<Shared>) -> Result<(), Errno> {
    match attributes.is_null() {
        true => Ok(()),
        // SAFETY: the caller guarantees that `attributes` is null or a variable of its type.
        false => unsafe { Place::object(attributes) }.map(|_| ()),
    }
}

/// Defines the calls on attributes that say whether processes share an object, of which there is
/// one.
macro_rules! shared {
    ($init:ident, $destroy:ident, $set:ident, $get:ident) => {
        interface! {
            /// Makes attributes.
            fn $init(place: *mut Place<Shared>) -> c_int {
                // SAFETY: the caller guarantees that `place` is null or a variable that no other
                // code uses.
                code(unsafe { Place::make(place, Shared(Cell::new(0))) })
            }

            /// They are none any more.
            fn $destroy(place: *mut Place<Shared>) -> c_int {
                // SAFETY: the caller guarantees that `place` is null or a variable of its type.
                code(unsafe { Place::object(place).map(|_| Place::destroy(place)) })
            }

            /// Whether processes share the object.
            fn $set(place: *mut Place<Shared>, shared: c_int) -> c_int {
                // SAFETY: the caller guarantees that `place` is null or a variable of its type.
                code(unsafe { Place::object(place) }.and_then(|cell| {
                    require(matches!(shared, 0 | 1), Errno::INVAL)?;
                    cell.0.set(shared);
                    Ok(())
                }))
            }

            /// Reads that attribute back.
            fn $get(place: *const Place<Shared>, shared: *mut c_int) -> c_int {
                // SAFETY: the caller guarantees that `place` is null or a variable of its type.
                code(unsafe { Place::object(place) }.and_then(|cell| {
                    // SAFETY: the caller guarantees that `shared` is null or writable.
                    *unsafe { shared.as_mut() }.ok_or(Errno::INVAL)? = cell.0.get();
                    Ok(())
                }))
            }
        }
    };
}

shared!(
    pthread_rwlockattr_init,
    pthread_rwlockattr_destroy,
    pthread_rwlockattr_setpshared,
    pthread_rwlockattr_getpshared
);
shared!(
    pthread_barrierattr_init,
    pthread_barrierattr_destroy,
    pthread_barrierattr_setpshared,
    pthread_barrierattr_getpshared
);

/// The lock of a variable, and the time-out of a call.
unsafe fn timed(place: *const Place<RwLock>, clock: ClockId) -> Result<&'static RwLock, Errno> {
    require(matches!(clock, REALTIME | MONOTONIC), Errno::INVAL)?;
    // SAFETY: the caller guarantees that `place` is null or a variable of its type.
    unsafe { Place::object(place) }
}

interface! {
    /// Makes a lock.
    fn pthread_rwlock_init(place: *mut Place<RwLock>, attributes: *const Place<Shared>) -> c_int {
        // SAFETY: the caller guarantees that `attributes` is null or a variable of its type, and
        // `place` is null or a variable that no other code uses.
        code(unsafe { check(attributes).and_then(|()| Place::make(place, RwLock::NEW)) })
    }

    /// Destroys a lock. `EBUSY` while it is locked.
    fn pthread_rwlock_destroy(place: *mut Place<RwLock>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|lock: &RwLock| {
            // The thread that unlocked it may still be about to leave.
            lock.alone(|_| require(!lock.is_locked(), Errno::BUSY))?;
            // SAFETY: as above.
            unsafe { Place::destroy(place) };
            Ok(())
        }))
    }

    /// Locks for reading. `EDEADLK` where the caller writes; `EPERM` in a handler.
    fn pthread_rwlock_rdlock(place: *mut Place<RwLock>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|lock| lock.read(|| Ok(Timeout::FOREVER))))
    }

    /// Locks without waiting for the turn: `EBUSY` if that would be necessary.
    fn pthread_rwlock_tryrdlock(place: *mut Place<RwLock>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|lock| match lock.read(|| Ok(Timeout::NONE)) {
            Err(Errno::DEADLK) => Err(Errno::BUSY),
            result => result,
        }))
    }

    /// Locks, waiting until the time of day is `time` at the latest: `ETIMEDOUT`.
    fn pthread_rwlock_timedrdlock(place: *mut Place<RwLock>, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and `time`
        // is null or valid.
        unsafe { pthread_rwlock_clockrdlock(place, REALTIME, time) }
    }

    /// Locks, waiting until `clock` shows `time` at the latest: `ETIMEDOUT`.
    fn pthread_rwlock_clockrdlock(place: *mut Place<RwLock>, clock: ClockId, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and `time`
        // is null or valid.
        code(unsafe { timed(place, clock).and_then(|lock| lock.read(|| deadline(clock, time))) })
    }

    /// Locks for writing. `EDEADLK` where the caller writes already; `EPERM` in a handler.
    fn pthread_rwlock_wrlock(place: *mut Place<RwLock>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|lock| lock.write(|| Ok(Timeout::FOREVER))))
    }

    /// Locks without waiting for the turn: `EBUSY` if that would be necessary.
    fn pthread_rwlock_trywrlock(place: *mut Place<RwLock>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|lock| match lock.write(|| Ok(Timeout::NONE)) {
            Err(Errno::DEADLK) => Err(Errno::BUSY),
            result => result,
        }))
    }

    /// Locks, waiting until the time of day is `time` at the latest: `ETIMEDOUT`.
    fn pthread_rwlock_timedwrlock(place: *mut Place<RwLock>, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and `time`
        // is null or valid.
        unsafe { pthread_rwlock_clockwrlock(place, REALTIME, time) }
    }

    /// Locks, waiting until `clock` shows `time` at the latest: `ETIMEDOUT`.
    fn pthread_rwlock_clockwrlock(place: *mut Place<RwLock>, clock: ClockId, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and `time`
        // is null or valid.
        code(unsafe { timed(place, clock).and_then(|lock| lock.write(|| deadline(clock, time))) })
    }

    /// Unlocks. `EPERM` if another thread writes; `EINVAL` if no thread has locked it.
    fn pthread_rwlock_unlock(place: *mut Place<RwLock>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(RwLock::unlock))
    }
}
