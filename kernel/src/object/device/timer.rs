//! A timer as a device: to read it is to wait for the next instant of its grid.
//!
//! Owns: the grid, and the notification of its changes. Must never know: a timer of the hardware:
//! it is the kernel's time.

use super::{Driver, renew};
use crate::critical_section::Guarded;
use crate::object::Semaphore;
use crate::sched::hold;
use crate::{Error, Kernel, System, Timeout};
use taktos_time::{Duration, Instant};

/// A timer with a grid of instants. [`read`](Driver::read) waits for the next and gives how many
/// have passed since the last read, as a number of 8 bytes, the least significant first; a shorter
/// buffer is refused with `Parameter`. It does not run until it is set.
pub struct TimerDevice<S: System> {
    grid: Guarded<Grid>,
    changed: Semaphore<S>,
}

#[derive(Clone, Copy)]
struct Grid {
    /// The next instant; none while the timer does not run.
    next: Option<Instant>,
    /// How long after that again; none after a single one.
    interval: Duration,
}

impl Grid {
    const STOPPED: Self = Self {
        next: None,
        interval: Duration::ZERO,
    };
}

impl<S: System> TimerDevice<S> {
    /// The request that starts the timer: the argument is the interval in microseconds, and the
    /// first instant is one interval from now. Errors: `Parameter` for 0.
    pub const START: u32 = 1;
    /// The request that starts it for one instant: the argument is the time from now in
    /// microseconds. Errors: `Parameter` for 0.
    pub const START_ONCE: u32 = 2;
    /// The request that stops it. The answer is 1 if it ran. A thread that reads continues to wait.
    pub const STOP: u32 = 3;
    /// The request for the time until the next instant, in microseconds, 0 if it has passed.
    /// Errors: `State` if it does not run.
    pub const LEFT: u32 = 4;

    /// A timer that does not run.
    pub const fn new() -> Self {
        Self {
            grid: Guarded::new(Grid::STOPPED),
            changed: Semaphore::binary(0),
        }
    }

    fn start(&'static self, micros: usize, is_periodic: bool) -> Result<usize, Error> {
        if micros == 0 {
            return Err(Error::Parameter);
        }
        let interval = Duration::from_micros(micros as u64);
        self.set(Grid {
            next: Some(Kernel::<S>::now().saturating_add(interval)),
            interval: if is_periodic {
                interval
            } else {
                Duration::ZERO
            },
        });
        Ok(0)
    }

    /// Sets the grid; says whether the timer ran.
    fn set(&'static self, grid: Grid) -> bool {
        let held = hold::<S>();
        let cs = held.section();
        let ran = self.grid.get(cs).next.is_some();
        self.grid.set(cs, grid);
        drop(held);
        // If this fails, the reader is notified already.
        let _ = self.changed.give();
        ran
    }

    fn left(&'static self) -> Result<usize, Error> {
        let next = self.grid.get(hold::<S>().section()).next;
        let left = next.ok_or(Error::State)?.since(Kernel::<S>::now());
        Ok(usize::try_from(left.as_micros()).unwrap_or(usize::MAX))
    }

    /// The instants that have passed, which are taken; or when the next comes.
    fn take(&'static self) -> Result<u64, Option<Instant>> {
        let held = hold::<S>();
        let cs = held.section();
        let grid = self.grid.get(cs);
        let next = grid.next.ok_or(None)?;
        let now = Kernel::<S>::now();
        if next > now {
            return Err(Some(next));
        }
        let interval = grid.interval.as_nanos();
        let more = now.since(next).as_nanos().checked_div(interval);
        let on = |more: u64| Duration::from_nanos(interval.saturating_mul(more + 1));
        let next = more.map(|more| next.saturating_add(on(more)));
        self.grid.set(cs, Grid { next, ..grid });
        Ok(more.unwrap_or(0) + 1)
    }
}

impl<S: System> Default for TimerDevice<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System> Driver<S> for TimerDevice<S> {
    fn close(&'static self) {
        self.set(Grid::STOPPED);
        renew(self.changed.delete(), || self.changed.renew(0, 1));
    }

    fn read(&'static self, bytes: &mut [u8], timeout: Timeout) -> Result<usize, Error> {
        let room = bytes.first_chunk_mut().ok_or(Error::Parameter)?;
        let end = timeout.deadline(Kernel::<S>::now());
        loop {
            let next = match self.take() {
                Ok(count) => {
                    *room = u64::to_le_bytes(count);
                    return Ok(room.len());
                }
                Err(next) => next,
            };
            if timeout.is_none() {
                return Err(Error::WouldBlock);
            }
            if end.is_some_and(|end| end <= Kernel::<S>::now()) {
                return Err(Error::Timeout);
            }
            let until = end.into_iter().chain(next).min();
            match self
                .changed
                .take(until.map_or(Timeout::FOREVER, Timeout::until))
            {
                Ok(()) | Err(Error::Timeout) => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn control(&'static self, request: u32, argument: usize) -> Result<usize, Error> {
        match request {
            Self::START => self.start(argument, true),
            Self::START_ONCE => self.start(argument, false),
            Self::STOP => Ok(self.set(Grid::STOPPED).into()),
            Self::LEFT => self.left(),
            _ => Err(Error::Parameter),
        }
    }
}
