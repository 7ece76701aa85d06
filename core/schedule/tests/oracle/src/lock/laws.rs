//! Owns: the invariants of the locks between any two operations, computed again from the plainest
//! facts (real priorities, owners, waiters) by other means than the operations use.
//! Must never know: how the operations keep them.

use super::LockRow;
use crate::System;
use taktos_schedule::smp::{Level, Lock, Reasons, Violation};

impl System {
    /// Checks the invariants of the locks.
    ///
    /// # Errors
    /// The first invariant found broken.
    pub(crate) fn check_locks(&self) -> Result<(), Violation> {
        for (_, row) in self.all_locks() {
            self.check_lock(row)?;
        }
        let spinners = (0..self.idle_from).filter(|id| self.spins(crate::thread(*id)));
        law(
            self.spinners == spinners.count(),
            "spinners are counted",
            None,
        )?;
        for id in 0..self.idle_from {
            if self.threads[id].exists {
                self.check_wait(id)?;
                self.check_nodes(id)?;
            }
        }
        Ok(())
    }

    fn check_lock(&self, row: &LockRow) -> Result<(), Violation> {
        law(
            row.owner.is_some() || row.turns.is_empty(),
            "a lock with waiters has an owner",
            None,
        )?;
        for instance in 0..self.instances.len() {
            let lent = row.owner.is_some_and(|owner| {
                let is_waited_for = row.first(instance).is_some();
                row.inherits() && self.threads[owner].home != instance && is_waited_for
            });
            law(
                row.sides[instance].helps == lent,
                "an owner is helped where it has waiters and is not at home",
                row.owner,
            )?;
        }
        Ok(())
    }

    fn check_wait(&self, id: usize) -> Result<(), Violation> {
        let record = &self.threads[id];
        for (lock, row) in self.all_locks() {
            for instance in 0..self.instances.len() {
                let waits = record.lock == Some(lock) && self.takes_part(id, instance);
                law(
                    row.level(instance, id) == waits.then(|| self.naive_level(id, instance)),
                    "who waits stands in the queues of its lock alone, in each of its instances, by its level there",
                    Some(id),
                )?;
            }
        }
        let spins = record.lock.is_some_and(|lock| self.lock(lock).sticks());
        let sleeps = record.reasons.any_of(Reasons::LOCK);
        law(
            sleeps == (record.lock.is_some() && !spins),
            "who waits sleeps or spins, as the protocol says",
            Some(id),
        )?;
        law(
            !spins || self.wanted(record.home, id) <= record.raised,
            "a spinner is at its ceiling at least",
            Some(id),
        )?;
        law(
            !record
                .lock
                .is_some_and(|lock| self.chain_leads_to(lock, id)),
            "no thread waits for itself",
            Some(id),
        )
    }

    fn check_nodes(&self, id: usize) -> Result<(), Violation> {
        for instance in 0..self.instances.len() {
            law(
                !self.takes_part(id, instance)
                    || self.wanted(instance, id) == self.naive_level(id, instance),
                "a node's priority is the least of what contributes to it",
                Some(id),
            )?;
        }
        let record = &self.threads[id];
        let unblocked = record.first == record.home && !self.is_blocked(id);
        let owned = self.owned_by(id).map(|(lock, _)| lock);
        let sticks = owned.chain(record.lock);
        let sticks = sticks.filter(|lock| self.lock(*lock).sticks()).count();
        law(
            self.node(record.home, id).sticky == sticks + usize::from(unblocked),
            "a node sticks once for each lock of MrsP that is held, or is spun for",
            Some(id),
        )
    }

    /// The locks of the thread `id`.
    fn owned_by(&self, id: usize) -> impl Iterator<Item = (Lock, &LockRow)> {
        self.all_locks()
            .filter(move |(_, row)| row.owner == Some(id))
    }

    /// The threads that wait for a lock of the thread `id` that inherits.
    fn lenders(&self, id: usize) -> impl Iterator<Item = usize> {
        let inherits =
            move |lock: Lock| self.lock(lock).inherits() && self.lock(lock).owner == Some(id);
        (0..self.idle_from).filter(move |waiter| self.threads[*waiter].lock.is_some_and(inherits))
    }

    /// Returns the level of the thread `id` in `instance` from the definition: the least of its
    /// own, its ceilings, and those of all threads that wait for a lock of its that inherits.
    ///
    /// The recursion follows waiters, which wait for no thread that waits for them: it ends.
    fn naive_level(&self, id: usize, instance: usize) -> Level {
        let lenders = self.lenders(id);
        let lenders = lenders.filter(|waiter| self.naive_part(*waiter, instance));
        let lent = lenders
            .map(|waiter| self.naive_level(waiter, instance))
            .min();
        let lent = lent.unwrap_or(Level::NONE);
        if self.threads[id].home != instance {
            return lent;
        }
        let node = self.node(instance, id);
        let own = [node.real, node.deadline, self.threads[id].raised, lent];
        let raised = self.owned_by(id).map(|(_, row)| row.raised);
        own.into_iter().chain(raised).min().unwrap_or(Level::NONE)
    }

    /// Returns whether `instance` schedules the thread `id`: it is the home of the thread, or of
    /// one that waits for it, directly or not.
    fn naive_part(&self, id: usize, instance: usize) -> bool {
        let lends = |waiter| self.naive_part(waiter, instance);
        self.threads[id].home == instance || self.lenders(id).any(lends)
    }
}

fn law(holds: bool, law: &'static str, id: Option<usize>) -> Result<(), Violation> {
    if holds {
        return Ok(());
    }
    Err(Violation {
        law,
        thread: id.map(crate::thread),
        instance: None,
        cpu: None,
    })
}
