//! Owns: what makes up a node's priority, and what follows from a change. Must never know: why it
//! changes.

use super::System;
use crate::smp::seats::Place;
use crate::smp::{
    ContributionRecord, Error, Lock, Priority, Thread, ThreadRecord,
    ids::{Instance, NONE},
    node::NodeRecord,
    order::{Level, Order},
    steps::step,
};

impl System<'_> {
    /// Whether `thread` may have `priority` at home.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::InvalidPriority`]: less urgent than its home knows.
    pub fn check_priority_of(&self, thread: Thread, priority: Priority) -> Result<(), Error> {
        self.check_priority(self.scheduler(thread)?, priority)
    }

    pub(crate) fn check_priority(
        &self,
        instance: Instance,
        priority: Priority,
    ) -> Result<(), Error> {
        if priority <= self.instances[instance.index()].kind.least_urgent() {
            Ok(())
        } else {
            Err(Error::InvalidPriority)
        }
    }

    /// The level of a user's priority in `instance`, which exists.
    pub(crate) fn level(&self, instance: Instance, priority: Priority) -> Level {
        self.instances[instance.index()].kind.level(priority)
    }

    /// The user's priority of a level in `instance`: 0 for a deadline.
    pub(crate) fn unmapped(&self, instance: u8, level: Level) -> Priority {
        if !self.instances[instance as usize].kind.knows_deadlines() {
            Priority(u32::try_from(level.0).unwrap_or(u32::MAX))
        } else if level.0 < Level::BACKGROUND {
            Priority::MOST_URGENT
        } else {
            Priority(u32::try_from(level.0 & !Level::BACKGROUND).unwrap_or(u32::MAX))
        }
    }

    /// The most urgent of all that contributes. As many steps as locks contribute.
    #[inline]
    pub(crate) fn wanted(&self, instance: u8, id: u16) -> Level {
        let node = self.node(instance, id);
        let mut level = node.real.min(node.deadline);
        let mut share = node.shares;
        while share != NONE {
            step();
            let record = &self.contributions[share as usize];
            level = level.min(record.level);
            share = record.next;
        }
        level
    }

    /// Takes over what contributes; the node is in no queue.
    #[inline]
    pub(crate) fn refresh(&mut self, instance: u8, id: u16) {
        self.node_mut(instance, id).level = self.wanted(instance, id);
    }

    /// From now on `lock` contributes `level` to the priority of `thread` in `instance`, instead of
    /// what it contributed before. It takes effect with [`System::update_priority`]. As many
    /// steps as locks contribute.
    ///
    /// # Errors
    /// [`Error::TooMany`]: the pool of contributions is used up.
    pub(crate) fn contribute(
        &mut self,
        thread: Thread,
        instance: Instance,
        lock: Lock,
        level: Level,
    ) -> Result<(), Error> {
        let first = self.node(instance.0, thread.0).shares;
        let (_, at) = self.find_share(first, lock.0);
        if at != NONE {
            self.contributions[at as usize].level = level;
            return Ok(());
        }
        let row = self.free_contribution;
        let record = self
            .contributions
            .get_mut(row as usize)
            .ok_or(Error::TooMany)?;
        self.free_contribution = record.next;
        *record = ContributionRecord {
            level,
            lock: lock.0,
            next: first,
        };
        self.node_mut(instance.0, thread.0).shares = row;
        Ok(())
    }

    /// Removes the contribution of `lock` to the priority of `thread` in `instance`, from the next
    /// [`System::update_priority`] on. As many steps as locks contribute.
    pub(crate) fn retract(&mut self, thread: Thread, instance: Instance, lock: Lock) {
        let first = self.node(instance.0, thread.0).shares;
        let (before, at) = self.find_share(first, lock.0);
        if at == NONE {
            return;
        }
        let next = self.contributions[at as usize].next;
        if before == NONE {
            self.node_mut(instance.0, thread.0).shares = next;
        } else {
            self.contributions[before as usize].next = next;
        }
        self.contributions[at as usize] = ContributionRecord {
            next: self.free_contribution,
            ..ContributionRecord::EMPTY
        };
        self.free_contribution = at;
    }

    /// The row of what `lock` contributes in the chain from `first` on, and the one before it.
    fn find_share(&self, first: u16, lock: u16) -> (u16, u16) {
        let (mut before, mut at) = (NONE, first);
        while at != NONE && self.contributions[at as usize].lock != lock {
            step();
            before = at;
            at = self.contributions[at as usize].next;
        }
        (before, at)
    }

    /// The contributions to the priority of `thread` have changed: at home, then where it is
    /// helped. As many steps as locks contribute to each of these nodes.
    pub(crate) fn update_priority(&mut self, thread: Thread, order: Order) {
        let id = thread.0;
        let ThreadRecord {
            home, mut helper, ..
        } = *self.thread(id);
        self.update_node(home, id, order);
        while helper != NodeRecord::NO_HELPER {
            self.update_node(helper, id, order);
            helper = self.node(helper, id).next_helper;
        }
    }

    fn update_node(&mut self, instance: u8, id: u16, order: Order) {
        let wanted = self.wanted(instance, id);
        let node = self.node_mut(instance, id);
        if node.level != wanted {
            node.level = wanted;
            self.note_place(instance, id, order);
        }
    }

    /// The level of the node `id` has changed: at home its thread takes its place among its equals
    /// as `order` says.
    fn note_place(&mut self, instance: u8, id: u16, order: Order) {
        if self.thread(id).home == instance {
            let place = match order {
                Order::Append => Place::Last,
                Order::Prepend => Place::First,
            };
            self.set_loan(Thread(id), |loan| loan.place = place);
        }
    }
}
