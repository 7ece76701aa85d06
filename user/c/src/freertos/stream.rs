//! Owns: stream buffers and message buffers: bytes, or messages each after its length, from one
//! writer to one reader, which do not exclude each other. Must never know: what they mean.

use super::block::was_suspended;
use super::{Base, prepare, truth};
use crate::cmsis::interface;
use crate::object::{self, Attributes, Head, Id, Memory, Object};
use crate::os::{in_handler, masked, may_call, timeout};
use core::cell::Cell;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicUsize};
use taktos::board::Board;
use taktos::{Error, EventFlags};

/// Flags that the reader and the writer wait for.
const DATA: u32 = 1;
const ROOM: u32 = 2;
/// The length that is before each message: C's `size_t`.
const LENGTH: usize = size_of::<usize>();

/// A buffer. The written bytes are between the places of reader and writer, in a ring of which one
/// byte is never used.
#[repr(C)]
pub struct OsStream {
    head: Head,
    changes: EventFlags<Board>,
    ring: Memory,
    size: usize,
    is_of_messages: bool,
    /// As many bytes as wake a reader that waits.
    trigger: Cell<usize>,
    read_at: AtomicUsize,
    written_at: AtomicUsize,
    /// The parties that wait, as bits of the two constants above.
    waits: AtomicU32,
}

// SAFETY: it begins with its head.
unsafe impl Object for OsStream {
    const KIND: u32 = object::kind(0xE9);
}

/// Size of a buffer in `FreeRTOS.h`, in words.
const WORDS: usize = 24;
const _: () = assert!(size_of::<OsStream>() <= WORDS * size_of::<usize>());

impl OsStream {
    /// Returns the number of bytes in the ring. Either end may call it while the other one works. A
    /// third thread calls it masked, or else it reads the two places at different instants.
    fn filled(&self) -> usize {
        let (read, written) = (self.read_at.load(Acquire), self.written_at.load(Acquire));
        match written.checked_sub(read) {
            Some(filled) => filled,
            None => written + self.size - read,
        }
    }

    fn room(&self) -> usize {
        self.size - 1 - self.filled()
    }

    /// Returns the place `count` bytes after another.
    fn behind(&self, place: usize, count: usize) -> usize {
        let place = place + count;
        if place < self.size {
            place
        } else {
            place - self.size
        }
    }

    /// Copies between the ring from `place` on and memory: at most two pieces.
    ///
    /// # Safety
    /// There are `count` bytes at `bytes`, and `count` is at most the ring's size. No other code
    /// accesses that part of the ring meanwhile.
    unsafe fn copy(&self, place: usize, bytes: *mut u8, count: usize, to_ring: bool) {
        let first = count.min(self.size - place);
        for (at, bytes, count) in [
            (place, bytes, first),
            (0, bytes.wrapping_add(first), count - first),
        ] {
            // SAFETY: both pieces are within the ring; the caller guarantees `count` bytes at
            // `bytes`.
            unsafe {
                let ring = self.ring.start.as_ptr().add(at);
                match to_ring {
                    true => ring.copy_from(bytes, count),
                    false => bytes.copy_from(ring, count),
                }
            }
        }
    }

    /// The length of the next message, if there is one.
    fn next_length(&self) -> Option<usize> {
        if self.filled() < LENGTH {
            return None;
        }
        let mut length = MaybeUninit::<usize>::uninit();
        // SAFETY: the writer has put a length there, whole.
        unsafe {
            self.copy(
                self.read_at.load(Relaxed),
                length.as_mut_ptr().cast(),
                LENGTH,
                false,
            );
            Some(length.assume_init())
        }
    }

    /// Waits for a change as long as `ticks` says, until `is_so`; not at all in a handler. A writer
    /// that was suspended waits on, a reader does not.
    fn wait(&'static self, for_what: u32, ticks: u32, is_so: impl Fn() -> bool) {
        if ticks == 0 || in_handler() {
            return;
        }
        let time = timeout(ticks);
        was_suspended();
        self.waits.fetch_or(for_what, Relaxed);
        while !is_so() {
            match self.changes.take_any(for_what, time) {
                Ok(_) => {}
                Err(Error::Cancelled) if for_what == ROOM && was_suspended() => {}
                Err(_) => break,
            }
        }
        self.waits.fetch_and(!for_what, Relaxed);
    }

    /// Writes as many bytes as fit in the time; a message whole or not at all. Returns the number
    /// of bytes.
    ///
    /// # Safety
    /// There are `count` bytes at `bytes`.
    unsafe fn send(&'static self, bytes: *const u8, count: usize, ticks: u32) -> usize {
        let (before, most) = match self.is_of_messages {
            true => (LENGTH, count),
            false => (0, count.min(self.size - 1)),
        };
        let whole = before.saturating_add(most);
        if whole > self.size - 1 {
            return 0;
        }
        self.wait(ROOM, ticks, || self.room() >= whole);
        let (room, place) = (self.room(), self.written_at.load(Relaxed));
        if self.is_of_messages && room < whole {
            return 0;
        }
        let most = most.min(room - before);
        // SAFETY: the free space is the writer's; the caller guarantees `count` bytes at `bytes`.
        unsafe {
            self.copy(place, (&raw const count).cast_mut().cast(), before, true);
            let place = self.behind(place, before);
            self.copy(place, bytes.cast_mut(), most, true);
            self.written_at.store(self.behind(place, most), Release);
        }
        if self.filled() >= self.trigger.get() {
            let _ = self.changes.set(DATA);
        }
        most
    }

    /// Reads the bytes that are there, and waits for them as long as `ticks` says; a message whole,
    /// or not if it is longer than `room`. Returns the number of bytes.
    ///
    /// # Safety
    /// There is space for `room` bytes at `bytes`.
    unsafe fn receive(&'static self, bytes: *mut u8, room: usize, ticks: u32) -> usize {
        if self.filled() == 0 {
            self.wait(DATA, ticks, || self.filled() >= self.trigger.get());
        }
        let (before, count) = match (self.is_of_messages, self.next_length()) {
            (false, _) => (0, self.filled().min(room)),
            (true, Some(length)) if length <= room => (LENGTH, length),
            (true, _) => return 0,
        };
        if count > 0 || before > 0 {
            let place = self.behind(self.read_at.load(Relaxed), before);
            // SAFETY: the written bytes are the reader's; the caller guarantees space for `room`
            // bytes.
            unsafe { self.copy(place, bytes, count, false) };
            self.read_at.store(self.behind(place, count), Release);
            let _ = self.changes.set(ROOM);
        }
        count
    }

    /// Forgets the written bytes if no thread waits; returns whether it did.
    fn reset(&self) -> bool {
        masked(|| {
            let is_free = self.waits.load(Relaxed) == 0;
            if is_free {
                self.read_at.store(self.written_at.load(Relaxed), Release);
            }
            is_free
        })
    }
}

/// Returns the result of `act` on a buffer; `none` if the id is not a buffer's, and above the
/// kernel's level.
///
/// # Safety
/// As for [`Id::get`].
unsafe fn with<T>(id: Id, none: T, act: impl FnOnce(&'static OsStream) -> T) -> T {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    match unsafe { id.get::<OsStream>() } {
        Some(stream) if may_call() => act(stream),
        _ => none,
    }
}

interface! {
    /// Makes a buffer for `size` bytes in a ring, of which one is never used; a reader that waits
    /// is woken by `trigger` of them. Ring and block are the caller's, or come from the heap where
    /// they are null. Null without memory, and for a size or a trigger out of range.
    fn taktos_freertos_stream(size: usize, trigger: usize, is_of_messages: Base, ring: *mut u8, block: *mut u8) -> Id {
        if size < 2 || trigger >= size {
            return Id::NONE;
        }
        prepare();
        let block_size = if block.is_null() { 0 } else { WORDS * size_of::<usize>() };
        let attributes = Attributes {
            block,
            block_size: block_size as u32,
            ..Attributes::NONE
        };
        let given = |start| Memory { start, in_heap: false };
        let Some(ring) = NonNull::new(ring).map(given).or_else(|| Memory::of_heap(size)) else {
            return Id::NONE;
        };
        let Some(memory) = object::block_for::<OsStream>(&attributes) else {
            // SAFETY: no other code has its address.
            unsafe { ring.free() };
            return Id::NONE;
        };
        let stream = OsStream {
            head: object::head::<OsStream>(&attributes, memory),
            changes: EventFlags::new(0),
            ring,
            size,
            is_of_messages: is_of_messages != 0,
            trigger: Cell::new(trigger.max(1)),
            read_at: AtomicUsize::new(0),
            written_at: AtomicUsize::new(0),
            waits: AtomicU32::new(0),
        };
        // SAFETY: memory for one.
        unsafe { object::put(memory, stream) }
    }

    /// Deletes a buffer, at which no thread may wait.
    fn vStreamBufferDelete(id: Id) {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        if let Some(stream) = unsafe { id.get::<OsStream>() } {
            let ring = stream.ring;
            let end = |stream: &'static OsStream| {
                let _ = stream.changes.delete();
            };
            // SAFETY: a waiter that was sent away does not read the object again.
            if unsafe { object::delete(stream, end) } {
                // SAFETY: no call finds it any more.
                unsafe { ring.free() };
            }
        }
    }

    /// Writes bytes, or a message, and returns how many: of a stream those for which there is space
    /// in the time; a message whole or not at all. Allowed in handlers, where it does not wait.
    fn xStreamBufferSend(id: Id, bytes: *const u8, count: usize, ticks: u32) -> usize {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { with(id, 0, |stream| stream.send(bytes, count, ticks)) }
    }

    /// Reads bytes, or a message, and returns how many. A message longer than `room` stays. Allowed
    /// in handlers, where it does not wait.
    fn xStreamBufferReceive(id: Id, bytes: *mut u8, room: usize, ticks: u32) -> usize {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { with(id, 0, |stream| stream.receive(bytes, room, ticks)) }
    }

    /// The bytes that were written and not read, with the lengths of messages. Allowed in handlers.
    fn xStreamBufferBytesAvailable(id: Id) -> usize {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { with(id, 0, |stream| masked(|| stream.filled())) }
    }

    /// The bytes for which there is room. Allowed in handlers.
    fn xStreamBufferSpacesAvailable(id: Id) -> usize {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { with(id, 0, |stream| masked(|| stream.room())) }
    }

    /// The length of the next message; 0 where there is none, and of a stream. Allowed in handlers.
    fn xStreamBufferNextMessageLengthBytes(id: Id) -> usize {
        let length = |stream: &'static OsStream| match stream.is_of_messages {
            true => masked(|| stream.next_length()).unwrap_or(0),
            false => 0,
        };
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { with(id, 0, length) }
    }

    /// Sets the number of bytes that wake a reader that waits. 0 if the ring has fewer bytes.
    fn xStreamBufferSetTriggerLevel(id: Id, trigger: usize) -> Base {
        let set = |stream: &'static OsStream| {
            let fits = trigger < stream.size;
            if fits {
                stream.trigger.set(trigger.max(1));
            }
            fits
        };
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { with(id, false, set) })
    }

    /// Wakes the reader that waits (1), or the writer (2), to look again. 0 where it does not wait.
    /// Allowed in handlers.
    fn taktos_freertos_stream_wake(id: Id, whom: u32) -> Base {
        let wake = |stream: &'static OsStream| {
            let waits = stream.waits.load(Relaxed) & whom != 0;
            let _ = stream.changes.set(whom & (DATA | ROOM));
            waits
        };
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { with(id, false, wake) })
    }

    /// Forgets the written bytes. 0 if a thread waits.
    fn xStreamBufferReset(id: Id) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { with(id, false, OsStream::reset) })
    }
}
