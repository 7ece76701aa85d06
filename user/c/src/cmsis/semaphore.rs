//! Owns: the standard's semaphores. Must never know: how the kernel's work.

use super::status::{ISR, OK, PARAMETER, RESOURCE, Status, status};
use super::{get_name, interface};
use crate::object::{self, Attributes, Head, Id, Object};
use crate::os::{Caller, caller, in_handler, may_call, surely_in_thread, timeout};
use taktos::board::Board;
use taktos::{Semaphore, Timeout};
use taktos_machine::slow_path;

/// A semaphore.
#[repr(C)]
pub struct OsSemaphore {
    head: Head,
    semaphore: Semaphore<Board>,
}

// SAFETY: it begins with its head.
unsafe impl Object for OsSemaphore {
    const KIND: u32 = object::kind(0xE1);
}

get_name!(osSemaphoreGetName, OsSemaphore);

interface! {
    /// Makes a semaphore with at most `most` permits. Null in a handler, without memory, or unless
    /// `initial` ≤ `most` and `most` > 0.
    fn osSemaphoreNew(most: u32, initial: u32, attributes: *const Attributes) -> Id {
        if in_handler() || most == 0 || initial > most {
            return Id::NONE;
        }
        // SAFETY: the caller guarantees that `attributes` is null or valid.
        let attributes = unsafe { attributes.as_ref() }.unwrap_or(&Attributes::NONE);
        let Some(memory) = object::block_for::<OsSemaphore>(attributes) else {
            return Id::NONE;
        };
        let semaphore = OsSemaphore {
            head: object::head::<OsSemaphore>(attributes, memory),
            semaphore: Semaphore::with_limit(initial, most),
        };
        // SAFETY: memory for one.
        unsafe { object::put(memory, semaphore) }
    }

    /// Takes a permit. In a handler without a time-out only.
    fn osSemaphoreAcquire(id: Id, ticks: u32) -> Status {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let object = unsafe { id.get_where::<OsSemaphore>(surely_in_thread) };
        match object.is_some_and(|object| object.semaphore.take_at_once()) {
            true => OK,
            // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
            false => slow_path(unsafe { acquire(id, ticks) }),
        }
    }

    /// Gives a permit. Allowed in handlers.
    fn osSemaphoreRelease(id: Id) -> Status {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let object = unsafe { id.get_where::<OsSemaphore>(may_call) };
        match object.is_some_and(|object| object.semaphore.give_at_once()) {
            true => OK,
            // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
            false => slow_path(unsafe { release(id) }),
        }
    }

    /// The number of permits; 0 for what is no semaphore. Allowed in handlers.
    fn osSemaphoreGetCount(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get::<OsSemaphore>() } {
            Some(object) if caller() != Caller::Above => object.semaphore.count(),
            _ => 0,
        }
    }

    /// Deletes a semaphore; threads that wait for a permit get `osErrorResource`.
    fn osSemaphoreDelete(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(object) = (unsafe { id.get::<OsSemaphore>() }) else {
            return PARAMETER;
        };
        let end = |object: &'static OsSemaphore| {
            let _ = object.semaphore.delete();
        };
        // SAFETY: waiters come back with an error and look no more.
        match unsafe { object::delete(object, end) } {
            true => OK,
            false => RESOURCE,
        }
    }
}

/// [`osSemaphoreAcquire`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn acquire(id: Id, ticks: u32) -> Status {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let Some(object) = (unsafe { id.get::<OsSemaphore>() }) else {
        return PARAMETER;
    };
    match caller() {
        Caller::Thread => status(object.semaphore.take(timeout(ticks))),
        Caller::Handler if ticks == 0 => status(object.semaphore.take(Timeout::NONE)),
        Caller::Handler => PARAMETER,
        Caller::Above => ISR,
    }
}

/// [`osSemaphoreRelease`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn release(id: Id) -> Status {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let Some(object) = (unsafe { id.get::<OsSemaphore>() }) else {
        return PARAMETER;
    };
    if caller() == Caller::Above {
        return ISR;
    }
    status(object.semaphore.give())
}
