//! Owns: timers of the clocks, and `alarm`. Must never know: how the program is notified.
//!
//! A timer of a thread's processor time is checked when it can be due at the earliest, and then at
//! every tick: it is late by one at most.
//!
//! They are timers of the interface's (`OsTimer`), served by a thread of the priority 40; what this
//! thread sends or starts is handled elsewhere.

use super::clock::{ABSOLUTE, ClockId, REALTIME, TimeSpec, ahead, since_start};
use super::errno::Errno;
use super::signal::notice::{Event, Notice};
use super::signal::{ALARM, BY_TIMER};
use super::{alone, minus_one, processor_time};
use crate::cmsis::interface;
use crate::cmsis::timer::{self, OsTimer};
use crate::object::{Attributes, Memory};
use crate::os::{TICK, in_handler, masked, os};
use core::cell::Cell;
use core::ffi::{c_int, c_uint, c_void};
use core::ptr::{self, NonNull};

/// Nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;
/// Time for other threads between two signals of a timer with a shorter interval; without it only
/// the timer's thread and its handler would run.
const LEAST_PAUSE: i64 = 100_000;
/// When a timer is due that does not run.
const NEVER: i64 = i64::MAX;
/// `DELAYTIMER_MAX`.
pub(super) const MOST_OVERRUNS: i64 = i32::MAX as i64;

/// `struct itimerspec`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct TimerSpec {
    interval: TimeSpec,
    value: TimeSpec,
}

/// A timer of the program's.
pub struct PosixTimer {
    next: Cell<Option<&'static PosixTimer>>,
    timer: Cell<Option<&'static OsTimer>>,
    clock: ClockId,
    notice: Notice,
    /// When it is due next, in nanoseconds since the start, or of its thread's processor time;
    /// what comes before is of an earlier setting. While its signal waits to be got, when
    /// it was due.
    due: Cell<i64>,
    interval: Cell<i64>,
    /// How often it was due again before its signal was got.
    overrun: Cell<i64>,
    /// Instant of the time of day at which it is due, if the program requested that.
    by_day: Cell<Option<i64>>,
    /// Whether it notifies the program now; and whether it was deleted meanwhile.
    tells: Cell<bool>,
    is_deleted: Cell<bool>,
}

/// All of them.
pub struct Timers {
    first: Cell<Option<&'static PosixTimer>>,
    /// That of `alarm`, once it was called.
    alarm: Cell<Option<&'static PosixTimer>>,
}

impl Timers {
    /// At the start of a program.
    pub(crate) const fn new() -> Self {
        Self {
            first: Cell::new(None),
            alarm: Cell::new(None),
        }
    }
}

/// Id by which C names a timer.
type Id = *mut c_void;

/// The timer of an id, if there is one. Masked.
fn find(id: Id) -> Option<&'static PosixTimer> {
    let mut next = os().posix.timers.first.get();
    while let Some(timer) = next {
        if ptr::eq(ptr::from_ref(timer).cast(), id) {
            return Some(timer);
        }
        next = timer.next.get();
    }
    None
}

/// The timer of a call. Errors: `EINVAL` where there is none; `EPERM` in a handler of an interrupt.
fn timer_of(id: Id) -> Result<&'static PosixTimer, Errno> {
    match in_handler() {
        true => Err(Errno::PERM),
        false => masked(|| find(id)).ok_or(Errno::INVAL),
    }
}

impl PosixTimer {
    /// A new one. Errors: `EAGAIN` without memory.
    fn make(
        clock: ClockId,
        notice: impl FnOnce(Id) -> Result<Notice, Errno>,
    ) -> Result<&'static Self, Errno> {
        let memory = Memory::of_heap(size_of::<Self>()).ok_or(Errno::AGAIN)?;
        let place = memory.start.cast::<Self>();
        let id = place.as_ptr().cast();
        let parts = notice(id).and_then(|notice| {
            let timer = timer::make(expire, false, id, &Attributes::NONE);
            Ok((notice, timer.ok_or(Errno::AGAIN)?))
        });
        let (notice, timer) = match parts {
            Ok(parts) => parts,
            Err(error) => {
                // SAFETY: no other code has its address.
                unsafe { memory.free() };
                return Err(error);
            }
        };
        let new = Self {
            next: Cell::new(None),
            timer: Cell::new(Some(timer)),
            clock,
            notice,
            due: Cell::new(NEVER),
            interval: Cell::new(0),
            overrun: Cell::new(0),
            by_day: Cell::new(None),
            tells: Cell::new(false),
            is_deleted: Cell::new(false),
        };
        // SAFETY: memory of the heap for one, aligned for anything, which no code uses yet.
        let new = unsafe {
            place.write(new);
            place.as_ref()
        };
        masked(|| new.next.set(os().posix.timers.first.replace(Some(new))));
        Ok(new)
    }

    /// Starts it so that it is due at an instant since the start; an interval of 0: once. One
    /// without a notice needs no more than that.
    fn start(&'static self, due: i64, interval: i64) {
        let Some(timer) = self.timer.get() else {
            return;
        };
        timer.stop();
        self.due.set(due);
        self.interval.set(interval);
        if !matches!(self.notice, Notice::None) {
            let at = match self.is_of_thread() {
                true => self.look_in(0),
                false => due,
            };
            timer.start_at(at.max(0) as u64, 0);
        }
    }

    /// Whether its clock is that of a thread's processor time.
    fn is_of_thread(&self) -> bool {
        self.clock >= processor_time::FIRST
    }

    /// Returns the instant at which to check whether it is due, of processor time. It cannot be due
    /// earlier, as a thread has no more time than passes. The instant is `least` from now or later.
    fn look_in(&self, least: i64) -> i64 {
        let left = self.due.get().saturating_sub(self.now());
        since_start().saturating_add(left.max(least))
    }

    /// Returns the time of its clock. Errors: `EINVAL` if its thread has ended.
    fn shown(&self) -> Result<i64, Errno> {
        match self.is_of_thread() {
            true => processor_time::shown(self.clock),
            false => Ok(since_start()),
        }
    }

    /// Returns the time of its clock; with a thread that has ended nothing is ever due.
    fn now(&self) -> i64 {
        self.shown().unwrap_or(i64::MIN / 2)
    }

    /// Whether it is due. One of processor time that is not yet is looked at again.
    fn is_due_or_looks_again(&'static self) -> bool {
        let is_due = self.due.get() <= self.now();
        let looks_again = !is_due && self.is_of_thread() && self.due.get() != NEVER;
        if let Some(timer) = self.timer.get().filter(|_| looks_again) {
            timer.start_at(self.look_in(TICK as i64).max(0) as u64, 0);
        }
        is_due
    }

    fn stop(&'static self) {
        self.due.set(NEVER);
        self.interval.set(0);
        self.by_day.set(None);
        if let Some(timer) = self.timer.get() {
            timer.stop();
        }
    }

    /// It was due, and is so again at the next interval that is to come; gives how often it was
    /// meanwhile.
    fn start_next(&'static self) -> i64 {
        let (due, interval) = (self.due.get(), self.interval.get());
        let pause = if interval < LEAST_PAUSE {
            LEAST_PAUSE
        } else {
            0
        };
        let missed = self.now().saturating_add(pause).saturating_sub(due).max(0) / interval;
        self.start(due + (missed + 1) * interval, interval);
        missed
    }

    /// Returns the time until it is due, and the interval.
    fn rest(&'static self) -> (i64, i64) {
        let (due, interval) = (self.due.get(), self.interval.get());
        let left = due.saturating_sub(self.now());
        let left = match due {
            _ if self.shown().is_err() => 0,
            NEVER => 0,
            _ if left > 0 => left,
            _ if interval > 0 => interval - (-left) % interval,
            _ => 0,
        };
        (left, interval)
    }

    /// Converts a setting to an instant since the start, an interval, and the time of day at which
    /// it is due, if it goes by that.
    fn setting(&self, flags: c_int, new: &TimerSpec) -> Result<(i64, i64, Option<i64>), Errno> {
        let (value, interval) = (new.value.whole()?, new.interval.whole()?);
        // An instant may be before the epoch, a span is none that is negative.
        if interval < 0 || value < 0 && flags & ABSOLUTE == 0 {
            return Err(Errno::INVAL);
        }
        Ok(match flags & ABSOLUTE {
            0 => (self.shown()?.saturating_add(value), interval, None),
            _ => {
                let by_day = (self.clock == REALTIME).then_some(value);
                let ahead = ahead(self.clock).unwrap_or(0);
                (value.saturating_sub(ahead), interval, by_day)
            }
        })
    }

    fn set(&'static self, flags: c_int, new: &TimerSpec) -> Result<(), Errno> {
        let (due, interval, by_day) = self.setting(flags, new)?;
        self.stop();
        if new.value.whole()? != 0 {
            self.by_day.set(by_day);
            self.start(due, interval);
        }
        Ok(())
    }

    /// Deletes it. One that notifies the program now is freed when it has done so.
    fn delete(&'static self) {
        self.stop();
        if let Some(timer) = self.timer.take() {
            timer.delete();
        }
        let tells = masked(|| {
            let mut place = &os().posix.timers.first;
            while let Some(other) = place.get() {
                if ptr::eq(other, self) {
                    place.set(self.next.take());
                    break;
                }
                place = &other.next;
            }
            self.is_deleted.set(true);
            self.tells.get()
        });
        if !tells {
            self.free();
        }
    }

    fn free(&'static self) {
        self.notice.withdraw();
        let memory = Memory {
            start: NonNull::from(self).cast(),
            in_heap: true,
        };
        // SAFETY: it was allocated by `make`, and is in no list.
        unsafe { memory.free() };
    }
}

/// Function that the interface's timer calls: notifies the program, unless the timer was deleted or
/// set again since.
extern "C" fn expire(id: *mut c_void) {
    let timer = alone(|| {
        let timer = masked(|| find(id))?;
        if !timer.is_due_or_looks_again() {
            return None;
        }
        timer.tells.set(true);
        timer.by_day.set(None);
        if timer.interval.get() == 0 {
            timer.due.set(NEVER);
        }
        Some(timer)
    });
    let Some(timer) = timer else { return };
    // One that sends a signal continues when that was got, so that no interval is too short.
    if timer.interval.get() > 0 && matches!(timer.notice, Notice::Thread(..)) {
        timer.start_next();
    }
    timer.notice.give();
    let is_deleted = masked(|| {
        timer.tells.set(false);
        timer.is_deleted.get()
    });
    if is_deleted {
        timer.free();
    }
}

/// Notes that the signal of a timer was got: one with an interval continues.
pub(super) fn go_on(id: *mut c_void) {
    alone(|| {
        let Some(timer) = masked(|| find(id)) else {
            return;
        };
        let is_due = timer.interval.get() > 0 && timer.due.get() <= timer.now();
        timer
            .overrun
            .set(if is_due { timer.start_next() } else { 0 });
    });
}

/// The time of day was set: the timers that are first due by it check it again.
pub(super) fn tell_time_was_set() {
    alone(look_at_time);
}

fn look_at_time() {
    let mut next = os().posix.timers.first.get();
    while let Some(timer) = next {
        let is_to_come = timer.due.get() > since_start();
        if let (Some(value), Ok(ahead), true) = (timer.by_day.get(), ahead(REALTIME), is_to_come) {
            timer.start(value.saturating_sub(ahead), timer.interval.get());
        }
        next = timer.next.get();
    }
}

/// Writes a setting where a program wants it.
///
/// # Safety
/// The address is null, or there is room.
unsafe fn tell((value, interval): (i64, i64), to: *mut TimerSpec) {
    if !to.is_null() {
        let spec = TimerSpec {
            interval: TimeSpec::of(interval),
            value: TimeSpec::of(value),
        };
        // SAFETY: the caller guarantees that `to` is writable.
        unsafe { to.write(spec) };
    }
}

/// Sets the timer of `alarm`; gives what was left of it.
fn set_alarm(seconds: c_uint) -> Result<i64, Errno> {
    if in_handler() {
        return Err(Errno::PERM);
    }
    let alarm = &os().posix.timers.alarm;
    let timer = match alarm.get() {
        Some(timer) => timer,
        None => {
            let notice = |id| Notice::signal(ALARM, BY_TIMER, ptr::null_mut(), id);
            PosixTimer::make(REALTIME, notice)?
        }
    };
    alarm.set(Some(timer));
    let (left, _) = timer.rest();
    timer.stop();
    if seconds > 0 {
        let span = i64::from(seconds) * SECOND;
        timer.start(since_start().saturating_add(span), 0);
    }
    Ok(left)
}

interface! {
    /// Makes a timer of a clock, which does not run. Without an event it sends `SIGALRM`. `EINVAL`,
    /// `EAGAIN`; `EPERM` in a handler of an interrupt.
    fn timer_create(clock: ClockId, event: *const Event, id: *mut Id) -> c_int {
        let made = || {
            if in_handler() {
                return Err(Errno::PERM);
            }
            let clock = match ahead(clock) {
                Ok(_) => clock,
                Err(_) => processor_time::named(clock)?,
            };
            // SAFETY: the caller guarantees that `id` is null or writable.
            let place = unsafe { id.as_mut() }.ok_or(Errno::INVAL)?;
            // SAFETY: the caller guarantees that `event` is null or valid.
            let timer = PosixTimer::make(clock, |id| match unsafe { event.as_ref() } {
                // SAFETY: as above.
                Some(event) => unsafe { Notice::of(event, BY_TIMER, id) },
                None => Notice::signal(ALARM, BY_TIMER, id, id),
            })?;
            *place = ptr::from_ref(timer).cast_mut().cast();
            Ok(())
        };
        minus_one(made())
    }

    /// Deletes a timer.
    fn timer_delete(id: Id) -> c_int {
        minus_one(timer_of(id).map(PosixTimer::delete))
    }

    /// Sets a timer: due after a span or, with `TIMER_ABSTIME`, when its clock shows an instant;
    /// then each interval. A value of 0 stops it.
    fn timer_settime(id: Id, flags: c_int, new: *const TimerSpec, old: *mut TimerSpec) -> c_int {
        minus_one(timer_of(id).and_then(|timer| {
            // SAFETY: the caller guarantees that `new` is null or valid.
            let new = unsafe { new.as_ref() }.ok_or(Errno::INVAL)?;
            let before = timer.rest();
            timer.set(flags, new)?;
            // SAFETY: the caller guarantees that `old` is null or writable.
            unsafe { tell(before, old) };
            Ok(())
        }))
    }

    /// Reads the time until a timer is due, and its interval.
    fn timer_gettime(id: Id, to: *mut TimerSpec) -> c_int {
        minus_one(timer_of(id).and_then(|timer| {
            if to.is_null() {
                return Err(Errno::INVAL);
            }
            // SAFETY: the caller guarantees that `to` is null or writable.
            unsafe { tell(timer.rest(), to) };
            Ok(())
        }))
    }

    /// How often a timer was due again between its signal and the last time that this was got.
    fn timer_getoverrun(id: Id) -> c_int {
        match timer_of(id) {
            Ok(timer) => timer.overrun.get().min(MOST_OVERRUNS) as c_int,
            Err(error) => minus_one(Err(error)),
        }
    }

    /// Requests `SIGALRM` in `seconds` seconds; 0: cancels the request. Returns the seconds that
    /// were left of the last call.
    fn alarm(seconds: c_uint) -> c_uint {
        let left = set_alarm(seconds).unwrap_or(0);
        (left as u64).div_ceil(SECOND as u64) as c_uint
    }
}
