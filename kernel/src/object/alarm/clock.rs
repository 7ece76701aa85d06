//! Owns: the alarms that run, the earliest first, of equals the one that was started first; and how
//! a thread serves them. Must never know: what an alarm does.

use super::{Action, Alarm};
use crate::critical_section::{CriticalSection, Guarded};
use crate::object::Semaphore;
use crate::sched::hold;
use crate::{Error, Kernel, System, Timeout};
use core::marker::PhantomData;
use core::ptr;
use taktos_machine::Machine;
use taktos_schedule::{Side, Tree, TreeLinks};
use taktos_time::Instant;

/// The alarms of one thread: a thread that calls [`AlarmClock::serve`] serves the due alarms, at
/// its own priority. Made to be a static.
pub struct AlarmClock<S: System> {
    running: Guarded<Tree<AlarmRef<S>>>,
    /// There is another next alarm than the one that is waited for.
    changed: Semaphore<S>,
}

impl<S: System> AlarmClock<S> {
    /// A clock without alarms.
    pub const fn new() -> Self {
        Self {
            running: Guarded::new(Tree::EMPTY),
            changed: Semaphore::binary(0),
        }
    }

    /// Serves the alarms in the calling thread, until the clock is deleted: then with the error
    /// that ended the wait. Several threads may serve one clock: then an alarm that takes long
    /// holds up no other.
    ///
    /// Errors: `Deleted`, `Cancelled`; `Context` in an interrupt handler.
    pub fn serve(&'static self) -> Error {
        loop {
            if let Err(error) = self.serve_once() {
                return error;
            }
        }
    }

    /// Does what is due, waits until the next alarm's time has come or another one is the next, and
    /// comes back: for a thread that has more to do than [`AlarmClock::serve`]. Errors: as
    /// there.
    pub fn serve_once(&'static self) -> Result<(), Error> {
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        let next = loop {
            match self.take_due() {
                Due::Act(action, word) => action.act(word),
                Due::Later(next) => break next,
            }
        };
        let time = next.map_or(Timeout::FOREVER, Timeout::until);
        match self.changed.take(time) {
            Err(Error::Timeout) => Ok(()),
            other => other,
        }
    }

    /// When the next alarm is due, if any runs; a watchdog that was fed may be due later. Allowed
    /// in interrupt handlers. Bound: fixed.
    pub fn next(&'static self) -> Option<Instant> {
        self.first(hold::<S>().section())
    }

    /// Deletes the clock. Threads that serve it return, and its alarms do nothing while no thread
    /// does.
    /// Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        self.changed.delete()
    }

    /// Makes a deleted clock usable again; alarms that ran run on. Errors: `State` if it is not
    /// deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        self.changed.renew(0, 1)
    }

    fn first(&'static self, cs: CriticalSection<'_>) -> Option<Instant> {
        let first = self.running.borrow(cs).first();
        first.map(|alarm| alarm.0.links.key.get(cs))
    }

    /// Returns the action of the first due alarm, or when the next one is due. A watchdog that was
    /// fed goes to its place: there are no more such than alarms, and interrupts are let in before
    /// each is checked.
    fn take_due(&'static self) -> Due<S> {
        loop {
            let held = hold::<S>();
            let cs = held.section();
            let now = Kernel::<S>::now();
            let Some(first) = self.running.borrow(cs).first() else {
                return Due::Later(None);
            };
            let key = first.0.links.key.get(cs);
            if key > now {
                return Due::Later(Some(key));
            }
            self.remove(cs, first.0);
            if let Some((action, word)) = first.0.expire(cs, now) {
                let others = self.changed.has_waiters(cs);
                drop(held);
                if others {
                    // The act may take long: another thread waits for the next alarm meanwhile.
                    self.wake();
                }
                return Due::Act(action, word);
            }
        }
    }

    /// Makes a thread that serves the clock check it again, or return from
    /// [`AlarmClock::serve_once`]. Never waits; allowed in interrupt handlers at the kernel's
    /// level. Bound: fixed.
    pub fn wake(&'static self) {
        // Notified already, or no thread serves a deleted clock.
        let _ = self.changed.give();
    }

    /// Puts in `alarm`, which does not run, by when it is due; says whether it is the next.
    pub(super) fn insert(&'static self, cs: CriticalSection<'_>, alarm: &'static Alarm<S>) -> bool {
        alarm.links.key.set(cs, alarm.due.get(cs));
        let running = self.running.borrow(cs);
        running.append(&Order::<S>(cs, PhantomData), AlarmRef(alarm));
        running.first() == Some(AlarmRef(alarm))
    }

    /// Takes out `alarm`, if it runs; says whether it did.
    pub(super) fn remove(&'static self, cs: CriticalSection<'_>, alarm: &'static Alarm<S>) -> bool {
        let runs = alarm.links.is_in(cs);
        if runs {
            self.running
                .borrow(cs)
                .remove(&Order::<S>(cs, PhantomData), AlarmRef(alarm));
        }
        runs
    }
}

impl<S: System> Default for AlarmClock<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// The next step for the first alarm.
enum Due<S: System> {
    Act(Action<S>, usize),
    Later(Option<Instant>),
}

/// Names an alarm.
pub(super) struct AlarmRef<S: System>(&'static Alarm<S>);

impl<S: System> Clone for AlarmRef<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: System> Copy for AlarmRef<S> {}

impl<S: System> PartialEq for AlarmRef<S> {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl<S: System> Eq for AlarmRef<S> {}

/// A link to an alarm.
type Link<S> = Guarded<Option<AlarmRef<S>>>;

/// An alarm's place among those that run.
pub(super) struct Links<S: System> {
    /// By what it is ordered: when it is due, or was before a watchdog was fed.
    key: Guarded<Instant>,
    left: Link<S>,
    right: Link<S>,
    parent: Link<S>,
    rank: Guarded<u8>,
}

impl<S: System> Links<S> {
    /// Those of an alarm that does not run.
    pub const fn new() -> Self {
        Self {
            key: Guarded::new(Instant::START),
            left: Guarded::new(None),
            right: Guarded::new(None),
            parent: Guarded::new(None),
            rank: Guarded::new(0),
        }
    }

    /// Whether the alarm runs.
    pub fn is_in(&self, cs: CriticalSection<'_>) -> bool {
        self.rank.get(cs) != 0
    }
}

/// The links in the form that the tree requires.
struct Order<'cs, S>(CriticalSection<'cs>, PhantomData<fn() -> S>);

impl<S: System> TreeLinks for Order<'_, S> {
    type Id = AlarmRef<S>;
    type Key = Instant;
    type Node = &'static Links<S>;
    type Link = &'static Link<S>;

    fn key(&self, alarm: AlarmRef<S>) -> Instant {
        alarm.0.links.key.get(self.0)
    }

    fn node(&self, alarm: AlarmRef<S>) -> Self::Node {
        &alarm.0.links
    }

    fn link(&self, links: Self::Node, side: Side) -> Self::Link {
        match side {
            Side::Left => &links.left,
            Side::Right => &links.right,
        }
    }

    fn follow(&self, link: Self::Link) -> Option<AlarmRef<S>> {
        link.get(self.0)
    }

    fn set(&self, link: Self::Link, to: Option<AlarmRef<S>>) {
        link.set(self.0, to);
    }

    fn above(&self, links: Self::Node) -> Option<AlarmRef<S>> {
        links.parent.get(self.0)
    }

    fn set_above(&self, links: Self::Node, above: Option<AlarmRef<S>>) {
        links.parent.set(self.0, above);
    }

    fn rank(&self, links: Self::Node) -> u8 {
        links.rank.get(self.0)
    }

    fn set_rank(&self, links: Self::Node, rank: u8) {
        links.rank.set(self.0, rank);
    }
}
