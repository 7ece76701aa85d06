//! Owns: the queries that change nothing.

use crate::rows::{Presence, State};
use crate::{System, instance, thread};
use taktos_schedule::Cpu;
use taktos_schedule::smp::{Error, Instance, Level, Priority, Reasons, Thread};
use taktos_time::{Duration, Instant};

impl System {
    /// Returns the thread that shall run on `cpu`: also an idle one; none if it is not online.
    pub fn heir(&self, cpu: Cpu) -> Option<Thread> {
        self.processor(cpu).heir.map(thread)
    }

    /// Returns the thread that has its registers on `cpu`; none if it is not online, or between
    /// two dispatches.
    pub fn executing(&self, cpu: Cpu) -> Option<Thread> {
        self.processor(cpu).executing.map(thread)
    }

    /// Whether it is an idle thread.
    pub fn is_idle(&self, thread: Thread) -> bool {
        thread.index() < self.threads.len() && self.is_idle_row(thread.index())
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
        Ok(self.threads[self.known(thread)?].reasons)
    }

    /// Returns the processor that has `thread` as its heir. Idle threads are allowed.
    pub fn processor_of(&self, thread: Thread) -> Option<Cpu> {
        let record = self.threads.get(thread.index())?;
        record
            .cpu
            .filter(|_| record.presence == Presence::Scheduled)
    }

    /// Returns the processor that has the registers of `thread`. Idle threads are allowed.
    pub fn executes_on(&self, thread: Thread) -> Option<Cpu> {
        self.threads.get(thread.index())?.live_on
    }

    /// The effective priority of `thread` at home: 0 while a deadline counts.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn priority(&self, thread: Thread) -> Result<Priority, Error> {
        let home = self.threads[self.known(thread)?].home;
        self.priority_in(thread, instance(home))
    }

    /// How urgent `thread` is at home, by whatever counts there.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn standing(&self, thread: Thread) -> Result<Level, Error> {
        let id = self.known(thread)?;
        Ok(self.wanted(self.threads[id].home, id))
    }

    /// The priority of its own that `thread` has in its home instance, whatever else counts.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn own_priority(&self, thread: Thread) -> Result<Priority, Error> {
        let id = self.known(thread)?;
        let home = self.threads[id].home;
        Ok(self.unmapped(home, self.node(home, id).real))
    }

    /// The effective priority of `thread` in `instance`: where it neither is at home nor helped,
    /// the least urgent one.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn priority_in(&self, thread: Thread, instance: Instance) -> Result<Priority, Error> {
        let id = self.known(thread)?;
        let row = self.known_instance(instance)?;
        Ok(self.unmapped(row, self.wanted(row, id)))
    }

    /// Returns how long `thread` was the heir of a processor, until `now`. Idle threads are
    /// allowed: the time for which one substituted counts for it.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn cpu_time(&self, thread: Thread, now: Instant) -> Result<Duration, Error> {
        let record = self.threads.get(thread.index()).filter(|t| t.exists);
        record.ok_or(Error::InvalidId)?;
        Ok(self.used(thread.index(), now))
    }

    /// How long an idle thread was the heir of `cpu`, until `now`.
    pub fn idle_time(&self, cpu: Cpu, now: Instant) -> Duration {
        let processor = self.processor(cpu);
        let idles = processor.heir.is_some_and(|heir| self.is_idle_row(heir));
        let span = match idles {
            true => now.since(processor.since),
            false => Duration::ZERO,
        };
        processor.idle.saturating_add(span)
    }

    /// The processor to which a pin of `thread` has taken effect: it runs nowhere else.
    pub fn pinned_to(&self, thread: Thread) -> Option<Cpu> {
        self.threads[self.known(thread).ok()?].pinned_to
    }

    /// Visits the threads with READY nodes in `instance`, by urgency. That is the order in
    /// which they would be chosen if all could run everywhere. Idle threads are left out.
    pub fn for_each_ready(&self, instance: Instance, mut visit: impl FnMut(Thread)) {
        let Ok(row) = self.known_instance(instance) else {
            return;
        };
        let is_ready = |id: &usize| self.node(row, *id).state == State::Ready;
        let mut ready: Vec<_> = (0..self.idle_from).filter(is_ready).collect();
        ready.sort_by_key(|id| self.key(row, *id));
        ready.into_iter().map(thread).for_each(&mut visit);
    }

    /// Visits the SCHEDULED nodes of `instance` by urgency, with the processor that each holds. An
    /// idle thread may run in place of the thread named: see [`System::heir`]. Idle threads are
    /// visited too, last.
    pub fn for_each_scheduled(&self, instance: Instance, mut visit: impl FnMut(Thread, Cpu)) {
        let Ok(row) = self.known_instance(instance) else {
            return;
        };
        let holder = |cpu| Some((self.instances[row].holder(cpu)?, cpu));
        let owned = self.instances[row].owned.into_iter();
        let mut holders: Vec<_> = owned.filter_map(holder).collect();
        holders.sort_by_key(|(id, _)| self.key(row, *id));
        for (id, cpu) in holders {
            visit(thread(id), cpu);
        }
    }
}
