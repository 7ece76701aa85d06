//! Owns: on which processors a thread may run, and moving it to another instance (spec 01, 2.2, 3.2, 4.3).
//! Must never know: which masks a policy can keep to.

use super::System;
use crate::{
    Cpu, CpuSet,
    smp::{
        Effects, Error, Instance, NodeRecord, Priority, Reasons, Thread,
        ids::NONE,
        node::State,
        order::{Level, Order},
        thread::{Presence, ThreadRecord},
    },
};
use taktos_time::Instant;

impl System<'_> {
    /// `thread` may run on `cpus` only, as far as they are online. It goes behind its equals, if that changes anything. It
    /// binds at home; while it is pinned, it is only kept for later. Twice insert + m steps.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::InvalidNumber`]: the home instance's policy does not accept these processors.
    pub fn set_affinity(
        &mut self,
        thread: Thread,
        cpus: CpuSet,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        self.check_affinity(thread, cpus)?;
        let id = self.known(thread)?;
        let home = self.thread(id).home;
        let mask = cpus.and(self.online);
        let former = core::mem::replace(&mut self.thread_mut(id).affinity, mask);
        if former != mask && self.thread(id).pinned_to == ThreadRecord::NOWHERE {
            self.rebind(home, id, mask, now, effects);
        }
        Ok(())
    }

    /// Whether `thread` may be bound to `cpus`; see [`System::set_affinity`].
    pub(crate) fn check_affinity(&self, thread: Thread, cpus: CpuSet) -> Result<(), Error> {
        let home = self.thread(self.known(thread)?).home;
        let record = &self.instances[home as usize];
        let mask = cpus.and(self.online);
        record.queues.check(mask, record.places.owned, self.online)
    }

    /// The processors on which `thread` may run at home.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn affinity(&self, thread: Thread) -> Result<CpuSet, Error> {
        Ok(self.thread(self.known(thread)?).affinity)
    }

    /// The node `id` is bound to `mask`; it is in no queue.
    #[inline]
    pub(crate) fn set_mask(&mut self, instance: u8, id: u16, mask: CpuSet) {
        let online = self.online;
        let (record, nodes) = self.split(instance);
        nodes[id as usize].mask = mask;
        record.queues.bind(nodes, id, online);
    }

    /// `thread`, whose home was opened since it was bound there, comes in again behind its equals,
    /// where it may run. Bound: that of [`System::set_affinity`].
    pub(crate) fn bind_anew(&mut self, thread: Thread, now: Instant, effects: &mut impl Effects) {
        let home = self.thread(thread.0).home;
        let mask = self.node(home, thread.0).mask;
        self.rebind(home, thread.0, mask, now, effects);
    }

    /// The node `id` is bound to `mask` whatever its state: it leaves its queue or its processor and comes in again.
    pub(crate) fn rebind(
        &mut self,
        instance: u8,
        id: u16,
        mask: CpuSet,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        if instance == self.thread(id).home {
            effects.bind(Instance(instance), Thread(id), mask);
        }
        match self.state(instance, id) {
            State::Blocked => return self.set_mask(instance, id, mask),
            State::Ready => self.remove_ready(instance, id, effects),
            State::Scheduled => {
                if self.node(instance, id).idle == NONE {
                    self.thread_mut(id).presence = Presence::Ready;
                }
                self.vacate(instance, id, now, effects);
            }
        }
        self.set_mask(instance, id, mask);
        let waits = self.enqueue(instance, id, Order::Append, now, effects);
        self.settle(instance, now, effects);
        if waits {
            self.request_help(Thread(id), effects);
        }
    }

    /// Moves `thread` to `instance`, with `priority` as its own there: behind its equals. Within its instance it is a change
    /// of priority. Bounds: those of [`System::block`] and [`System::unblock`] together.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]: no such instance. [`Error::InvalidPriority`]: less urgent than the instance knows.
    /// [`Error::InvalidId`]: no such thread. [`Error::ResourceInUse`]: it waits in a queue, or more than its own priority
    /// counts (a lock, a deadline, a server), or it is helped, or pinned. [`Error::Unsatisfied`]: the instance has no processor, or
    /// its policy does not accept the thread's affinity.
    ///
    /// In another instance, `priority` is also the one that a restart goes back to.
    pub fn set_scheduler(
        &mut self,
        thread: Thread,
        instance: Instance,
        priority: Priority,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.check_move(thread, instance, priority)?;
        if instance.0 == self.thread(id).home {
            return self
                .set_priority(thread, priority, now, effects)
                .map(|_| ());
        }
        // The priority that it was created with means nothing there.
        self.thread_mut(id).initial = priority.0;
        let level = self.level(instance, priority);
        self.change_home(id, instance.0, level, now, effects);
        Ok(())
    }

    /// [`System::set_scheduler`] for a thread that waits, in the tables: its home is closed. Nothing
    /// follows for any processor. The processors on which the thread may run, and one of its home's. A
    /// fixed number of steps.
    ///
    /// # Errors
    /// Those of [`System::set_scheduler`].
    pub(crate) fn settle_waiting(
        &mut self,
        thread: Thread,
        instance: Instance,
        priority: Priority,
    ) -> Result<(CpuSet, Option<Cpu>), Error> {
        let id = self.check_move(thread, instance, priority)?;
        let level = self.level(instance, priority);
        if instance.0 == self.thread(id).home {
            self.node_mut(instance.0, id).real = level;
            self.refresh(instance.0, id);
        } else {
            self.thread_mut(id).initial = priority.0;
            self.set_home(id, instance.0, level);
        }
        let places = &self.instances[instance.index()].places;
        Ok((self.thread(id).affinity, places.owned.lowest()))
    }

    /// The row of `thread`, which can be moved to `instance`, to have `priority` there; see
    /// [`System::set_scheduler`].
    fn check_move(
        &self,
        thread: Thread,
        instance: Instance,
        priority: Priority,
    ) -> Result<u16, Error> {
        let target = self.known_instance(instance)?;
        self.check_priority(instance, priority)?;
        let id = self.known(thread)?;
        let record = self.thread(id);
        let home = record.home;
        let node = self.node(home, id);
        let waits = record.reasons.any_of(Reasons::WAIT) || self.locks.waits_for(thread).is_some();
        let waited_for = node.shares != NONE || self.owns_seated(thread);
        let counts = waited_for || node.deadline != Level::NONE || self.serves(id);
        if waits || counts || record.helper != NodeRecord::NO_HELPER || record.pins > 0 {
            return Err(Error::ResourceInUse);
        }
        let affinity = record.affinity;
        let places = &self.instances[target as usize].places;
        if places.owned.is_empty() {
            return Err(Error::Unsatisfied);
        }
        self.instances[target as usize]
            .queues
            .check(affinity, places.owned, self.online)
            .map_err(|_| Error::Unsatisfied)?;
        Ok(id)
    }

    fn change_home(
        &mut self,
        id: u16,
        target: u8,
        level: Level,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let ready = self.thread(id).presence != Presence::Blocked;
        if ready {
            self.make_blocked(id, now, effects);
        }
        self.set_home(id, target, level);
        let affinity = self.thread(id).affinity;
        effects.bind(Instance(target), Thread(id), affinity);
        if ready {
            self.make_unblocked(id, now, effects);
        }
    }

    /// The thread `id`, which is BLOCKED, is at home in `target` from now on, at `level`.
    fn set_home(&mut self, id: u16, target: u8, level: Level) {
        let record = self.thread(id);
        let (home, affinity) = (record.home, record.affinity);
        if self.locks.is_involved(Thread(id)) {
            self.instances[home as usize].involved -= 1;
            self.instances[target as usize].involved += 1;
        }
        let least = self.lowest_level(home);
        self.node_mut(home, id).real = least;
        self.set_mask(home, id, CpuSet::ALL);
        self.node_mut(target, id).real = level;
        self.set_mask(target, id, affinity);
        self.refresh(target, id);
        let openings = self.instances[target as usize].openings;
        let record = self.thread_mut(id);
        record.home = target;
        record.first = target;
        record.openings = openings;
    }

    /// The instance that `thread` is at home in.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn scheduler(&self, thread: Thread) -> Result<Instance, Error> {
        Ok(Instance(self.thread(self.known(thread)?).home))
    }
}
