//! Owns: on which processors a thread may run, and moving it to another instance (spec 01, 2.2,
//! 3.2, 4.3). Must never know: which masks a policy can keep to.

use super::System;
use crate::{
    Cpu, CpuSet,
    smp::{
        Error, Instance, NodeRecord, Priority, Thread, ids::NONE, order::Level,
        thread::ThreadRecord,
    },
};

impl System<'_> {
    /// Restricts `thread` to those of `cpus` that are online. The affinity binds at home; while the
    /// thread is pinned, it is only stored for later. Returns the processors to which the thread is
    /// bound by this call, if they differ from those before.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::InvalidNumber`]: the home instance's policy does not accept
    /// these processors.
    pub(crate) fn set_affinity(
        &mut self,
        thread: Thread,
        cpus: CpuSet,
    ) -> Result<Option<CpuSet>, Error> {
        self.check_affinity(thread, cpus)?;
        let id = self.known(thread)?;
        let mask = cpus.and(self.online);
        let record = self.thread_mut(id);
        let former = core::mem::replace(&mut record.affinity, mask);
        let binds = former != mask && record.pinned_to == ThreadRecord::NOWHERE;
        Ok(binds.then_some(mask))
    }

    /// Whether `thread` may be bound to `cpus`; see [`System::set_affinity`].
    pub(crate) fn check_affinity(&self, thread: Thread, cpus: CpuSet) -> Result<(), Error> {
        let home = self.thread(self.known(thread)?).home;
        let record = &self.instances[home as usize];
        let mask = cpus.and(self.online);
        record.kind.check(mask, record.owned, self.online)
    }

    /// The processors on which `thread` may run at home.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn affinity(&self, thread: Thread) -> Result<CpuSet, Error> {
        Ok(self.thread(self.known(thread)?).affinity)
    }

    /// `thread` is at home in `instance` from now on, with `priority` as its own there, which in
    /// another instance is also the one that a restart goes back to. The processors on which it may
    /// run, and one of its home's. A fixed number of steps.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]: no such instance. [`Error::InvalidPriority`]: less
    /// urgent than the instance knows. [`Error::InvalidId`]: no such thread.
    /// [`Error::ResourceInUse`]: it waits for a lock, or more than its own priority counts (a lock,
    /// a deadline, a server), or it is helped, or pinned. [`Error::Unsatisfied`]: the instance has
    /// no processor, or its policy does not accept the thread's affinity.
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
        let owned = self.instances[instance.index()].owned;
        Ok((self.thread(id).affinity, owned.lowest()))
    }

    /// The row of `thread`, which can be moved to `instance`, to have `priority` there.
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
        let waits = self.locks.waits_for(thread).is_some();
        let waited_for = node.shares != NONE || self.owns_seated(thread);
        let counts = waited_for || node.deadline != Level::NONE || self.serves(id);
        if waits || counts || record.helper != NodeRecord::NO_HELPER || record.pins > 0 {
            return Err(Error::ResourceInUse);
        }
        let affinity = record.affinity;
        let target = &self.instances[target as usize];
        if target.owned.is_empty() {
            return Err(Error::Unsatisfied);
        }
        let kind = target.kind;
        kind.check(affinity, target.owned, self.online)
            .map_err(|_| Error::Unsatisfied)?;
        Ok(id)
    }

    /// The thread `id` is at home in `target` from now on, at `level`.
    fn set_home(&mut self, id: u16, target: u8, level: Level) {
        let home = self.thread(id).home;
        if self.locks.is_involved(Thread(id)) {
            self.instances[home as usize].involved -= 1;
            self.instances[target as usize].involved += 1;
        }
        let least = self.lowest_level(home);
        self.node_mut(home, id).real = least;
        self.node_mut(target, id).real = level;
        self.refresh(target, id);
        self.thread_mut(id).home = target;
    }

    /// The instance that `thread` is at home in.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn scheduler(&self, thread: Thread) -> Result<Instance, Error> {
        Ok(Instance(self.thread(self.known(thread)?).home))
    }
}
