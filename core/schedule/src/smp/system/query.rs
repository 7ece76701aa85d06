//! Owns: the queries that change nothing.

use super::System;
use crate::{
    Cpu, CpuSet,
    smp::{Error, Instance, Priority, ProcessorRecord, Thread, ids::NONE, thread::ThreadRecord},
};
use taktos_time::{Duration, Instant};

impl System<'_> {
    /// Returns the idle thread of `cpu`; none if it is not online.
    #[inline]
    pub fn idle_of(&self, cpu: Cpu) -> Option<Thread> {
        let id = self.processors.get(cpu.index())?.idle_row;
        (id != NONE).then_some(Thread(id))
    }

    /// Whether `thread` owns a lock. A fixed number of steps.
    pub fn owns_any(&self, thread: Thread) -> bool {
        self.locks.owns_any(thread)
    }

    /// The processors that are online.
    pub fn online(&self) -> CpuSet {
        self.online
    }

    /// Whether it is an idle thread.
    #[inline]
    pub fn is_idle(&self, thread: Thread) -> bool {
        thread.index() < self.threads.len() && self.is_idle_row(thread.0)
    }

    /// The effective priority of `thread` at home: 0 while a deadline counts. As many steps as
    /// locks contribute.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn priority(&self, thread: Thread) -> Result<Priority, Error> {
        let id = self.known(thread)?;
        self.priority_in(thread, Instance(self.thread(id).home))
    }

    /// Returns the priority with which `thread` was created, or came to its home instance: that
    /// with which it begins again.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn initial_priority(&self, thread: Thread) -> Result<Priority, Error> {
        Ok(Priority(self.thread(self.known(thread)?).initial))
    }

    /// The effective priority of `thread` in `instance`: where it neither is at home nor helped,
    /// the least urgent one.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub(crate) fn priority_in(
        &self,
        thread: Thread,
        instance: Instance,
    ) -> Result<Priority, Error> {
        let id = self.known(thread)?;
        let row = self.known_instance(instance)?;
        Ok(self.unmapped(row, self.wanted(row, id)))
    }

    /// How long `cpu` idled while no instance had it, until `now`. Zero for a processor that there
    /// is not. A fixed number of steps.
    pub fn idle_time(&self, cpu: Cpu, now: Instant) -> Duration {
        let Some(processor) = self.processors.get(cpu.index()) else {
            return Duration::ZERO;
        };
        match processor.owner == ProcessorRecord::NO_OWNER {
            true => processor.idle.saturating_add(now.since(processor.since)),
            false => processor.idle,
        }
    }

    /// The processor to which a pin of `thread` has taken effect: it runs nowhere else. A fixed
    /// number of steps.
    pub fn pinned_to(&self, thread: Thread) -> Option<Cpu> {
        let id = self.known(thread).ok()?;
        let cpu = self.thread(id).pinned_to;
        let pinned = (cpu != ThreadRecord::NOWHERE).then(|| Cpu::masked(cpu));
        pinned.or_else(|| self.loan(thread).pinned)
    }
}
