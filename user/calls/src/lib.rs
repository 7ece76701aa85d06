//! Calls for threads of partitions: the kernel's services by handles, under the names that they
//! have for privileged threads.
//!
//! ```no_run
//! use taktos_user::{Error, Semaphore, Span, Timeout};
//!
//! /// The semaphore that the partition's supervisor put at the second place of its table.
//! const PERMITS: Semaphore = Semaphore::at(1);
//!
//! fn work() -> Result<(), Error> {
//!     PERMITS.take(Timeout::after(2.millis()))
//! }
//! # work().unwrap();
//! ```
//!
//! Owns: the stubs of the calls, as the table of `taktos-abi` has them; how a program that is
//! loaded begins. Must never know: the kernel; which object a handle names.
//!
//! A handle is a place in the partition's table. Nothing is checked here: a handle that the table
//! does not have, that is of another kind or does not allow the call is refused by the kernel with
//! [`Error::Parameter`].
#![no_std]

mod entry;
mod svc;

pub use entry::abort;
pub use svc::{Answer, Request, call};
pub use taktos_abi::call as abi;
pub use taktos_abi::{Error, Plain, Timeout};
pub use taktos_time::{Duration, Instant, Span};

use core::ptr;
use taktos_abi::call::{Number, RELEASED, flags, handle};

/// Nothing that a table has: for calls that take no handle.
const NO_HANDLE: usize = usize::MAX;

/// A call without handle and words.
const fn plain(number: Number, timeout: Timeout) -> Request {
    Request {
        number: number as usize,
        handle: NO_HANDLE,
        words: [0; 2],
        timeout,
    }
}

/// Defines a kind of handle.
macro_rules! handles {
    ($($(#[$documentation:meta])* $name:ident;)*) => {
        $(
            $(#[$documentation])*
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub struct $name(usize);

            impl $name {
                /// The handle at this place of the partition's table.
                #[must_use]
                pub const fn at(place: usize) -> Self {
                    Self(place)
                }

                #[inline(always)]
                fn call(self, number: Number, words: [usize; 2], timeout: Timeout) -> Answer {
                    call(Request { number: number as usize, handle: self.0, words, timeout })
                }
            }
        )*
    };
}

handles! {
    /// A semaphore.
    Semaphore;
    /// A mutex.
    Mutex;
    /// A condition variable.
    Condition;
    /// A group of event flags.
    Flags;
    /// A thread, of this partition or of another one, or of none.
    Thread;
    /// A queue of messages.
    Queue;
    /// A pool of blocks in memory that partitions share.
    Pool;
    /// The interrupt of a device that the partition has.
    Interrupt;
}

impl Semaphore {
    /// Gives a permit. Errors: `Limit`, `Deleted`.
    #[inline(always)]
    pub fn give(self) -> Result<(), Error> {
        self.call(Number::SemaphoreGive, [0; 2], Timeout::NONE)
            .done()
    }

    /// Takes a permit, waiting for it as long as `timeout` says. Errors: `Timeout`, `WouldBlock`,
    /// `Deleted`, `Cancelled`.
    #[inline(always)]
    pub fn take(self, timeout: Timeout) -> Result<(), Error> {
        self.call(Number::SemaphoreTake, [0; 2], timeout).done()
    }
}

impl Mutex {
    /// Locks the mutex, waiting for it as long as `timeout` says. Errors: `Timeout`, `WouldBlock`,
    /// `Deleted`, `Deadlock`, `Limit`, `Ceiling`, `Cancelled`. Of a robust mutex `OwnerDied`, with
    /// which the caller owns it, until a call of [`Mutex::make_consistent`]; `NotRecoverable` if it
    /// was unlocked without that call.
    #[inline(always)]
    pub fn lock(self, timeout: Timeout) -> Result<(), Error> {
        self.call(Number::MutexLock, [0; 2], timeout).done()
    }

    /// Marks the data that the mutex protects as consistent again, after [`Mutex::lock`] has
    /// returned `OwnerDied` and so given it to the caller. Errors: `NotOwner`; `State` if no owner
    /// died.
    pub fn make_consistent(self) -> Result<(), Error> {
        self.call(Number::MutexMakeConsistent, [0; 2], Timeout::NONE)
            .done()
    }

    /// Locks the mutex for a thread after its wait at a condition ended with `error`; returns the
    /// error of the call.
    fn lock_again(self, error: Error) -> Error {
        loop {
            match self.lock(Timeout::FOREVER) {
                Ok(()) => return error,
                // The caller is promised the mutex: this wait cannot be ended.
                Err(Error::Cancelled) => {}
                Err(other) => return other,
            }
        }
    }

    /// Unlocks the mutex. Errors: `NotOwner`, `Deleted`.
    #[inline(always)]
    pub fn unlock(self) -> Result<(), Error> {
        self.call(Number::MutexUnlock, [0; 2], Timeout::NONE).done()
    }
}

impl Condition {
    /// Unlocks `mutex`, which the caller has locked once, and waits for a signal as long as
    /// `timeout` says, with nothing in between. The mutex is locked again when this returns,
    /// also after an error; the time-out does not limit the waiting for it. Another thread may have
    /// changed what it protects in between: look in a loop.
    ///
    /// Errors after which the caller owns the mutex as before: `Timeout`, `WouldBlock` (it was not
    /// unlocked), `Deleted`, `Cancelled`; `State` where it has locked it more than once;
    /// `Parameter` where others wait with another mutex, or a handle does not allow it. After which
    /// it does not: `NotOwner`, where it never did; what [`Mutex::lock`] says where it cannot
    /// be locked again.
    pub fn wait(self, mutex: Mutex, timeout: Timeout) -> Result<(), Error> {
        let answer = self.call(Number::ConditionWait, [0, mutex.0], timeout);
        match answer.done() {
            Err(error) if answer.words[0] == RELEASED => Err(mutex.lock_again(error)),
            result => result,
        }
    }

    /// Signals the most urgent thread that waits; does nothing if there is none. The caller need
    /// not own the mutex. Errors: `Deleted`.
    pub fn signal(self) -> Result<(), Error> {
        self.call(Number::ConditionSignal, [0; 2], Timeout::NONE)
            .done()
    }

    /// Signals all that wait. Otherwise as [`Condition::signal`], once for each of them.
    pub fn broadcast(self) -> Result<(), Error> {
        self.call(Number::ConditionBroadcast, [0; 2], Timeout::NONE)
            .done()
    }
}

impl Flags {
    /// Sets `flags`. Errors: `Deleted`.
    pub fn set(self, flags: u32) -> Result<(), Error> {
        self.call(Number::FlagsSet, [flags as usize, 0], Timeout::NONE)
            .done()
    }

    /// Clears `flags`, and says which were set before. Errors: `Deleted`.
    pub fn clear(self, flags: u32) -> Result<u32, Error> {
        let answer = self.call(Number::FlagsClear, [flags as usize, 0], Timeout::NONE);
        answer.word().map(|word| word as u32)
    }

    /// Waits until any of `flags` is set, as long as `timeout` says; the answer is all that were
    /// set. Errors: `Timeout`, `WouldBlock`, `Deleted`, `Cancelled`; `Parameter` where no flag
    /// is named.
    pub fn wait_any(self, flags: u32, timeout: Timeout) -> Result<u32, Error> {
        self.wait(flags, 0, timeout)
    }

    /// Waits until all of `flags` are set; otherwise as [`Flags::wait_any`].
    pub fn wait_all(self, flags: u32, timeout: Timeout) -> Result<u32, Error> {
        self.wait(flags, flags::ALL, timeout)
    }

    /// Waits until any of `flags` is set, and clears them all; otherwise as [`Flags::wait_any`].
    pub fn take_any(self, flags: u32, timeout: Timeout) -> Result<u32, Error> {
        self.wait(flags, flags::TAKE, timeout)
    }

    /// Waits until all of `flags` are set, and clears them; otherwise as [`Flags::wait_any`].
    pub fn take_all(self, flags: u32, timeout: Timeout) -> Result<u32, Error> {
        self.wait(flags, flags::ALL | flags::TAKE, timeout)
    }

    fn wait(self, flags: u32, condition: usize, timeout: Timeout) -> Result<u32, Error> {
        let answer = self.call(Number::FlagsWait, [flags as usize, condition], timeout);
        answer.word().map(|word| word as u32)
    }
}

impl Queue {
    /// Sends `message`, which is of the queue's type, waiting for room as long as `timeout` says.
    /// Errors: `Timeout`, `WouldBlock`, `Deleted`, `Cancelled`; `Parameter` where it is of
    /// another size.
    pub fn send<T: Plain>(self, mut message: T, timeout: Timeout) -> Result<(), Error> {
        // As a value that could be written it is located on the stack, which is the partition's:
        // constants are not.
        let place = (&raw mut message).expose_provenance();
        self.call(Number::QueueSend, [place, size_of::<T>()], timeout)
            .done()
    }

    /// Receives the oldest message, waiting for one as long as `timeout` says. Errors: as
    /// [`Queue::send`].
    pub fn receive<T: Plain>(self, timeout: Timeout) -> Result<T, Error> {
        let mut message = T::ZERO;
        let place = (&raw mut message).expose_provenance();
        let received = self.call(Number::QueueReceive, [place, size_of::<T>()], timeout);
        received.done().map(|()| message)
    }
}

impl Interrupt {
    /// Lets the interrupt come: for the first time, or again when it has come and notified its
    /// thread. It stays masked otherwise.
    pub fn acknowledge(self) -> Result<(), Error> {
        self.call(Number::InterruptAcknowledge, [0; 2], Timeout::NONE)
            .done()
    }
}

impl Pool {
    /// Takes a free block, waiting for one as long as `timeout` says: the partition holds it until
    /// it gives it back or passes it on. Its content is what its last user left. Errors:
    /// `Timeout`, `WouldBlock`, `Cancelled`.
    pub fn take(self, timeout: Timeout) -> Result<*mut u8, Error> {
        let taken = self.call(Number::PoolTake, [0; 2], timeout).word();
        taken.map(ptr::with_exposed_provenance_mut)
    }

    /// Gives back `block`. Errors: `Parameter` for what is not the beginning of a block; `NotOwner`
    /// where the partition does not hold it.
    pub fn give(self, block: *mut u8) -> Result<(), Error> {
        let words = [block.expose_provenance(), 0];
        self.call(Number::PoolGive, words, Timeout::NONE).done()
    }

    /// Passes `block` on to the partition of `thread`, to which the handle allows to send: that one
    /// holds it as soon as it has [accepted](Pool::accept) it, and until then the caller's
    /// partition does, which may give it back or pass it to another one instead.
    /// Errors: as [`Pool::give`]; `Parameter` where that partition has no handle of the pool, or
    /// the handle does not allow it; `Deleted` where the thread does not exist.
    pub fn pass(self, block: *mut u8, thread: Thread) -> Result<(), Error> {
        let words = [block.expose_provenance(), thread.0];
        self.call(Number::PoolPass, words, Timeout::NONE).done()
    }

    /// Accepts `block`, which was [passed](Pool::pass) on to the partition: it holds it from now
    /// on. Errors: `Parameter` for what is not the beginning of a block; `NotOwner` where it was
    /// not passed to this partition, or has gone elsewhere since.
    pub fn accept(self, block: *mut u8) -> Result<(), Error> {
        let words = [block.expose_provenance(), 0];
        self.call(Number::PoolAccept, words, Timeout::NONE).done()
    }
}

/// A message of two words.
pub type Message = [usize; 2];

/// Sender of a message: a word that means something to the kernel alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sender(usize);

/// A message, and its sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// Sender of the message.
    pub sender: Sender,
    /// Message that was sent.
    pub message: Message,
}

impl Thread {
    /// Returns a name of this thread that is valid only while its partition has this generation: a
    /// call fails with `Deleted` once the partition was started again.
    #[must_use]
    pub const fn of_generation(self, generation: u16) -> Self {
        Self(self.0 & handle::PLACE | (generation as usize) << handle::GENERATION)
    }

    /// The generation of the partition of this thread: how often it was started, modulo 65,535.
    /// Errors: `Parameter` for a thread of no partition; `Deleted` while it is stopped.
    pub fn generation(self) -> Result<u16, Error> {
        let answer = self.call(Number::Generation, [0; 2], Timeout::NONE);
        answer.word().map(|word| word as u16)
    }

    /// Sends `message` to this thread. Errors: `Timeout`, `WouldBlock`, `Deleted`, `Deadlock`,
    /// `Cancelled`; `Parameter` where it waits for bytes.
    #[inline(always)]
    pub fn send(self, message: Message, timeout: Timeout) -> Result<(), Error> {
        self.call(Number::Send, message, timeout).done()
    }

    /// Receives a message from this thread. Errors: as [`Thread::send`].
    #[inline(always)]
    pub fn receive_from(self, timeout: Timeout) -> Result<Message, Error> {
        self.call(Number::ReceiveFrom, [0; 2], timeout).message()
    }

    /// Sends `message` to this thread and waits for its reply. Errors: as [`Thread::send`].
    #[inline(always)]
    pub fn call_for(self, message: Message, timeout: Timeout) -> Result<Message, Error> {
        self.call(Number::Call, message, timeout).message()
    }

    /// Sends `bytes`, at most [`abi::LONGEST_BYTES`], which lie in memory of the partition's.
    /// Errors: as [`Thread::send`]; `Parameter` where they do not, there are more, or the
    /// receiver's memory overlaps them.
    pub fn send_bytes(self, bytes: &[u8], timeout: Timeout) -> Result<(), Error> {
        let words = [bytes.as_ptr().expose_provenance(), bytes.len()];
        self.call(Number::SendBytes, words, timeout).done()
    }

    /// Sends `bytes`, however many, which lie in memory of the partition's, to this thread, which
    /// is one of a partition, and waits until they were received by [`receive_long`]; to one
    /// that receives by [`receive_bytes`], at most [`abi::LONGEST_BYTES`]. Errors: as
    /// [`Thread::send`]; `Timeout` also in the middle; `Deleted` also where the receiver ends in
    /// the middle; `Parameter` where they do not lie there.
    pub fn send_long(self, bytes: &[u8], timeout: Timeout) -> Result<(), Error> {
        let words = [bytes.as_ptr().expose_provenance(), bytes.len()];
        self.call(Number::SendLong, words, timeout).done()
    }

    /// Notifies this thread: its word gets these bits. Errors: `State` if it was not started.
    pub fn notify_bits(self, bits: u32) -> Result<(), Error> {
        self.notify(bits, abi::action::SET_BITS)
    }

    /// Notifies this thread: its word becomes one more. Errors: `State`; `Limit` where it cannot.
    pub fn notify_one_more(self) -> Result<(), Error> {
        self.notify(0, abi::action::INCREMENT)
    }

    fn notify(self, word: u32, action: usize) -> Result<(), Error> {
        self.call(Number::Notify, [word as usize, action], Timeout::NONE)
            .done()
    }

    /// Starts this thread, which does not run, with `argument`. Errors: `State`, `Deleted`.
    pub fn start(self, argument: usize) -> Result<(), Error> {
        self.call(Number::ThreadStart, [argument, 0], Timeout::NONE)
            .done()
    }

    /// Ends this thread. Errors: `State`, `Deleted`.
    pub fn stop(self) -> Result<(), Error> {
        self.control(Number::ThreadStop)
    }

    /// Suspends this thread. Errors: `State`.
    pub fn suspend(self) -> Result<(), Error> {
        self.control(Number::ThreadSuspend)
    }

    /// Resumes this thread. Errors: `State`.
    pub fn resume(self) -> Result<(), Error> {
        self.control(Number::ThreadResume)
    }

    /// Ends the wait of this thread with `Cancelled`. Errors: `State`.
    pub fn cancel_wait(self) -> Result<(), Error> {
        self.control(Number::ThreadCancelWait)
    }

    fn control(self, number: Number) -> Result<(), Error> {
        self.call(number, [0; 2], Timeout::NONE).done()
    }

    /// Gives this thread the priority `level`. Errors: `Deleted`; `Parameter` where there is none,
    /// or its partition does not allow it.
    pub fn set_priority(self, level: u8) -> Result<(), Error> {
        self.call(Number::ThreadSetPriority, [level.into(), 0], Timeout::NONE)
            .done()
    }

    /// Waits for this thread's end. Errors: `Timeout`, `WouldBlock`, `Deleted`, `Deadlock`,
    /// `Cancelled`.
    pub fn join(self, timeout: Timeout) -> Result<(), Error> {
        self.call(Number::ThreadJoin, [0; 2], timeout).done()
    }
}

impl Sender {
    /// Answers the call of this thread. Errors: `State` where it does not wait for a reply of the
    /// caller's.
    #[inline(always)]
    pub fn reply(self, message: Message) -> Result<(), Error> {
        let request = Request {
            handle: self.0,
            words: message,
            ..plain(Number::Reply, Timeout::NONE)
        };
        call(request).done()
    }

    /// Replies as [`Sender::reply`] does, then receives as [`receive`]. Nothing is done if
    /// `timeout` says not to wait, or if the next sender sends bytes: `Parameter`.
    #[inline(always)]
    pub fn reply_and_receive(self, message: Message, timeout: Timeout) -> Result<Received, Error> {
        let request = Request {
            handle: self.0,
            words: message,
            ..plain(Number::ReplyAndReceive, timeout)
        };
        call(request).received()
    }
}

/// Receives a message from any thread. Errors: `Timeout`, `WouldBlock`, `Cancelled`; `Parameter`
/// where the sender sends bytes.
#[inline(always)]
pub fn receive(timeout: Timeout) -> Result<Received, Error> {
    call(plain(Number::Receive, timeout)).received()
}

/// Receives bytes from any thread into `room`, of which at most [`abi::LONGEST_BYTES`] are used.
/// Returns the number of bytes that were put there, and the sender. Errors: as [`receive`];
/// `Parameter` if the buffer is not in memory of the partition's, or the sender's overlaps it.
pub fn receive_bytes(room: &mut [u8], timeout: Timeout) -> Result<(usize, Sender), Error> {
    let size = room.len().min(abi::LONGEST_BYTES);
    let request = Request {
        words: [room.as_mut_ptr().expose_provenance(), size],
        ..plain(Number::ReceiveBytes, timeout)
    };
    let received = call(request).received()?;
    Ok((received.message[0], received.sender))
}

/// Result of [`receive_long`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes {
    /// Sender of the bytes.
    pub sender: Sender,
    /// How many are in the room.
    pub count: usize,
    /// How many were sent.
    pub sent: usize,
}

/// Receives bytes from any thread into `room`, which is in memory of the partition's: of the bytes
/// sent by [`Thread::send_long`], as many as fit. They come in pieces, between which other threads
/// have their turns; the sender owns the memory, and may change bytes that are not fetched yet.
/// Errors: as [`receive`]; `Parameter` if the buffer is not in that memory, or the sender's memory
/// overlaps it; `State` if the sender goes away in the middle: its time was over, or it has ended.
pub fn receive_long(room: &mut [u8], timeout: Timeout) -> Result<Bytes, Error> {
    let mut piece = |number, handle, from: usize, timeout| {
        let rest = &mut room[from..];
        let size = rest.len().min(abi::LONGEST_BYTES);
        let words = [rest.as_mut_ptr().expose_provenance(), size];
        call(Request {
            handle,
            words,
            ..plain(number, timeout)
        })
        .received()
    };
    let first = piece(Number::ReceiveLong, NO_HANDLE, 0, timeout)?;
    let ([mut count, sent], sender) = (first.message, first.sender);
    let mut is_whole = count > 0 || sent <= abi::LONGEST_BYTES;
    while !is_whole {
        // Where no room is left this says that no more is wanted.
        let [came, left] = piece(Number::FetchBytes, sender.0, count, Timeout::NONE)?.message;
        count += came;
        is_whole = left == 0 || came == 0;
    }
    Ok(Bytes {
        sender,
        count,
        sent,
    })
}

/// Waits for a notification of the calling thread; of its word, which is the answer, the bits
/// `clear` are cleared then. Errors: `Timeout`, `WouldBlock`, `Cancelled`.
pub fn notify_wait(clear: u32, timeout: Timeout) -> Result<u32, Error> {
    let request = Request {
        words: [clear as usize, 0],
        ..plain(Number::NotifyWait, timeout)
    };
    call(request).word().map(|word| word as u32)
}

/// Waits until the calling thread's notification word is not 0, and decrements it. Errors: as
/// [`notify_wait`].
pub fn notify_take(timeout: Timeout) -> Result<u32, Error> {
    let answer = call(plain(Number::NotifyTake, timeout));
    answer.word().map(|word| word as u32)
}

/// Does nothing for `timeout`. Errors: `Cancelled`.
pub fn sleep(timeout: impl Into<Timeout>) -> Result<(), Error> {
    match call(plain(Number::Sleep, timeout.into())).done() {
        Err(Error::Timeout) => Ok(()),
        other => other,
    }
}

/// Lets the caller's equals run.
pub fn yield_now() {
    let _ = call(plain(Number::YieldNow, Timeout::NONE));
}

/// The present time.
pub fn now() -> Instant {
    let [low, high, _] = call(plain(Number::Now, Timeout::NONE)).words;
    Instant::from_nanos((high as u64) << 32 | low as u64)
}

/// Ends the calling thread.
pub fn exit() -> ! {
    loop {
        let _ = call(plain(Number::Exit, Timeout::NONE));
    }
}
