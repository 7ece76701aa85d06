//! The wait queues of locks, on two levels: a lock has a first-in first-out line of
//! the instances that have waiters, and each of these a tree by priority, first in
//! first out among equals. Priorities of different instances are thus never compared.
//!
//! Owns: the threads that wait for a lock, and their order.
//! Must never know: the owner of the lock, the further course of a waiter.
//!
//! A waiter is in the tree of every instance that schedules it. As it waits for one lock at a
//! time, its places are kept with the thread: one for each instance.

#[cfg(test)]
mod tests;

use crate::smp::order::{Key, Level, Order, Turns};
use crate::smp::steps::step;
use crate::smp::{Instance, Lock, Thread};
use crate::{Branch, Branches, Heap};

/// A place in a tree: of one thread, in one instance.
#[derive(Clone, Copy, Debug)]
pub struct PlaceRecord {
    branch: Branch<Thread>,
    /// Its turn orders equals: a later one waits after the earlier ones.
    key: Key,
    queued: bool,
}

impl PlaceRecord {
    /// The place of no thread, with which the caller fills the table.
    pub const EMPTY: Self = Self {
        branch: Branch::LOOSE,
        key: Key::NONE,
        queued: false,
    };
}

impl Default for PlaceRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// The waiters of one lock in one instance.
#[derive(Clone, Copy, Debug)]
pub struct LineRecord {
    /// The most urgent waiter.
    first: Option<Thread>,
    /// The neighbours in the line of instances; meaningless while there is no waiter.
    before: Option<Instance>,
    behind: Option<Instance>,
}

impl LineRecord {
    /// Without waiters: what the caller fills the table with.
    pub const EMPTY: Self = Self {
        first: None,
        before: None,
        behind: None,
    };
}

impl Default for LineRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// The two ends of a lock's line of instances.
#[derive(Clone, Copy, Debug)]
pub struct EndsRecord {
    first: Option<Instance>,
    last: Option<Instance>,
}

impl EndsRecord {
    /// Without waiters: what the caller fills the table with.
    pub const EMPTY: Self = Self {
        first: None,
        last: None,
    };
}

impl Default for EndsRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// The wait queues of all locks.
#[derive(Debug)]
pub(crate) struct Queues<'a> {
    /// One for each lock.
    ends: &'a mut [EndsRecord],
    /// One for each lock and instance, a lock's together.
    lines: &'a mut [LineRecord],
    /// One for each instance and thread, an instance's together.
    places: &'a mut [PlaceRecord],
    instances: usize,
    threads: usize,
    turns: Turns,
}

impl<'a> Queues<'a> {
    /// Empty queues. There must be `ends` for each lock, `instances` lines for each lock,
    /// and `threads` places for each instance.
    pub(crate) fn new(
        ends: &'a mut [EndsRecord],
        lines: &'a mut [LineRecord],
        places: &'a mut [PlaceRecord],
        instances: usize,
        threads: usize,
    ) -> Self {
        ends.fill(EndsRecord::EMPTY);
        lines.fill(LineRecord::EMPTY);
        places.fill(PlaceRecord::EMPTY);
        Self {
            ends,
            lines,
            places,
            instances,
            threads,
            turns: Turns::NEW,
        }
    }

    /// Returns the instance that has its turn: the next owner of `lock` comes from it. None: no
    /// thread waits.
    pub(crate) fn turn(&self, lock: Lock) -> Option<Instance> {
        self.ends[lock.index()].first
    }

    /// Whether `thread` has a place in a tree of `instance`.
    pub(crate) fn is_queued(&self, instance: Instance, thread: Thread) -> bool {
        self.place(instance, thread).queued
    }

    /// The level that `thread` waits with in `instance`, if it does.
    pub(crate) fn level(&self, instance: Instance, thread: Thread) -> Option<Level> {
        let place = self.place(instance, thread);
        place.queued.then_some(place.key.level)
    }

    /// The most urgent waiter of `lock` in `instance`.
    pub(crate) fn first(&self, lock: Lock, instance: Instance) -> Option<Thread> {
        self.line(lock, instance).first
    }

    /// The level of the most urgent waiter of `lock` in `instance`.
    pub(crate) fn highest(&self, lock: Lock, instance: Instance) -> Option<Level> {
        let first = self.first(lock, instance)?;
        Some(self.place(instance, first).key.level)
    }

    /// The instances with waiters for `lock`, in the order of their turns.
    pub(crate) fn turns(&self, lock: Lock) -> impl Iterator<Item = Instance> + '_ {
        let next = move |instance: &Instance| self.line(lock, *instance).behind;
        core::iter::successors(self.turn(lock), next)
    }

    /// Puts `thread`, which has no place in `instance`, after those of its level there.
    ///
    /// At most log2(n + 1) comparisons among n waiters.
    #[inline(always)]
    pub(crate) fn insert(&mut self, lock: Lock, instance: Instance, thread: Thread, level: Level) {
        let turn = self.turns.draw(Order::Append);
        *self.place_mut(instance, thread) = PlaceRecord {
            branch: Branch::LOOSE,
            key: Key { level, turn },
            queued: true,
        };
        let root = self.line(lock, instance).first;
        if root.is_none() {
            self.join_line(lock, instance);
        }
        let root = self.tree(instance).insert(root, thread);
        self.line_mut(lock, instance).first = root;
    }

    /// Takes `thread`, which waits for `lock`, from its place in `instance`.
    ///
    /// At most 2·log2(n + 1) comparisons among n waiters.
    pub(crate) fn remove(&mut self, lock: Lock, instance: Instance, thread: Thread) {
        let root = self.line(lock, instance).first;
        let root = self.tree(instance).remove(root, thread);
        self.place_mut(instance, thread).queued = false;
        self.line_mut(lock, instance).first = root;
        if root.is_none() {
            self.leave_line(lock, instance);
        }
    }

    /// Makes `thread` wait for `lock` in `instance` with `level`, after its equals. Without a level
    /// it waits there no more. If it waited there before, the instance keeps its turn, even without
    /// another waiter: a change of priority does not end a wait.
    ///
    /// At most 3·log2(n + 1) comparisons among n waiters.
    #[inline(always)]
    pub(crate) fn reposition(
        &mut self,
        lock: Lock,
        instance: Instance,
        thread: Thread,
        level: Option<Level>,
    ) {
        let waited = self.is_queued(instance, thread);
        let next = self.line(lock, instance).behind;
        if waited {
            self.remove(lock, instance, thread);
        }
        if let Some(level) = level {
            self.insert(lock, instance, thread, level);
            if waited {
                self.stay_before(lock, instance, next);
            }
        }
    }

    /// Puts `instance`, which has waiters for `lock`, at the end of its line.
    pub(crate) fn end_turn(&mut self, lock: Lock, instance: Instance) {
        if self.ends[lock.index()].last == Some(instance) {
            return;
        }
        self.leave_line(lock, instance);
        self.join_line(lock, instance);
    }

    /// Every waiter of `lock` in `instance`, in the order in which it would be granted to them if
    /// all stayed as it is: the tests' and the invariants' view. For each waiter, O(n) for n
    /// threads times the depth of the tree.
    pub(crate) fn for_each(&self, lock: Lock, instance: Instance, visit: &mut dyn FnMut(Thread)) {
        let mut next = self.first(lock, instance);
        let first = next;
        while let Some(thread) = next {
            visit(thread);
            let waits = |other: &Thread| {
                self.is_queued(instance, *other) && Some(self.root(instance, *other)) == first
            };
            let all = (0..self.threads).filter_map(Thread::new).filter(waits);
            let behind = all.filter(|other| self.precedes(instance, thread, *other));
            next = behind.reduce(|one, other| match self.precedes(instance, other, one) {
                true => other,
                false => one,
            });
        }
    }

    /// Returns whether `one` would be granted before `other`: in one tree, the more urgent, then
    /// the earlier.
    pub(crate) fn precedes(&self, instance: Instance, one: Thread, other: Thread) -> bool {
        let key = |thread| self.place(instance, thread).key;
        key(one).before(key(other))
    }

    fn root(&self, instance: Instance, thread: Thread) -> Thread {
        let up = |thread: &Thread| self.place(instance, *thread).branch.parent();
        core::iter::successors(Some(thread), up)
            .last()
            .unwrap_or(thread)
    }

    fn join_line(&mut self, lock: Lock, instance: Instance) {
        let last = self.ends[lock.index()].last.replace(instance);
        let line = self.line_mut(lock, instance);
        line.before = last;
        line.behind = None;
        match last {
            Some(last) => self.line_mut(lock, last).behind = Some(instance),
            None => self.ends[lock.index()].first = Some(instance),
        }
    }

    fn leave_line(&mut self, lock: Lock, instance: Instance) {
        let LineRecord { before, behind, .. } = *self.line(lock, instance);
        match before {
            Some(before) => self.line_mut(lock, before).behind = behind,
            None => self.ends[lock.index()].first = behind,
        }
        match behind {
            Some(behind) => self.line_mut(lock, behind).before = before,
            None => self.ends[lock.index()].last = before,
        }
    }

    /// `instance`, which may have gone to the end of the line, has its turn before that of `next`
    /// again.
    #[cold]
    fn stay_before(&mut self, lock: Lock, instance: Instance, next: Option<Instance>) {
        let Some(next) = next.filter(|_| self.line(lock, instance).behind != next) else {
            return;
        };
        self.leave_line(lock, instance);
        let before = self.line_mut(lock, next).before.replace(instance);
        let line = self.line_mut(lock, instance);
        line.before = before;
        line.behind = Some(next);
        match before {
            Some(before) => self.line_mut(lock, before).behind = Some(instance),
            None => self.ends[lock.index()].first = Some(instance),
        }
    }

    fn line(&self, lock: Lock, instance: Instance) -> &LineRecord {
        &self.lines[lock.index() * self.instances + instance.index()]
    }

    fn line_mut(&mut self, lock: Lock, instance: Instance) -> &mut LineRecord {
        &mut self.lines[lock.index() * self.instances + instance.index()]
    }

    fn place(&self, instance: Instance, thread: Thread) -> &PlaceRecord {
        &self.places[instance.index() * self.threads + thread.index()]
    }

    fn place_mut(&mut self, instance: Instance, thread: Thread) -> &mut PlaceRecord {
        &mut self.places[instance.index() * self.threads + thread.index()]
    }

    fn tree(&mut self, instance: Instance) -> Tree<'_> {
        let from = instance.index() * self.threads;
        Tree {
            places: &mut self.places[from..from + self.threads],
        }
    }
}

/// The places of one instance, seen as a heap's links.
struct Tree<'q> {
    places: &'q mut [PlaceRecord],
}

impl Branches for Tree<'_> {
    type Id = Thread;

    fn branch(&self, thread: Thread) -> &Branch<Thread> {
        &self.places[thread.index()].branch
    }

    fn branch_mut(&mut self, thread: Thread) -> &mut Branch<Thread> {
        &mut self.places[thread.index()].branch
    }

    fn is_before(&mut self, a: Thread, b: Thread) -> bool {
        step();
        let key = |thread: Thread| self.places[thread.index()].key;
        key(a).before(key(b))
    }
}
