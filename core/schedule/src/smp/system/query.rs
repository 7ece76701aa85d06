//! Owns: what can be asked without changing anything.

use super::System;
use crate::{
    Cpu, CpuSet,
    smp::{
        Error, Instance, Level, Lock, Priority, Reasons, Thread,
        ids::NONE,
        node::State,
        order::Key,
        thread::{Presence, ThreadRecord},
    },
};
use taktos_time::{Duration, Instant};

impl System<'_> {
    /// The thread that shall run on `cpu`: also an idle one; none where it is not online.
    #[inline]
    pub fn heir(&self, cpu: Cpu) -> Option<Thread> {
        let id = self.processors.get(cpu.index())?.heir;
        (id != NONE).then_some(Thread(id))
    }

    /// Whose registers are on `cpu`; none where it is not online, or between two dispatches.
    #[inline]
    pub fn executing(&self, cpu: Cpu) -> Option<Thread> {
        let id = self.processors.get(cpu.index())?.executing;
        (id != NONE).then_some(Thread(id))
    }

    /// Whether `thread` owns a lock. A fixed number of steps.
    pub fn owns_any(&self, thread: Thread) -> bool {
        self.locks.owns_any(thread)
    }

    /// Whether `lock` makes a difference to who runs where: it raises its owner, or somebody lends it a priority. False for one that does
    /// not exist.
    pub fn counts(&self, lock: Lock) -> bool {
        self.owner(lock).is_ok() && self.locks.counts(lock)
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

    /// Whether there is such a thread, and it is not an idle one.
    pub fn exists(&self, thread: Thread) -> bool {
        self.known(thread).is_ok()
    }

    /// Why `thread` is blocked; nothing when it is ready.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn reasons(&self, thread: Thread) -> Result<Reasons, Error> {
        Ok(self.thread(self.known(thread)?).reasons)
    }

    /// The processor whose heir `thread` is. Idle threads may be asked for.
    #[inline]
    pub fn processor_of(&self, thread: Thread) -> Option<Cpu> {
        let record = self.threads.get(thread.index())?;
        (record.exists && record.presence == Presence::Scheduled).then_some(Cpu::masked(record.cpu))
    }

    /// The processor that has the registers of `thread`. Idle threads may be asked for.
    pub fn executes_on(&self, thread: Thread) -> Option<Cpu> {
        let record = self.threads.get(thread.index())?;
        (record.live_on != ThreadRecord::NOWHERE).then_some(Cpu::masked(record.live_on))
    }

    /// The effective priority of `thread` at home: 0 while a deadline counts. As many steps as locks contribute.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn priority(&self, thread: Thread) -> Result<Priority, Error> {
        let id = self.known(thread)?;
        self.priority_in(thread, Instance(self.thread(id).home))
    }

    /// How urgent `thread` is at home, by whatever counts there. As many steps as locks contribute.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn standing(&self, thread: Thread) -> Result<Level, Error> {
        let id = self.known(thread)?;
        Ok(self.wanted(self.thread(id).home, id))
    }

    /// The priority of its own that `thread` has in its home instance, whatever else counts. A fixed number of steps.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    #[inline]
    pub fn own_priority(&self, thread: Thread) -> Result<Priority, Error> {
        let id = self.known(thread)?;
        let home = self.thread(id).home;
        Ok(self.unmapped(home, self.node(home, id).real))
    }

    /// The priority with which `thread` was created, or came to its home instance: that with which it begins anew.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn initial_priority(&self, thread: Thread) -> Result<Priority, Error> {
        Ok(Priority(self.thread(self.known(thread)?).initial))
    }

    /// The effective priority of `thread` in `instance`: where it neither is at home nor helped, the least urgent one.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn priority_in(&self, thread: Thread, instance: Instance) -> Result<Priority, Error> {
        let id = self.known(thread)?;
        let row = self.known_instance(instance)?;
        Ok(self.unmapped(row, self.wanted(row, id)))
    }

    /// How long `thread` was the heir of a processor, until `now`. Idle threads may be asked for: what one stood in for
    /// counts for it.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn cpu_time(&self, thread: Thread, now: Instant) -> Result<Duration, Error> {
        let record = self.threads.get(thread.index()).filter(|t| t.exists);
        let record = record.ok_or(Error::InvalidId)?;
        let mut time = record.cpu_time;
        if record.presence == Presence::Scheduled {
            let since = self.processors[Cpu::masked(record.cpu).index()].since;
            time = time.saturating_add(now.since(since));
        }
        Ok(time)
    }

    /// How long an idle thread was the heir of `cpu`, until `now`. Zero for a processor that there is not. A fixed number of
    /// steps.
    pub fn idle_time(&self, cpu: Cpu, now: Instant) -> Duration {
        let Some(processor) = self.processors.get(cpu.index()) else {
            return Duration::ZERO;
        };
        let counts = processor.heir != NONE && !self.is_of_closed(processor);
        if counts && self.is_idle_row(processor.heir) {
            processor.idle.saturating_add(now.since(processor.since))
        } else {
            processor.idle
        }
    }

    /// The processor to which a pin of `thread` has taken effect: it runs nowhere else. A fixed number of steps.
    pub fn pinned_to(&self, thread: Thread) -> Option<Cpu> {
        let id = self.known(thread).ok()?;
        let cpu = self.thread(id).pinned_to;
        let pinned = (cpu != ThreadRecord::NOWHERE).then(|| Cpu::masked(cpu));
        pinned.or_else(|| self.loan(thread).pinned)
    }

    /// Visits the threads whose nodes are READY in `instance`, by urgency. That is the order in which they would be chosen if
    /// all could run everywhere. Idle threads are left out. For tests and tools: as many steps as threads, for each thread.
    pub fn for_each_ready(&self, instance: Instance, mut visit: impl FnMut(Thread)) {
        let Ok(row) = self.known_instance(instance) else {
            return;
        };
        let mut last = None;
        while let Some((key, id)) = self.next_ready(row, last) {
            visit(Thread(id));
            last = Some(key);
        }
    }

    /// The first READY node behind `last`.
    fn next_ready(&self, instance: u8, last: Option<Key>) -> Option<(Key, u16)> {
        let mut best: Option<(Key, u16)> = None;
        for id in 0..self.idle_from {
            let node = self.node(instance, id);
            let behind = last.is_none_or(|last: Key| last.before(node.key));
            if node.state == State::Ready
                && behind
                && best.is_none_or(|(key, _)| node.key.before(key))
            {
                best = Some((node.key, id));
            }
        }
        best
    }

    /// Visits the SCHEDULED nodes of `instance` by urgency, with the processor that each holds. An idle thread may run in
    /// place of the thread named: see [`System::heir`]. Idle threads are visited too, last.
    pub fn for_each_scheduled(&self, instance: Instance, mut visit: impl FnMut(Thread, Cpu)) {
        let Ok(row) = self.known_instance(instance) else {
            return;
        };
        let mut id = self.instances[row as usize].places.scheduled.first;
        while id != NONE {
            let node = self.node(row, id);
            visit(Thread(id), node.processor());
            id = node.next;
        }
    }
}
