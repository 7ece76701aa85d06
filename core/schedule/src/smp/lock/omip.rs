//! The order of grants of OMIP (Brandenburg, ECRTS 2013, section 4). Each instance has a first-in
//! first-out queue of at most as many requests as it has processors, and after it a queue by
//! priority. The heads of the former are in one first-in first-out line. The owner counts as the
//! head of its queue until it releases.
//!
//! Owns: the order of turns.
//! Must never know: the priorities that waiters lend the owner; all of them do, in either queue.
//!
//! Each operation takes at most 3·log2(n + 1) comparisons for n waiters, except the choice, which
//! checks all instances.

use super::Table;
use super::table::WaitRecord;
use crate::smp::order::{Key, Level, Order};
use crate::smp::steps::step;
use crate::smp::{Instance, Lock, Thread};
use crate::{Branch, Branches, Heap};

/// The queues of one lock in one instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads {
    /// First in, first out.
    first: Option<Thread>,
    last: Option<Thread>,
    /// The most urgent of those in the queue by priority.
    rest: Option<Thread>,
    /// Requests in the first queue, the owner's included.
    used: u16,
    /// The place of the head in the line of all instances.
    turn: Option<u64>,
}

impl Heads {
    pub(super) const EMPTY: Self = Self {
        first: None,
        last: None,
        rest: None,
        used: 0,
        turn: None,
    };
}

/// The position of a waiter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stand {
    queue: Queue,
    key: Key,
    branch: Branch<Thread>,
    before: Option<Thread>,
    behind: Option<Thread>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Queue {
    None,
    /// First in, first out.
    Heads,
    /// By priority.
    Rest,
}

impl Stand {
    pub(super) const NOWHERE: Self = Self {
        queue: Queue::None,
        key: Key::NONE,
        branch: Branch::LOOSE,
        before: None,
        behind: None,
    };
}

impl Table<'_> {
    /// Notes that `instance` has the owner of `lock`, for which no thread waits.
    pub(super) fn take_slot(&mut self, lock: Lock, instance: Instance) {
        self.lock_mut(lock).slot = Some(instance);
    }

    /// Counts the owner as a request, or as none, under OMIP: the first thread waits for `lock`, or
    /// none waits any more.
    pub(super) fn count_slot(&mut self, lock: Lock, change: impl FnOnce(u16) -> u16) {
        if self.is_omip(lock)
            && let Some(instance) = self.slot(lock)
        {
            let used = &mut self.heads(lock, instance).used;
            *used = change(*used);
        }
    }

    /// Frees the owner's slot when the owner releases `lock`, for which threads wait: the next one
    /// in its queue moves up. `room` is the number of processors of its instance.
    pub(super) fn return_slot(&mut self, lock: Lock, room: usize) {
        self.count_slot(lock, |used| used - 1);
        if let Some(instance) = self.lock_mut(lock).slot.take() {
            self.move_up(lock, instance, room);
        }
    }

    /// The instance of the owner of `lock`, as it was when it was granted.
    pub(super) fn slot(&self, lock: Lock) -> Option<Instance> {
        self.lock(lock).slot
    }

    /// `thread` waits for `lock`, with `level` in its home `instance`.
    pub(super) fn stand(
        &mut self,
        lock: Lock,
        instance: Instance,
        thread: Thread,
        level: Level,
        room: usize,
    ) {
        if usize::from(self.heads(lock, instance).used) < room {
            self.join_heads(lock, instance, thread);
            self.line_up(lock, instance);
        } else {
            self.join_rest(lock, instance, thread, level);
        }
    }

    /// Applies a change of the level of `thread` in its home `instance`: puts it after its equals,
    /// unless priorities no longer count for it.
    pub(super) fn stand_anew(
        &mut self,
        lock: Lock,
        instance: Instance,
        thread: Thread,
        level: Level,
    ) {
        if self.wait(thread).stand.queue == Queue::Rest {
            self.leave_rest(lock, instance, thread);
            self.join_rest(lock, instance, thread, level);
        }
    }

    /// Ends the wait of `thread`; the next one in its queue moves up.
    pub(super) fn stand_down(
        &mut self,
        lock: Lock,
        instance: Instance,
        thread: Thread,
        room: usize,
    ) {
        match self.wait(thread).stand.queue {
            Queue::None => {}
            Queue::Rest => self.leave_rest(lock, instance, thread),
            Queue::Heads => {
                self.leave_heads(lock, instance, thread);
                self.heads(lock, instance).used -= 1;
                self.move_up(lock, instance, room);
            }
        }
    }

    /// The next owner of `lock`: it keeps its place in its queue as the owner.
    pub(super) fn next_in_line(&mut self, lock: Lock) -> Option<Thread> {
        let turn = |instance: &Instance| {
            step();
            self.side(lock, *instance).heads.turn.unwrap_or(u64::MAX)
        };
        let instance = self.instances().min_by_key(turn)?;
        let heads = self.heads(lock, instance);
        heads.turn.take()?;
        let next = heads.first?;
        self.leave_heads(lock, instance, next);
        self.lock_mut(lock).slot = Some(instance);
        Some(next)
    }

    /// Fills the first queue of `instance`, and sees that its head is in line.
    fn move_up(&mut self, lock: Lock, instance: Instance, room: usize) {
        while usize::from(self.heads(lock, instance).used) < room {
            let Some(next) = self.heads(lock, instance).rest else {
                break;
            };
            self.leave_rest(lock, instance, next);
            self.join_heads(lock, instance, next);
        }
        self.line_up(lock, instance);
    }

    /// The head of `instance` joins the line, where it is not there and no owner is before it.
    fn line_up(&mut self, lock: Lock, instance: Instance) {
        let Heads { first, turn, .. } = self.side(lock, instance).heads;
        let behind_owner = self.lock(lock).slot == Some(instance);
        let turn = match (first, turn) {
            (None, _) => None,
            (Some(_), None) if !behind_owner => Some(self.draw(Order::Append)),
            (Some(_), turn) => turn,
        };
        self.heads(lock, instance).turn = turn;
    }

    fn join_heads(&mut self, lock: Lock, instance: Instance, thread: Thread) {
        let heads = self.heads(lock, instance);
        heads.used += 1;
        let last = heads.last.replace(thread);
        if last.is_none() {
            heads.first = Some(thread);
        }
        self.wait_mut(thread).stand = Stand {
            queue: Queue::Heads,
            before: last,
            ..Stand::NOWHERE
        };
        if let Some(last) = last {
            self.wait_mut(last).stand.behind = Some(thread);
        }
    }

    fn leave_heads(&mut self, lock: Lock, instance: Instance, thread: Thread) {
        let stand = core::mem::replace(&mut self.wait_mut(thread).stand, Stand::NOWHERE);
        match stand.before {
            Some(before) => self.wait_mut(before).stand.behind = stand.behind,
            None => self.heads(lock, instance).first = stand.behind,
        }
        match stand.behind {
            Some(behind) => self.wait_mut(behind).stand.before = stand.before,
            None => self.heads(lock, instance).last = stand.before,
        }
    }

    fn join_rest(&mut self, lock: Lock, instance: Instance, thread: Thread, level: Level) {
        let turn = self.draw(Order::Append);
        self.wait_mut(thread).stand = Stand {
            queue: Queue::Rest,
            key: Key { level, turn },
            ..Stand::NOWHERE
        };
        let root = self.heads(lock, instance).rest;
        let root = Rest(self.waits_mut()).insert(root, thread);
        self.heads(lock, instance).rest = root;
    }

    fn leave_rest(&mut self, lock: Lock, instance: Instance, thread: Thread) {
        let root = self.heads(lock, instance).rest;
        let root = Rest(self.waits_mut()).remove(root, thread);
        self.heads(lock, instance).rest = root;
        self.wait_mut(thread).stand = Stand::NOWHERE;
    }

    fn heads(&mut self, lock: Lock, instance: Instance) -> &mut Heads {
        &mut self.side_mut(lock, instance).heads
    }
}

/// The threads that wait by priority, as the links of a heap.
struct Rest<'t>(&'t mut [WaitRecord]);

impl Branches for Rest<'_> {
    type Id = Thread;

    fn branch(&self, thread: Thread) -> &Branch<Thread> {
        &self.0[thread.index()].stand.branch
    }

    fn branch_mut(&mut self, thread: Thread) -> &mut Branch<Thread> {
        &mut self.0[thread.index()].stand.branch
    }

    fn is_before(&mut self, a: Thread, b: Thread) -> bool {
        step();
        let key = |thread: Thread| self.0[thread.index()].stand.key;
        key(a).before(key(b))
    }
}
