//! The wait queues of locks, on two levels: a lock has a first-in first-out line of the instances
//! that have waiters, and each of these a list by priority, first in first out among equals.
//! Priorities of different instances are thus never compared.
//!
//! Owns: the threads that wait for a lock, and their order.
//! Must never know: the owner of the lock, the further course of a waiter.

use super::{LockRow, insert};
use crate::{System, instance, thread};
use taktos_schedule::smp::{Error, Instance, Level, Lock, Thread};

impl LockRow {
    /// The level that `id` waits with in `instance`, if it does.
    pub(super) fn level(&self, instance: usize, id: usize) -> Option<Level> {
        let mut waiters = self.sides[instance].waiters.iter();
        waiters.find(|(_, who)| *who == id).map(|(level, _)| *level)
    }

    /// Makes `id` wait in `instance` with `level`, after those of it; none: it waits there no
    /// more. If it waited there before, the instance keeps its turn.
    pub(super) fn place(&mut self, instance: usize, id: usize, level: Option<Level>) {
        let waiters = &mut self.sides[instance].waiters;
        waiters.retain(|(_, who)| *who != id);
        if let Some(level) = level {
            insert(waiters, level, id);
        }
        if waiters.is_empty() {
            self.turns.retain(|other| *other != instance);
        } else if !self.turns.contains(&instance) {
            self.turns.push(instance);
        }
    }

    /// The next owner by these queues; its instance goes to the end of the line.
    pub(super) fn next_in_turn(&mut self) -> Option<usize> {
        let turn = *self.turns.first()?;
        self.turns.rotate_left(1);
        self.first(turn).map(|(_, next)| next)
    }
}

impl System {
    /// Visits every thread that waits for `lock` in every instance where it has a place: the
    /// instances in their turn, the waiters of one in the order in which they would get it.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such lock.
    pub fn for_each_waiter(
        &self,
        lock: Lock,
        mut visit: impl FnMut(Instance, Thread),
    ) -> Result<(), Error> {
        let row = self.known_lock(lock)?;
        for turn in &row.turns {
            for (_, who) in &row.sides[*turn].waiters {
                visit(instance(*turn), thread(*who));
            }
        }
        Ok(())
    }
}
