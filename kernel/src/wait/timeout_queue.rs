//! Owns: the threads with a wait that ends at some time, the earliest first; of those with the same
//! time, the one that began to wait first.
//! Must never know: the objects that they wait for.
//!
//! A [`Tree`] with its links in the control blocks: equals need no number to be distinguished, for
//! which the control block has no room.

use crate::critical_section::{CriticalSection, Guarded};
use crate::thread::tcb::ThreadRef;
use taktos_schedule::{Side, Tree, TreeLinks};
use taktos_time::Instant;

#[cfg(test)]
mod tests;

/// The threads with a time-out running.
pub(crate) struct TimeoutQueue(Guarded<Tree<ThreadRef>>);

impl TimeoutQueue {
    /// No time-out runs.
    pub const fn new() -> Self {
        Self(Guarded::new(Tree::EMPTY))
    }

    /// The next time-out's point in time.
    pub fn next(&self, cs: CriticalSection<'_>) -> Option<Instant> {
        let earliest = self.0.borrow(cs).first();
        earliest.map(|thread| thread.deadline.get(cs))
    }

    /// Starts `thread`'s time-out, after those of the same time. It has none running.
    pub fn insert(&self, cs: CriticalSection<'_>, thread: ThreadRef, deadline: Instant) {
        thread.deadline.set(cs, deadline);
        self.0.borrow(cs).append(&cs, thread);
    }

    /// Takes out the thread with the first time-out, if that comes by `now`.
    pub fn pop_due(&self, cs: CriticalSection<'_>, now: Instant) -> Option<ThreadRef> {
        let earliest = self.0.borrow(cs).first();
        let thread = earliest.filter(|thread| thread.deadline.get(cs) <= now)?;
        self.remove(cs, thread);
        Some(thread)
    }

    /// Stops `thread`'s time-out, which runs.
    pub fn remove(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        self.0.borrow(cs).remove(&cs, thread);
    }
}

impl TreeLinks for CriticalSection<'_> {
    type Id = ThreadRef;
    type Key = Instant;
    type Node = ThreadRef;
    type Link = &'static Guarded<Option<ThreadRef>>;

    #[inline(always)]
    fn key(&self, thread: ThreadRef) -> Instant {
        thread.deadline.get(*self)
    }

    #[inline(always)]
    fn node(&self, thread: ThreadRef) -> ThreadRef {
        thread
    }

    #[inline(always)]
    fn link(&self, thread: ThreadRef, side: Side) -> Self::Link {
        match side {
            Side::Left => &thread.0.left,
            Side::Right => &thread.0.right,
        }
    }

    #[inline(always)]
    fn follow(&self, link: Self::Link) -> Option<ThreadRef> {
        link.get(*self)
    }

    #[inline(always)]
    fn set(&self, link: Self::Link, to: Option<ThreadRef>) {
        link.set(*self, to);
    }

    #[inline(always)]
    fn above(&self, thread: ThreadRef) -> Option<ThreadRef> {
        thread.parent.get(*self)
    }

    #[inline(always)]
    fn set_above(&self, thread: ThreadRef, above: Option<ThreadRef>) {
        thread.parent.set(*self, above);
    }

    #[inline(always)]
    fn rank(&self, thread: ThreadRef) -> u8 {
        thread.urgency.get(*self).rank()
    }

    #[inline(always)]
    fn set_rank(&self, thread: ThreadRef, rank: u8) {
        let urgency = thread.urgency.get(*self);
        thread.urgency.set(*self, urgency.with_rank(rank));
    }
}
