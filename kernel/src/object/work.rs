//! Deferred work: what an interrupt handler, or an urgent thread, leaves to a thread.
//!
//! Owns: the calls that are to be made, in the order in which they were deferred, and how a thread
//! makes them. Must never know: what they do.

use crate::critical_section::{CriticalSection, Guarded};
use crate::object::Semaphore;
use crate::object::deletion::Deletable;
use crate::sched::hold;
use crate::{Error, System, Timeout};
use core::ptr;
use taktos_machine::Machine;

/// A link to work.
type Link<S> = Guarded<Option<&'static Work<S>>>;

/// Work that is deferred to one thread: a thread that calls [`WorkQueue::serve`] does it, at its
/// own priority, in the order in which it was deferred. Made to be a static. Nothing is allocated:
/// waiting work is linked through the [`Work`] itself, so there is always space.
pub struct WorkQueue<S: System> {
    first: Link<S>,
    last: Link<S>,
    there: Semaphore<S>,
}

impl<S: System> WorkQueue<S> {
    /// A queue without work.
    pub const fn new() -> Self {
        Self {
            first: Guarded::new(None),
            last: Guarded::new(None),
            there: Semaphore::binary(0),
        }
    }

    /// Does the work in the calling thread, until the queue is deleted: then with the error that
    /// ended the wait. Several threads may serve one queue: then work that waits holds up no
    /// other.
    ///
    /// Errors: `Deleted`, `Cancelled`; `Context` in an interrupt handler.
    pub fn serve(&'static self) -> Error {
        if S::Machine::in_interrupt() {
            return Error::Context;
        }
        loop {
            while let Some((function, word)) = self.take() {
                function(word);
            }
            if let Err(error) = self.there.take(Timeout::FOREVER) {
                return error;
            }
        }
    }

    /// Whether nothing waits to be done. Allowed in interrupt handlers. Bound: fixed.
    pub fn is_empty(&'static self) -> bool {
        self.first.get(hold::<S>().section()).is_none()
    }

    /// Deletes the queue. A thread that serves it returns when it has done the work that is there.
    /// To defer work to it fails with `Deleted`. Allowed in interrupt handlers. Bound: one wake a
    /// thread that serves. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        self.there.delete()
    }

    /// Makes a deleted queue usable again. Bound: fixed. Errors: `State` if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        self.there.renew(0, 1)
    }

    /// Takes out the first, as what is to be called.
    fn take(&'static self) -> Option<(fn(usize), usize)> {
        let held = hold::<S>();
        let cs = held.section();
        let work = self.first.get(cs)?;
        self.first.set(cs, work.next.get(cs));
        work.next.set(cs, None);
        work.waits.set(cs, false);
        Some((work.function, work.word.get(cs)))
    }

    fn append(&'static self, cs: CriticalSection<'_>, work: &'static Work<S>) {
        match self.first.get(cs).and(self.last.get(cs)) {
            None => self.first.set(cs, Some(work)),
            Some(last) => last.next.set(cs, Some(work)),
        }
        self.last.set(cs, Some(work));
        work.waits.set(cs, true);
    }

    /// Takes out `work`, which waits. Steps: what waits before it.
    fn remove(&'static self, cs: CriticalSection<'_>, work: &'static Work<S>) {
        let next = work.next.get(cs);
        let mut before = None;
        let mut other = self.first.get(cs);
        while let Some(found) = other.filter(|other| !ptr::eq(*other, work)) {
            before = Some(found);
            other = found.next.get(cs);
        }
        match before {
            None => self.first.set(cs, next),
            Some(before) => before.next.set(cs, next),
        }
        if next.is_none() {
            self.last.set(cs, before);
        }
        work.next.set(cs, None);
        work.waits.set(cs, false);
    }
}

impl<S: System> Default for WorkQueue<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// A function that can be deferred to the thread of a [`WorkQueue`]: a tasklet. Made to be a
/// static.
pub struct Work<S: System> {
    queue: &'static WorkQueue<S>,
    function: fn(usize),
    word: Guarded<usize>,
    waits: Guarded<bool>,
    next: Link<S>,
}

impl<S: System> Work<S> {
    /// Work for the thread of `queue`: to call `function`.
    pub const fn new(queue: &'static WorkQueue<S>, function: fn(usize)) -> Self {
        Self {
            queue,
            function,
            word: Guarded::new(0),
            waits: Guarded::new(false),
            next: Guarded::new(None),
        }
    }

    /// Makes the queue's thread call the function with `word`, once, after the work that is there.
    /// Returns whether it is new there. Work that waits already keeps its place, and is called with
    /// this word instead: so work that comes more quickly than it is done is not lost, but done
    /// together. Never waits; allowed in interrupt handlers at the kernel's level.
    ///
    /// Bound: fixed (and a wake of the thread). Errors: `Deleted` if the queue is.
    pub fn defer(&'static self, word: usize) -> Result<bool, Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.queue.there.is_deleted(cs) {
            return Err(Error::Deleted);
        }
        self.word.set(cs, word);
        if self.waits.get(cs) {
            return Ok(false);
        }
        self.queue.append(cs, self);
        drop(held);
        match self.queue.there.give() {
            // The thread was notified already.
            Err(Error::Limit) => Ok(true),
            given => given.map(|()| true),
        }
    }

    /// Takes the work back, and says whether it waited; if not, it is done, under way or was never
    /// deferred. Never waits; allowed in interrupt handlers at the kernel's level. Bound: the
    /// work that waits before it.
    pub fn cancel(&'static self) -> bool {
        let held = hold::<S>();
        let cs = held.section();
        let waits = self.waits.get(cs);
        if waits {
            self.queue.remove(cs, self);
        }
        waits
    }

    /// Whether it waits to be done. Allowed in interrupt handlers. Bound: fixed.
    pub fn is_waiting(&'static self) -> bool {
        self.waits.get(hold::<S>().section())
    }
}
