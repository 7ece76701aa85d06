//! Owns: the threads whose wait ends at some time, the earliest first.
//! Must never know: what they wait for.
//!
//! A leftist heap (Crane 1972; Knuth, TAOCP vol. 3, section 5.2.3) whose links lie in the control
//! blocks. With n threads in it, to insert, to remove the earliest and to remove any one takes at
//! most 2·log₂(n + 1) + 2 steps each: the rank of a thread is the length of the shortest way
//! down from it, a right child never has a larger rank than the left one, so each way to the
//! right is short. Threads of the same deadline become ready in one and the same interrupt, in an
//! order that is the same in each run but is not that of arrival; the scheduler orders them by priority.

use crate::section::{Guarded, Section};
use crate::tcb::ThreadRef;
use taktos_time::Instant;

#[cfg(test)]
mod tests;

/// The threads with a time-out running.
pub(crate) struct TimeoutQueue {
    earliest: Guarded<Option<ThreadRef>>,
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

    /// Starts `thread`'s time-out. It has none running.
    pub fn insert(&self, s: Section, thread: ThreadRef, deadline: Instant) {
        thread.deadline.set(s, deadline);
        thread.left.set(s, None);
        thread.right.set(s, None);
        set_rank(s, thread, 1);
        self.replace_root(s, merge(s, self.earliest.get(s), Some(thread)));
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
        let rest = merge(s, thread.left.get(s), thread.right.get(s));
        let parent = thread.parent.get(s);
        set_rank(s, thread, 0);
        match parent {
            None => self.replace_root(s, rest),
            Some(parent) => {
                if parent.left.get(s) == Some(thread) {
                    parent.left.set(s, rest);
                } else {
                    parent.right.set(s, rest);
                }
                if let Some(rest) = rest {
                    rest.parent.set(s, Some(parent));
                }
                mend_upwards(s, parent);
            }
        }
    }

    fn replace_root(&self, s: Section, root: Option<ThreadRef>) {
        if let Some(root) = root {
            root.parent.set(s, None);
        }
        self.earliest.set(s, root);
    }
}

fn rank(s: Section, thread: Option<ThreadRef>) -> u8 {
    thread.map_or(0, |thread| thread.urgency.get(s).rank())
}

fn set_rank(s: Section, thread: ThreadRef, rank: u8) {
    thread.urgency.set(s, thread.urgency.get(s).with_rank(rank));
}

fn comes_before(s: Section, a: ThreadRef, b: ThreadRef) -> bool {
    a.deadline.get(s) < b.deadline.get(s)
}

/// Makes one heap of two. Walks down the right ways of both, then back up to mend the ranks.
fn merge(s: Section, a: Option<ThreadRef>, b: Option<ThreadRef>) -> Option<ThreadRef> {
    let (Some(mut a), Some(mut b)) = (a, b) else {
        return a.or(b);
    };
    if comes_before(s, b, a) {
        (a, b) = (b, a);
    }
    let root = a;
    // `a` is in place; `b` is to go into what stands to the right of `a`.
    while let Some(right) = a.right.get(s) {
        let (upper, lower) = if comes_before(s, b, right) {
            (b, right)
        } else {
            (right, b)
        };
        a.right.set(s, Some(upper));
        upper.parent.set(s, Some(a));
        a = upper;
        b = lower;
    }
    a.right.set(s, Some(b));
    b.parent.set(s, Some(a));
    mend_to(s, a, root);
    Some(root)
}

/// Restores the ranks from `thread` up to `top`.
fn mend_to(s: Section, thread: ThreadRef, top: ThreadRef) {
    let mut thread = thread;
    loop {
        mend(s, thread);
        if thread == top {
            return;
        }
        match thread.parent.get(s) {
            Some(parent) => thread = parent,
            None => return,
        }
    }
}

/// Restores the ranks from `thread` upwards, until one does not change.
fn mend_upwards(s: Section, thread: ThreadRef) {
    let mut next = Some(thread);
    while let Some(thread) = next.filter(|thread| mend(s, *thread)) {
        next = thread.parent.get(s);
    }
}

/// Restores the order of the children and the rank of one thread; says whether its rank changed.
fn mend(s: Section, thread: ThreadRef) -> bool {
    let (left, right) = (thread.left.get(s), thread.right.get(s));
    let (left_rank, right_rank) = (rank(s, left), rank(s, right));
    if left_rank < right_rank {
        thread.left.set(s, right);
        thread.right.set(s, left);
    }
    let new = left_rank.min(right_rank) + 1;
    let changed = thread.urgency.get(s).rank() != new;
    set_rank(s, thread, new);
    changed
}
