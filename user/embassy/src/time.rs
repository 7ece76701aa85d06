//! Embassy's time: the kernel's. A task that waits for an instant waits in the queue of its own
//! executor. The kernel's time-out wakes the executor's thread: so no executor has to wait while
//! another's tasks are woken.
//!
//! Owns: the length of a tick, and the executor that a queue belongs to. Must never know: the tasks
//! that wait.

use crate::Runtime;
use core::marker::PhantomData;
use core::task::Waker;
use embassy_time_driver::{Driver, TICK_HZ};
use taktos_kernel::{Instant, Kernel, System, Timeout};

/// A tick of embassy's time, in nanoseconds.
const TICK: u64 = 1_000_000_000 / TICK_HZ;

/// The time of the runtime `R`.
pub struct Time<R: Runtime>(PhantomData<fn() -> R>);

impl<R: Runtime> Time<R> {
    /// That of the kernel.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<R: Runtime> Default for Time<R> {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the time of the kernel's clock, in ticks.
pub(crate) fn now<S: System>() -> u64 {
    Kernel::<S>::now().as_nanos() / TICK
}

/// Until the tick `at`.
pub(crate) fn until(at: u64) -> Timeout {
    match at.checked_mul(TICK) {
        Some(at) => Timeout::until(Instant::from_nanos(at)),
        None => Timeout::FOREVER,
    }
}

impl<R: Runtime> Driver for Time<R> {
    fn now(&self) -> u64 {
        now::<R::System>()
    }

    /// In a thread. Of a thread that runs no executor the most recent executor's queue is taken;
    /// with none it is lost.
    fn schedule_wake(&self, at: u64, waker: &Waker) {
        let section = R::section();
        let Some((core, is_own)) = section.core() else {
            return;
        };
        let is_sooner = critical_section::with(|cs| core.wake_at(cs, at, waker));
        // An executor that polls checks its queue afterwards.
        if is_sooner && !is_own {
            core.wake(section);
        }
    }
}
