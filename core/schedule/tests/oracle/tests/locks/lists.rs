//! The facts about threads and locks that follow from a stress test's calls and results alone.

use taktos_schedule::smp::{Instance, Lock, Priority, Protocol, Thread};
use taktos_time::Instant;

/// How urgent a thread is in an instance: a deadline before every priority.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Urgency {
    Deadline(Instant),
    Priority(u32),
}

/// A thread, as the calls left it.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    pub thread: Thread,
    pub home: Instance,
    /// That with which it was created, or with which it moved.
    pub initial: u32,
    pub priority: u32,
    pub deadline: Option<Instant>,
}

impl Own {
    /// A restart: as created, without a job.
    pub fn renew(&mut self) {
        (self.priority, self.deadline) = (self.initial, None);
    }

    /// Another home, or another priority in the same one.
    pub fn move_to(&mut self, home: Instance, priority: u32) {
        if home != self.home {
            self.initial = priority;
        }
        (self.home, self.priority) = (home, priority);
    }
}

/// The owner and nesting of each lock, and the lock that each thread waits for: kept by the results
/// alone.
#[derive(Default)]
pub struct Lists {
    pub locks: Vec<Lock>,
    /// Of each lock, by its row.
    pub protocols: Vec<Option<Protocol>>,
    pub owners: Vec<(Lock, Thread, u32)>,
    pub waits: Vec<(Thread, Lock)>,
    pub threads: Vec<Own>,
    /// The priority to which a lock with ceilings has raised its owner, and the threads that spin
    /// for it.
    pub raised: Vec<(Lock, Thread, Priority)>,
}

impl Lists {
    pub fn owner(&self, lock: Lock) -> Option<Thread> {
        self.owners
            .iter()
            .find(|one| one.0 == lock)
            .map(|one| one.1)
    }

    pub fn waits_for(&self, thread: Thread) -> Option<Lock> {
        self.waits
            .iter()
            .find(|one| one.0 == thread)
            .map(|one| one.1)
    }

    pub fn protocol(&self, lock: Lock) -> Option<Protocol> {
        self.protocols[lock.index()]
    }

    pub fn inherits(&self, lock: Lock) -> bool {
        use Protocol::{Inheritance, MrsP, Omip};
        matches!(self.protocol(lock), Some(Inheritance | Omip | MrsP))
    }

    pub fn stop_waiting(&mut self, thread: Thread) {
        if let Some(lock) = self.waits_for(thread) {
            self.lower(lock, thread);
        }
        self.waits.retain(|one| one.0 != thread);
    }

    pub fn own(&self, thread: Thread) -> &Own {
        self.threads
            .iter()
            .find(|one| one.thread == thread)
            .unwrap()
    }

    pub fn own_mut(&mut self, thread: Thread) -> &mut Own {
        let mut threads = self.threads.iter_mut();
        threads.find(|one| one.thread == thread).unwrap()
    }

    /// `lock` raises `thread` to `ceiling`, if the protocol has one.
    pub fn raise(&mut self, lock: Lock, thread: Thread, ceiling: Option<Priority>) {
        self.lower(lock, thread);
        self.raised
            .extend(ceiling.map(|ceiling| (lock, thread, ceiling)));
    }

    pub fn lower(&mut self, lock: Lock, thread: Thread) {
        self.raised.retain(|one| (one.0, one.1) != (lock, thread));
    }

    /// Returns whether `instance` schedules `thread`: its home, or that of a thread that waits for
    /// it.
    pub fn takes_part(&self, thread: Thread, instance: Instance) -> bool {
        let waits_here = |wait: &(Thread, Lock)| {
            self.inherits(wait.1)
                && self.owner(wait.1) == Some(thread)
                && self.takes_part(wait.0, instance)
        };
        self.own(thread).home == instance || self.waits.iter().any(waits_here)
    }

    /// Returns the urgency of `thread` in `instance`, which schedules it: the most urgent of its
    /// own, of its ceilings, and of those of the threads that wait for a lock of its that inherits.
    pub fn urgency(&self, thread: Thread, instance: Instance) -> Urgency {
        let own = self.own(thread);
        let at_home = own.home == instance;
        let raised = self.raised.iter().filter(|one| one.1 == thread);
        let raised = raised.map(|one| Urgency::Priority(one.2.0));
        let deadline = own.deadline.map(Urgency::Deadline);
        let own = [Urgency::Priority(own.priority)];
        let own = own.into_iter().chain(deadline).chain(raised);
        let lent = self.waits.iter().filter(|wait| {
            self.inherits(wait.1)
                && self.owner(wait.1) == Some(thread)
                && self.takes_part(wait.0, instance)
        });
        let lent = lent.map(|wait| self.urgency(wait.0, instance));
        own.filter(|_| at_home).chain(lent).min().unwrap()
    }
}
