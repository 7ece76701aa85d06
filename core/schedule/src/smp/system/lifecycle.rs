//! Owns: how threads come to be and cease to be. Must never know: what they execute.

use super::System;
use crate::{
    CpuSet,
    smp::{Error, Instance, NodeRecord, Priority, Thread, ThreadRecord, ids::NONE, order::Level},
};

impl System<'_> {
    /// Creates a thread, dormant, at home in `home`. Without an affinity it may run on every
    /// processor.
    ///
    /// Threads come in the order of their rows; a row that was freed last is used first. Constant
    /// number of steps.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such instance. [`Error::InvalidPriority`]: less urgent than the
    /// instance knows. [`Error::Unsatisfied`]: the instance has no processor.
    /// [`Error::InvalidNumber`]: its policy does not accept the affinity. [`Error::TooMany`]: the
    /// table of threads is full.
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
        if record.owned.is_empty() {
            return Err(Error::Unsatisfied);
        }
        record.kind.check(affinity, record.owned, self.online)?;
        let id = self.free_thread;
        if id == NONE {
            return Err(Error::TooMany);
        }
        let row = self.thread_mut(id);
        let next = row.next_free;
        *row = ThreadRecord {
            affinity,
            exists: true,
            home: instance,
            initial: priority.0,
            ..ThreadRecord::EMPTY
        };
        self.free_thread = next;
        self.node_mut(instance, id).real = self.level(home, priority);
        self.refresh(instance, id);
        Ok(Thread(id))
    }

    /// Resets a node to unused: at the least urgent priority of its instance, bound to nothing. The
    /// nodes of rows without a thread are unused.
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

    /// Deletes `thread`, which is in no ring and has no seat. The world uses its row again only
    /// once no processor has its registers. As many steps as instances, and those of
    /// [`System::time_out`].
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::ResourceInUse`]: it holds a lock.
    pub fn delete(&mut self, thread: Thread) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.locks.owns_any(thread) {
            return Err(Error::ResourceInUse);
        }
        self.abandon_wait(thread);
        for instance in 0..self.instances.len() as u8 {
            self.fresh_node(instance, id);
        }
        self.drop_server(id);
        self.forget_pin_abroad(thread);
        *self.thread_mut(id) = ThreadRecord::EMPTY;
        self.free(id);
        Ok(())
    }

    /// The row `id` can be used again: nothing exists there, and no processor has its registers.
    pub(crate) fn free(&mut self, id: u16) {
        let next = core::mem::replace(&mut self.free_thread, id);
        self.thread_mut(id).next_free = next;
    }
}
