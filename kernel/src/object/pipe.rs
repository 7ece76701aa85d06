//! Owns: pipes: streams of bytes between threads, one copy where a reader waits, two through the
//! buffer otherwise. Must never know: where in the stream a message begins or ends.

use crate::critical_section::CriticalSection;
use crate::object::deletion::{self, Deletable};
use crate::object::poll::{Alternative, Answers, Branch, Done};
use crate::object::stream::{ByteRing, Incoming, Outgoing, Room};
use crate::sched::{IntoResult, OutcomeOf, fail, hold, refuse_to_wait};
use crate::wait::Place;
use crate::wait::transfer::{Lent, Transaction, Waiters, transact};
use crate::{Error, Kernel, Status, System, Timeout};
use core::fmt;
use core::marker::PhantomData;

/// A transfer that ended before it had moved as many bytes as it was to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partial {
    /// Why it ended.
    pub error: Error,
    /// How many bytes were moved. They are not lost: read ones are in the buffer, written ones in
    /// the pipe or with a reader.
    pub moved: usize,
}

impl From<Partial> for Error {
    fn from(partial: Partial) -> Self {
        partial.error
    }
}

impl fmt::Display for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes were moved)", self.error, self.moved)
    }
}

impl core::error::Error for Partial {}

/// A stream of bytes with a buffer of `N`.
///
/// Bytes that are written while threads wait to read go straight into the buffer of the most urgent
/// of them; the others into the pipe's. When that is full, writers wait; each read then moves bytes
/// of the most urgent of them on. First come, first served among equals. The bytes of one write
/// follow each other without a gap, unless the writer has to wait and a more urgent one comes.
///
/// Bytes are copied with kernel-level interrupts masked: the length of reads and writes is the
/// user's part of the system's latency.
#[repr(C)]
pub struct Pipe<S, const N: usize> {
    // Invariants: while threads wait to read, the buffer is empty; while threads wait to write, it
    // is full.
    readers: Waiters<Incoming>,
    writers: Waiters<Outgoing>,
    buffer: ByteRing<N>,
    system: PhantomData<fn() -> S>,
}

impl<S: System, const N: usize> Pipe<S, N> {
    /// An empty pipe.
    ///
    /// # Panics
    /// If `N` is 0 or above 2³¹ − 1: for a static, when it is compiled.
    pub const fn new() -> Self {
        Self {
            readers: Waiters::new(),
            writers: Waiters::new(),
            buffer: ByteRing::new(),
            system: PhantomData,
        }
    }

    /// Writes as many bytes of `data` as readers and buffer take now, and, as long as these are
    /// fewer than `at_least`, waits for readers to take more, as long as `timeout` says. The
    /// answer is the number of bytes written: `at_least` to all; how many of the bytes beyond
    /// `at_least` depends on what there is room for when these are written. Allowed in
    /// interrupt handlers at the kernel's level, with [`Timeout::NONE`].
    ///
    /// Bound without waiting: the copy, one wake for each reader that gets enough. Errors:
    /// `Timeout`, `Deleted`, `Cancelled`, where fewer bytes than `at_least` may have been
    /// written; with none written: `WouldBlock` where fewer than `at_least` bytes could be
    /// written now, `Parameter` where `at_least` is more than the length of `data`, `Context` where
    /// an interrupt handler would have to wait.
    pub fn write(
        &'static self,
        data: &[u8],
        at_least: usize,
        timeout: Timeout,
    ) -> Result<usize, Partial> {
        check(data.len(), at_least)?;
        Outgoing::of(data, at_least, |outgoing| {
            let held = hold::<S>();
            let cs = held.section();
            let answer = if self.can_write(cs, at_least) {
                if self.readers.is_empty(cs) {
                    self.buffer.put(cs, outgoing);
                    return Ok(data.len() - outgoing.progress().left());
                }
                transact::<S, Write<S, N, false>>(held, self, outgoing, timeout)
            } else {
                transact::<S, Write<S, N, true>>(held, self, outgoing, timeout)
            };
            complete(
                answer.into_result::<S>(),
                data.len() - outgoing.progress().left(),
            )
        })
    }

    /// Reads as many bytes into `buffer` as there are now, and, as long as these are fewer than
    /// `at_least`, waits for writers to bring more, as long as `timeout` says. The answer is
    /// the number of bytes read: `at_least` to all that `buffer` can hold. Allowed in interrupt
    /// handlers at the kernel's level, with [`Timeout::NONE`].
    ///
    /// Bound without waiting: the copies, also of what waiting writers move into the pipe then, and
    /// one wake for each of those that has written enough. Errors: `Timeout`, `Deleted`,
    /// `Cancelled`, where fewer bytes than `at_least` may have been read; with none read:
    /// `WouldBlock` where fewer than `at_least` bytes are there, `Parameter` where `at_least` is
    /// more than the length of `buffer`, `Context` where an interrupt handler would have to
    /// wait.
    pub fn read(
        &'static self,
        buffer: &mut [u8],
        at_least: usize,
        timeout: Timeout,
    ) -> Result<usize, Partial> {
        let length = buffer.len();
        check(length, at_least)?;
        Incoming::of(buffer, at_least, |incoming| {
            let held = hold::<S>();
            let cs = held.section();
            let answer = if self.can_read(cs, at_least) {
                if self.writers.is_empty(cs) {
                    self.buffer.take(cs, incoming);
                    return Ok(length - incoming.progress().left());
                }
                transact::<S, Read<S, N, false>>(held, self, incoming, timeout)
            } else {
                transact::<S, Read<S, N, true>>(held, self, incoming, timeout)
            };
            complete(
                answer.into_result::<S>(),
                length - incoming.progress().left(),
            )
        })
    }

    /// The number of bytes in the pipe's buffer. Allowed in interrupt handlers. Bound: fixed.
    pub fn len(&'static self) -> usize {
        self.buffer.len(hold::<S>().section())
    }

    /// Whether the pipe's buffer is empty. Allowed in interrupt handlers. Bound: fixed.
    pub fn is_empty(&'static self) -> bool {
        self.len() == 0
    }

    /// Deletes the pipe and the bytes in it: threads that wait to read or to write get `Deleted`,
    /// and so does each later call. Allowed in interrupt handlers.
    ///
    /// Bound: one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }

    /// Makes a deleted pipe an empty one. Bound: fixed. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        self.buffer.renew(hold::<S>().section())
    }

    /// Whether `needed` bytes can be written without waiting. Steps: the readers that wait, where
    /// the buffer has not room for all.
    fn can_write(&self, cs: CriticalSection<'_>, needed: usize) -> bool {
        let room = self.buffer.room(cs);
        let taken = || {
            self.readers
                .sum_reaches(cs, needed - room, |reader| reader.progress().left())
        };
        !self.is_deleted(cs) && (room >= needed || taken())
    }

    /// Whether `needed` bytes can be read without waiting. Steps: the writers that wait, where the
    /// buffer does not hold them all.
    fn can_read(&self, cs: CriticalSection<'_>, needed: usize) -> bool {
        let there = self.buffer.len(cs);
        let brought = || {
            self.writers
                .sum_reaches(cs, needed - there, |writer| writer.progress().left())
        };
        !self.is_deleted(cs) && (there >= needed || brought())
    }

    /// Moves bytes to the readers that wait, then into the buffer; wakes readers that have got
    /// enough.
    fn take_in(&'static self, cs: CriticalSection<'_>, outgoing: &Outgoing) {
        while let Some((reader, incoming)) = self.readers.first(cs)
            && outgoing.progress().left() > 0
        {
            outgoing.move_to(incoming);
            if incoming.progress().needed() == 0 {
                self.readers.pop(cs, reader);
                S::kernel().wake(cs, reader);
            }
        }
        self.buffer.put(cs, outgoing);
    }

    /// Moves bytes out of the buffer, then from the writers that wait; lets these fill the buffer
    /// again, and wakes those that have written enough.
    fn give_out(&'static self, cs: CriticalSection<'_>, incoming: &Incoming) {
        self.buffer.take(cs, incoming);
        while let Some((writer, outgoing)) = self.writers.first(cs) {
            outgoing.move_to(incoming);
            self.buffer.put(cs, outgoing);
            if outgoing.progress().needed() > 0 {
                return;
            }
            self.writers.pop(cs, writer);
            S::kernel().wake(cs, writer);
        }
    }
}

/// Bytes of a pipe, as one of several things that a thread waits for.
pub struct Reading<'a, S: 'static, const N: usize> {
    pipe: &'static Pipe<S, N>,
    room: Room<'a>,
}

impl<S: System, const N: usize> Pipe<S, N> {
    /// Returns [`Pipe::read`] of at least one byte as one of several things that a thread waits
    /// for: see [`Kernel::poll`]. The answer is the number of bytes read.
    pub fn reading<'a>(&'static self, buffer: &'a mut [u8]) -> Branch<S, Reading<'a, S, N>> {
        Branch::new(Reading {
            pipe: self,
            room: Room::of(buffer),
        })
    }
}

impl<S: System, const N: usize> Answers for Reading<'_, S, N> {
    type Answer = usize;

    fn answer(&self, _: Done) -> usize {
        self.room.rewind()
    }
}

impl<S: System, const N: usize> Alternative<S> for Reading<'_, S, N> {
    fn begin(&self) {
        self.room.rewind();
    }

    fn place(this: Lent<'_, Self>) -> Place {
        let readers = &this.pipe.readers;
        readers.place(this.part(|this| this.room.incoming()))
    }

    /// A buffer without space is refused, which needs no wait.
    fn is_due(&self, cs: CriticalSection<'_>) -> bool {
        self.room.length() == 0 || self.pipe.can_read(cs, 1) || self.pipe.is_deleted(cs)
    }

    fn conclude(this: Lent<'_, Self>, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        if this.room.length() == 0 {
            return fail::<S>(Error::Parameter);
        }
        if this.pipe.is_deleted(cs) {
            return fail::<S>(Error::Deleted);
        }
        let incoming = this.part(|this| this.room.incoming());
        Read::<S, N, false>::run(cs, this.pipe, incoming, Timeout::NONE)
    }
}

fn check(length: usize, at_least: usize) -> Result<(), Partial> {
    if at_least > length {
        return Err(Partial {
            error: Error::Parameter,
            moved: 0,
        });
    }
    Ok(())
}

fn complete(result: Result<(), Error>, moved: usize) -> Result<usize, Partial> {
    match result {
        Ok(()) => Ok(moved),
        Err(error) => Err(Partial { error, moved }),
    }
}

impl<S: System, const N: usize> Default for Pipe<S, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System, const N: usize> Deletable for Pipe<S, N> {
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.buffer.is_closed(cs)
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        self.buffer.close(cs);
        self.readers.flush::<S>(cs, Error::Deleted);
        self.writers.flush::<S>(cs, Error::Deleted);
    }
}

/// Why a transfer that is not complete may not wait, if it may not.
fn refusal<S: System>(
    cs: CriticalSection<'_>,
    pipe: &impl Deletable,
    timeout: Timeout,
) -> Option<OutcomeOf<S>> {
    if pipe.is_deleted(cs) {
        Some(fail::<S>(Error::Deleted))
    } else if timeout.is_none() {
        Some(refuse_to_wait::<S>())
    } else {
        None
    }
}

/// Writes; `WAITS` where not enough can be written at once.
struct Write<S, const N: usize, const WAITS: bool>(PhantomData<S>);

impl<S: System, const N: usize, const WAITS: bool> Transaction<S> for Write<S, N, WAITS> {
    type Object = Pipe<S, N>;
    type Record = Outgoing;
    const BLOCKS: bool = WAITS;
    const USES_TIMEOUT: bool = WAITS;

    fn run(
        cs: CriticalSection<'_>,
        pipe: &'static Pipe<S, N>,
        outgoing: Lent<'_, Outgoing>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if WAITS && let Some(refusal) = refusal::<S>(cs, pipe, timeout) {
            return refusal;
        }
        // Fast path: one reader gets it all, and no more is wanted.
        if !WAITS && let Some((reader, incoming)) = pipe.readers.first(cs) {
            outgoing.move_to(incoming);
            if outgoing.progress().left() == 0 && incoming.progress().needed() == 0 {
                pipe.readers.pop(cs, reader);
                return S::kernel().conclude_by_waking(cs, reader);
            }
        }
        pipe.take_in(cs, &outgoing);
        if WAITS {
            return pipe.writers.block::<S, false>(cs, outgoing, timeout);
        }
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}

/// Reads; `WAITS` where not enough can be read at once.
struct Read<S, const N: usize, const WAITS: bool>(PhantomData<S>);

impl<S: System, const N: usize, const WAITS: bool> Transaction<S> for Read<S, N, WAITS> {
    type Object = Pipe<S, N>;
    type Record = Incoming;
    const BLOCKS: bool = WAITS;
    const USES_TIMEOUT: bool = WAITS;

    fn run(
        cs: CriticalSection<'_>,
        pipe: &'static Pipe<S, N>,
        incoming: Lent<'_, Incoming>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if WAITS && let Some(refusal) = refusal::<S>(cs, pipe, timeout) {
            return refusal;
        }
        pipe.give_out(cs, &incoming);
        if WAITS {
            return pipe.readers.block::<S, false>(cs, incoming, timeout);
        }
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}
