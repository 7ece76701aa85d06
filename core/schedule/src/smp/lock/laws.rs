//! Owns: the invariants of the locks between any two operations, computed again from the plainest
//! facts (real priorities, owners, waiters) by other means than the operations use.
//! Must never know: how the operations keep them.

use crate::smp::order::Level;
use crate::smp::{Instance, Lock, System, Thread, Violation};

impl System<'_> {
    /// Checks the invariants of the locks. O((l + t)·i·t) for l locks, t threads, i instances,
    /// along each chain.
    ///
    /// # Errors
    /// The first invariant found broken.
    pub(crate) fn check_locks(&self) -> Result<(), Violation> {
        if !self.locks.has_room() {
            return Ok(());
        }
        for lock in self.locks.all() {
            self.check_lock(lock)?;
        }
        for thread in (0..self.idle_from).map(Thread) {
            if self.known(thread).is_ok() {
                self.check_wait(thread)?;
                self.check_nodes(thread)?;
            }
        }
        Ok(())
    }

    /// Checks the counts of owners of seated locks, and of the threads that spin for them. O(l·t)
    /// for l locks and t threads. For tests.
    ///
    /// # Errors
    /// The first invariant found broken.
    pub fn check_seated(&self) -> Result<(), Violation> {
        let owned = |thread: Thread| {
            let owns = |lock: &Lock| self.locks.owner(*lock) == Some(thread);
            let seated = self.locks.all().filter(owns);
            seated.filter(|lock| self.is_seated(*lock)).count()
        };
        let threads = || {
            (0..self.idle_from)
                .map(Thread)
                .filter(|_| self.locks.has_room())
        };
        for thread in threads() {
            self.check_listed(thread)?;
            let counted = usize::from(self.locks.wait(thread).seated);
            law(
                counted == owned(thread),
                "an owner's seated locks are counted",
                Some(thread),
            )?;
        }
        for instance in self.locks.instances() {
            let at_home = threads().filter(|thread| self.home(*thread) == instance);
            let due = at_home.map(|id| owned(id) + usize::from(self.spins_seated(id)));
            law(
                due.sum::<usize>() == self.instances[instance.index()].seated as usize,
                "an instance's owners of seated locks are counted, and who spins for one",
                None,
            )?;
        }
        Ok(())
    }

    fn check_lock(&self, lock: Lock) -> Result<(), Violation> {
        let owner = self.locks.owner(lock);
        let free_but_wanted = owner.is_none() && self.locks.queues.turn(lock).is_some();
        law(!free_but_wanted, "a lock with waiters has an owner", owner)?;
        for instance in self.locks.instances() {
            let lent = owner.is_some_and(|owner| {
                self.locks.inherits(lock)
                    && !self.is_seated(lock)
                    && self.home(owner) != instance
                    && self.locks.queues.first(lock, instance).is_some()
            });
            let helps = self.locks.side(lock, instance).helps;
            law(
                helps == lent,
                "an owner is helped where it has waiters and is not at home, unless the lock is seated",
                owner,
            )?;
        }
        Ok(())
    }

    fn check_wait(&self, thread: Thread) -> Result<(), Violation> {
        let Some(lock) = self.locks.waits_for(thread) else {
            let queued = self
                .locks
                .instances()
                .any(|instance| self.locks.queues.level(instance, thread).is_some());
            return law(!queued, "who does not wait is in no queue", Some(thread));
        };
        for instance in self.locks.instances() {
            let due = self
                .takes_part(thread, instance)
                .then(|| self.naive_level(thread, instance));
            law(
                self.locks.queues.level(instance, thread) == due,
                "a waiter stands in the tree of each of its instances, by its level there",
                Some(thread),
            )?;
            let mut found = due.is_none();
            let mut find = |other| found |= other == thread;
            self.locks.queues.for_each(lock, instance, &mut find);
            law(
                found,
                "a waiter stands in the queues of its lock",
                Some(thread),
            )?;
        }
        if self.locks.spins(thread) {
            let home = self.home(thread);
            let raised = self.locks.wait(thread).raised;
            law(
                self.effective(thread, home) <= raised,
                "a spinner is at its ceiling at least",
                Some(thread),
            )?;
        }
        law(
            !self.chain_leads_to(lock, thread),
            "no thread waits for itself",
            Some(thread),
        )
    }

    /// A thread that is involved, or has a loan, is listed. Seats rely on that.
    fn check_listed(&self, thread: Thread) -> Result<(), Violation> {
        let is_listed = self.locks.wait(thread).is_listed;
        law(
            is_listed || !self.locks.stays_listed(thread),
            "who is concerned by a lock that counts, or has a loan, is listed",
            Some(thread),
        )
    }

    fn check_nodes(&self, thread: Thread) -> Result<(), Violation> {
        for instance in self.locks.instances() {
            if self.takes_part(thread, instance) {
                law(
                    self.effective(thread, instance) == self.naive_level(thread, instance),
                    "a node's priority is the least of what contributes to it",
                    Some(thread),
                )?;
            }
        }
        let owned = self.owned_by(thread).count();
        law(
            usize::from(self.locks.wait(thread).owned) == owned,
            "the number of locks owned is counted",
            Some(thread),
        )
    }

    /// The locks of `thread`.
    fn owned_by(&self, thread: Thread) -> impl Iterator<Item = Lock> + '_ {
        let owns = move |lock: &Lock| self.locks.owner(*lock) == Some(thread);
        self.locks.all().filter(owns)
    }

    /// Returns the level of `thread` in `instance` from the definition: the least of its own, its
    /// ceilings, and those of all threads that wait for a lock of `thread` that inherits.
    ///
    /// The recursion follows waiters. It ends: no thread waits for one that waits for it.
    fn naive_level(&self, thread: Thread, instance: Instance) -> Level {
        let at_home = self.home(thread) == instance;
        let mut level = Level::NONE;
        if at_home {
            let node = self.node(instance.0, thread.0);
            level = node
                .real
                .min(node.deadline)
                .min(self.locks.wait(thread).raised);
        }
        for lock in self.owned_by(thread) {
            if at_home {
                level = level.min(self.locks.lock(lock).raised);
            }
            if !self.locks.inherits(lock) {
                continue;
            }
            for waiter in (0..self.idle_from).map(Thread) {
                let waits = self.locks.waits_for(waiter) == Some(lock);
                if waits && self.naive_part(waiter, instance) {
                    level = level.min(self.naive_level(waiter, instance));
                }
            }
        }
        level
    }

    /// Returns whether `instance` schedules `thread`: it is the home of `thread`, or of a thread
    /// that waits for it, directly or not.
    fn naive_part(&self, thread: Thread, instance: Instance) -> bool {
        self.home(thread) == instance
            || self.owned_by(thread).any(|lock| {
                self.locks.inherits(lock)
                    && (0..self.idle_from).map(Thread).any(|waiter| {
                        self.locks.waits_for(waiter) == Some(lock)
                            && self.naive_part(waiter, instance)
                    })
            })
    }
}

fn law(holds: bool, law: &'static str, thread: Option<Thread>) -> Result<(), Violation> {
    if holds {
        return Ok(());
    }
    Err(Violation {
        law,
        thread,
        instance: None,
        cpu: None,
    })
}
