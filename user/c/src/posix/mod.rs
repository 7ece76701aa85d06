//! POSIX threads (IEEE Std 1003.1-2017, with what the profile PSE51 of 1003.13 has of them), a file
//! for each group of calls.
//!
//! Each function does what the standard's page on it says; what is said here is what the standard
//! leaves open. Threads are the interface's threads ([`OsThread`](crate::cmsis::thread::OsThread)),
//! so that the calls of the others can stand in the same program. Objects lie in the C program's
//! own variables; one with a static initializer is all zeroes and becomes an object when it is
//! first used.

pub mod attributes;
pub mod barrier;
pub mod cancel;
pub mod clock;
pub mod condition;
pub mod errno;
pub mod file;
pub mod key;
pub mod message_queue;
pub mod mutex;
pub mod name;
pub mod once;
mod place;
pub mod processor_time;
pub mod rwlock;
pub mod scheduling;
pub mod semaphore;
pub mod signal;
pub mod system;
pub mod thread;
pub mod timer;

use crate::os::os;
use core::cell::Cell;
use core::ffi::c_int;
use errno::Errno;
use taktos::board::Board;
use taktos::{Condition, Mutex, Timeout};

/// State that exists once for all threads.
pub(crate) struct Shared {
    keys: Cell<Option<&'static key::Keys>>,
    /// Lock and condition by which calls of `pthread_once` wait for each other.
    once: Mutex<Board>,
    once_done: Condition<Board>,
    /// How far the time of day is ahead of the time since the start, in nanoseconds: at the start,
    /// [`clock::FIRST_TIME`].
    time_of_day: Cell<i64>,
    /// How often it was set.
    times_set: Cell<u32>,
    /// How many threads there are that have not come to their end.
    living: Cell<usize>,
    /// The last number that a clock of processor time got.
    clocks: Cell<clock::ClockId>,
    /// Whether threads take turns.
    takes_turns: Cell<bool>,
    signals: signal::OfProgram,
    timers: timer::Timers,
    semaphores: semaphore::Named,
    queues: message_queue::Queues,
}

impl Shared {
    /// At the start of a program.
    pub const fn new() -> Self {
        Self {
            keys: Cell::new(None),
            once: Mutex::new(),
            once_done: Condition::new(),
            time_of_day: Cell::new(clock::FIRST_TIME),
            times_set: Cell::new(0),
            living: Cell::new(0),
            clocks: Cell::new(processor_time::FIRST - 1),
            takes_turns: Cell::new(false),
            signals: signal::OfProgram::new(),
            timers: timer::Timers::new(),
            semaphores: semaphore::Named::new(),
            queues: message_queue::Queues::new(),
        }
    }
}

/// Runs `body` while no other thread runs.
fn alone<T>(body: impl FnOnce() -> T) -> T {
    // A caller that has the lock already runs alone.
    let is_first = os().lock.lock(Timeout::NONE).is_ok();
    let result = body();
    if is_first {
        let _ = os().lock.unlock();
    }
    result
}

/// Returns the result of a thread call: 0 or the error's number.
fn code(result: Result<(), Errno>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(Errno(number)) => number,
    }
}

/// Returns the result of an older call: 0, or −1 with the number in `errno`.
fn minus_one(result: Result<(), Errno>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(error) => {
            error.set();
            -1
        }
    }
}
