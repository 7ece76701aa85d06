//! Owns: what must hold of the locks between any two operations, computed anew from the
//! plainest facts (real priorities, owners, waiters) by other means than the operations use.
//! Must never know: how the operations keep it so.

use crate::smp::order::Level;
use crate::smp::{Instance, Lock, Reasons, System, Thread, Violation};

impl System<'_> {
    /// The laws of the locks. O((l + t)·i·t) for l locks, t threads, i instances, along each chain.
    ///
    /// # Errors
    /// The first law found broken.
    pub(crate) fn check_locks(&self) -> Result<(), Violation> {
        if !self.locks.has_room() {
            return Ok(());
        }
        for lock in self.locks.all() {
            self.check_lock(lock)?;
        }
        let spins = |thread: &Thread| {
            let lock = self.locks.waits_for(*thread);
            lock.is_some_and(|lock| self.holds_places(lock))
        };
        let spinners = (0..self.idle_from).map(Thread).filter(spins).count();
        law(
            self.locks.anyone_spins() == (spinners > 0),
            "spinners are counted",
            None,
        )?;
        for thread in (0..self.idle_from).map(Thread) {
            if self.known(thread).is_ok() {
                self.check_wait(thread)?;
                self.check_nodes(thread)?;
            }
        }
        Ok(())
    }

    /// The counts of owners of seated locks, and of those who spin for them: no instance need be open.
    /// O(l·t) for l locks and t threads. For tests.
    ///
    /// # Errors
    /// The first law found broken.
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
            law(!queued, "who does not wait is in no queue", Some(thread))?;
            let asleep = self.is_blocked_for_lock(thread);
            return law(
                !asleep,
                "who does not wait does not sleep for it",
                Some(thread),
            );
        };
        let spins = self.holds_places(lock);
        let decided = self.is_closed(self.home(thread));
        let sleeps = match self.locks.is_apart(lock) {
            // By the tables all wait where seats decide.
            _ if decided => !spins,
            // For whatever reason the world has.
            true => !self.thread(thread.0).reasons.is_empty(),
            false => self.is_blocked_for_lock(thread),
        };
        law(
            spins != sleeps,
            "a waiter sleeps or spins, as the protocol says",
            Some(thread),
        )?;
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
        if spins {
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
        )?;
        let counts = |lock: &Lock| !self.locks.lock(*lock).light;
        if self.is_closed(self.home(thread)) {
            // Seats hold no places.
            return Ok(());
        }
        let owned = self.owned_by(thread).filter(counts);
        let sticks = owned.chain(self.locks.waits_for(thread));
        let sticks = sticks.filter(|lock| self.holds_places(*lock)).count();
        law(
            self.lock_stickiness(thread) == sticks,
            "a node sticks once for each lock of MrsP that counts and is held, or is spun for",
            Some(thread),
        )
    }

    /// Whether who owns `lock`, or spins for it, keeps its place by the tables: they know no
    /// spinner for a seated one.
    fn holds_places(&self, lock: Lock) -> bool {
        self.locks.sticks(lock) && !self.is_seated(lock)
    }

    /// The locks of `thread`.
    fn owned_by(&self, thread: Thread) -> impl Iterator<Item = Lock> + '_ {
        let owns = move |lock: &Lock| self.locks.owner(*lock) == Some(thread);
        self.locks.all().filter(owns)
    }

    /// The level of `thread` in `instance` from the definition: the least of its own, its
    /// ceilings, and of those of all who wait for a lock of its that inherits.
    ///
    /// The recursion follows waiters, who wait for nobody that waits for them: it ends.
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

    /// Whether `instance` schedules `thread`: its home, or that of one who waits for it,
    /// directly or not.
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

    fn is_blocked_for_lock(&self, thread: Thread) -> bool {
        self.thread(thread.0).reasons.any_of(Reasons::LOCK)
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
