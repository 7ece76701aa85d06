//! Owns: the events that are due on one processor, and when.
//! Must never know: the present time; the running thread.

use crate::Handler;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use taktos_machine::SliceSwitch;
use taktos_time::{Duration, Instant};

/// A point in time that never comes.
pub const NEVER: u64 = u64::MAX;

/// Event that is due.
pub enum Due {
    /// A simulated interrupt.
    Interrupt(Handler),
    /// The kernel's alarm.
    Alarm,
    /// The end of the time slice.
    SliceEnd,
}

/// Events that are due on one processor; all times in nanoseconds.
pub struct Agenda {
    /// When the alarm is due.
    pub alarm: Cell<u64>,
    slice_length: Cell<u64>,
    /// The function that a switch calls if a slice begins with it.
    pub at_switch: Cell<Option<SliceSwitch>>,
    slice_end: Cell<u64>,
    /// By time and by the order of the requests.
    interrupts: RefCell<BTreeMap<(u64, u64), Handler>>,
    next_interrupt: Cell<u64>,
    asked: Cell<u64>,
}

/// `instant` in nanoseconds, or [`NEVER`].
pub fn nanos(instant: Option<Instant>) -> u64 {
    instant.map_or(NEVER, Instant::as_nanos)
}

impl Agenda {
    /// Nothing is due.
    pub const fn new() -> Self {
        Self {
            alarm: Cell::new(NEVER),
            slice_length: Cell::new(NEVER),
            at_switch: Cell::new(None),
            slice_end: Cell::new(NEVER),
            interrupts: RefCell::new(BTreeMap::new()),
            next_interrupt: Cell::new(NEVER),
            asked: Cell::new(0),
        }
    }

    /// Forgets what was due.
    pub fn reset(&self) {
        self.alarm.set(NEVER);
        self.slice_length.set(NEVER);
        self.at_switch.set(None);
        self.slice_end.set(NEVER);
        self.interrupts.borrow_mut().clear();
        self.next_interrupt.set(NEVER);
    }

    /// Makes `handler` due at `at`.
    pub fn add_interrupt(&self, at: u64, handler: Handler) {
        let order = self.asked.replace(self.asked.get() + 1);
        self.interrupts.borrow_mut().insert((at, order), handler);
        self.next_interrupt.set(self.next_interrupt.get().min(at));
    }

    /// Sets the length of time slices, of which a whole one begins `now`, and what a switch calls.
    pub fn set_slice(&self, length: Option<Duration>, at_switch: SliceSwitch, now: u64) {
        self.slice_length
            .set(length.map_or(NEVER, Duration::as_nanos));
        self.at_switch.set(length.map(|_| at_switch));
        self.begin_slice(0, now);
    }

    /// Lets the time slice end `left` nanoseconds after `now`, but no later than a whole one; 0: a
    /// whole one begins.
    pub fn begin_slice(&self, left: usize, now: u64) {
        let span = match left {
            0 => self.slice_length.get(),
            left => self.slice_length.get().min(left as u64),
        };
        self.slice_end.set(now.saturating_add(span));
    }

    /// The rest of the time slice `now`.
    pub fn slice_left(&self, now: u64) -> usize {
        self.slice_end.get().saturating_sub(now).max(1) as usize
    }

    /// When something is due next, the end of the slice apart.
    pub fn next_event(&self) -> u64 {
        self.alarm.get().min(self.next_interrupt.get())
    }

    /// When something is due next.
    pub fn next(&self) -> u64 {
        self.next_event().min(self.slice_end.get())
    }

    /// Takes what is due by `now`: interrupts first, then the alarm, then the end of the slice.
    pub fn take_due(&self, now: u64) -> Option<Due> {
        if self.next() > now {
            return None;
        }
        if self.next_interrupt.get() <= now {
            return self.take_interrupt();
        }
        if self.alarm.get() <= now {
            self.alarm.set(NEVER);
            return Some(Due::Alarm);
        }
        self.slice_end.set(NEVER);
        Some(Due::SliceEnd)
    }

    fn take_interrupt(&self) -> Option<Due> {
        let mut interrupts = self.interrupts.borrow_mut();
        let (_, handler) = interrupts.pop_first()?;
        self.next_interrupt
            .set(interrupts.keys().next().map_or(NEVER, |(at, _)| *at));
        Some(Due::Interrupt(handler))
    }
}
