//! Owns: the standard's message queues. Must never know: how the kernel's work.

use super::memory_pool::DataAttributes;
use super::status::{ISR, OK, PARAMETER, RESOURCE, Status, code, status};
use super::{get_name, interface};
use crate::object::{self, Head, Id, Memory, Object};
use crate::os::{Caller, caller, in_handler, surely_in_thread, timeout};
use core::slice;
use taktos::board::Board;
use taktos::{RawQueue, Timeout};
use taktos_machine::slow_path;

/// A message queue.
#[repr(C)]
pub struct OsMessageQueue {
    head: Head,
    memory: Memory,
    queue: RawQueue<Board>,
}

// SAFETY: it begins with its head.
unsafe impl Object for OsMessageQueue {
    const KIND: u32 = object::kind(0xE5);
}

get_name!(osMessageQueueGetName, OsMessageQueue);

fn new_queue(count: usize, size: usize, attributes: &DataAttributes) -> Option<Id> {
    let words = RawQueue::<Board>::words(size, count)?;
    let memory = attributes.memory(words, size, count)?;
    let Some(block) = object::block_for::<OsMessageQueue>(&attributes.base) else {
        // SAFETY: no other code has its address.
        unsafe { memory.free() };
        return None;
    };
    // SAFETY: memory for this number of words, which belongs to the queue alone.
    let queue = RawQueue::new(unsafe { memory.words(words) }, size, count).ok()?;
    let head = object::head::<OsMessageQueue>(&attributes.base, block);
    let object = OsMessageQueue {
        head,
        memory,
        queue,
    };
    // SAFETY: memory for one.
    Some(unsafe { object::put(block, object) })
}

/// How long a call may wait, by where it is made.
#[inline(always)]
fn time(ticks: u32) -> Result<Timeout, Status> {
    match caller() {
        Caller::Thread => Ok(timeout(ticks)),
        Caller::Handler if ticks == 0 => Ok(Timeout::NONE),
        Caller::Handler => Err(PARAMETER),
        Caller::Above => Err(ISR),
    }
}

/// Returns the number that `look` reads from a queue; 0 if the id is not a queue's.
///
/// # Safety
/// As for [`Id::get`].
unsafe fn of_queue(id: Id, look: impl FnOnce(&'static RawQueue<Board>) -> usize) -> u32 {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    match unsafe { id.get::<OsMessageQueue>() } {
        Some(object) if caller() != Caller::Above => look(&object.queue) as u32,
        _ => 0,
    }
}

interface! {
    /// Makes a queue for `count` messages of `size` bytes. Null in a handler, without memory, or
    /// where one of them is 0.
    fn osMessageQueueNew(count: u32, size: u32, attributes: *const DataAttributes) -> Id {
        if in_handler() {
            return Id::NONE;
        }
        // SAFETY: the caller guarantees that `attributes` is null or valid.
        let attributes = unsafe { attributes.as_ref() }.unwrap_or(&DataAttributes::NONE);
        new_queue(count as usize, size as usize, attributes).unwrap_or(Id::NONE)
    }

    /// Sends a copy of a message; those of a higher priority are received first. In a handler
    /// without a time-out only.
    fn osMessageQueuePut(id: Id, message: *const u8, priority: u8, ticks: u32) -> Status {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        if let Some(object) = unsafe { id.get_where::<OsMessageQueue>(surely_in_thread) } && !message.is_null() {
            // SAFETY: the caller guarantees that `message` is a message of the queue's size.
            let message = unsafe { slice::from_raw_parts(message, object.queue.size()) };
            if object.queue.send_at_once(message, priority) {
                return OK;
            }
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`, and that `message` is
        // null or a message of the queue.
        slow_path(unsafe { put(id, message, priority, ticks) })
    }

    /// Receives a message, and its priority if `priority` is not null. In a handler without a
    /// time-out only.
    fn osMessageQueueGet(id: Id, message: *mut u8, priority: *mut u8, ticks: u32) -> Status {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        if let Some(object) = unsafe { id.get_where::<OsMessageQueue>(surely_in_thread) } && !message.is_null() {
            // SAFETY: the caller guarantees that `message` has space for a message of the queue.
            let place = unsafe { slice::from_raw_parts_mut(message, object.queue.size()) };
            if let Some(of_message) = object.queue.receive_at_once(place) {
                if !priority.is_null() {
                    // SAFETY: the caller guarantees that `priority` is writable.
                    unsafe { priority.write(of_message) };
                }
                return OK;
            }
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`, and that the other
        // addresses are null or writable.
        slow_path(unsafe { get(id, message, priority, ticks) })
    }

    /// How many messages there is room for. Allowed in handlers.
    fn osMessageQueueGetCapacity(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { of_queue(id, |queue| queue.count()) }
    }

    /// How many bytes a message has. Allowed in handlers.
    fn osMessageQueueGetMsgSize(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { of_queue(id, |queue| queue.size()) }
    }

    /// How many messages are in a queue. Allowed in handlers.
    fn osMessageQueueGetCount(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { of_queue(id, RawQueue::len) }
    }

    /// How many messages there is room for still. Allowed in handlers.
    fn osMessageQueueGetSpace(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { of_queue(id, |queue| queue.count() - queue.len()) }
    }

    /// Throws away all messages; threads that wait to send do so then.
    fn osMessageQueueReset(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get::<OsMessageQueue>() } {
            Some(object) => status(object.queue.reset()),
            None => PARAMETER,
        }
    }

    /// Deletes a queue; threads that wait at it get `osErrorResource`.
    fn osMessageQueueDelete(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(object) = (unsafe { id.get::<OsMessageQueue>() }) else {
            return PARAMETER;
        };
        let end = |object: &'static OsMessageQueue| {
            let _ = object.queue.delete();
            // SAFETY: no code uses the queue's memory then.
            unsafe { object.memory.free() };
        };
        // SAFETY: waiters come back with an error and look no more.
        match unsafe { object::delete(object, end) } {
            true => OK,
            false => RESOURCE,
        }
    }
}

/// [`osMessageQueuePut`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn put(id: Id, message: *const u8, priority: u8, ticks: u32) -> Status {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let Some(object) = (unsafe { id.get::<OsMessageQueue>() }) else {
        return PARAMETER;
    };
    if message.is_null() {
        return PARAMETER;
    }
    match time(ticks) {
        // SAFETY: the caller guarantees that `message` is a message of the queue's size.
        Ok(time) => status(object.queue.send(
            unsafe { slice::from_raw_parts(message, object.queue.size()) },
            priority,
            time,
        )),
        Err(status) => status,
    }
}

/// [`osMessageQueueGet`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn get(id: Id, message: *mut u8, priority: *mut u8, ticks: u32) -> Status {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let Some(object) = (unsafe { id.get::<OsMessageQueue>() }) else {
        return PARAMETER;
    };
    if message.is_null() {
        return PARAMETER;
    }
    let time = match time(ticks) {
        Ok(time) => time,
        Err(status) => return status,
    };
    // SAFETY: the caller guarantees that `message` has space for a message of the queue.
    let place = unsafe { slice::from_raw_parts_mut(message, object.queue.size()) };
    match object.queue.receive(place, time) {
        Ok(of_message) => {
            if !priority.is_null() {
                // SAFETY: the caller guarantees that `priority` is writable.
                unsafe { priority.write(of_message) };
            }
            OK
        }
        Err(error) => code(error),
    }
}
