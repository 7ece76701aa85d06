//! Owns: the standard's mutexes. Must never know: how the kernel's work.

use super::status::{ISR, OK, PARAMETER, RESOURCE, Status, status};
use super::thread::OsThread;
use super::{get_name, interface};
use crate::object::{self, Attributes, Head, Id, Object};
use crate::os::{in_handler, timeout};
use taktos::board::Board;
use taktos::{Mutex, OwnerEnd, Protocol};

/// The bits of a mutex's attributes.
const RECURSIVE: u32 = 1;
const INHERITS: u32 = 2;
const ROBUST: u32 = 8;

/// A mutex.
#[repr(C)]
pub struct OsMutex {
    head: Head,
    mutex: Mutex<Board>,
}

// SAFETY: it begins with its head.
unsafe impl Object for OsMutex {
    const KIND: u32 = object::kind(0xE7);
}

get_name!(osMutexGetName, OsMutex);

interface! {
    /// Makes a mutex, as its attributes' bits say: `osMutexRecursive` (65,535 times beyond the
    /// first), `osMutexPrioInherit`, `osMutexRobust` (unlocked when its owner ends; without, it
    /// stays locked). Null in a handler or without memory.
    fn osMutexNew(attributes: *const Attributes) -> Id {
        if in_handler() {
            return Id::NONE;
        }
        // SAFETY: the caller guarantees that `attributes` is null or valid.
        let attributes = unsafe { attributes.as_ref() }.unwrap_or(&Attributes::NONE);
        let Some(memory) = object::block_for::<OsMutex>(attributes) else {
            return Id::NONE;
        };
        let mutex = OsMutex {
            head: object::head::<OsMutex>(attributes, memory),
            mutex: mutex_of(attributes.bits),
        };
        // SAFETY: memory for one.
        unsafe { object::put(memory, mutex) }
    }

    /// Locks a mutex. `osErrorResource` where it is not to be had in no time, or is the caller's
    /// and not recursive, or where threads would wait for each other.
    fn osMutexAcquire(id: Id, ticks: u32) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get::<OsMutex>() } {
            Some(object) => status(object.mutex.lock(timeout(ticks))),
            None => PARAMETER,
        }
    }

    /// Unlocks a mutex. `osErrorResource` where it is not the caller's.
    fn osMutexRelease(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get::<OsMutex>() } {
            Some(object) => status(object.mutex.unlock()),
            None => PARAMETER,
        }
    }

    /// The thread that owns a mutex; null where none does, and in a handler.
    fn osMutexGetOwner(id: Id) -> Id {
        if in_handler() {
            return Id::NONE;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let owner = unsafe { id.get::<OsMutex>() }.and_then(|object| object.mutex.owner());
        owner.and_then(OsThread::of).map_or(Id::NONE, Id::of)
    }

    /// Deletes a mutex, locked or not; threads that wait for it get `osErrorResource`.
    fn osMutexDelete(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(object) = (unsafe { id.get::<OsMutex>() }) else {
            return PARAMETER;
        };
        let end = |object: &'static OsMutex| {
            let _ = object.mutex.abandon();
        };
        // SAFETY: waiters come back with an error and look no more; no thread owns it.
        match unsafe { object::delete(object, end) } {
            true => OK,
            false => RESOURCE,
        }
    }
}

fn mutex_of(bits: u32) -> Mutex<Board> {
    let protocol = match bits & INHERITS {
        0 => Protocol::None,
        _ => Protocol::Inheritance,
    };
    let end = match bits & ROBUST {
        0 => OwnerEnd::StayLocked,
        _ => OwnerEnd::Unlock,
    };
    let mutex = Mutex::with_protocol(protocol).when_owner_ends(end);
    match bits & RECURSIVE {
        0 => mutex,
        _ => mutex.recursive(),
    }
}
