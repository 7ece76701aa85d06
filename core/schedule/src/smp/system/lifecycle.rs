//! Owns: how threads come to be and cease to be. Must never know: what they execute.

use super::System;
use crate::{
    CpuSet,
    smp::{
        Effects, Error, Instance, NodeRecord, Priority, Reasons, Thread, ThreadRecord,
        ids::NONE,
        node::State,
        order::{Level, Order},
        thread::Presence,
    },
};
use taktos_time::Instant;

impl System<'_> {
    /// A new thread, dormant, at home in `home`. Without an affinity it may run on every processor.
    ///
    /// Threads come in the order of their rows; a row that was freed last is used first. A fixed number of steps.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such instance. [`Error::InvalidPriority`]: less urgent than the instance knows.
    /// [`Error::Unsatisfied`]: the instance has no processor. [`Error::InvalidNumber`]: its policy does not accept the
    /// affinity. [`Error::TooMany`]: the table of threads is full.
    pub fn create(
        &mut self,
        home: Instance,
        priority: Priority,
        affinity: Option<CpuSet>,
    ) -> Result<Thread, Error> {
        let instance = self.known_instance(home)?;
        self.check_priority(home, priority)?;
        let affinity = self.online.and(affinity.unwrap_or(CpuSet::ALL));
        let record = &self.instances[home.index()];
        if record.places.owned.is_empty() {
            return Err(Error::Unsatisfied);
        }
        record
            .queues
            .check(affinity, record.places.owned, self.online)?;
        let openings = record.openings;
        let id = self.free_thread;
        if id == NONE {
            return Err(Error::TooMany);
        }
        let row = self.thread_mut(id);
        let next = row.ask_next;
        *row = ThreadRecord {
            affinity,
            exists: true,
            home: instance,
            first: instance,
            openings,
            initial: priority.0,
            ..ThreadRecord::EMPTY
        };
        self.free_thread = next;
        self.node_mut(instance, id).real = self.level(home, priority);
        self.refresh(instance, id);
        self.set_mask(instance, id, affinity);
        Ok(Thread(id))
    }

    /// A new thread, started, that is blocked for `reasons`. Otherwise as [`System::create`].
    ///
    /// # Errors
    /// Those of [`System::create`].
    #[inline(always)]
    pub fn create_blocked(
        &mut self,
        home: Instance,
        priority: Priority,
        reasons: Reasons,
    ) -> Result<Thread, Error> {
        let thread = self.create(home, priority, None)?;
        self.thread_mut(thread.0).reasons = reasons;
        Ok(thread)
    }

    /// A node that nobody uses: at the least urgent priority of its instance, bound to nothing. Those of rows without a thread are.
    pub(super) fn fresh_node(&mut self, instance: u8, id: u16) {
        let least = self.lowest_level(instance);
        *self.node_mut(instance, id) = NodeRecord {
            real: least,
            ..NodeRecord::EMPTY
        };
    }

    /// The level of the nodes of `instance` that are not in use.
    pub(crate) fn lowest_level(&self, instance: u8) -> Level {
        let least = self.instances[instance as usize].kind.least_urgent();
        self.level(Instance(instance), least)
    }

    /// Starts a dormant thread. Bound: that of [`System::unblock`].
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
        if !self.thread(id).reasons.any_of(Reasons::DORMANT) {
            return Err(Error::IncorrectState);
        }
        self.clear_reasons(id, Reasons::DORMANT, now, effects);
        Ok(())
    }

    /// `thread` begins anew: ready whatever it waited for, at the priority with which it was created, without a job.
    /// A budget that is used up stays so.
    /// A thread that was ready and keeps its effective priority keeps its place. Bounds: those of
    /// [`System::set_priority`] and [`System::unblock`] together.
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
        let record = self.thread(id);
        if record.reasons.any_of(Reasons::DORMANT) {
            return Err(Error::IncorrectState);
        }
        let (home, priority) = (Instance(record.home), Priority(record.initial));
        self.abandon_wait(thread, now, effects);
        let level = self.level(home, priority);
        let node = self.node_mut(home.0, id);
        node.real = level;
        if !self.serves(id) {
            self.node_mut(home.0, id).deadline = Level::NONE;
        }
        self.priority_changed(thread, Order::Append, now, effects);
        let reasons = self.thread(id).reasons.minus(Reasons::BUDGET);
        self.clear_reasons(id, reasons, now, effects);
        Ok(())
    }

    /// `thread` ceases to exist, from any state. Where it executes, its row is not used again before that processor is
    /// dispatched.
    /// Bound: that of [`System::block`], and as many steps as instances.
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
        if self.locks.owns_any(thread) {
            return Err(Error::ResourceInUse);
        }
        self.abandon_wait(thread, now, effects);
        if self.thread(id).presence != Presence::Blocked {
            self.make_blocked(id, now, effects);
        }
        for instance in 0..self.instances.len() as u8 {
            if self.state(instance, id) != State::Blocked {
                self.withdraw(instance, id, now, effects);
            }
            self.fresh_node(instance, id);
        }
        self.drop_server(id);
        if self.thread(id).pins > 0 {
            self.count_pin(id, false);
            self.forget_pin_abroad(thread);
        }
        let live_on = self.thread(id).live_on;
        *self.thread_mut(id) = ThreadRecord {
            live_on,
            ..ThreadRecord::EMPTY
        };
        if live_on == ThreadRecord::NOWHERE {
            self.free(id);
        }
        Ok(())
    }

    /// The row `id` can be used again: nothing exists there, and no processor has its registers.
    pub(crate) fn free(&mut self, id: u16) {
        let next = core::mem::replace(&mut self.free_thread, id);
        self.thread_mut(id).ask_next = next;
    }
}
