//! Owns: mutexes and their attributes. Must never know: how the kernel's work.
//!
//! A mutex of the kind `PTHREAD_MUTEX_NORMAL`, which is the default, waits for ever if its owner
//! locks it again. One that is not robust stays locked when its owner ends. Handlers of signals run
//! while a thread waits; the wait continues afterwards, behind its equals.

use super::attributes::{PRIORITIES, require};
use super::cancel::{handle_signals, until_signal};
use super::clock::{MONOTONIC, REALTIME, TimeSpec, deadline, next_look};
use super::errno::Errno;
use super::place::{Kind, Place, fits};
use super::signal::action::at_call;
use super::thread::PosixThread;
use super::{alone, code};
use crate::cmsis::interface;
use crate::cmsis::thread::level;
use crate::os::in_handler;
use core::cell::{Cell, UnsafeCell};
use core::ffi::c_int;
use taktos::board::Board;
use taktos::{AnyThread, Error, Mutex, OwnerEnd, Protocol, Timeout};

const NORMAL: c_int = 0;
const RECURSIVE: c_int = 1;
const ERROR_CHECK: c_int = 2;
const NO_PROTOCOL: c_int = 0;
const INHERIT: c_int = 1;
const PROTECT: c_int = 2;
const STALLED: c_int = 0;
const ROBUST: c_int = 1;

/// `pthread_mutexattr_t`.
#[derive(Clone, Copy)]
pub struct Attributes {
    kind: c_int,
    protocol: c_int,
    ceiling: c_int,
    robust: c_int,
    shared: c_int,
}

impl Attributes {
    const NEW: Self = Self {
        kind: NORMAL,
        protocol: NO_PROTOCOL,
        ceiling: *PRIORITIES.end(),
        robust: STALLED,
        shared: 0,
    };

    fn mutex(self) -> Mutex<Board> {
        let protocol = match self.protocol {
            INHERIT => Protocol::Inheritance,
            PROTECT => Protocol::Ceiling(level(self.ceiling)),
            _ => Protocol::None,
        };
        let end = match self.robust {
            ROBUST => OwnerEnd::Tell,
            _ => OwnerEnd::StayLocked,
        };
        let mutex = Mutex::with_protocol(protocol).when_owner_ends(end);
        match self.kind {
            RECURSIVE => mutex.recursive(),
            _ => mutex,
        }
    }
}

impl Kind for Cell<Attributes> {
    const ALIVE: u32 = u32::from_be_bytes(*b"PMAT");
    const STATIC: Option<Self> = None;
}

/// `pthread_mutex_t`.
pub struct PosixMutex {
    attributes: Cell<Attributes>,
    /// Replaced only while no thread owns it and no other thread runs.
    mutex: UnsafeCell<Mutex<Board>>,
}

impl Kind for PosixMutex {
    const ALIVE: u32 = u32::from_be_bytes(*b"PMTX");
    #[expect(clippy::declare_interior_mutable_const, reason = "an initial value")]
    const STATIC: Option<Self> = Some(Self {
        attributes: Cell::new(Attributes::NEW),
        mutex: UnsafeCell::new(
            Mutex::with_protocol(Protocol::None).when_owner_ends(OwnerEnd::StayLocked),
        ),
    });
}

const _: () = assert!(fits::<Cell<Attributes>>(3));
const _: () = assert!(fits::<PosixMutex>(if size_of::<usize>() == 4 {
    8
} else {
    11
}));

impl PosixMutex {
    pub(super) fn kernels(&'static self) -> &'static Mutex<Board> {
        // SAFETY: it is replaced only while no thread uses it.
        unsafe { &*self.mutex.get() }
    }

    /// Gives it another ceiling if no thread owns it, and returns the former one. Called while no
    /// other thread runs.
    fn set_ceiling(&'static self, ceiling: c_int) -> Option<c_int> {
        if self.kernels().owner().is_some() {
            return None;
        }
        let mut attributes = self.attributes.get();
        let before = core::mem::replace(&mut attributes.ceiling, ceiling);
        self.attributes.set(attributes);
        // SAFETY: no thread owns it, so no thread waits for it, and no other thread runs.
        unsafe { self.mutex.get().write(attributes.mutex()) };
        Some(before)
    }

    fn is_own(&'static self) -> bool {
        let owner = self.kernels().owner();
        owner.is_some_and(|owner| core::ptr::eq(owner, AnyThread::current()))
    }

    /// Locks it if that needs no wait. Errors: `EBUSY`, and those of the standard.
    fn try_lock(&'static self) -> Result<(), Errno> {
        require(!in_handler(), Errno::PERM)?;
        at_call();
        match self.kernels().lock(Timeout::NONE) {
            Err(Error::Deadlock) => Err(Errno::BUSY),
            result => result.map_err(Errno::from),
        }
    }

    /// Locks it. If that has to wait, it does so as long as `time` says, which is called only then.
    fn lock(&'static self, time: impl FnOnce() -> Result<Timeout, Errno>) -> Result<(), Errno> {
        match self.try_lock() {
            Err(Errno::BUSY) => self.wait(time()?),
            result => result,
        }
    }

    /// Locks it as long as `time` says, whatever signals come.
    #[cold]
    fn wait(&'static self, time: Timeout) -> Result<(), Errno> {
        let tell = |waits| {
            if let Some(thread) = PosixThread::current() {
                thread.waits_for_ever.set(waits);
            }
        };
        tell(time.is_forever());
        let result = self.go_on_waiting(time);
        tell(true);
        result
    }

    fn go_on_waiting(&'static self, time: Timeout) -> Result<(), Errno> {
        loop {
            match until_signal(|| self.kernels().lock(time)) {
                Err(Error::Cancelled) => handle_signals(),
                Err(Error::Deadlock) if self.waits_in_a_ring(time) => self.pause(time)?,
                result => return result.map_err(Errno::from),
            }
        }
    }

    /// Whether a thread waits though it waits for itself: its own mutex does not tell it so, or the
    /// ring is there for a time only.
    fn waits_in_a_ring(&'static self, time: Timeout) -> bool {
        match self.is_own() {
            true => self.attributes.get().kind == NORMAL,
            false => !time.is_forever(),
        }
    }

    /// Lets a tick go by, or all the time where the mutex is the caller's own. Errors: `ETIMEDOUT`.
    fn pause(&'static self, time: Timeout) -> Result<(), Errno> {
        let next = next_look(time)?;
        let pause = if self.is_own() { time } else { next };
        if until_signal(|| AnyThread::<Board>::sleep(pause)) == Err(Error::Cancelled) {
            handle_signals();
        }
        Ok(())
    }
}

/// The mutex of a variable.
///
/// # Safety
/// As for [`Place::object`].
pub(super) unsafe fn object(place: *const Place<PosixMutex>) -> Result<&'static PosixMutex, Errno> {
    // SAFETY: the caller guarantees that `place` is null or a variable of its type.
    unsafe { Place::object(place) }
}

/// Locks a mutex; where that has to wait, until a clock shows what is at `time`, which is looked at
/// only then.
unsafe fn lock_until(
    place: *const Place<PosixMutex>,
    clock: c_int,
    time: *const TimeSpec,
) -> Result<(), Errno> {
    // SAFETY: the caller guarantees that `place` is null or a variable of its type.
    let mutex = unsafe { object(place) }?;
    // SAFETY: the caller guarantees that `time` is null or valid.
    mutex.lock(|| unsafe { deadline(clock, time) })
}

/// Changes the attributes of a variable, if that is allowed.
unsafe fn change(
    place: *const Place<Cell<Attributes>>,
    allowed: Result<(), Errno>,
    change: impl FnOnce(&mut Attributes),
) -> c_int {
    // SAFETY: the caller guarantees that `place` is null or a variable of its type.
    code(unsafe { Place::object(place) }.and_then(|cell| {
        allowed?;
        let mut attributes = cell.get();
        change(&mut attributes);
        cell.set(attributes);
        Ok(())
    }))
}

/// Writes one of them to `to`.
unsafe fn tell(
    place: *const Place<Cell<Attributes>>,
    to: *mut c_int,
    one: impl FnOnce(Attributes) -> c_int,
) -> c_int {
    // SAFETY: the caller guarantees that `place` is null or a variable of its type.
    code(unsafe { Place::object(place) }.and_then(|cell| {
        // SAFETY: the caller guarantees that `to` is null or writable.
        *unsafe { to.as_mut() }.ok_or(Errno::INVAL)? = one(cell.get());
        Ok(())
    }))
}

interface! {
    /// Makes attributes: of the usual kind, without protocol, not robust.
    fn pthread_mutexattr_init(place: *mut Place<Cell<Attributes>>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable that no other code uses.
        code(unsafe { Place::make(place, Cell::new(Attributes::NEW)) })
    }

    /// They are none any more.
    fn pthread_mutexattr_destroy(place: *mut Place<Cell<Attributes>>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place).map(|_| Place::destroy(place)) })
    }

    /// Sets the operations that the owner may do with the mutex.
    fn pthread_mutexattr_settype(place: *mut Place<Cell<Attributes>>, kind: c_int) -> c_int {
        let allowed = require((NORMAL..=ERROR_CHECK).contains(&kind), Errno::INVAL);
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        unsafe { change(place, allowed, |attributes| attributes.kind = kind) }
    }

    /// Reads that attribute back.
    fn pthread_mutexattr_gettype(place: *const Place<Cell<Attributes>>, kind: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and `kind`
        // is null or writable.
        unsafe { tell(place, kind, |attributes| attributes.kind) }
    }

    /// Sets the protocol for the owner's priority.
    fn pthread_mutexattr_setprotocol(place: *mut Place<Cell<Attributes>>, protocol: c_int) -> c_int {
        let allowed = require((NO_PROTOCOL..=PROTECT).contains(&protocol), Errno::INVAL);
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        unsafe { change(place, allowed, |attributes| attributes.protocol = protocol) }
    }

    /// Reads that attribute back.
    fn pthread_mutexattr_getprotocol(place: *const Place<Cell<Attributes>>, protocol: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and
        // `protocol` is null or writable.
        unsafe { tell(place, protocol, |attributes| attributes.protocol) }
    }

    /// The ceiling of `PTHREAD_PRIO_PROTECT`.
    fn pthread_mutexattr_setprioceiling(place: *mut Place<Cell<Attributes>>, ceiling: c_int) -> c_int {
        let allowed = require(PRIORITIES.contains(&ceiling), Errno::INVAL);
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        unsafe { change(place, allowed, |attributes| attributes.ceiling = ceiling) }
    }

    /// Reads that attribute back.
    fn pthread_mutexattr_getprioceiling(place: *const Place<Cell<Attributes>>, ceiling: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and
        // `ceiling` is null or writable.
        unsafe { tell(place, ceiling, |attributes| attributes.ceiling) }
    }

    /// Sets whether the next owner gets an error when an owner ends.
    fn pthread_mutexattr_setrobust(place: *mut Place<Cell<Attributes>>, robust: c_int) -> c_int {
        let allowed = require(matches!(robust, STALLED | ROBUST), Errno::INVAL);
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        unsafe { change(place, allowed, |attributes| attributes.robust = robust) }
    }

    /// Reads that attribute back.
    fn pthread_mutexattr_getrobust(place: *const Place<Cell<Attributes>>, robust: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and
        // `robust` is null or writable.
        unsafe { tell(place, robust, |attributes| attributes.robust) }
    }

    /// Whether processes share the mutex, of which there is one.
    fn pthread_mutexattr_setpshared(place: *mut Place<Cell<Attributes>>, shared: c_int) -> c_int {
        let allowed = require(matches!(shared, 0 | 1), Errno::INVAL);
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        unsafe { change(place, allowed, |attributes| attributes.shared = shared) }
    }

    /// Reads that attribute back.
    fn pthread_mutexattr_getpshared(place: *const Place<Cell<Attributes>>, shared: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and
        // `shared` is null or writable.
        unsafe { tell(place, shared, |attributes| attributes.shared) }
    }

    /// Makes a mutex.
    fn pthread_mutex_init(place: *mut Place<PosixMutex>, attributes: *const Place<Cell<Attributes>>) -> c_int {
        let attributes = match attributes.is_null() {
            true => Ok(Attributes::NEW),
            // SAFETY: the caller guarantees that `attributes` is null or a variable of its type.
            false => unsafe { Place::object(attributes) }.map(Cell::get),
        };
        code(attributes.and_then(|attributes| {
            let mutex = PosixMutex {
                attributes: Cell::new(attributes),
                mutex: UnsafeCell::new(attributes.mutex()),
            };
            // SAFETY: the caller guarantees that `place` is null or a variable that no other code
            // uses.
            unsafe { Place::make(place, mutex) }
        }))
    }

    /// Destroys a mutex. `EBUSY` while a thread owns it.
    fn pthread_mutex_destroy(place: *mut Place<PosixMutex>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { object(place) }.and_then(|mutex| {
            match mutex.kernels().delete() {
                // One that was left without being made whole is good for nothing else.
                Ok(()) | Err(Error::Deleted | Error::NotRecoverable) => {}
                Err(error) => return Err(error.into()),
            }
            // SAFETY: as above.
            unsafe { Place::destroy(place) };
            Ok(())
        }))
    }

    /// Locks a mutex. `EDEADLK` where the caller owns it, if it checks, and where threads would
    /// wait for each other; `EAGAIN` where it was locked too often; `EINVAL` where the caller is
    /// above its ceiling; `EOWNERDEAD`, with which the caller owns it, and `ENOTRECOVERABLE`;
    /// `EPERM` in a handler.
    fn pthread_mutex_lock(place: *mut Place<PosixMutex>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { object(place) }.and_then(|mutex| mutex.lock(|| Ok(Timeout::FOREVER))))
    }

    /// Locks a mutex without waiting: `EBUSY` if it is locked.
    fn pthread_mutex_trylock(place: *mut Place<PosixMutex>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { object(place) }.and_then(PosixMutex::try_lock))
    }

    /// Locks a mutex, waiting until the time of day is `time` at the latest: `ETIMEDOUT`.
    fn pthread_mutex_timedlock(place: *mut Place<PosixMutex>, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and `time`
        // is null or valid.
        code(unsafe { lock_until(place, REALTIME, time) })
    }

    /// Locks a mutex, waiting until `clock` shows `time` at the latest: `ETIMEDOUT`.
    fn pthread_mutex_clocklock(place: *mut Place<PosixMutex>, clock: c_int, time: *const TimeSpec) -> c_int {
        if !matches!(clock, REALTIME | MONOTONIC) {
            return Errno::INVAL.0;
        }
        // SAFETY: the caller guarantees that `place` is null or a variable of its type, and `time`
        // is null or valid.
        code(unsafe { lock_until(place, clock, time) })
    }

    /// Unlocks a mutex. `EPERM` where it is not the caller's.
    fn pthread_mutex_unlock(place: *mut Place<PosixMutex>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { object(place) }.and_then(|mutex| {
            require(!in_handler(), Errno::PERM)?;
            at_call();
            mutex.kernels().unlock().map_err(Errno::from)
        }))
    }

    /// Marks the data that a robust mutex protects as consistent again. `EINVAL` if no owner has
    /// ended, or if the mutex is not the caller's.
    fn pthread_mutex_consistent(place: *mut Place<PosixMutex>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { object(place) }.and_then(|mutex| {
            mutex.kernels().make_consistent().map_err(|_| Errno::INVAL)
        }))
    }

    /// The ceiling of a mutex. `EINVAL` where it has none.
    fn pthread_mutex_getprioceiling(place: *const Place<PosixMutex>, ceiling: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { object(place) }.and_then(|mutex| {
            let attributes = mutex.attributes.get();
            require(attributes.protocol == PROTECT, Errno::INVAL)?;
            // SAFETY: the caller guarantees that `ceiling` is null or writable.
            *unsafe { ceiling.as_mut() }.ok_or(Errno::INVAL)? = attributes.ceiling;
            Ok(())
        }))
    }

    /// Gives a mutex another ceiling once no thread owns it, for which it waits. `EINVAL` if it has
    /// none; `EDEADLK` if the caller owns it; `EPERM` in a handler.
    fn pthread_mutex_setprioceiling(place: *mut Place<PosixMutex>, ceiling: c_int, old: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { object(place) }.and_then(|mutex| {
            require(!in_handler(), Errno::PERM)?;
            let attributes = mutex.attributes.get();
            require(attributes.protocol == PROTECT && PRIORITIES.contains(&ceiling), Errno::INVAL)?;
            require(!mutex.is_own(), Errno::DEADLK)?;
            let before = loop {
                if let Some(before) = alone(|| mutex.set_ceiling(ceiling)) {
                    break before;
                }
                // The standard exempts this wait from the protocol: a thread above the ceiling may
                // wait, too.
                mutex.pause(Timeout::FOREVER)?;
            };
            // SAFETY: the caller guarantees that `old` is null or writable.
            if let Some(old) = unsafe { old.as_mut() } {
                *old = before;
            }
            Ok(())
        }))
    }
}
