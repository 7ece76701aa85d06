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

use crate::critical_section::{CriticalSection, Guarded};
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
    pub fn next(&self, cs: CriticalSection<'_>) -> Option<Instant> {
        self.earliest.get(cs).map(|thread| thread.deadline.get(cs))
    }

    /// Starts `thread`'s time-out, behind those of the same time. It has none running.
    pub fn insert(&self, cs: CriticalSection<'_>, thread: ThreadRef, deadline: Instant) {
        thread.deadline.set(cs, deadline);
        thread.left.set(cs, None);
        thread.right.set(cs, None);
        set_rank(cs, thread, 1);
        let Some(earliest) = self.earliest.get(cs) else {
            thread.parent.set(cs, None);
            return self.earliest.set(cs, Some(thread));
        };
        let (parent, side) = if deadline < earliest.deadline.get(cs) {
            self.earliest.set(cs, Some(thread));
            (earliest, Side::Left)
        } else {
            place_behind(cs, earliest, deadline)
        };
        hang(cs, parent, side, Some(thread));
        mend_upwards(cs, parent);
    }

    /// Takes out the thread whose time-out comes first, if it comes by `now`.
    pub fn pop_due(&self, cs: CriticalSection<'_>, now: Instant) -> Option<ThreadRef> {
        let thread = self
            .earliest
            .get(cs)
            .filter(|thread| thread.deadline.get(cs) <= now)?;
        self.remove(cs, thread);
        Some(thread)
    }

    /// Stops `thread`'s time-out, which runs.
    pub fn remove(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let (left, right) = (thread.left.get(cs), thread.right.get(cs));
        if self.earliest.get(cs) == Some(thread) {
            // Nothing is to its left, so at most one is to its right.
            self.earliest.set(cs, right.or(thread.parent.get(cs)));
        }
        let lowest = if let (Some(left), Some(right)) = (left, right) {
            Some(replace_by_next(cs, thread, left, right))
        } else {
            replace(cs, thread, left.or(right));
            thread.parent.get(cs)
        };
        set_rank(cs, thread, 0);
        if let Some(lowest) = lowest {
            mend_upwards(cs, lowest);
        }
    }
}

/// Where a thread with this deadline belongs, which is not before `earliest`: below whom, and on which side.
fn place_behind(
    cs: CriticalSection<'_>,
    earliest: ThreadRef,
    deadline: Instant,
) -> (ThreadRef, Side) {
    let comes_before = |thread: &ThreadRef| thread.deadline.get(cs) <= deadline;
    let mut place = earliest;
    while let Some(above) = place.parent.get(cs).filter(comes_before) {
        place = above;
    }
    let mut side = Side::Right;
    while let Some(below) = side.of(place).get(cs) {
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
fn replace_by_next(
    cs: CriticalSection<'_>,
    thread: ThreadRef,
    left: ThreadRef,
    right: ThreadRef,
) -> ThreadRef {
    let mut lowest = None;
    let mut next = right;
    while let Some(below) = next.left.get(cs) {
        lowest = Some(next);
        next = below;
    }
    if lowest.is_some() {
        replace(cs, next, next.right.get(cs));
        hang(cs, next, Side::Right, Some(right));
    }
    hang(cs, next, Side::Left, Some(left));
    replace(cs, thread, Some(next));
    set_rank(cs, next, rank(cs, Some(thread)));
    lowest.unwrap_or(next)
}

/// Puts `new` in the place of `old` below the thread above it.
fn replace(cs: CriticalSection<'_>, old: ThreadRef, new: Option<ThreadRef>) {
    match old.parent.get(cs) {
        Some(parent) if parent.left.get(cs) == Some(old) => hang(cs, parent, Side::Left, new),
        Some(parent) => hang(cs, parent, Side::Right, new),
        None => {
            if let Some(new) = new {
                new.parent.set(cs, None);
            }
        }
    }
}

fn hang(cs: CriticalSection<'_>, parent: ThreadRef, side: Side, child: Option<ThreadRef>) {
    side.of(parent).set(cs, child);
    if let Some(child) = child {
        child.parent.set(cs, Some(parent));
    }
}

fn rank(cs: CriticalSection<'_>, thread: Option<ThreadRef>) -> u8 {
    thread.map_or(0, |thread| thread.urgency.get(cs).rank())
}

fn set_rank(cs: CriticalSection<'_>, thread: ThreadRef, rank: u8) {
    thread
        .urgency
        .set(cs, thread.urgency.get(cs).with_rank(rank));
}

/// Restores ranks and balance from `thread` upwards, until a rank stays what it was.
fn mend_upwards(cs: CriticalSection<'_>, thread: ThreadRef) {
    let mut next = Some(thread);
    while let Some(thread) = next {
        let before = rank(cs, Some(thread));
        let top = balance(cs, thread);
        if rank(cs, Some(top)) == before {
            return;
        }
        next = top.parent.get(cs);
    }
}

/// Restores the rank of one thread, whose children may differ by two; says who stands in its place then.
fn balance(cs: CriticalSection<'_>, thread: ThreadRef) -> ThreadRef {
    let (left, right) = (thread.left.get(cs), thread.right.get(cs));
    let (left_rank, right_rank) = (rank(cs, left), rank(cs, right));
    match (left, right) {
        (Some(tall), _) if left_rank > right_rank + 1 => lower(cs, thread, tall, Side::Left),
        (_, Some(tall)) if right_rank > left_rank + 1 => lower(cs, thread, tall, Side::Right),
        _ => {
            set_rank(cs, thread, left_rank.max(right_rank) + 1);
            thread
        }
    }
}

/// Turns the tree so that `thread` stands below its child `tall`, or that one's inner child: whoever makes it lower.
fn lower(cs: CriticalSection<'_>, thread: ThreadRef, tall: ThreadRef, side: Side) -> ThreadRef {
    let outer = side.of(tall).get(cs);
    match side.other().of(tall).get(cs) {
        Some(inner) if rank(cs, Some(inner)) > rank(cs, outer) => {
            lift(cs, inner, tall, side.other());
            lift(cs, inner, thread, side)
        }
        _ => lift(cs, tall, thread, side),
    }
}

/// Turns the tree so that `child`, on this side of `parent`, stands above it; the order from left to right stays.
fn lift(cs: CriticalSection<'_>, child: ThreadRef, parent: ThreadRef, side: Side) -> ThreadRef {
    replace(cs, parent, Some(child));
    hang(cs, parent, side, side.other().of(child).get(cs));
    hang(cs, child, side.other(), Some(parent));
    count(cs, parent);
    count(cs, child);
    child
}

/// Restores the rank of one thread.
fn count(cs: CriticalSection<'_>, thread: ThreadRef) {
    let tallest = rank(cs, thread.left.get(cs)).max(rank(cs, thread.right.get(cs)));
    set_rank(cs, thread, tallest + 1);
}
