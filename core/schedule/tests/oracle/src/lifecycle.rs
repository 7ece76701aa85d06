//! Owns: how threads come to be and cease to be. Must never know: what they execute.

use crate::Effects;
use crate::System;
use crate::rows::{Node, Order, ThreadRow};
use taktos_schedule::CpuSet;
use taktos_schedule::smp::{Error, Instance, Level, Outcome, Priority, Reasons, Thread};
use taktos_time::Instant;

impl System {
    /// A new thread, dormant, at home in `home`. Without an affinity it may run on every processor.
    ///
    /// Threads come in the order of their rows; a row that was freed last is used first.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such instance. [`Error::InvalidPriority`]: less urgent than the
    /// instance knows. [`Error::Unsatisfied`]: the instance has no processor.
    /// [`Error::InvalidNumber`]: its policy does not accept the affinity. [`Error::TooMany`]: there
    /// is no room for it.
    pub fn create(
        &mut self,
        home: Instance,
        priority: Priority,
        affinity: Option<CpuSet>,
    ) -> Result<Thread, Error> {
        let home = self.known_instance(home)?;
        self.check_priority(home, priority)?;
        let affinity = self.online.and(affinity.unwrap_or(CpuSet::ALL));
        if self.instances[home].owned.is_empty() {
            return Err(Error::Unsatisfied);
        }
        self.check_mask(home, affinity)?;
        let id = self.free_threads.pop().ok_or(Error::TooMany)?;
        self.threads[id] = ThreadRow {
            affinity,
            exists: true,
            home,
            first: home,
            initial: priority,
            ..ThreadRow::EMPTY
        };
        self.node_mut(home, id).real = self.level(home, priority);
        self.refresh(home, id);
        self.set_mask(home, id, affinity);
        Ok(crate::thread(id))
    }

    /// Resets a node to the unused state: at the least urgent priority of its instance, bound to
    /// nothing.
    pub(crate) fn fresh_node(&mut self, instance: usize, id: usize) {
        self.nodes[instance][id] = Node::new(self.lowest_level(instance));
    }

    /// The level of the nodes of `instance` that are not in use.
    pub(crate) fn lowest_level(&self, instance: usize) -> Level {
        self.level(instance, self.instances[instance].kind.least_urgent())
    }

    /// Starts a dormant thread.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it was started before.
    pub fn start(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if !self.threads[id].reasons.any_of(Reasons::DORMANT) {
            return Err(Error::IncorrectState);
        }
        self.at(now, effects, |system| {
            system.clear_reasons(id, Reasons::DORMANT);
        });
        Ok(())
    }

    /// Starts `thread` again: ready whatever it waited for, at the priority with which it was
    /// created, without a job. A budget that is used up stays so. A thread that was ready and
    /// keeps its effective priority keeps its place.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it was never started.
    pub fn restart(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.threads[id].reasons.any_of(Reasons::DORMANT) {
            return Err(Error::IncorrectState);
        }
        self.at(now, effects, |system| system.begin_anew(id));
        Ok(())
    }

    fn begin_anew(&mut self, id: usize) {
        self.give_up(id, Outcome::Flushed);
        let (home, initial) = (self.threads[id].home, self.threads[id].initial);
        if !self.serves(id) {
            self.node_mut(home, id).deadline = Level::NONE;
        }
        self.change_priority(id, initial, Order::Append);
        let reasons = self.threads[id].reasons.minus(Reasons::BUDGET);
        self.clear_reasons(id, reasons);
    }

    /// Deletes `thread`, from any state. If it executes, its row is not used again before that
    /// processor is dispatched.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::ResourceInUse`]: it holds a lock.
    pub fn delete(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.owns_any(thread) {
            return Err(Error::ResourceInUse);
        }
        self.at(now, effects, |system| system.end(id));
        Ok(())
    }

    fn end(&mut self, id: usize) {
        self.give_up(id, Outcome::Flushed);
        if !self.is_blocked(id) {
            self.make_blocked(id);
        }
        for instance in 0..self.instances.len() {
            self.withdraw(instance, id);
            self.fresh_node(instance, id);
        }
        let live_on = self.threads[id].live_on;
        self.threads[id] = ThreadRow {
            live_on,
            ..ThreadRow::EMPTY
        };
        if live_on.is_none() {
            self.free_threads.push(id);
        }
    }
}
