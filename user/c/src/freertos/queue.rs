//! Owns: what queues can do beside the standard's. Must never know: how the kernel's work.

use super::{Base, truth};
use crate::cmsis::interface;
use crate::cmsis::message_queue::{OsMessageQueue, time};
use crate::object::Id;
use core::slice;

/// `queueSEND_TO_BACK` and its like.
const BACK: Base = 0;
const FRONT: Base = 1;
const OVERWRITE: Base = 2;

interface! {
    /// Sends a copy of an item: behind the others (0), before them (1), or in the place of the last where there is no room (2, which never
    /// waits). In a handler without a time-out only. 0 where there is no room in the time, or no queue.
    fn xQueueGenericSend(id: Id, item: *const u8, ticks: u32, position: Base) -> Base {
        // SAFETY: the caller's promise.
        let Some(object) = (unsafe { id.get::<OsMessageQueue>() }).filter(|_| !item.is_null()) else {
            return truth(false);
        };
        let Ok(time) = time(ticks) else {
            return truth(false);
        };
        let queue = object.queue();
        // SAFETY: the caller's promise: an item of the queue lies there.
        let item = unsafe { slice::from_raw_parts(item, queue.size()) };
        let sent = match position {
            BACK => queue.send(item, 0, time),
            FRONT => queue.send_first(item, time),
            OVERWRITE => queue.replace(item),
            _ => return truth(false),
        };
        truth(sent.is_ok())
    }

    /// Copies the next item, which stays in the queue. In a handler without a time-out only. 0 where there is none in the time, or no
    /// queue.
    fn xQueuePeek(id: Id, item: *mut u8, ticks: u32) -> Base {
        // SAFETY: the caller's promise.
        let Some(object) = (unsafe { id.get::<OsMessageQueue>() }).filter(|_| !item.is_null()) else {
            return truth(false);
        };
        let Ok(time) = time(ticks) else {
            return truth(false);
        };
        let queue = object.queue();
        // SAFETY: the caller's promise: there is room for an item of the queue.
        let place = unsafe { slice::from_raw_parts_mut(item, queue.size()) };
        truth(queue.peek(place, time).is_ok())
    }
}
