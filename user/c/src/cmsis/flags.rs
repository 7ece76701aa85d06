//! Owns: the standard's event flags, and the thread flags, of which each thread has a group. Must
//! never know: how the kernel's work.

use super::status::{ERROR, ISR, OK, PARAMETER, RESOURCE, Status, code};
use super::thread::{Living, OsThread};
use super::{get_name, interface};
use crate::object::{self, Attributes, Head, Id, Object};
use crate::os::{Caller, FOREVER, Phase, caller, in_handler, os, surely_in_thread, timeout};
use taktos::board::Board;
use taktos::{Error, EventFlags, Interrupt, Timeout};
use taktos_machine::slow_path;

/// Bit that distinguishes an error from flags. No group has it as a flag.
const ERROR_BIT: u32 = 1 << 31;
/// How to wait: for all flags in the place of any, and leaving them set.
const WAIT_ALL: u32 = 1;
const NO_CLEAR: u32 = 2;

/// A group of event flags.
#[repr(C)]
pub struct OsEventFlags {
    head: Head,
    pub(crate) group: EventFlags<Board>,
}

// SAFETY: it begins with its head.
unsafe impl Object for OsEventFlags {
    const KIND: u32 = object::kind(0xE6);
}

get_name!(osEventFlagsGetName, OsEventFlags);

/// Flags, or the code of an error, as the standard has them in one word.
pub(crate) fn word(result: Result<u32, Error>) -> u32 {
    result.unwrap_or_else(|error| code(error) as u32)
}

/// Sets flags of a group.
#[inline(always)]
fn set(group: &'static EventFlags<Board>, flags: u32) -> u32 {
    let by_handler = |interrupt: &Interrupt<Board>| word(group.set_and_get_in(interrupt, flags));
    match flags & ERROR_BIT {
        0 => Interrupt::here(by_handler).unwrap_or_else(|| slow_path(set_by_thread(group, flags))),
        _ => PARAMETER as u32,
    }
}

/// Sets flags if the caller is not a handler at the kernel's level. Before there are threads, no
/// thread waits.
#[inline(never)]
fn set_by_thread(group: &'static EventFlags<Board>, flags: u32) -> u32 {
    match caller() {
        Caller::Above => ISR as u32,
        Caller::Thread if os().is_running() => word(group.set_and_get(flags)),
        _ => word(group.set(flags).map(|()| group.get())),
    }
}

fn wait(group: &'static EventFlags<Board>, flags: u32, options: u32, time: Timeout) -> u32 {
    word(match options {
        0 => group.take_any(flags, time),
        WAIT_ALL => group.take_all(flags, time),
        NO_CLEAR => group.wait_any(flags, time),
        _ => group.wait_all(flags, time),
    })
}

/// Whether flags can be waited for so.
pub(crate) fn are_valid(flags: u32, options: u32) -> bool {
    flags & ERROR_BIT == 0 && options & !(WAIT_ALL | NO_CLEAR) == 0
}

/// [`osThreadFlagsWait`] away from the usual case.
#[cold]
#[inline(never)]
fn wait_own(flags: u32, options: u32, ticks: u32) -> u32 {
    if in_handler() {
        return ISR as u32;
    }
    match own() {
        _ if !are_valid(flags, options) => PARAMETER as u32,
        Some(group) => wait(group, flags, options, timeout(ticks)),
        None => ERROR as u32,
    }
}

/// The calling thread's flags.
fn own() -> Option<&'static EventFlags<Board>> {
    OsThread::current().map(OsThread::flags)
}

interface! {
    /// Sets flags of a thread, and says which are set then. Allowed in handlers.
    fn osThreadFlagsSet(id: Id, flags: u32) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get::<Living>() } {
            Some(Living(thread)) => set(thread.flags(), flags),
            // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
            None => match unsafe { id.get::<OsThread>() } {
                Some(_) if flags & ERROR_BIT == 0 => RESOURCE as u32,
                _ => PARAMETER as u32,
            },
        }
    }

    /// Clears flags of the calling thread, and says which were set before.
    fn osThreadFlagsClear(flags: u32) -> u32 {
        if in_handler() {
            return ISR as u32;
        }
        match own() {
            _ if flags & ERROR_BIT != 0 => PARAMETER as u32,
            Some(group) => word(group.clear(flags)),
            None => ERROR as u32,
        }
    }

    /// The calling thread's flags; 0 in a handler.
    fn osThreadFlagsGet() -> u32 {
        match own() {
            Some(group) if !in_handler() => group.get(),
            _ => 0,
        }
    }

    /// Waits for flags of the calling thread, and says which were set.
    fn osThreadFlagsWait(flags: u32, options: u32, ticks: u32) -> u32 {
        let is_usual = options == 0 && ticks == FOREVER && flags & ERROR_BIT == 0;
        match is_usual && surely_in_thread() && os().phase.get() == Phase::Running {
            // SAFETY: the caller is a thread of the program's.
            true => word(unsafe { OsThread::caller() }.flags().take_any(flags, Timeout::FOREVER)),
            false => slow_path(wait_own(flags, options, ticks)),
        }
    }

    /// Makes a group of 31 event flags, all of them cleared. Null in a handler or without memory.
    fn osEventFlagsNew(attributes: *const Attributes) -> Id {
        if in_handler() {
            return Id::NONE;
        }
        // SAFETY: the caller guarantees that `attributes` is null or valid.
        let attributes = unsafe { attributes.as_ref() }.unwrap_or(&Attributes::NONE);
        let Some(memory) = object::block_for::<OsEventFlags>(attributes) else {
            return Id::NONE;
        };
        let head = object::head::<OsEventFlags>(attributes, memory);
        let group = EventFlags::new(0);
        // SAFETY: memory for one.
        unsafe { object::put(memory, OsEventFlags { head, group }) }
    }

    /// Sets flags, and says which are set then. Allowed in handlers.
    fn osEventFlagsSet(id: Id, flags: u32) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get::<OsEventFlags>() } {
            Some(object) => set(&object.group, flags),
            None => PARAMETER as u32,
        }
    }

    /// Clears flags, and says which were set before. Allowed in handlers.
    fn osEventFlagsClear(id: Id, flags: u32) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get::<OsEventFlags>() } {
            Some(_) if caller() == Caller::Above => ISR as u32,
            Some(object) if flags & ERROR_BIT == 0 => word(object.group.clear(flags)),
            _ => PARAMETER as u32,
        }
    }

    /// The flags that are set; 0 for what is no group. Allowed in handlers.
    fn osEventFlagsGet(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get::<OsEventFlags>() } {
            Some(object) if caller() != Caller::Above => object.group.get(),
            _ => 0,
        }
    }

    /// Waits for flags, and says which were set. In a handler without a time-out only.
    fn osEventFlagsWait(id: Id, flags: u32, options: u32, ticks: u32) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(object) = (unsafe { id.get::<OsEventFlags>() }) else {
            return PARAMETER as u32;
        };
        match caller() {
            _ if !are_valid(flags, options) => PARAMETER as u32,
            Caller::Thread => wait(&object.group, flags, options, timeout(ticks)),
            Caller::Handler if ticks == 0 => wait(&object.group, flags, options, Timeout::NONE),
            Caller::Handler => PARAMETER as u32,
            Caller::Above => ISR as u32,
        }
    }

    /// Deletes a group; threads that wait at it get `osFlagsErrorResource`.
    fn osEventFlagsDelete(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(object) = (unsafe { id.get::<OsEventFlags>() }) else {
            return PARAMETER;
        };
        let end = |object: &'static OsEventFlags| {
            let _ = object.group.delete();
        };
        // SAFETY: waiters come back with an error and look no more.
        match unsafe { object::delete(object, end) } {
            true => OK,
            false => RESOURCE,
        }
    }
}
