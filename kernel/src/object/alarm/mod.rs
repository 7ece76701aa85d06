//! Alarms: something that is to happen at an instant, without a thread of its own that sleeps until
//! then.
//!
//! Owns: an alarm, its three modes, and what happens when its time has come.
//! Must never know: the order of running alarms, the thread that serves them.
//!
//! An alarm belongs to an [`AlarmClock`], which a thread serves. So what an alarm calls has a stack
//! and a priority, may wait, and is preempted as any thread is; and images without alarms have
//! nothing of them.

mod clock;

pub use clock::AlarmClock;

use crate::critical_section::{CriticalSection, Guarded};
use crate::object::notify::Notify;
use crate::sched::hold;
use crate::thread::AnyThread;
use crate::{Error, Kernel, System, Timeout, Work};
use clock::Links;
use core::ffi::c_void;
use core::ptr;
use taktos_time::{Duration, Instant};

/// The action of an alarm at its time.
enum Action<S: System> {
    Call(fn(usize)),
    CallC(CFunction),
    Notify(&'static AnyThread<S>, Notify),
    Defer(&'static Work<S>),
}

/// A function that an alarm of a C program calls.
type CFunction = extern "C" fn(*mut c_void);

impl<S: System> Clone for Action<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: System> Copy for Action<S> {}

impl<S: System> Action<S> {
    /// Performs the action. If the thread cannot be notified, or the work cannot be deferred, the
    /// error is dropped: there is no caller to report it to.
    fn act(self, word: usize) {
        match self {
            Self::Call(function) => function(word),
            Self::CallC(function) => function(ptr::with_exposed_provenance_mut(word)),
            Self::Notify(thread, action) => {
                let _ = thread.notify(action);
            }
            Self::Defer(work) => {
                let _ = work.defer(word);
            }
        }
    }
}

/// The behaviour of an alarm after its time has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Once,
    Periodic(Duration),
    Watchdog(Duration),
}

/// How often an alarm's time has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AlarmCounts {
    /// How often it acted since it was started.
    pub expired: u32,
    /// How many instants of a periodic one have passed without an act of their own, because the
    /// clock's thread was late by more than a period.
    pub skipped: u32,
}

/// Something that is to happen at an instant. Made to be a static; it does not run until it is
/// started.
///
/// An alarm is started as one of three kinds: [`once`](Self::once), [`periodic`](Self::periodic),
/// or as a [`watchdog`](Self::watchdog), which acts unless it is fed in time. An alarm that is
/// started again begins from the start.
pub struct Alarm<S: System> {
    clock: &'static AlarmClock<S>,
    action: Action<S>,
    word: Guarded<usize>,
    mode: Guarded<Mode>,
    /// When it is to act.
    due: Guarded<Instant>,
    counts: Guarded<AlarmCounts>,
    deleted: Guarded<bool>,
    links: Links<S>,
}

impl<S: System> Alarm<S> {
    /// An alarm of `clock` that calls `function` with `word` in the clock's thread.
    pub const fn calling(clock: &'static AlarmClock<S>, function: fn(usize), word: usize) -> Self {
        Self::new(clock, Action::Call(function), word)
    }

    /// [`Alarm::calling`] with a function of C's, and the address that [`Alarm::set_word`] sets.
    pub const fn calling_c(
        clock: &'static AlarmClock<S>,
        function: extern "C" fn(*mut c_void),
    ) -> Self {
        Self::new(clock, Action::CallC(function), 0)
    }

    /// An alarm of `clock` that notifies `thread`. A notification that it cannot take is lost, as
    /// [`AnyThread::notify`] says.
    pub const fn notifying(
        clock: &'static AlarmClock<S>,
        thread: &'static AnyThread<S>,
        action: Notify,
    ) -> Self {
        Self::new(clock, Action::Notify(thread, action), 0)
    }

    /// An alarm of `clock` that defers `work` with `word`.
    pub const fn deferring(
        clock: &'static AlarmClock<S>,
        work: &'static Work<S>,
        word: usize,
    ) -> Self {
        Self::new(clock, Action::Defer(work), word)
    }

    const fn new(clock: &'static AlarmClock<S>, action: Action<S>, word: usize) -> Self {
        Self {
            clock,
            action,
            word: Guarded::new(word),
            mode: Guarded::new(Mode::Once),
            due: Guarded::new(Instant::START),
            counts: Guarded::new(AlarmCounts {
                expired: 0,
                skipped: 0,
            }),
            deleted: Guarded::new(false),
            links: Links::new(),
        }
    }

    /// Sets what the function is called with, or the work deferred, from now on. Allowed in
    /// interrupt handlers. Bound: fixed.
    pub fn set_word(&'static self, word: usize) {
        self.word.set(hold::<S>().section(), word);
    }

    /// Starts the alarm: it acts once, at `when`. Never waits; allowed in interrupt handlers at the
    /// kernel's level.
    ///
    /// Bound: with n alarms running three ways of 1.45·log₂(n + 2) steps, and a wake of the clock's
    /// thread where this is the next to act. Errors: `Parameter` for a time that is none or
    /// never comes; `Deleted`.
    pub fn once(&'static self, when: impl Into<Timeout>) -> Result<(), Error> {
        self.start(when.into(), Mode::Once)
    }

    /// Starts the alarm: it acts at `first`, and again every `interval` after, on a grid that does
    /// not drift. Of several instants of the grid that have passed when the clock's thread
    /// comes to it, it acts for one; the others are counted as skipped. Otherwise as
    /// [`Alarm::once`]. Errors: `Parameter` for an interval of no length, too.
    pub fn periodic(
        &'static self,
        first: impl Into<Timeout>,
        interval: Duration,
    ) -> Result<(), Error> {
        if interval == Duration::ZERO {
            return Err(Error::Parameter);
        }
        self.start(first.into(), Mode::Periodic(interval))
    }

    /// Starts the alarm as a watchdog: it acts, once, unless it is fed again and again, each time
    /// before `span` has passed. Otherwise as [`Alarm::once`].
    pub fn watchdog(&'static self, span: Duration) -> Result<(), Error> {
        self.start(Timeout::after(span), Mode::Watchdog(span))
    }

    /// Feeds the watchdog: its span begins again. Never waits; allowed in interrupt handlers at the
    /// kernel's level.
    ///
    /// Bound: fixed, for its place among the others is checked when its former time has come.
    /// Errors: `State` unless it runs as a watchdog; `Deleted`.
    pub fn feed(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.deleted.get(cs) {
            return Err(Error::Deleted);
        }
        let Mode::Watchdog(span) = self.mode.get(cs) else {
            return Err(Error::State);
        };
        if !self.links.is_in(cs) {
            return Err(Error::State);
        }
        self.due.set(cs, Kernel::<S>::now().saturating_add(span));
        Ok(())
    }

    /// Stops the alarm, and says whether it ran. The function that it calls may be under way, or
    /// about to be called. Never waits; allowed in interrupt handlers at the kernel's level.
    ///
    /// Bound: with n alarms running two ways of 1.45·log₂(n + 2) steps. Errors: `Deleted`.
    pub fn stop(&'static self) -> Result<bool, Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.deleted.get(cs) {
            return Err(Error::Deleted);
        }
        Ok(self.clock.remove(cs, self))
    }

    /// When the alarm is to act next, if it runs. Allowed in interrupt handlers. Bound: fixed.
    pub fn next(&'static self) -> Option<Instant> {
        let held = hold::<S>();
        let cs = held.section();
        self.links.is_in(cs).then(|| self.due.get(cs))
    }

    /// How often its time has come since it was started. Allowed in interrupt handlers. Bound:
    /// fixed.
    pub fn counts(&'static self) -> AlarmCounts {
        self.counts.get(hold::<S>().section())
    }

    /// Deletes the alarm: it does not run, and each later call fails with `Deleted`. Allowed in
    /// interrupt handlers.
    ///
    /// Bound: as [`Alarm::stop`]. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.deleted.get(cs) {
            return Err(Error::Deleted);
        }
        self.clock.remove(cs, self);
        self.deleted.set(cs, true);
        Ok(())
    }

    /// Makes a deleted alarm usable again. Bound: fixed. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if !self.deleted.get(cs) {
            return Err(Error::State);
        }
        self.deleted.set(cs, false);
        Ok(())
    }

    fn start(&'static self, when: Timeout, mode: Mode) -> Result<(), Error> {
        if when.is_none() {
            return Err(Error::Parameter);
        }
        let held = hold::<S>();
        let cs = held.section();
        let due = when.deadline(Kernel::<S>::now()).ok_or(Error::Parameter)?;
        if self.deleted.get(cs) {
            return Err(Error::Deleted);
        }
        self.clock.remove(cs, self);
        self.mode.set(cs, mode);
        self.due.set(cs, due);
        self.counts.set(cs, AlarmCounts::default());
        let is_next = self.clock.insert(cs, self);
        drop(held);
        if is_next {
            self.clock.wake();
        }
        Ok(())
    }

    /// Returns the action of the alarm, which the clock has taken out because its time has come by
    /// `now`, or nothing if a watchdog was fed meanwhile. An alarm that continues is put in again.
    fn expire(&'static self, cs: CriticalSection<'_>, now: Instant) -> Option<(Action<S>, usize)> {
        let due = self.due.get(cs);
        if due > now {
            self.clock.insert(cs, self);
            return None;
        }
        let mut counts = self.counts.get(cs);
        counts.expired = counts.expired.wrapping_add(1);
        if let Mode::Periodic(interval) = self.mode.get(cs) {
            let skipped = now.since(due).as_nanos() / interval.as_nanos();
            let on = interval.as_nanos().saturating_mul(skipped + 1);
            counts.skipped = counts.skipped.wrapping_add(skipped as u32);
            self.due
                .set(cs, due.saturating_add(Duration::from_nanos(on)));
            self.clock.insert(cs, self);
        }
        self.counts.set(cs, counts);
        Some((self.action, self.word.get(cs)))
    }
}
