//! Owns: the time that `ethercrab`'s time-outs see, and the earliest instant at which one of them
//! is due. Must never know: the waiting futures.
//!
//! The futures of the protocol are polled by [`drive`](crate::drive) alone, all of them together,
//! so one earliest instant says when to poll again, and a time that was read just before the poll
//! is the time of the whole poll.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use core::task::Waker;
use embassy_time_driver::TICK_HZ;
use taktos_kernel::Instant;

/// A tick of `embassy-time`, in nanoseconds.
const TICK: u64 = 1_000_000_000 / TICK_HZ;

/// The timers of the one controller.
pub(crate) struct Timers {
    taken: AtomicBool,
    /// In nanoseconds.
    now: AtomicU64,
    /// In ticks.
    next: AtomicU64,
}

embassy_time_driver::time_driver_impl!(static TIMERS: Timers = Timers::new());

/// Returns the timers to the first caller, and `None` to others until [`Timers::release`].
pub(crate) fn take() -> Option<&'static Timers> {
    (!TIMERS.taken.swap(true, Relaxed)).then_some(&TIMERS)
}

impl Timers {
    const fn new() -> Self {
        Self {
            taken: AtomicBool::new(false),
            now: AtomicU64::new(0),
            next: AtomicU64::new(u64::MAX),
        }
    }

    /// Begins a poll: the futures that still wait at its end set their time-outs again.
    pub fn begin(&self, now: Instant) {
        self.now.store(now.as_nanos(), Relaxed);
        self.next.store(u64::MAX, Relaxed);
    }

    /// Returns the time at the begin of the poll, in nanoseconds.
    pub fn nanos(&self) -> u64 {
        self.now.load(Relaxed)
    }

    /// Returns when to poll again, if nothing else happens.
    pub fn next(&self) -> Instant {
        Instant::from_nanos(self.next.load(Relaxed).saturating_mul(TICK))
    }

    /// The controller is gone.
    pub fn release(&self) {
        self.taken.store(false, Relaxed);
    }
}

impl embassy_time_driver::Driver for Timers {
    fn now(&self) -> u64 {
        self.nanos() / TICK
    }

    fn schedule_wake(&self, at: u64, _: &Waker) {
        self.next.fetch_min(at, Relaxed);
    }
}
