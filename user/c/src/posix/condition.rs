//! Owns: condition variables and their attributes. Must never know: how the kernel's work.

use super::attributes::require;
use super::cancel::point;
use super::clock::{ClockId, REALTIME, TimeSpec, deadline, is_clock};
use super::code;
use super::errno::Errno;
use super::mutex::{self, PosixMutex};
use super::place::{Kind, Place, fits};
use super::signal::action::at_call;
use crate::cmsis::interface;
use crate::os::in_handler;
use core::cell::Cell;
use core::ffi::c_int;
use taktos::board::Board;
use taktos::{Condition, Error, Timeout};

/// `pthread_condattr_t`.
#[derive(Clone, Copy)]
pub struct Attributes {
    clock: ClockId,
    shared: c_int,
}

impl Attributes {
    const NEW: Self = Self {
        clock: REALTIME,
        shared: 0,
    };
}

impl Kind for Cell<Attributes> {
    const ALIVE: u32 = u32::from_be_bytes(*b"PCAT");
    const STATIC: Option<Self> = None;
}

/// `pthread_cond_t`.
pub struct PosixCondition {
    condition: Condition<Board>,
    clock: ClockId,
}

impl PosixCondition {
    const fn with_clock(clock: ClockId) -> Self {
        Self {
            condition: Condition::new(),
            clock,
        }
    }
}

impl Kind for PosixCondition {
    const ALIVE: u32 = u32::from_be_bytes(*b"PCND");
    #[expect(clippy::declare_interior_mutable_const, reason = "an initial value")]
    const STATIC: Option<Self> = Some(Self::with_clock(REALTIME));
}

const _: () = assert!(fits::<Cell<Attributes>>(2));
const _: () = assert!(fits::<PosixCondition>(if size_of::<usize>() == 4 {
    5
} else {
    7
}));

/// Waits with a mutex; a point of cancellation, where the caller owns the mutex when its handlers
/// are called.
unsafe fn wait(
    place: *const Place<PosixCondition>,
    mutex: *const Place<PosixMutex>,
    time: impl FnOnce(ClockId) -> Result<Timeout, Errno>,
) -> Result<(), Errno> {
    require(!in_handler(), Errno::PERM)?;
    // SAFETY: the caller guarantees that `place` and `mutex` are null or variables of their types.
    let (condition, mutex) = unsafe { (Place::object(place)?, mutex::object(mutex)?) };
    let time = time(condition.clock)?;
    // A thread that is cancelled before it waits does not come back from here.
    match point(|| condition.condition.wait(mutex.kernels(), time)) {
        // A handler of a signal was called: the standard has it that the wait may end for nothing
        // then.
        Err(Error::Cancelled) => Ok(()),
        other => other.map_err(Errno::from),
    }
}

interface! {
    /// Makes attributes: with the clock of the time of day.
    fn pthread_condattr_init(place: *mut Place<Cell<Attributes>>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable that no other code uses.
        code(unsafe { Place::make(place, Cell::new(Attributes::NEW)) })
    }

    /// They are none any more.
    fn pthread_condattr_destroy(place: *mut Place<Cell<Attributes>>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place).map(|_| Place::destroy(place)) })
    }

    /// By which clock waits end.
    fn pthread_condattr_setclock(place: *mut Place<Cell<Attributes>>, clock: ClockId) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|cell| {
            require(is_clock(clock), Errno::INVAL)?;
            cell.set(Attributes { clock, ..cell.get() });
            Ok(())
        }))
    }

    /// Reads that attribute back.
    fn pthread_condattr_getclock(place: *const Place<Cell<Attributes>>, clock: *mut ClockId) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|cell| {
            // SAFETY: the caller guarantees that `clock` is null or writable.
            *unsafe { clock.as_mut() }.ok_or(Errno::INVAL)? = cell.get().clock;
            Ok(())
        }))
    }

    /// Whether processes share the variable, of which there is one.
    fn pthread_condattr_setpshared(place: *mut Place<Cell<Attributes>>, shared: c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|cell| {
            require(matches!(shared, 0 | 1), Errno::INVAL)?;
            cell.set(Attributes { shared, ..cell.get() });
            Ok(())
        }))
    }

    /// Reads that attribute back.
    fn pthread_condattr_getpshared(place: *const Place<Cell<Attributes>>, shared: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|cell| {
            // SAFETY: the caller guarantees that `shared` is null or writable.
            *unsafe { shared.as_mut() }.ok_or(Errno::INVAL)? = cell.get().shared;
            Ok(())
        }))
    }

    /// Makes a condition variable.
    fn pthread_cond_init(place: *mut Place<PosixCondition>, attributes: *const Place<Cell<Attributes>>) -> c_int {
        let attributes = match attributes.is_null() {
            true => Ok(Attributes::NEW),
            // SAFETY: the caller guarantees that `attributes` is null or a variable of its type.
            false => unsafe { Place::object(attributes) }.map(Cell::get),
        };
        code(attributes.and_then(|attributes| {
            // SAFETY: the caller guarantees that `place` is null or a variable that no other code
            // uses.
            unsafe { Place::make(place, PosixCondition::with_clock(attributes.clock)) }
        }))
    }

    /// Destroys one. `EBUSY` while a thread waits that was not signalled.
    fn pthread_cond_destroy(place: *mut Place<PosixCondition>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|condition| {
            require(!condition.condition.has_waiters(), Errno::BUSY)?;
            // SAFETY: as above.
            unsafe { Place::destroy(place) };
            Ok(())
        }))
    }

    /// Unlocks the mutex and waits for a signal. `EPERM` where the caller does not own it, and in a
    /// handler; `EINVAL` where it has locked it more than once, or others wait with another mutex.
    fn pthread_cond_wait(place: *mut Place<PosixCondition>, mutex: *mut Place<PosixMutex>) -> c_int {
        // SAFETY: the caller guarantees that `place` and `mutex` are null or variables of their
        // types.
        code(unsafe { wait(place, mutex, |_| Ok(Timeout::FOREVER)) })
    }

    /// Waits until the variable's clock shows `time` at the latest: `ETIMEDOUT`.
    fn pthread_cond_timedwait(place: *mut Place<PosixCondition>, mutex: *mut Place<PosixMutex>, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `place` and `mutex` are null or variables of their
        // types, and `time` is null or valid.
        code(unsafe { wait(place, mutex, |clock| deadline(clock, time)) })
    }

    /// Waits until `clock` shows `time` at the latest: `ETIMEDOUT`.
    fn pthread_cond_clockwait(place: *mut Place<PosixCondition>, mutex: *mut Place<PosixMutex>, clock: ClockId, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `place` and `mutex` are null or variables of their
        // types, and `time` is null or valid.
        code(unsafe { wait(place, mutex, |_| deadline(clock, time)) })
    }

    /// Wakes the most urgent waiter. Allowed in handlers.
    fn pthread_cond_signal(place: *mut Place<PosixCondition>) -> c_int {
        at_call();
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|condition| condition.condition.signal().map_err(Errno::from)))
    }

    /// Wakes all waiters. Allowed in handlers.
    fn pthread_cond_broadcast(place: *mut Place<PosixCondition>) -> c_int {
        at_call();
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|condition| condition.condition.broadcast().map_err(Errno::from)))
    }
}
