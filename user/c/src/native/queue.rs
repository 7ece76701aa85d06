//! Message queues: messages of one size, by priority, first in first out among equals.

use super::{
    At, Code, OK, Time, Word, bytes, code, failed, kind, native, number, room, tell, timeout, with,
    words,
};
use core::ffi::c_void;
use core::slice;
use taktos::board::Board;
use taktos::{Error, RawQueue};
use taktos_machine::slow_path;

type Object = RawQueue<Board>;
kind!(Object as taktos_queue_t, 0x98, 32);

native! {
    /// The bytes of memory that a queue of `count` messages of `size` bytes needs; 0 where there is
    /// no such queue.
    fn taktos_queue_memory(size: usize, count: usize) -> usize {
        RawQueue::<Board>::words(size, count).map_or(0, |words| words * size_of::<usize>())
    }

    /// Makes a queue of `count` messages of `size` bytes, in memory of `bytes` bytes at a multiple
    /// of a word, which is the queue's from then on. Errors: Parameter for memory that is too
    /// small, and a size or count of 0.
    fn taktos_queue_init(queue: At<Object>, size: usize, count: usize, memory: *mut Word, bytes: usize) -> Code {
        // SAFETY: the caller guarantees that `bytes` bytes at `memory` belong to the queue from now
        // on.
        let made = unsafe { words(memory, bytes, RawQueue::<Board>::words(size, count)) }
            .and_then(|memory| RawQueue::new(memory, size, count));
        match made {
            // SAFETY: the caller guarantees that `queue` is null or memory of the header's type
            // that stays.
            Ok(object) => unsafe { queue.make(object) },
            Err(error) => failed(error),
        }
    }

    /// Sends a copy of a message; those of a higher priority are received first. Allowed in
    /// handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Context in a handler that
    /// would have to wait.
    fn taktos_queue_send(queue: At<Object>, message: *const c_void, priority: u8, time: Time) -> Code {
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type.
        if let Ok(object) = unsafe { queue.get() } && !message.is_null() {
            // SAFETY: the caller guarantees that `message` is a message of the queue's size.
            let message = unsafe { slice::from_raw_parts(message.cast(), object.size()) };
            if object.send_at_once(message, priority) {
                return OK;
            }
        }
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type, and
        // that `message` is null or a message of the queue.
        slow_path(unsafe { send(queue, message, priority, time) })
    }

    /// Receives a message; `priority`, if it is not null, gets its priority. Allowed in handlers
    /// without waiting. Errors: as above.
    fn taktos_queue_receive(queue: At<Object>, message: *mut c_void, priority: *mut u8, time: Time) -> Code {
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type.
        if let Ok(object) = unsafe { queue.get() } && !message.is_null() {
            // SAFETY: the caller guarantees that `message` has space for a message of the queue.
            let place = unsafe { slice::from_raw_parts_mut(message.cast(), object.size()) };
            if let Some(of_message) = object.receive_at_once(place) {
                // SAFETY: the caller guarantees that `priority` is null or writable.
                unsafe { tell(priority, of_message) };
                return OK;
            }
        }
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type, and
        // that the other addresses are null or writable.
        slow_path(unsafe { receive(queue, message, priority, time) })
    }

    /// How many messages there are, or an error. Allowed in handlers.
    fn taktos_queue_length(queue: At<Object>) -> isize {
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type.
        number::<Error>(unsafe { queue.get() }.map(|object| object.len()))
    }

    /// Forgets all messages. Allowed in handlers.
    fn taktos_queue_reset(queue: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type.
        code(unsafe { queue.get() }.and_then(|object| object.reset()))
    }

    /// Deletes it: its waiters get Deleted. The memory is the program's again.
    fn taktos_queue_delete(queue: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type.
        unsafe { queue.end(|object| object.delete()) }
    }
}

/// [`taktos_queue_send`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn send(
    queue: At<Object>,
    message: *const c_void,
    priority: u8,
    time: Time,
) -> Code {
    // SAFETY: the caller guarantees that `queue` is null or memory of the header's type, and that
    // `message` is null or a message of the queue.
    unsafe {
        with(queue, |object| {
            object.send(bytes(message, object.size())?, priority, timeout(time))
        })
    }
}

/// [`taktos_queue_receive`] where threads may have to be switched.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe extern "C" fn receive(
    queue: At<Object>,
    message: *mut c_void,
    priority: *mut u8,
    time: Time,
) -> Code {
    // SAFETY: the caller guarantees that `queue` is null or memory of the header's type, and that
    // the other addresses are null or writable.
    unsafe {
        with(queue, |object| {
            let received = object.receive(room(message, object.size())?, timeout(time))?;
            tell(priority, received);
            Ok(())
        })
    }
}
