//! Owns: the threads whose wait ends at some time, the earliest first; of those with the same time, the one that began
//! to wait first.
//! Must never know: what they wait for.
//!
//! A balanced tree (Adelson-Velsky and Landis 1962; Knuth, TAOCP vol. 3, section 6.2.3) whose links lie in the control
//! blocks. From left to right its threads stand in the order in which they are to be woken: a new one goes behind
//! all whose time is not later than its own, and neither a turn of the tree nor a removal changes the order of the others.
//! So equals need no number to be told apart, for which the control block has no room; in a heap they would.
//!
//! The rank of a thread is the height of what stands below it, itself included; those of two children differ by one
//! at most. So with n threads no way down is longer than 1.45·log₂(n + 2). A new thread's place is looked for from the
//! earliest one: up as far as others come before it, then down, and back up to mend the ranks. To remove any one
//! takes a way down and one up; the next of the earliest is beside it.

use crate::critical_section::{Guarded, Section};
use crate::thread::tcb::ThreadRef;
use taktos_time::Instant;

#[cfg(test)]
mod tests;

/// The threads with a time-out running.
pub(crate) struct TimeoutQueue {
    /// The leftmost of the tree. Who stands on top of it nobody asks.
    earliest: Guarded<Option<ThreadRef>>,
}

/// Where a thread may have another one below it.
type Link = Guarded<Option<ThreadRef>>;

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

impl Side {
    const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    fn of(self, thread: ThreadRef) -> &'static Link {
        match self {
            Self::Left => &thread.0.left,
            Self::Right => &thread.0.right,
        }
    }
}

impl TimeoutQueue {
    /// No time-out runs.
    pub const fn new() -> Self {
        Self {
            earliest: Guarded::new(None),
        }
    }

    /// The next time-out's point in time.
    pub fn next(&self, s: Section) -> Option<Instant> {
        self.earliest.get(s).map(|thread| thread.deadline.get(s))
    }

    /// Starts `thread`'s time-out, behind those of the same time. It has none running.
    pub fn insert(&self, s: Section, thread: ThreadRef, deadline: Instant) {
        thread.deadline.set(s, deadline);
        thread.left.set(s, None);
        thread.right.set(s, None);
        set_rank(s, thread, 1);
        let Some(earliest) = self.earliest.get(s) else {
            thread.parent.set(s, None);
            return self.earliest.set(s, Some(thread));
        };
        let (parent, side) = if deadline < earliest.deadline.get(s) {
            self.earliest.set(s, Some(thread));
            (earliest, Side::Left)
        } else {
            place_behind(s, earliest, deadline)
        };
        hang(s, parent, side, Some(thread));
        mend_upwards(s, parent);
    }

    /// Takes out the thread whose time-out comes first, if it comes by `now`.
    pub fn pop_due(&self, s: Section, now: Instant) -> Option<ThreadRef> {
        let thread = self
            .earliest
            .get(s)
            .filter(|thread| thread.deadline.get(s) <= now)?;
        self.remove(s, thread);
        Some(thread)
    }

    /// Stops `thread`'s time-out, which runs.
    pub fn remove(&self, s: Section, thread: ThreadRef) {
        let (left, right) = (thread.left.get(s), thread.right.get(s));
        if self.earliest.get(s) == Some(thread) {
            // Nothing is to its left, so at most one is to its right.
            self.earliest.set(s, right.or(thread.parent.get(s)));
        }
        let lowest = if let (Some(left), Some(right)) = (left, right) {
            Some(replace_by_next(s, thread, left, right))
        } else {
            replace(s, thread, left.or(right));
            thread.parent.get(s)
        };
        set_rank(s, thread, 0);
        if let Some(lowest) = lowest {
            mend_upwards(s, lowest);
        }
    }
}

/// Where a thread with this deadline belongs, which is not before `earliest`: below whom, and on which side.
fn place_behind(s: Section, earliest: ThreadRef, deadline: Instant) -> (ThreadRef, Side) {
    let comes_before = |thread: &ThreadRef| thread.deadline.get(s) <= deadline;
    let mut place = earliest;
    while let Some(above) = place.parent.get(s).filter(comes_before) {
        place = above;
    }
    let mut side = Side::Right;
    while let Some(below) = side.of(place).get(s) {
        place = below;
        side = if comes_before(&below) {
            Side::Right
        } else {
            Side::Left
        };
    }
    (place, side)
}

/// Takes `thread` out, which has these two children: the next one in the order takes its place. Says from whom on
/// upwards ranks may be wrong.
fn replace_by_next(s: Section, thread: ThreadRef, left: ThreadRef, right: ThreadRef) -> ThreadRef {
    let mut lowest = None;
    let mut next = right;
    while let Some(below) = next.left.get(s) {
        lowest = Some(next);
        next = below;
    }
    if lowest.is_some() {
        replace(s, next, next.right.get(s));
        hang(s, next, Side::Right, Some(right));
    }
    hang(s, next, Side::Left, Some(left));
    replace(s, thread, Some(next));
    set_rank(s, next, rank(s, Some(thread)));
    lowest.unwrap_or(next)
}

/// Puts `new` in the place of `old` below the thread above it.
fn replace(s: Section, old: ThreadRef, new: Option<ThreadRef>) {
    match old.parent.get(s) {
        Some(parent) if parent.left.get(s) == Some(old) => hang(s, parent, Side::Left, new),
        Some(parent) => hang(s, parent, Side::Right, new),
        None => {
            if let Some(new) = new {
                new.parent.set(s, None);
            }
        }
    }
}

fn hang(s: Section, parent: ThreadRef, side: Side, child: Option<ThreadRef>) {
    side.of(parent).set(s, child);
    if let Some(child) = child {
        child.parent.set(s, Some(parent));
    }
}

fn rank(s: Section, thread: Option<ThreadRef>) -> u8 {
    thread.map_or(0, |thread| thread.urgency.get(s).rank())
}

fn set_rank(s: Section, thread: ThreadRef, rank: u8) {
    thread.urgency.set(s, thread.urgency.get(s).with_rank(rank));
}

/// Restores ranks and balance from `thread` upwards, until a rank stays what it was.
fn mend_upwards(s: Section, thread: ThreadRef) {
    let mut next = Some(thread);
    while let Some(thread) = next {
        let before = rank(s, Some(thread));
        let top = balance(s, thread);
        if rank(s, Some(top)) == before {
            return;
        }
        next = top.parent.get(s);
    }
}

/// Restores the rank of one thread, whose children may differ by two; says who stands in its place then.
fn balance(s: Section, thread: ThreadRef) -> ThreadRef {
    let (left, right) = (thread.left.get(s), thread.right.get(s));
    let (left_rank, right_rank) = (rank(s, left), rank(s, right));
    match (left, right) {
        (Some(tall), _) if left_rank > right_rank + 1 => lower(s, thread, tall, Side::Left),
        (_, Some(tall)) if right_rank > left_rank + 1 => lower(s, thread, tall, Side::Right),
        _ => {
            set_rank(s, thread, left_rank.max(right_rank) + 1);
            thread
        }
    }
}

/// Turns the tree so that `thread` stands below its child `tall`, or that one's inner child: whoever makes it lower.
fn lower(s: Section, thread: ThreadRef, tall: ThreadRef, side: Side) -> ThreadRef {
    let outer = side.of(tall).get(s);
    match side.other().of(tall).get(s) {
        Some(inner) if rank(s, Some(inner)) > rank(s, outer) => {
            lift(s, inner, tall, side.other());
            lift(s, inner, thread, side)
        }
        _ => lift(s, tall, thread, side),
    }
}

/// Turns the tree so that `child`, on this side of `parent`, stands above it; the order from left to right stays.
fn lift(s: Section, child: ThreadRef, parent: ThreadRef, side: Side) -> ThreadRef {
    replace(s, parent, Some(child));
    hang(s, parent, side, side.other().of(child).get(s));
    hang(s, child, side.other(), Some(parent));
    count(s, parent);
    count(s, child);
    child
}

/// Restores the rank of one thread.
fn count(s: Section, thread: ThreadRef) {
    let tallest = rank(s, thread.left.get(s)).max(rank(s, thread.right.get(s)));
    set_rank(s, thread, tallest + 1);
}
