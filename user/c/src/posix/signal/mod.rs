//! Signals: their state, once and for each thread, a file for each group of calls.
//!
//! A handler runs in the thread that gets the signal, at the next of its points. These are: where
//! it begins to wait or waits; the calls of mutexes and conditions and the others that contain
//! [`action::at_call`]; where it unblocks a signal (`pthread_sigmask`). If the thread sends the
//! signal to itself, the handler runs at once. A signal that ends the program ends it at once.

pub mod action;
pub mod notice;
pub mod pending;
pub mod send;
pub mod set;
pub mod wait;

use super::thread::PosixThread;
use action::Actions;
use core::cell::Cell;
use core::ffi::{c_int, c_long, c_void};
use core::ptr;
use pending::Pending;

/// `SIGKILL`, `SIGALRM` and `SIGSTOP`.
const KILL: c_int = 9;
pub(super) const ALARM: c_int = 14;
const STOP: c_int = 17;
/// The first and the last of the signals that are queued: `SIGRTMIN` and `SIGRTMAX`.
const FIRST_QUEUED: c_int = 32;
const LAST: c_int = 47;
/// How many there are: `RTSIG_MAX`.
pub(super) const QUEUED: c_int = LAST - FIRST_QUEUED + 1;

/// Values of `si_code`: the source of a signal.
pub(super) const BY_USER: c_int = 1;
const BY_QUEUE: c_int = 2;
pub(super) const BY_TIMER: c_int = 3;
pub(super) const BY_MESSAGE: c_int = 5;

/// Signals: the one with the number n is the bit n − 1.
pub(super) type Set = u64;

/// `siginfo_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Info {
    pub(super) number: c_int,
    pub(super) code: c_int,
    error: c_int,
    /// Sender of the signal: the only process, of the only user.
    process: c_int,
    user: c_int,
    /// Fields of signals that no code sends here.
    status: c_int,
    band: c_long,
    address: *mut c_void,
    /// `union sigval`: a number or an address.
    pub(super) value: *mut c_void,
}

impl Info {
    /// That of a signal that is sent.
    fn new(number: c_int, code: c_int, value: *mut c_void) -> Self {
        Self {
            number,
            code,
            error: 0,
            process: send::PROCESS,
            user: 0,
            status: 0,
            band: 0,
            address: ptr::null_mut(),
            value,
        }
    }
}

/// The set of one signal; none for what is no signal.
pub(super) fn only(number: c_int) -> Option<Set> {
    (1..=LAST).contains(&number).then(|| 1 << (number - 1))
}

/// The set of a signal that was sent.
fn bit(number: c_int) -> Set {
    only(number).unwrap_or(0)
}

/// State that exists once for the program.
pub struct OfProgram {
    /// Actions for signals, once a program sets one.
    actions: Cell<Option<&'static Actions>>,
    /// Signals that no thread has taken yet.
    pending: Pending,
    /// Whether a thread may have to get one that computes: it looks in its next call.
    postponed: Cell<bool>,
}

impl OfProgram {
    /// At the start.
    pub(crate) const fn new() -> Self {
        Self {
            actions: Cell::new(None),
            pending: Pending::new(),
            postponed: Cell::new(false),
        }
    }
}

/// State of a thread.
pub struct OfThread {
    /// The signals that it does not let through.
    blocked: Cell<Set>,
    /// Those for which it waits.
    awaited: Cell<Set>,
    pending: Pending,
    /// Whether a handler was called after which waits do not continue.
    interrupted: Cell<bool>,
}

impl OfThread {
    /// That of a thread which lets none of `blocked` through.
    pub const fn new(blocked: Set) -> Self {
        Self {
            blocked: Cell::new(blocked),
            awaited: Cell::new(0),
            pending: Pending::new(),
            interrupted: Cell::new(false),
        }
    }

    /// Gives the memory of what it has not got back.
    pub(super) fn free(&self) {
        while let Some(got) = self.pending.take(Set::MAX) {
            got.settle();
        }
    }
}

/// Returns the signals that the caller blocks; a thread that it makes blocks them, too.
pub(super) fn inherited() -> Set {
    crate::cmsis::thread::OsThread::current()
        .and_then(PosixThread::of)
        .map_or(0, |thread| thread.signals.blocked.get())
}
