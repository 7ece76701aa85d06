//! Owns: FreeRTOS's queues, and the objects built on them there: semaphores, mutexes, sets. An item
//! stays in a queue until its receiver runs and takes it: nothing is handed over, and a woken
//! receiver checks again within its time. Must never know: what the items mean.

use super::mutex::{self, Ownership, Taker};
use super::waiting::{Called, Waiting, wake};
use super::{Base, UnsignedBase, block, prepare, truth};
use crate::cmsis::interface;
use crate::cmsis::thread::OsThread;
use crate::object::{self, Attributes, Head, Id, Memory, Object};
use crate::os::{Phase, in_handler, masked, may_call, os, timeout};
use core::cell::Cell;
use core::ptr::{self, NonNull};
use taktos::{Error, Timeout};

/// `queueSEND_TO_BACK` and its like.
pub(super) const BACK: Base = 0;
const FRONT: Base = 1;
const OVERWRITE: Base = 2;

/// `queueQUEUE_TYPE_MUTEX` and its like; all others are queues and semaphores.
const MUTEX: i32 = 1;
const RECURSIVE_MUTEX: i32 = 4;

/// A queue: items in a ring. A semaphore is one of items without bytes.
#[repr(C)]
pub struct OsQueue {
    head: Head,
    receivers: Waiting,
    senders: Waiting,
    items: Memory,
    size: usize,
    length: usize,
    /// The place of the first item, and how many there are.
    first: Cell<usize>,
    count: Cell<usize>,
    /// The set that it is a member of.
    set: Cell<Option<&'static OsQueue>>,
    ownership: Option<Ownership>,
}

// SAFETY: it begins with its head.
unsafe impl Object for OsQueue {
    const KIND: u32 = object::kind(0xEA);
}

/// The words that `FreeRTOS.h` has for one.
const WORDS: usize = 32;
const _: () = assert!(size_of::<OsQueue>() <= WORDS * size_of::<usize>());

impl OsQueue {
    /// Its data as a mutex.
    pub(super) fn ownership(&self) -> Option<&Ownership> {
        self.ownership.as_ref()
    }

    /// The place of an item in the ring.
    fn place(&self, number: usize) -> *mut u8 {
        let number = if number < self.length {
            number
        } else {
            number - self.length
        };
        self.items.start.as_ptr().wrapping_add(number * self.size)
    }

    /// Puts an item in, and returns the place of the waiter to wake. None if there is no space.
    /// Masked.
    ///
    /// The item is null if items have no bytes; otherwise it has as many bytes as an item.
    pub(super) fn put(&'static self, item: *const u8, position: Base) -> Option<Called> {
        let is_full = self.store(item, position)?;
        Some(match self.set.get() {
            _ if is_full => None,
            Some(set) => {
                let member = ptr::from_ref(self);
                // A set that has no room for all its members' items is the program's error:
                // FreeRTOS asserts.
                set.store((&raw const member).cast(), BACK);
                set.receivers.call()
            }
            None => self.receivers.call(),
        })
    }

    /// Puts an item in; whether in the place of another. Masked.
    fn store(&self, item: *const u8, position: Base) -> Option<bool> {
        let count = self.count.get();
        let is_full = count == self.length;
        if is_full && position != OVERWRITE {
            return None;
        }
        if position == FRONT {
            let first = self.first.get();
            self.first.set(if first == 0 {
                self.length - 1
            } else {
                first - 1
            });
        }
        let number = match position {
            FRONT => 0,
            _ if is_full => count - 1,
            _ => count,
        };
        let place = self.place(self.first.get() + number);
        // SAFETY: the place is within the ring; the caller guarantees that `item` has the queue's
        // size.
        unsafe { ptr::copy_nonoverlapping(item, place, self.size) };
        self.count.set(count + usize::from(!is_full));
        Some(is_full)
    }

    /// Copies the first item, and takes it out unless it `stays`. Returns the place of the waiter
    /// to wake; none if there is no item. Masked.
    fn get(&'static self, item: *mut u8, stays: bool, taker: Option<Taker>) -> Option<Called> {
        let rest = self.count.get().checked_sub(1)?;
        // SAFETY: the place is within the ring; the caller guarantees that `item` has the queue's
        // size.
        unsafe { ptr::copy_nonoverlapping(self.place(self.first.get()), item, self.size) };
        if stays {
            // The next waiter finds the item, too.
            return Some(self.receivers.call());
        }
        let next = self.first.get() + 1;
        self.first.set(if next == self.length { 0 } else { next });
        self.count.set(rest);
        if let Some(taker) = taker {
            mutex::own(self, taker);
        }
        Some(self.senders.call())
    }

    /// Sends an item; whether there was room in the time.
    fn send(&'static self, item: *const u8, ticks: u32, position: Base) -> bool {
        match &self.ownership {
            Some(ownership) => mutex::give(self, ownership),
            None => patiently(
                &self.senders,
                ticks,
                || self.put(item, position),
                |time| self.senders.wait(time),
            ),
        }
    }

    /// Receives an item, or copies it if it `stays`; returns whether there was one in the time.
    fn receive(&'static self, item: *mut u8, ticks: u32, stays: bool) -> bool {
        let Some(ownership) = self.ownership.as_ref().filter(|_| !stays) else {
            return patiently(
                &self.receivers,
                ticks,
                || self.get(item, stays, None),
                |time| self.receivers.wait(time),
            );
        };
        let Some(taker) = taker() else { return false };
        ownership.again(taker.thread)
            || patiently(
                &self.receivers,
                ticks,
                || self.get(item, false, Some(taker)),
                |time| mutex::wait(self, &self.receivers, taker, time),
            )
    }

    /// Forgets all items.
    fn reset(&'static self) {
        let called = masked(|| {
            mutex::disown(self);
            self.count.set(0);
            self.first.set(0);
            self.senders.call()
        });
        wake(called);
    }
}

/// Returns the caller as the taker of a mutex; none in a handler, and without memory.
fn taker() -> Option<Taker> {
    let thread = OsThread::current().filter(|_| !in_handler())?;
    let task = block::Task::of(thread)?;
    Some(Taker { thread, task })
}

/// Tries until the attempt succeeds or the time is over, and waits between as `wait` says; whether
/// it did. The end of a task's suspension has it look again; that of its wait by another task is
/// the end of its time.
fn patiently(
    place: &'static Waiting,
    ticks: u32,
    mut attempt: impl FnMut() -> Option<Called>,
    wait: impl Fn(Timeout) -> Result<(), Error>,
) -> bool {
    let mut may_wait = ticks > 0 && os().phase.get() == Phase::Running && !in_handler();
    let mut time = None;
    loop {
        let done = masked(|| {
            let done = attempt();
            if done.is_none() && may_wait {
                place.enter();
            }
            done
        });
        if let Some(called) = done {
            wake(called);
            return true;
        }
        if !may_wait {
            return false;
        }
        let time = *time.get_or_insert_with(|| {
            block::was_suspended();
            timeout(ticks)
        });
        match wait(time) {
            Ok(()) => {}
            Err(Error::Cancelled) if block::was_suspended() => {}
            Err(Error::Deleted) => return false,
            Err(_) => may_wait = false,
        }
    }
}

/// The answer of a call of a queue; `none` for a handle of no queue, and above the kernel's level.
///
/// # Safety
/// As for [`Id::get`].
unsafe fn with<T>(id: Id, none: T, act: impl FnOnce(&'static OsQueue) -> T) -> T {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    match unsafe { id.get::<OsQueue>() } {
        Some(queue) if may_call() => act(queue),
        _ => none,
    }
}

interface! {
    /// Makes a queue of `length` items of `size` bytes, of which `count` are there from the start
    /// (of a semaphore). Items and block are the caller's, or come from the heap where they are
    /// null. Null without memory, in a handler, and for a length of 0.
    fn taktos_freertos_queue(length: UnsignedBase, size: UnsignedBase, kind: i32, count: UnsignedBase, items: *mut u8, block: *mut u8) -> Id {
        let Some(bytes) = length.checked_mul(size).filter(|_| length > 0 && count <= length && !in_handler()) else {
            return Id::NONE;
        };
        prepare();
        let items = match NonNull::new(items) {
            None if bytes > 0 => Memory::of_heap(bytes),
            given => Some(Memory { start: given.unwrap_or(NonNull::dangling()), in_heap: false }),
        };
        let Some(items) = items else { return Id::NONE };
        let attributes = Attributes {
            block,
            block_size: if block.is_null() { 0 } else { (WORDS * size_of::<usize>()) as u32 },
            ..Attributes::NONE
        };
        let Some(memory) = object::block_for::<OsQueue>(&attributes) else {
            // SAFETY: no other code has its address.
            unsafe { items.free() };
            return Id::NONE;
        };
        let queue = OsQueue {
            head: object::head::<OsQueue>(&attributes, memory),
            receivers: Waiting::new(),
            senders: Waiting::new(),
            items,
            size,
            length,
            first: Cell::new(0),
            count: Cell::new(count),
            set: Cell::new(None),
            ownership: matches!(kind, MUTEX | RECURSIVE_MUTEX).then(|| Ownership::new(kind == RECURSIVE_MUTEX)),
        };
        // SAFETY: memory for one.
        unsafe { object::put(memory, queue) }
    }

    /// Sends a copy of an item: after the others (0), before them (1), or in the place of the last
    /// if there is no space (2). 0 if there is no space in the time, or no queue. Gives a semaphore
    /// or a mutex back if the item is null. Allowed in handlers, where it does not wait.
    fn xQueueGenericSend(id: Id, item: *const u8, ticks: u32, position: Base) -> Base {
        let send = |queue: &'static OsQueue| {
            let is_valid = (BACK..=OVERWRITE).contains(&position) && (queue.size == 0 || !item.is_null());
            is_valid && queue.send(item, ticks, position)
        };
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { with(id, false, send) })
    }

    /// Takes the next item out of a queue. 0 where there is none in the time, or no queue. Takes a
    /// semaphore or a mutex where the item is null. Allowed in handlers, where it does not wait,
    /// but for mutexes.
    fn xQueueReceive(id: Id, item: *mut u8, ticks: u32) -> Base {
        let receive = |queue: &'static OsQueue| (queue.size == 0 || !item.is_null()) && queue.receive(item, ticks, false);
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { with(id, false, receive) })
    }

    /// Copies the next item, which stays in the queue. 0 where there is none in the time, or no
    /// queue. Allowed in handlers, where it does not wait.
    fn xQueuePeek(id: Id, item: *mut u8, ticks: u32) -> Base {
        let look = |queue: &'static OsQueue| (queue.size == 0 || !item.is_null()) && queue.receive(item, ticks, true);
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { with(id, false, look) })
    }

    /// How many items are in a queue; of a semaphore its count, of a mutex whether it is free.
    /// Allowed in handlers.
    fn uxQueueMessagesWaiting(id: Id) -> UnsignedBase {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { with(id, 0, |queue| queue.count.get()) }
    }

    /// How many items there is room for. Allowed in handlers.
    fn uxQueueSpacesAvailable(id: Id) -> UnsignedBase {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { with(id, 0, |queue| queue.length - queue.count.get()) }
    }

    /// Forgets all items. 0 for what is no queue.
    fn xQueueReset(id: Id) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { with(id, false, |queue| { queue.reset(); true }) })
    }

    /// Deletes a queue, a semaphore or a mutex; tasks that wait there get 0.
    fn vQueueDelete(id: Id) {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(queue) = (unsafe { id.get::<OsQueue>() }).filter(|_| !in_handler()) else {
            return;
        };
        let end = |queue: &'static OsQueue| {
            masked(|| mutex::disown(queue));
            queue.receivers.delete();
            queue.senders.delete();
            // SAFETY: no code uses the items then.
            unsafe { queue.items.free() };
        };
        // SAFETY: a waiter that was sent away does not read the object again.
        unsafe { object::delete(queue, end) };
    }

    /// The task that holds a mutex; null where none does. Allowed in handlers.
    fn xQueueGetMutexHolder(id: Id) -> Id {
        let holder = |queue: &'static OsQueue| queue.ownership()?.owner.get().map(Id::of);
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { with(id, None, holder) }.unwrap_or(Id::NONE)
    }

    /// Makes a queue or a semaphore a member of a set, which is notified of each item that comes. 0
    /// if it is one already, or has items.
    fn xQueueAddToSet(member: Id, set: Id) -> Base {
        // SAFETY: the caller guarantees that `member` and `set` are valid for `Id::get`.
        let both = unsafe { (member.get::<OsQueue>(), set.get::<OsQueue>()) };
        let (Some(member), Some(set)) = both else {
            return truth(false);
        };
        let is_set = set.size == size_of::<usize>() && !ptr::eq(member, set);
        truth(masked(|| {
            let may_enter = is_set && member.set.get().is_none() && member.count.get() == 0;
            if may_enter {
                member.set.set(Some(set));
            }
            may_enter
        }))
    }

    /// Ends the membership. 0 where it is no member of the set, or has items.
    fn xQueueRemoveFromSet(member: Id, set: Id) -> Base {
        // SAFETY: the caller guarantees that `member` and `set` are valid for `Id::get`.
        let both = unsafe { (member.get::<OsQueue>(), set.get::<OsQueue>()) };
        let (Some(member), Some(set)) = both else {
            return truth(false);
        };
        truth(masked(|| {
            let is_member = member.set.get().is_some_and(|of| ptr::eq(of, set)) && member.count.get() == 0;
            if is_member {
                member.set.set(None);
            }
            is_member
        }))
    }

    /// The member of a set that has an item for the caller; null where there is none in the time.
    /// Allowed in handlers, where it does not wait.
    fn xQueueSelectFromSet(set: Id, ticks: u32) -> Id {
        let mut member = Id::NONE;
        let select = |set: &'static OsQueue| {
            set.size == size_of::<Id>() && set.receive((&raw mut member).cast(), ticks, false)
        };
        // SAFETY: the caller guarantees that `set` is valid for `Id::get`.
        unsafe { with(set, false, select) };
        member
    }
}
