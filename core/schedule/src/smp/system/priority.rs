//! Owns: what makes up a node's priority, and what follows from a change. Must never know: why it changes.

use super::System;
use crate::smp::closed::Place;
use crate::smp::{
    ContributionRecord, Effects, Error, Lock, Priority, Thread,
    ids::{Instance, NONE},
    node::{NodeRecord, State},
    order::{Level, Order},
    steps::step,
    thread::Presence,
};
use taktos_time::Instant;

impl System<'_> {
    /// Gives `thread` a priority of its own, behind its equals; the one that it had of its own. Nothing moves unless its
    /// effective priority changes. Insert + m steps for each of its nodes that is in use.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::InvalidPriority`]: less urgent than its home instance knows.
    pub fn set_priority(
        &mut self,
        thread: Thread,
        priority: Priority,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Priority, Error> {
        self.change_priority(thread, priority, Order::Append, now, effects)
    }

    /// [`System::set_priority`], but `thread` goes in front of its equals: for who loses a priority that it was lent.
    /// Bound and errors: as there.
    pub fn set_priority_in_front(
        &mut self,
        thread: Thread,
        priority: Priority,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Priority, Error> {
        self.change_priority(thread, priority, Order::Prepend, now, effects)
    }

    fn change_priority(
        &mut self,
        thread: Thread,
        priority: Priority,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Priority, Error> {
        let id = self.known(thread)?;
        let home = Instance(self.thread(id).home);
        self.check_priority(home, priority)?;
        let level = self.level(home, priority);
        let old = core::mem::replace(&mut self.node_mut(home.0, id).real, level);
        self.priority_changed(thread, order, now, effects);
        Ok(self.unmapped(home.0, old))
    }

    /// A job of `thread` with this absolute deadline is released: it counts from now on. It replaces the former one, and
    /// stays until the next or until [`System::cancel_job`]. Nothing where deadlines do not count, nor while the thread has a
    /// server: its deadline counts. Bound: that of
    /// [`System::set_priority`]; a fixed number of steps for a blocked thread.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    #[inline]
    pub fn release_job(
        &mut self,
        thread: Thread,
        deadline: Instant,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        let home = self.thread(id).home;
        if self.instances[home as usize].kind.knows_deadlines() && !self.serves(id) {
            self.node_mut(home, id).deadline = Level(deadline.as_nanos());
            self.priority_changed(thread, Order::Append, now, effects);
        }
        Ok(())
    }

    /// The deadline of `thread` no longer counts: it goes before its equals among those without. Nothing where deadlines do
    /// not count, nor while the thread has a server. Bound: that of [`System::set_priority`]; a fixed number of steps for a blocked thread.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    #[inline]
    pub fn cancel_job(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.serves(id) {
            return Ok(());
        }
        let home = self.thread(id).home;
        self.node_mut(home, id).deadline = Level::NONE;
        self.priority_changed(thread, Order::Prepend, now, effects);
        Ok(())
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
        self.node_mut(instance, id).key.level = self.wanted(instance, id);
    }

    /// From now on `lock` contributes `level` to the priority of `thread` in `instance`, instead of what it contributed
    /// before. It takes effect with [`System::update_priority`]. As many steps as locks contribute.
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

    /// What `lock` contributed to the priority of `thread` in `instance` no longer counts, from the next
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

    /// What contributes to the priority of `thread` has changed: at home, then where it is helped. Insert + m steps for each
    /// of these nodes.
    pub(crate) fn update_priority(
        &mut self,
        thread: Thread,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        self.update(thread.0, order, now, effects);
    }

    #[inline]
    pub(crate) fn update(
        &mut self,
        id: u16,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let first = self.thread(id).first;
        self.update_node(first, id, order, now, effects);
        let record = self.thread(id);
        if record.helper != NodeRecord::NO_HELPER || record.home != first {
            self.for_each_other(id, |system, instance| {
                system.update_node(instance, id, order, now, effects);
            });
        }
    }

    fn update_node(
        &mut self,
        instance: u8,
        id: u16,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let wanted = self.wanted(instance, id);
        let node = self.node_mut(instance, id);
        if node.key.level == wanted {
            self.retry(instance, id, now, effects);
            return;
        }
        match node.state {
            State::Scheduled => {
                node.key.level = wanted;
                self.place_anew(instance, id, order, now, effects);
                self.settle(instance, now, effects);
            }
            State::Ready => {
                self.remove_ready(instance, id, effects);
                self.refresh(instance, id);
                self.enqueue(instance, id, order, now, effects);
                self.settle(instance, now, effects);
            }
            State::Blocked => {
                node.key.level = wanted;
                self.note_place(instance, id, order);
                self.retry(instance, id, now, effects);
                self.settle(instance, now, effects);
            }
        }
    }

    /// The level of the node `id`, whose thread is blocked in the tables, has changed. Where seats
    /// decide about its home, the thread takes its place among its equals as `order` says.
    fn note_place(&mut self, instance: u8, id: u16, order: Order) {
        let decided = self.instances[instance as usize].closed;
        if decided && self.thread(id).home == instance {
            let place = match order {
                Order::Append => Place::Last,
                Order::Prepend => Place::First,
            };
            self.set_loan(Thread(id), |loan| loan.place = place);
        }
    }

    /// Asks this instance again where the thread is ready and has no processor.
    #[inline]
    fn retry(&mut self, instance: u8, id: u16, now: Instant, effects: &mut impl Effects) {
        if self.thread(id).presence == Presence::Ready {
            self.ask(instance, id, now, effects);
        }
    }
}
