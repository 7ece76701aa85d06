//! Channels to other partitions as pipes of the kernel.
//!
//! Owns: the threads that copy between pipes and rings, and that wait for the doorbell.
//! Must never know: the partition at the other end; a board.
//!
//! Bytes written to the one pipe come out at the other end of the channel; bytes from there can be
//! read from the other pipe. The doorbell's handler gives semaphores; two threads copy. A full pipe
//! makes its thread wait, the ring fills up, and the other end waits in its turn.

use super::GuestBoard;
use crate::experiment::{self, certain};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use taktos_abi::vm::ring::{Layout, Memory, Moved, Reader, Writer};
use taktos_kernel::{Error, Pipe, Semaphore, System, Thread, Timeout};

const STACK: usize = 512 * size_of::<usize>();
/// The bytes that each pipe holds.
const BUFFER: usize = 256;
/// The bytes that are copied at once.
const COPIED: usize = 64;

/// An end of a channel, by which its memory is seen.
#[derive(Clone, Copy)]
pub struct End<M> {
    /// The memory.
    pub memory: M,
    /// How much of it there is.
    pub bytes: usize,
    /// Which end it is, 0 or 1.
    pub number: usize,
}

/// A board that has channels.
pub trait ChannelBoard: GuestBoard {
    /// A channel's memory.
    type Memory: Memory + Copy + 'static;
    /// This guest's end of `channel`, if it has one.
    fn channel(channel: usize) -> Option<End<Self::Memory>>;
    /// Rings the doorbell of the other end of `channel`. Allowed everywhere.
    fn ring(channel: usize);
    /// Registers `handler`, to be called as an interrupt handler at the kernel's level when the
    /// doorbell of this end of `channel` rings.
    fn on_doorbell(channel: usize, handler: fn());
}

/// A channel as two pipes. A program has it in a static.
pub struct Connection<S: System> {
    incoming: Pipe<S, BUFFER>,
    outgoing: Pipe<S, BUFFER>,
    /// Signals that the doorbell rang: for the thread that waits for bytes, and for the one that
    /// waits for space.
    bytes: Semaphore<S>,
    room: Semaphore<S>,
    reader: Thread<S, STACK>,
    writer: Thread<S, STACK>,
    channel: AtomicUsize,
}

impl<S: System> Connection<S> {
    /// One that is not open.
    pub const fn new() -> Self {
        Self {
            incoming: Pipe::new(),
            outgoing: Pipe::new(),
            bytes: Semaphore::binary(0),
            room: Semaphore::binary(0),
            reader: Thread::new("from channel"),
            writer: Thread::new("to channel"),
            channel: AtomicUsize::new(0),
        }
    }

    /// Returns the pipe with the bytes from the other end.
    pub const fn incoming(&'static self) -> &'static Pipe<S, BUFFER> {
        &self.incoming
    }

    /// Returns the pipe for bytes to the other end.
    pub const fn outgoing(&'static self) -> &'static Pipe<S, BUFFER> {
        &self.outgoing
    }

    /// The doorbell rang. Called by its handler. Bound: two permits are given.
    pub fn rung(&'static self) {
        // A permit that is there already says the same.
        let _ = self.bytes.give();
        let _ = self.room.give();
    }
}

impl<S: System> Default for Connection<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: ChannelBoard> Connection<S> {
    /// Opens `channel`; once. `rung` is to call [`Connection::rung`]; the threads that copy have
    /// the priority `level`. Errors: `Parameter` where this guest has no end of it; those of
    /// threads' creation.
    pub fn open(&'static self, channel: usize, level: u8, rung: fn()) -> Result<(), Error> {
        S::channel(channel).ok_or(Error::Parameter)?;
        self.channel.store(channel, Relaxed);
        let priority = experiment::priority(level);
        self.reader.create_as("from channel", priority)?;
        self.writer.create_as("to channel", priority)?;
        S::on_doorbell(channel, rung);
        self.reader.start_with(Self::read, self)?;
        self.writer.start_with(Self::write, self)
    }

    /// The end, and how the rings lie in its memory.
    fn end(&self) -> (End<S::Memory>, Layout) {
        let end = certain(S::channel(self.channel.load(Relaxed)).ok_or(Error::Parameter));
        let layout = certain(Layout::of(end.bytes as u64).ok_or(Error::Parameter));
        (end, layout)
    }

    fn answer(&self, moved: Moved) -> usize {
        if moved.ring {
            S::ring(self.channel.load(Relaxed));
        }
        moved.bytes
    }

    /// Body of the thread that reads from the channel.
    fn read(&'static self) {
        let (end, layout) = self.end();
        let mut ring = Reader::attach(layout, end.number, &end.memory);
        let mut buffer = [0; COPIED];
        loop {
            let count = self.answer(ring.read(&end.memory, &mut buffer));
            certain(
                self.incoming
                    .write(&buffer[..count], count, Timeout::FOREVER),
            );
            if count < COPIED {
                certain(self.bytes.take(Timeout::FOREVER));
            }
        }
    }

    /// Body of the thread that writes to the channel.
    fn write(&'static self) {
        let (end, layout) = self.end();
        let mut ring = Writer::attach(layout, end.number, &end.memory);
        let mut buffer = [0; COPIED];
        loop {
            let count = certain(self.outgoing.read(&mut buffer, 1, Timeout::FOREVER));
            let mut rest = &buffer[..count];
            loop {
                rest = &rest[self.answer(ring.write(&end.memory, rest))..];
                if rest.is_empty() {
                    break;
                }
                certain(self.room.take(Timeout::FOREVER));
            }
        }
    }
}
