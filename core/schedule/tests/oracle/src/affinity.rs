//! Owns: on which processors a thread may run, and moving it to another instance (spec 01, 2.2,
//! 3.2, 4.3).
//! Must never know: which masks a policy can keep to.

use crate::Effects;
use crate::System;
use crate::rows::{Order, Presence, State};
use taktos_schedule::CpuSet;
use taktos_schedule::smp::{Error, Instance, Level, Priority, Reasons, Thread};
use taktos_time::Instant;

impl System {
    /// Lets `thread` run on `cpus` only, as far as they are online. It goes after its equals, if
    /// that changes anything. It binds at home; while it is pinned, it is only kept for later.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::InvalidNumber`]: the home instance's policy does not accept
    /// these processors.
    pub fn set_affinity(
        &mut self,
        thread: Thread,
        cpus: CpuSet,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        let home = self.threads[id].home;
        let mask = cpus.and(self.online);
        self.check_mask(home, mask)?;
        let former = std::mem::replace(&mut self.threads[id].affinity, mask);
        if former != mask && self.threads[id].pinned_to.is_none() {
            self.at(now, effects, |system| system.rebind(home, id, mask));
        }
        Ok(())
    }

    /// The processors on which `thread` may run at home.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn affinity(&self, thread: Thread) -> Result<CpuSet, Error> {
        Ok(self.threads[self.known(thread)?].affinity)
    }

    /// The node `id` is bound to `mask`; it is in no queue.
    pub(crate) fn set_mask(&mut self, instance: usize, id: usize, mask: CpuSet) {
        self.node_mut(instance, id).mask = mask;
        self.instances[instance].binds |= !mask.covers(self.online);
    }

    /// The node `id` is bound to `mask` whatever its state: it leaves its queue or its processor
    /// and comes in again.
    pub(crate) fn rebind(&mut self, instance: usize, id: usize, mask: CpuSet) {
        let node = self.node(instance, id);
        let state = node.state;
        if state == State::Scheduled && node.idle.is_none() {
            self.threads[id].presence = Presence::Ready;
        }
        self.withdraw(instance, id);
        self.set_mask(instance, id, mask);
        if state != State::Blocked {
            let waits = self.enqueue(instance, id, Order::Append);
            self.settle(instance);
            if waits {
                self.request_help(id);
            }
        }
    }

    /// Moves `thread` to `instance`, with `priority` as its own there: after its equals. Within
    /// its instance it is a change of priority. In another one, `priority` is also the one that a
    /// restart goes back to.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]: no such instance. [`Error::InvalidPriority`]: less
    /// urgent than the instance knows. [`Error::InvalidId`]: no such thread.
    /// [`Error::ResourceInUse`]: it waits in a queue, or more than its own priority counts (a lock,
    /// a deadline, a server), or it is helped, or pinned. [`Error::Unsatisfied`]: the instance has
    /// no processor, or its policy does not accept the thread's affinity.
    pub fn set_scheduler(
        &mut self,
        thread: Thread,
        instance: Instance,
        priority: Priority,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let target = self.known_instance(instance)?;
        self.check_priority(target, priority)?;
        let id = self.known(thread)?;
        self.check_move(id, target)?;
        if target == self.threads[id].home {
            self.set_priority(thread, priority, now, effects)?;
        } else {
            self.at(now, effects, |system| {
                system.change_home(id, target, priority);
            });
        }
        Ok(())
    }

    fn check_move(&self, id: usize, target: usize) -> Result<(), Error> {
        let record = &self.threads[id];
        let node = self.node(record.home, id);
        let waits = record.reasons.any_of(Reasons::WAIT) || record.lock.is_some();
        let counts = !node.shares.is_empty() || node.deadline != Level::NONE || self.serves(id);
        if waits || counts || !record.helpers.is_empty() || record.pins > 0 {
            return Err(Error::ResourceInUse);
        }
        if self.instances[target].owned.is_empty() {
            return Err(Error::Unsatisfied);
        }
        let accepts = self.check_mask(target, record.affinity);
        accepts.map_err(|_| Error::Unsatisfied)
    }

    fn change_home(&mut self, id: usize, target: usize, priority: Priority) {
        let ready = !self.is_blocked(id);
        if ready {
            self.make_blocked(id);
        }
        let record = &mut self.threads[id];
        let (home, affinity) = (record.home, record.affinity);
        record.home = target;
        record.first = target;
        record.initial = priority;
        self.node_mut(home, id).real = self.lowest_level(home);
        self.set_mask(home, id, CpuSet::ALL);
        self.node_mut(target, id).real = self.level(target, priority);
        self.set_mask(target, id, affinity);
        self.refresh(target, id);
        if ready {
            self.make_ready(id, Order::Append);
        }
    }

    /// The instance that `thread` is at home in.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn scheduler(&self, thread: Thread) -> Result<Instance, Error> {
        Ok(crate::instance(self.threads[self.known(thread)?].home))
    }
}
