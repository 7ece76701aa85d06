//! Owns: the clocks, and how their times become time-outs; sleep. Must never know: what else is
//! waited for.

use super::cancel::{end_wait, point};
use super::errno::Errno;
use super::thread::PosixThread;
use super::{minus_one, processor_time, timer};
use crate::cmsis::interface;
use crate::cmsis::thread::for_each_living;
use crate::os::{TICK, in_handler, masked, os};
use core::ffi::{c_int, c_long, c_uint, c_void};
use taktos::board::Board;
use taktos::{AnyThread, Duration, Error, Instant, Kernel, Timeout};

/// `struct timespec`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct TimeSpec {
    seconds: i64,
    nanoseconds: c_long,
}

/// `struct timeval`.
#[repr(C)]
pub struct TimeValue {
    seconds: i64,
    microseconds: c_long,
}

impl TimeValue {
    /// All of it in nanoseconds, as [`TimeSpec::whole`]. Errors: `EINVAL` also for one below zero.
    pub(super) fn whole(&self) -> Result<i64, Errno> {
        let nanoseconds = self.microseconds.saturating_mul(1_000);
        let time = TimeSpec {
            seconds: self.seconds,
            nanoseconds,
        };
        time.whole().and_then(|whole| match whole {
            ..0 => Err(Errno::INVAL),
            whole => Ok(whole),
        })
    }
}

/// `clockid_t`: newlib's numbers.
pub type ClockId = c_int;
/// The time of day, which can be set.
pub const REALTIME: ClockId = 1;
/// The time since the start.
pub const MONOTONIC: ClockId = 4;
/// `TIMER_ABSTIME`: the flag for an instant instead of a span.
pub const ABSOLUTE: c_int = 4;

const SECOND: i64 = 1_000_000_000;
/// Time of day at the start, until the program sets it: 2026-01-01 in UTC. No board has a clock
/// that runs without power; a year long past would make spans negative that programs subtract from
/// it.
pub(super) const FIRST_TIME: i64 = 1_767_225_600 * SECOND;

impl TimeSpec {
    /// Returns the time of `nanoseconds` nanoseconds.
    pub fn of(nanoseconds: i64) -> Self {
        Self {
            seconds: nanoseconds.div_euclid(SECOND),
            nanoseconds: nanoseconds.rem_euclid(SECOND) as c_long,
        }
    }

    /// All of it in nanoseconds; one that is further than can be said is as far as can be. Errors:
    /// `EINVAL` where the nanoseconds are none of a second.
    pub fn whole(self) -> Result<i64, Errno> {
        let nanoseconds = i64::from(self.nanoseconds);
        match (0..SECOND).contains(&nanoseconds) {
            true => Ok(self
                .seconds
                .saturating_mul(SECOND)
                .saturating_add(nanoseconds)),
            false => Err(Errno::INVAL),
        }
    }
}

/// How far a clock is ahead of the time since the start. Errors: `EINVAL` where there is no such
/// clock.
pub fn ahead(clock: ClockId) -> Result<i64, Errno> {
    match clock {
        REALTIME => Ok(os().posix.time_of_day.get()),
        MONOTONIC => Ok(0),
        _ => Err(Errno::INVAL),
    }
}

/// Whether there is such a clock.
pub fn is_clock(clock: ClockId) -> bool {
    ahead(clock).is_ok()
}

/// Returns the time of a clock, in nanoseconds; threads' processor time is among the clocks.
/// Errors: `EINVAL` if there is no such clock.
fn shown(clock: ClockId) -> Result<i64, Errno> {
    match ahead(clock) {
        Ok(ahead) => Ok(since_start().saturating_add(ahead)),
        Err(_) => processor_time::shown(clock),
    }
}

/// Nanoseconds since the start.
pub fn since_start() -> i64 {
    Kernel::<Board>::now().as_nanos() as i64
}

/// The time of day in nanoseconds.
pub(super) fn time_of_day() -> i64 {
    since_start().saturating_add(os().posix.time_of_day.get())
}

fn until(nanoseconds: i64) -> Timeout {
    Timeout::until(Instant::from_nanos(nanoseconds.max(0) as u64))
}

/// The time-out until a clock shows what is at `time`. Errors: `EINVAL` for a time or a clock that
/// is none.
///
/// # Safety
/// The address is null or leads to a time.
pub unsafe fn deadline(clock: ClockId, time: *const TimeSpec) -> Result<Timeout, Errno> {
    // SAFETY: the caller guarantees that `time` is null or valid.
    let time = unsafe { time.as_ref() }.ok_or(Errno::INVAL)?;
    Ok(until(time.whole()?.saturating_sub(ahead(clock)?)))
}

/// Until when a thread sleeps that looks for something at every tick, as long as `time` says.
/// Errors: `Timeout` where that is over.
pub(super) fn next_look(time: Timeout) -> Result<Timeout, Error> {
    let now = Kernel::<Board>::now();
    let end = time.deadline(now).unwrap_or(Instant::MAX);
    let tick = now.saturating_add(Duration::from_nanos(TICK));
    match now < end {
        true => Ok(Timeout::until(end.min(tick))),
        false => Err(Error::Timeout),
    }
}

/// The time-out after a span. Errors: `EINVAL` for one that is none.
pub fn after(span: TimeSpec) -> Result<Timeout, Errno> {
    match span.whole()? {
        0 => Ok(Timeout::NONE),
        span if span > 0 => Ok(until(since_start().saturating_add(span))),
        _ => Err(Errno::INVAL),
    }
}

/// Sleeps until `nanoseconds` nanoseconds after the start; is a point of cancellation. Errors:
/// `EINTR` if a handler of a signal was called.
fn sleep_until(nanoseconds: i64) -> Result<(), Errno> {
    match point(|| AnyThread::<Board>::sleep(until(nanoseconds))) {
        Ok(()) | Err(Error::Timeout) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Sleeps for a span. Errors: as for [`sleep_until`], after a call of `tell_left` with the rest of
/// the span.
pub(super) fn sleep_for(span: i64, tell_left: impl FnOnce(i64)) -> Result<(), Errno> {
    let end = since_start().saturating_add(span);
    let slept = sleep_until(end);
    if slept == Err(Errno::INTR) {
        tell_left(end.saturating_sub(since_start()).max(0));
    }
    slept
}

/// Sleeps until a clock shows `nanoseconds` nanoseconds, also if it is set meanwhile.
fn sleep_by(clock: ClockId, nanoseconds: i64) -> Result<(), Errno> {
    let (shared, thread) = (&os().posix, PosixThread::current());
    let set_watches = |watches| {
        if let Some(thread) = thread {
            thread.watches_clock.set(watches);
        }
    };
    loop {
        let before = shared.times_set.get();
        set_watches(clock == REALTIME);
        let slept = sleep_until(nanoseconds.saturating_sub(ahead(clock)?));
        set_watches(false);
        if slept != Err(Errno::INTR) || shared.times_set.get() == before {
            return slept;
        }
    }
}

/// Sets the time of day, and makes the threads that sleep by it check it.
fn set_time_of_day(ahead: i64) {
    let shared = &os().posix;
    masked(|| {
        shared.time_of_day.set(ahead);
        shared.times_set.update(|count| count.wrapping_add(1));
    });
    let watcher = || {
        let mut found = None;
        masked(|| {
            for_each_living(|thread| {
                let posix = PosixThread::of(thread);
                if let Some(posix) = posix.filter(|posix| posix.watches_clock.get()) {
                    found = Some((thread, posix));
                }
            });
        });
        found
    };
    while let Some((thread, posix)) = watcher() {
        end_wait(thread.handle(), || {
            posix.is_at_point.get() && posix.watches_clock.get()
        });
        posix.watches_clock.set(false);
    }
    timer::tell_time_was_set();
}

interface! {
    /// The time of day in microseconds, as C libraries ask for it.
    fn taktos_posix_time_of_day(time: *mut TimeValue, _zone: *mut c_void) -> c_int {
        // SAFETY: the caller guarantees that `time` is null or writable.
        if let Some(time) = unsafe { time.as_mut() } {
            let TimeSpec { seconds, nanoseconds } = TimeSpec::of(time_of_day());
            *time = TimeValue { seconds, microseconds: nanoseconds / 1_000 };
        }
        0
    }

    /// Reads a clock.
    fn clock_gettime(clock: ClockId, time: *mut TimeSpec) -> c_int {
        minus_one(shown(clock).and_then(|shown| {
            // SAFETY: the caller guarantees that `time` is null or writable.
            let time = unsafe { time.as_mut() }.ok_or(Errno::INVAL)?;
            *time = TimeSpec::of(shown);
            Ok(())
        }))
    }

    /// Sets the time of day. Threads that sleep until an instant of it, and timers that run by it,
    /// check it again; other waits that have begun end when they would have without.
    fn clock_settime(clock: ClockId, time: *const TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `time` is null or valid.
        let time = unsafe { time.as_ref() };
        let nanoseconds = time.ok_or(Errno::INVAL).and_then(|time| time.whole());
        minus_one(match (clock, nanoseconds) {
            (REALTIME, Ok(_)) if in_handler() => Err(Errno::PERM),
            // Processor time that was used stays used.
            (clock, Ok(_)) if processor_time::shown(clock).is_ok() => Err(Errno::PERM),
            (REALTIME, Ok(new)) if new >= 0 => {
                set_time_of_day(new.saturating_sub(since_start()));
                Ok(())
            }
            _ => Err(Errno::INVAL),
        })
    }

    /// How fine a clock is: a nanosecond, as all times are counted here.
    fn clock_getres(clock: ClockId, resolution: *mut TimeSpec) -> c_int {
        minus_one(shown(clock).map(|_| {
            // SAFETY: the caller guarantees that `resolution` is null or writable.
            if let Some(resolution) = unsafe { resolution.as_mut() } {
                *resolution = TimeSpec::of(1);
            }
        }))
    }

    /// Sleeps until an instant of a clock, or for a span. If a handler of a signal ends a span,
    /// writes the rest of it. Returns the error's number.
    fn clock_nanosleep(clock: ClockId, flags: c_int, time: *const TimeSpec, left: *mut TimeSpec) -> c_int {
        if in_handler() {
            return Errno::PERM.0;
        }
        // No thread sleeps by its own processor time, and none here by another thread's.
        if clock != processor_time::OWN && processor_time::shown(clock).is_ok() {
            return Errno::NOTSUP.0;
        }
        // SAFETY: the caller guarantees that `time` is null or valid.
        let time = unsafe { time.as_ref() };
        super::code(ahead(clock).and_then(|_| {
            let nanoseconds = time.ok_or(Errno::INVAL)?.whole()?;
            if flags & ABSOLUTE != 0 {
                return sleep_by(clock, nanoseconds);
            }
            if nanoseconds < 0 {
                return Err(Errno::INVAL);
            }
            sleep_for(nanoseconds, |rest| {
                // SAFETY: the caller guarantees that `left` is null or writable.
                if let Some(left) = unsafe { left.as_mut() } {
                    *left = TimeSpec::of(rest);
                }
            })
        }))
    }

    /// Sleeps for a span; −1 with `errno` where it is none.
    fn nanosleep(time: *const TimeSpec, left: *mut TimeSpec) -> c_int {
        // SAFETY: the caller guarantees that `time` is null or valid, and `left` is null or
        // writable.
        match unsafe { clock_nanosleep(MONOTONIC, 0, time, left) } {
            0 => 0,
            number => minus_one(Err(Errno(number))),
        }
    }

    /// Sleeps for `seconds` seconds. Returns the rest if a handler of a signal ends the sleep.
    fn sleep(seconds: c_uint) -> c_uint {
        let mut left = 0;
        let _ = sleep_for(i64::from(seconds) * SECOND, |rest| left = rest);
        (left as u64).div_ceil(SECOND as u64) as c_uint
    }

    /// Sleeps for `microseconds` microseconds.
    fn usleep(microseconds: c_uint) -> c_int {
        minus_one(sleep_for(i64::from(microseconds) * 1_000, |_| ()))
    }
}
