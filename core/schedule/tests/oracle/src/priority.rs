//! Owns: what makes up a node's priority, and what follows from a change. Must never know: why it
//! changes.

use crate::Effects;
use crate::System;
use crate::rows::{Order, Presence, State};
use taktos_schedule::smp::{Error, Level, Lock, Priority, Thread};
use taktos_time::Instant;

impl System {
    /// Gives `thread` a priority of its own, after its equals. Returns the one that it had of its
    /// own. Nothing moves unless its effective priority changes.
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
        self.give_priority(thread, (priority, Order::Append), now, effects)
    }

    /// [`System::set_priority`], but `thread` goes in front of its equals: for a thread that
    /// loses a priority that it was lent.
    ///
    /// # Errors
    /// Those of [`System::set_priority`].
    pub fn set_priority_in_front(
        &mut self,
        thread: Thread,
        priority: Priority,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Priority, Error> {
        self.give_priority(thread, (priority, Order::Prepend), now, effects)
    }

    fn give_priority(
        &mut self,
        thread: Thread,
        (priority, order): (Priority, Order),
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Priority, Error> {
        let id = self.known(thread)?;
        self.check_priority(self.threads[id].home, priority)?;
        Ok(self.at(now, effects, |system| {
            system.change_priority(id, priority, order)
        }))
    }

    pub(crate) fn change_priority(
        &mut self,
        id: usize,
        priority: Priority,
        order: Order,
    ) -> Priority {
        let home = self.threads[id].home;
        let level = self.level(home, priority);
        let old = std::mem::replace(&mut self.node_mut(home, id).real, level);
        self.priority_changed(id, order);
        self.unmapped(home, old)
    }

    /// A job of `thread` with this absolute deadline is released: it counts from now on. It
    /// replaces the former one, and stays until the next or until [`System::cancel_job`]. Nothing
    /// where deadlines do not count, nor while the thread has a server: its deadline counts.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn release_job(
        &mut self,
        thread: Thread,
        deadline: Instant,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        let home = self.threads[id].home;
        if self.instances[home].kind.knows_deadlines() && !self.serves(id) {
            self.node_mut(home, id).deadline = Level(deadline.as_nanos());
            self.at(now, effects, |system| {
                system.priority_changed(id, Order::Append);
            });
        }
        Ok(())
    }

    /// The deadline of `thread` no longer counts: it goes before its equals among those without.
    /// Nothing where deadlines do not count, nor while the thread has a server.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn cancel_job(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if !self.serves(id) {
            let home = self.threads[id].home;
            self.node_mut(home, id).deadline = Level::NONE;
            self.at(now, effects, |system| {
                system.priority_changed(id, Order::Prepend);
            });
        }
        Ok(())
    }

    pub(crate) fn check_priority(&self, instance: usize, priority: Priority) -> Result<(), Error> {
        let known = priority <= self.instances[instance].kind.least_urgent();
        known.then_some(()).ok_or(Error::InvalidPriority)
    }

    /// The level of a user's priority in `instance`.
    pub(crate) fn level(&self, instance: usize, priority: Priority) -> Level {
        match self.instances[instance].kind.knows_deadlines() {
            true => Level(Level::BACKGROUND | u64::from(priority.0)),
            false => Level(priority.0.into()),
        }
    }

    /// The user's priority of a level in `instance`: 0 for a deadline.
    pub(crate) fn unmapped(&self, instance: usize, level: Level) -> Priority {
        let number = match self.instances[instance].kind.knows_deadlines() {
            true if level.0 < Level::BACKGROUND => 0,
            true => level.0 & !Level::BACKGROUND,
            false => level.0,
        };
        Priority(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The most urgent of all that contributes.
    pub(crate) fn wanted(&self, instance: usize, id: usize) -> Level {
        let node = self.node(instance, id);
        let own = node.real.min(node.deadline);
        let shares = node.shares.iter().map(|(_, level)| *level);
        shares.fold(own, Level::min)
    }

    /// Takes over what contributes; the node is in no queue.
    pub(crate) fn refresh(&mut self, instance: usize, id: usize) {
        self.node_mut(instance, id).key.level = self.wanted(instance, id);
    }

    /// From now on `lock` contributes `level` to the priority of the thread `id` in `instance`,
    /// instead of what it contributed before; nothing for [`Level::NONE`]. It takes effect with
    /// [`System::update_priority`].
    pub(crate) fn share(&mut self, id: usize, instance: usize, lock: Lock, level: Level) {
        let shares = &mut self.node_mut(instance, id).shares;
        shares.retain(|(other, _)| *other != lock);
        if level != Level::NONE {
            shares.push((lock, level));
        }
    }

    /// The priority of the thread `id` follows its contributions: at home, then where it is
    /// helped.
    pub(crate) fn update_priority(&mut self, id: usize, order: Order) {
        self.update_node(self.threads[id].first, id, order);
        for instance in self.others(id) {
            self.update_node(instance, id, order);
        }
    }

    fn update_node(&mut self, instance: usize, id: usize, order: Order) {
        let wanted = self.wanted(instance, id);
        let node = self.node_mut(instance, id);
        if node.key.level == wanted {
            return self.retry(instance, id);
        }
        match node.state {
            State::Scheduled => {
                node.key.level = wanted;
                self.reposition(instance, id, order);
            }
            State::Ready => {
                self.withdraw(instance, id);
                self.refresh(instance, id);
                self.enqueue(instance, id, order);
            }
            State::Blocked => {
                node.key.level = wanted;
                self.retry(instance, id);
            }
        }
        self.settle(instance);
    }

    /// Tries this instance again if the thread is ready and has no processor.
    fn retry(&mut self, instance: usize, id: usize) {
        if self.threads[id].presence == Presence::Ready {
            self.ask(instance, id);
        }
    }
}
