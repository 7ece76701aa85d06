//! Owns: how a lock passes from its owner to the next.
//! Must never know: how the next came to wait.

use crate::smp::order::{Level, Order};
use crate::smp::{Error, Instance, Lock, Outcome, System, Thread};

impl System<'_> {
    /// Gives `lock` up, once for each time that it was obtained. Returns the new owner, if there
    /// is one.
    ///
    /// The next owner is the most urgent waiter of the instance that has its turn; that instance
    /// then goes to the end of the line. Under OMIP the next owner is the first of the line. A
    /// waiter that sleeps wakes; one that spins finds its [`System::outcome`].
    ///
    /// Bound: 3·i·log2(n + 1) comparisons for n waiters and i instances, two updates and one
    /// enqueue of the policy's in each instance.
    ///
    /// # Errors
    /// - [`Error::InvalidId`]: no such lock or thread.
    /// - [`Error::NotOwner`]: `thread` does not own it.
    pub fn surrender(&mut self, lock: Lock, thread: Thread) -> Result<Option<Thread>, Error> {
        self.locks.protocol(lock)?;
        self.known(thread)?;
        if self.locks.owner(lock) != Some(thread) {
            return Err(Error::NotOwner);
        }
        let record = self.locks.lock_mut(lock);
        if record.nesting > 1 {
            record.nesting -= 1;
            return Ok(None);
        }
        if record.light && record.waiters == 0 {
            self.surrender_raised(lock, thread);
            return Ok(None);
        }
        if self.locks.is_apart(lock) {
            return Ok(self.pass_apart(lock));
        }
        let next = self.choose(lock);
        self.shed(lock, thread);
        let raised = next.map_or(Level::NONE, |next| self.ceiling_of_waiter(lock, next));
        self.pass_ownership(lock, thread, next, raised);
        if next.is_some() {
            if self.locks.lock(lock).waiters > 0 {
                self.weigh(lock);
            }
            for instance in self.locks.instances() {
                self.pass_on(lock, instance);
            }
        }
        if self.locks.has_ceiling(lock) || self.locks.inherits(lock) && next.is_some() {
            self.priority_changed(thread, Order::Prepend);
        }
        if let Some(next) = next {
            self.update_priority(next, Order::Append);
        }
        Ok(next)
    }

    /// Gives `next` the lock of `thread`, at `raised`; no thread if none waits.
    fn pass_ownership(&mut self, lock: Lock, thread: Thread, next: Option<Thread>, raised: Level) {
        if !self.locks.counts(lock) {
            return self.locks.set_owner(lock, None, raised);
        }
        let parties = [Some(thread), next];
        let before = self.involved(parties);
        self.locks.set_owner(lock, next, raised);
        if let Some(next) = next {
            self.locks.end_wait(next, Outcome::Granted);
        }
        self.count_involved(parties, before);
    }

    /// Takes the next owner of `lock` from its queues.
    pub(super) fn choose(&mut self, lock: Lock) -> Option<Thread> {
        if self.locks.lock(lock).waiters == 0 {
            return None;
        }
        if self.locks.is_omip(lock) {
            let room = self.locks.slot(lock).map_or(1, |slot| self.room(slot));
            self.locks.return_slot(lock, room);
            let next = self.locks.next_in_line(lock)?;
            self.leave_queues(lock, next);
            return Some(next);
        }
        let turn = self.locks.queues.turn(lock)?;
        let next = self.locks.queues.first(lock, turn)?;
        self.locks.queues.end_turn(lock, turn);
        self.leave_queues(lock, next);
        Some(next)
    }

    /// Takes `thread` from all places that it has in the queues of `lock`.
    pub(super) fn leave_queues(&mut self, lock: Lock, thread: Thread) {
        let home = self.home(thread);
        if self.locks.is_omip(lock) {
            let room = self.room(home);
            self.locks.stand_down(lock, home, thread, room);
        }
        if !self.locks.is_involved(thread) {
            return self.locks.queues.remove(lock, home, thread);
        }
        for instance in self.locks.instances() {
            if self.locks.queues.level(instance, thread).is_some() {
                self.locks.queues.remove(lock, instance, thread);
            }
        }
    }

    /// The owner's nodes have nothing more from `lock`.
    fn shed(&mut self, lock: Lock, owner: Thread) {
        for instance in self.locks.instances() {
            self.share(owner, instance, lock, Level::NONE);
        }
        for instance in self.locks.instances() {
            self.lend(lock, owner, instance, false);
        }
    }

    /// To what the waiter is raised as an owner: a spinner keeps what it was raised to, one
    /// that slept is given the present ceiling, unchecked.
    pub(super) fn ceiling_of_waiter(&self, lock: Lock, waiter: Thread) -> Level {
        if self.locks.sticks(lock) {
            self.locks.wait(waiter).raised
        } else {
            self.ceiling_level(lock, waiter)
        }
    }

    /// Returns the owner of `lock`.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such lock.
    pub fn owner(&self, lock: Lock) -> Result<Option<Thread>, Error> {
        self.locks.protocol(lock)?;
        Ok(self.locks.owner(lock))
    }

    /// How the last wait of `thread` ended; none while it waits or if it never did.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such thread.
    pub fn outcome(&self, thread: Thread) -> Result<Option<Outcome>, Error> {
        self.known(thread)?;
        Ok(self.locks.outcome(thread))
    }

    /// The lock that `thread` waits for, blocked or spinning.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such thread.
    pub fn waits_for(&self, thread: Thread) -> Result<Option<Lock>, Error> {
        self.known(thread)?;
        Ok(self.locks.waits_for(thread))
    }

    /// Visits every thread that waits for `lock` in every instance where it has a place: the
    /// instances in their turn, the waiters of one in the order in which they would get the lock.
    /// For each waiter, O(i·t·log t) for t threads. For tests and tools.
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such lock.
    pub fn for_each_waiter(
        &self,
        lock: Lock,
        mut visit: impl FnMut(Instance, Thread),
    ) -> Result<(), Error> {
        self.locks.protocol(lock)?;
        for instance in self.locks.queues.turns(lock) {
            let mut visit = |thread| visit(instance, thread);
            self.locks.queues.for_each(lock, instance, &mut visit);
        }
        Ok(())
    }
}
