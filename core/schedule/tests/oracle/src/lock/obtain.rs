//! Owns: the attempt to obtain a lock.
//! Must never know: how it is given up.

use crate::Effects;
use crate::System;
use crate::rows::Order;
use taktos_schedule::smp::{Error, Level, Lock, Obtained, Protocol, Reasons, Thread};
use taktos_time::Instant;

impl System {
    /// Obtains `lock` for `thread`, which runs; when it is busy, `wait` says whether to wait.
    ///
    /// # Errors
    /// In this order:
    /// - [`Error::InvalidId`]: no such lock or thread.
    /// - [`Error::IncorrectState`]: the thread is blocked or waits already.
    /// - [`Error::NotDefined`]: an immediate ceiling, and the thread's home is not its instance.
    /// - [`Error::IncorrectState`]: the thread owns it already, under MrsP.
    /// - [`Error::Unsatisfied`]: it is busy, and the thread does not wait.
    /// - [`Error::InvalidPriority`]: the thread is more urgent than the ceiling of its home: of a
    ///   free lock, and of a busy one under MrsP.
    /// - [`Error::IncorrectState`]: the wait would never end: the owner waits, directly or not, for
    ///   this thread.
    pub fn obtain(
        &mut self,
        lock: Lock,
        thread: Thread,
        wait: bool,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Obtained, Error> {
        let protocol = self.known_lock(lock)?.protocol;
        let id = self.known(thread)?;
        let record = &self.threads[id];
        if !record.reasons.is_empty() || record.lock.is_some() {
            return Err(Error::IncorrectState);
        }
        if protocol == Protocol::Ceiling && self.lock(lock).home != record.home {
            return Err(Error::NotDefined);
        }
        match self.lock(lock).owner {
            None => {
                let raised = self.ceiling_for(lock, id)?;
                self.at(now, effects, |system| system.own(lock, id, raised));
                Ok(Obtained::Owned)
            }
            Some(owner) if owner == id && protocol == Protocol::MrsP => Err(Error::IncorrectState),
            Some(owner) if owner == id => {
                self.lock_mut(lock).nesting += 1;
                Ok(Obtained::Owned)
            }
            Some(_) if !wait => Err(Error::Unsatisfied),
            Some(_) => self.at(now, effects, |system| system.queue_up(lock, id)),
        }
    }

    /// The level that the ceiling of `lock` gives the thread `id`; [`Level::NONE`] without ceiling.
    ///
    /// # Errors
    /// [`Error::InvalidPriority`]: the thread is more urgent.
    fn ceiling_for(&self, lock: Lock, id: usize) -> Result<Level, Error> {
        let level = self.ceiling_level(lock, id);
        if level != Level::NONE && self.wanted(self.threads[id].home, id) < level {
            return Err(Error::InvalidPriority);
        }
        Ok(level)
    }

    /// As [`System::ceiling_for`], unchecked.
    pub(super) fn ceiling_level(&self, lock: Lock, id: usize) -> Level {
        let (row, home) = (self.lock(lock), self.threads[id].home);
        match row.has_ceiling() {
            true => self.level(home, row.sides[home].ceiling),
            false => Level::NONE,
        }
    }

    /// Makes `id` the owner of a free lock, raised to `raised`.
    pub(super) fn own(&mut self, lock: Lock, id: usize, raised: Level) {
        let home = self.threads[id].home;
        let row = self.lock_mut(lock);
        row.slot = Some(home);
        row.set_owner(Some(id), raised);
        if raised != Level::NONE {
            self.share(id, home, lock, raised);
            self.priority_changed(id, Order::Append);
            if self.lock(lock).sticks() {
                self.make_sticky(id, home);
            }
        }
    }

    /// Makes `id` wait for a lock that another owns.
    fn queue_up(&mut self, lock: Lock, id: usize) -> Result<Obtained, Error> {
        let spins = self.lock(lock).sticks();
        let raised = match spins {
            true => self.ceiling_for(lock, id)?,
            false => Level::NONE,
        };
        if self.chain_leads_to(lock, id) {
            return Err(Error::IncorrectState);
        }
        self.begin_wait(lock, id, raised);
        if spins {
            self.spin(lock, id, raised);
            return Ok(Obtained::Spinning);
        }
        if self.lock(lock).protocol == Protocol::Omip {
            let home = self.threads[id].home;
            let (level, room) = (self.wanted(home, id), self.room(home));
            self.lock_mut(lock).stand(home, id, level, room);
        }
        let reach = self.follow_all(id);
        self.add_reasons(id, Reasons::LOCK);
        if !self.lock(lock).is_apart() {
            self.update_owners(lock, reach, Order::Append);
            // Others may spin for this thread, and now for the one it waits for.
            self.let_owner_of_lead(self.lock(lock).owner);
        }
        Ok(Obtained::Waiting)
    }

    /// How many threads of `instance` can run at a time; 1 for one that has no processor now.
    pub(super) fn room(&self, instance: usize) -> usize {
        self.instances[instance].owned.count().max(1)
    }

    /// Spinner and owner become equals in the spinner's instance, where the owner goes first.
    fn spin(&mut self, lock: Lock, id: usize, raised: Level) {
        let home = self.threads[id].home;
        self.share(id, home, lock, raised);
        self.priority_changed(id, Order::Append);
        self.make_sticky(id, home);
        self.spinners += 1;
        self.let_owner_of_lead(self.lock(lock).owner);
    }
}
