//! Owns: message queues, which have names, and the descriptors by which they are used. Must never
//! know: how the kernel's queues work.
//!
//! A message is stored in a block of its queue. The kernel's queue transfers the block's address,
//! so that the message is copied in once and out once, with interrupts enabled.

use super::cancel::{point, test};
use super::clock::{REALTIME, TimeSpec, deadline};
use super::errno::Errno;
use super::name::{CREATE, NEVER_WAITS, Names};
use super::signal::BY_MESSAGE;
use super::signal::action::restarting;
use super::signal::notice::{Event, Notice};
use super::{alone, minus_one};
use crate::cmsis::interface;
use crate::object::Memory;
use crate::os::{in_handler, masked, os};
use core::cell::Cell;
use core::ffi::{c_char, c_int, c_long, c_uint};
use core::ptr::{self, NonNull};
use taktos::board::Board;
use taktos::{RawQueue, Semaphore, Timeout};

/// `MQ_PRIO_MAX`: priorities are below.
pub(super) const PRIORITIES: c_uint = 256;
/// `O_RDONLY`, `O_WRONLY` and `O_RDWR`, and the bits that they lie in.
const READS: c_int = 0;
const WRITES: c_int = 1;
const ACCESS: c_int = 3;

/// `struct mq_attr`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Attributes {
    flags: c_long,
    most: c_long,
    size: c_long,
    count: c_long,
}

impl Attributes {
    /// Those of a queue that is made without any.
    const USUAL: Self = Self {
        flags: 0,
        most: 10,
        size: 128,
        count: 0,
    };
}

/// Head of a place for a message, which follows it.
struct Block {
    /// The next that is free; meaningless in one that has a message.
    next: *mut Block,
    length: usize,
}

/// A queue.
pub struct PosixQueue {
    most: usize,
    size: usize,
    memory: Memory,
    /// The addresses of the blocks with messages.
    queue: RawQueue<Board>,
    /// The blocks without, and a permit for each.
    free: Cell<*mut Block>,
    room: Semaphore<Board>,
    /// How many threads wait to receive.
    receivers: Cell<usize>,
    /// Request to be notified of the next message that comes to an empty queue: the notice, in the
    /// heap, and the descriptor by which it was made.
    notice: Cell<Option<(&'static Notice, *const Descriptor)>>,
}

/// Open queue, as C names it: by the address of one of these.
pub struct Descriptor {
    next: Cell<Option<&'static Descriptor>>,
    queue: &'static PosixQueue,
    access: c_int,
    never_waits: Cell<bool>,
}

/// `mqd_t`.
type Id = c_long;

/// All queues, and all that are open.
pub struct Queues {
    names: Names<PosixQueue>,
    open: Cell<Option<&'static Descriptor>>,
}

impl Queues {
    /// None.
    pub(crate) const fn new() -> Self {
        Self {
            names: Names::new(),
            open: Cell::new(None),
        }
    }
}

impl PosixQueue {
    /// An empty one. Errors: `EINVAL` for attributes that are none, `ENOSPC` without memory.
    fn make(attributes: Attributes) -> Result<Self, Errno> {
        let positive = |value: c_long| usize::try_from(value).ok().filter(|value| *value > 0);
        let (Some(most), Some(size)) = (positive(attributes.most), positive(attributes.size))
        else {
            return Err(Errno::INVAL);
        };
        const WORD: usize = size_of::<usize>();
        let block = size_of::<Block>().checked_add(size).ok_or(Errno::INVAL)?;
        let block = block.checked_next_multiple_of(WORD).ok_or(Errno::INVAL)?;
        let blocks = block.checked_mul(most).ok_or(Errno::NOSPC)?;
        let words = RawQueue::<Board>::words(WORD, most).ok_or(Errno::NOSPC)?;
        let bytes = words
            .checked_mul(WORD)
            .and_then(|bytes| bytes.checked_add(blocks));
        let limit = u32::try_from(most).map_err(|_| Errno::NOSPC)?;
        let memory = bytes.and_then(Memory::of_heap).ok_or(Errno::NOSPC)?;
        // SAFETY: the blocks follow the words, at multiples of a word; no code uses any of it yet.
        let (words, free) = unsafe {
            let first = memory.start.as_ptr().add(words * WORD);
            (memory.words(words), chain(first, block, most))
        };
        let queue = RawQueue::new(words, WORD, most).map_err(|_| Errno::NOSPC)?;
        Ok(Self {
            most,
            size,
            memory,
            queue,
            free: Cell::new(free),
            room: Semaphore::with_limit(limit, limit),
            receivers: Cell::new(0),
            notice: Cell::new(None),
        })
    }

    /// Frees the queue, which no thread uses any more.
    fn end(&'static self) {
        self.forget_notice();
        let _ = self.queue.delete();
        // SAFETY: no code uses the memory then.
        unsafe { self.memory.free() };
    }

    fn forget_notice(&self) {
        if let Some((notice, _)) = self.notice.take() {
            // SAFETY: `mq_notify` allocated it, and no other code has it.
            unsafe { Memory::let_go(notice) };
        }
    }

    /// Puts a message into a block, for which there is a permit that the caller has taken.
    ///
    /// # Safety
    /// There are `length` bytes at `message`, and no more than the queue's size.
    unsafe fn fill(&self, message: *const u8, length: usize) -> *mut Block {
        let block = masked(|| {
            let block = self.free.get();
            // SAFETY: there are as many free blocks as permits.
            self.free.set(unsafe { (*block).next });
            block
        });
        // SAFETY: the block is the caller's alone; the message fits after it.
        unsafe {
            (*block).length = length;
            block
                .add(1)
                .cast::<u8>()
                .copy_from_nonoverlapping(message, length);
        }
        block
    }

    /// Takes the message out of a block, which is free then; gives its length.
    ///
    /// # Safety
    /// There is room for a message of the queue.
    unsafe fn empty(&'static self, block: *mut Block, to: *mut u8) -> usize {
        // SAFETY: the block is the caller's alone until it is free.
        let length = unsafe {
            let length = (*block).length;
            to.copy_from_nonoverlapping(block.add(1).cast(), length);
            length
        };
        masked(|| {
            // SAFETY: as above.
            unsafe { (*block).next = self.free.get() };
            self.free.set(block);
        });
        let _ = self.room.give();
        length
    }

    /// Sends the address of a block; there is room.
    fn put(&'static self, block: *mut Block, priority: u8) {
        let word = block.expose_provenance().to_ne_bytes();
        let _ = self.queue.send(&word, priority, Timeout::NONE);
    }

    /// Sends the address of a block as `put` does, and gives the notice that was requested, if the
    /// queue is empty and no thread waits for the message.
    fn put_and_tell(&'static self, block: *mut Block, priority: u8) {
        let notice = alone(|| {
            let is_news = self.queue.is_empty() && self.receivers.get() == 0;
            self.put(block, priority);
            is_news.then(|| self.notice.take()).flatten()
        });
        if let Some((notice, _)) = notice {
            notice.give_once();
            // SAFETY: `mq_notify` allocated it, and no other code has it.
            unsafe { Memory::let_go(notice) };
        }
    }
}

/// Makes a list of `count` blocks of `size` bytes from `first` on.
///
/// # Safety
/// There is space for them, at multiples of a word, that no other code uses.
unsafe fn chain(first: *mut u8, size: usize, count: usize) -> *mut Block {
    let mut free = ptr::null_mut();
    for number in (0..count).rev() {
        // SAFETY: the caller guarantees that there is aligned space for `count` blocks, which no
        // other code uses.
        unsafe {
            let block = first.add(number * size).cast::<Block>();
            block.write(Block {
                next: free,
                length: 0,
            });
            free = block;
        }
    }
    free
}

/// The open queue of an id. Errors: `EBADF`; `EPERM` in a handler of an interrupt. Steps: those
/// that are open.
fn descriptor(id: Id) -> Result<&'static Descriptor, Errno> {
    if in_handler() {
        return Err(Errno::PERM);
    }
    let found = masked(|| {
        let mut next = os().posix.queues.open.get();
        while let Some(open) = next {
            if ptr::from_ref(open).addr() == id as usize {
                return Some(open);
            }
            next = open.next.get();
        }
        None
    });
    found.ok_or(Errno::BADF)
}

impl Descriptor {
    /// Whether it is open to send or to receive.
    fn allows(&self, not: c_int) -> Result<(), Errno> {
        match self.access == not {
            true => Err(Errno::BADF),
            false => Ok(()),
        }
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            flags: if self.never_waits.get() {
                NEVER_WAITS as c_long
            } else {
                0
            },
            most: self.queue.most as c_long,
            size: self.queue.size as c_long,
            count: self.queue.queue.len() as c_long,
        }
    }

    /// Sends a message; if that has to wait, as `time` says.
    ///
    /// # Safety
    /// There are `length` bytes at `message`.
    unsafe fn send(
        &self,
        message: *const u8,
        length: usize,
        priority: c_uint,
        time: impl FnOnce() -> Result<Timeout, Errno>,
    ) -> Result<(), Errno> {
        self.allows(READS)?;
        let queue = self.queue;
        if priority >= PRIORITIES {
            return Err(Errno::INVAL);
        }
        if length > queue.size {
            return Err(Errno::MSGSIZE);
        }
        test();
        if queue.room.take(Timeout::NONE).is_err() {
            if self.never_waits.get() {
                return Err(Errno::AGAIN);
            }
            let time = time()?;
            restarting(|| point(|| queue.room.take(time)))?;
        }
        // SAFETY: the caller guarantees that `length` bytes at `message` are readable. A permit was
        // taken.
        let block = unsafe { queue.fill(message, length) };
        match queue.notice.get() {
            None => queue.put(block, priority as u8),
            Some(_) => queue.put_and_tell(block, priority as u8),
        }
        Ok(())
    }

    /// Receives a message: its length and its priority.
    ///
    /// # Safety
    /// There is space for `room` bytes at `to`.
    unsafe fn receive(
        &self,
        to: *mut u8,
        room: usize,
        time: impl FnOnce() -> Result<Timeout, Errno>,
    ) -> Result<(usize, u8), Errno> {
        self.allows(WRITES)?;
        let queue = self.queue;
        if room < queue.size {
            return Err(Errno::MSGSIZE);
        }
        test();
        let mut word = [0; size_of::<usize>()];
        let priority = match queue.queue.receive(&mut word, Timeout::NONE) {
            Ok(priority) => priority,
            Err(_) if self.never_waits.get() => return Err(Errno::AGAIN),
            Err(_) => {
                let time = time()?;
                restarting(|| {
                    point(|| {
                        masked(|| queue.receivers.update(|count| count + 1));
                        let received = queue.queue.receive(&mut word, time);
                        masked(|| queue.receivers.update(|count| count - 1));
                        received
                    })
                })?
            }
        };
        let block = ptr::with_exposed_provenance_mut(usize::from_ne_bytes(word));
        // SAFETY: the address of a block was sent; there is room, as was looked at.
        Ok((unsafe { queue.empty(block, to) }, priority))
    }
}

/// Returns the result of a call that receives: the length, or −1.
///
/// # Safety
/// `priority` is null, or there is space.
unsafe fn told(received: Result<(usize, u8), Errno>, priority: *mut c_uint) -> isize {
    match received {
        Ok((length, of_message)) => {
            if !priority.is_null() {
                // SAFETY: the caller guarantees that `priority` is writable.
                unsafe { priority.write(of_message.into()) };
            }
            length as isize
        }
        Err(error) => minus_one(Err(error)) as isize,
    }
}

/// Opens a queue, and makes it where the flags say so.
///
/// # Safety
/// The addresses are null or lead to what the standard says of them.
unsafe fn open(
    name: *const c_char,
    flags: c_int,
    attributes: *const Attributes,
) -> Result<&'static Descriptor, Errno> {
    if in_handler() {
        return Err(Errno::PERM);
    }
    if flags & ACCESS == ACCESS {
        return Err(Errno::INVAL);
    }
    let make = || {
        // SAFETY: the caller guarantees that `attributes` is null or valid.
        let attributes = unsafe { attributes.as_ref() }.copied();
        PosixQueue::make(attributes.unwrap_or(Attributes::USUAL))
    };
    let queues = &os().posix.queues;
    alone(|| {
        let memory = Memory::of_heap(size_of::<Descriptor>()).ok_or(Errno::MFILE)?;
        // SAFETY: the caller guarantees that `name` is null or a C string.
        let queue = match unsafe { queues.names.open(name, flags, make) } {
            Ok(queue) => queue,
            Err(error) => {
                // SAFETY: no other code has its address.
                unsafe { memory.free() };
                return Err(error);
            }
        };
        let new = Descriptor {
            next: Cell::new(queues.open.get()),
            queue,
            access: flags & ACCESS,
            never_waits: Cell::new(flags & NEVER_WAITS != 0),
        };
        let place = memory.start.cast::<Descriptor>();
        // SAFETY: memory of the heap for one, aligned for anything, which no code uses yet.
        let open = unsafe {
            place.write(new);
            place.as_ref()
        };
        queues.open.set(Some(open));
        Ok(open)
    })
}

/// Closes an open queue.
fn close(descriptor: &'static Descriptor) -> Result<(), Errno> {
    let queues = &os().posix.queues;
    alone(|| {
        let mut place = &queues.open;
        while let Some(other) = place.get() {
            if ptr::eq(other, descriptor) {
                place.set(descriptor.next.take());
                break;
            }
            place = &other.next;
        }
        let queue = descriptor.queue;
        if queue
            .notice
            .get()
            .is_some_and(|(_, by)| ptr::eq(by, descriptor))
        {
            queue.forget_notice();
        }
        // SAFETY: it was allocated by `open`, and is in no list.
        unsafe { Memory::let_go(descriptor) };
        queues.names.close(queue, PosixQueue::end)
    })
}

/// Requests a notice of the next message that comes to the empty queue, or withdraws the request.
///
/// # Safety
/// The event is null or one.
unsafe fn set_notice(descriptor: &'static Descriptor, event: *const Event) -> Result<(), Errno> {
    let queue = descriptor.queue;
    // SAFETY: the caller guarantees that `event` is null or valid.
    let Some(event) = (unsafe { event.as_ref() }) else {
        alone(|| queue.forget_notice());
        return Ok(());
    };
    // SAFETY: as above.
    let notice = unsafe { Notice::of(event, BY_MESSAGE, ptr::null_mut()) }?;
    let memory = Memory::of_heap(size_of::<Notice>()).ok_or(Errno::NOMEM)?;
    let place: NonNull<Notice> = memory.start.cast();
    alone(|| {
        if queue.notice.get().is_some() {
            // SAFETY: no other code has its address.
            unsafe { memory.free() };
            return Err(Errno::BUSY);
        }
        // SAFETY: memory of the heap for one, aligned for anything, which no code uses yet.
        let notice = unsafe {
            place.write(notice);
            place.as_ref()
        };
        queue.notice.set(Some((notice, descriptor)));
        Ok(())
    })
}

interface! {
    /// Opens a queue by its name; with `O_CREAT` one is made, if there is none, by its attributes
    /// (without: 10 messages of 128 bytes). −1 with `ENOENT`, `EEXIST`, `EINVAL`, `ENAMETOOLONG`,
    /// `ENOSPC`, `EMFILE`; `EPERM` in a handler of an interrupt. The mode is not read. In C the
    /// last two are there only with `O_CREAT`: on these processors they are located where those of
    /// such a call are.
    fn mq_open(name: *const c_char, flags: c_int, _mode: c_uint, attributes: *const Attributes) -> Id {
        let attributes = if flags & CREATE == 0 { ptr::null() } else { attributes };
        // SAFETY: the caller guarantees that `name` is null or a C string, and that `attributes`,
        // with `O_CREAT`, is null or valid.
        match unsafe { open(name, flags, attributes) } {
            Ok(descriptor) => ptr::from_ref(descriptor).addr() as Id,
            Err(error) => minus_one(Err(error)) as Id,
        }
    }

    /// Closes a queue. A queue without a name is freed by the last close.
    fn mq_close(id: Id) -> c_int {
        minus_one(descriptor(id).and_then(close))
    }

    /// Takes a queue's name away. `ENOENT`, `ENAMETOOLONG`; `EPERM` in a handler of an interrupt.
    fn mq_unlink(name: *const c_char) -> c_int {
        if in_handler() {
            return minus_one(Err(Errno::PERM));
        }
        // SAFETY: the caller guarantees that `name` is null or a C string.
        minus_one(alone(|| unsafe { os().posix.queues.names.unlink(name, PosixQueue::end) }))
    }

    /// Sends a message; those of a higher priority are received first. A point of cancellation.
    /// `EAGAIN` where the queue is full and open with `O_NONBLOCK`; `EMSGSIZE`, `EINVAL` for a
    /// priority that is none, `EBADF`, `EINTR`; `EPERM` in a handler of an interrupt.
    fn mq_send(id: Id, message: *const u8, length: usize, priority: c_uint) -> c_int {
        minus_one(descriptor(id).and_then(|open| {
            // SAFETY: the caller guarantees that `length` bytes at `message` are readable.
            unsafe { open.send(message, length, priority, || Ok(Timeout::FOREVER)) }
        }))
    }

    /// Sends a message, waiting until the time of day is `time` at the latest: `ETIMEDOUT`.
    fn mq_timedsend(id: Id, message: *const u8, length: usize, priority: c_uint, time: *const TimeSpec) -> c_int {
        minus_one(descriptor(id).and_then(|open| {
            // SAFETY: the caller guarantees that `length` bytes at `message` are readable, and that
            // `time` is null or valid.
            unsafe { open.send(message, length, priority, || deadline(REALTIME, time)) }
        }))
    }

    /// Receives the first of the messages with the highest priority; returns its length. A point of
    /// cancellation. `EMSGSIZE` if there is less space than the queue's messages need; otherwise as
    /// `mq_send`.
    fn mq_receive(id: Id, to: *mut u8, room: usize, priority: *mut c_uint) -> isize {
        // SAFETY: the caller guarantees that `room` bytes at `to` are writable, and that `priority`
        // is null or writable.
        unsafe { told(descriptor(id).and_then(|open| open.receive(to, room, || Ok(Timeout::FOREVER))), priority) }
    }

    /// Receives a message, waiting until the time of day is `time` at the latest: `ETIMEDOUT`.
    fn mq_timedreceive(id: Id, to: *mut u8, room: usize, priority: *mut c_uint, time: *const TimeSpec) -> isize {
        // SAFETY: the caller guarantees that `room` bytes at `to` are writable, `priority` is null
        // or writable, and `time` is null or valid.
        unsafe { told(descriptor(id).and_then(|open| open.receive(to, room, || deadline(REALTIME, time))), priority) }
    }

    /// Requests a notice, once, of the next message that comes to the empty queue while no thread
    /// waits for one; null: withdraws the request. `EBUSY` if there is a request already; `EBADF`,
    /// `EINVAL`, `ENOMEM`; `EPERM` in a handler of an interrupt.
    fn mq_notify(id: Id, event: *const Event) -> c_int {
        // SAFETY: the caller guarantees that `event` is null or valid.
        minus_one(descriptor(id).and_then(|open| unsafe { set_notice(open, event) }))
    }

    /// Reads the attributes of an open queue.
    fn mq_getattr(id: Id, attributes: *mut Attributes) -> c_int {
        minus_one(descriptor(id).and_then(|open| {
            // SAFETY: the caller guarantees that `attributes` is null or writable.
            *unsafe { attributes.as_mut() }.ok_or(Errno::INVAL)? = open.attributes();
            Ok(())
        }))
    }

    /// Sets whether calls by this descriptor wait (`O_NONBLOCK` of the flags); writes the former
    /// attributes to `old`.
    fn mq_setattr(id: Id, new: *const Attributes, old: *mut Attributes) -> c_int {
        minus_one(descriptor(id).and_then(|open| {
            // SAFETY: the caller guarantees that `new` is null or valid.
            let flags = unsafe { new.as_ref() }.ok_or(Errno::INVAL)?.flags;
            let before = open.attributes();
            open.never_waits.set(flags & NEVER_WAITS as c_long != 0);
            if !old.is_null() {
                // SAFETY: the caller guarantees that `old` is writable.
                unsafe { old.write(before) };
            }
            Ok(())
        }))
    }
}
