//! Owns: the attempt to obtain a lock.
//! Must never know: how it is given up.

use super::{Obtained, Protocol};
use crate::smp::order::{Level, Order};
use crate::smp::{Error, Lock, System, Thread};

impl System<'_> {
    /// Obtains `lock` for `thread`, which runs; when it is busy, `wait` says whether to wait.
    ///
    /// Bounds: free or refused: the policy's update of one node, plus for a deadlock as many
    /// steps as there are locks. Waiting: see the module `smp::lock`: along the chain of owners.
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
    pub fn obtain(&mut self, lock: Lock, thread: Thread, wait: bool) -> Result<Obtained, Error> {
        let protocol = self.locks.protocol(lock)?;
        self.known(thread)?;
        if self.locks.waits_for(thread).is_some() {
            return Err(Error::IncorrectState);
        }
        if protocol == Protocol::Ceiling && self.locks.lock(lock).home != self.home(thread) {
            return Err(Error::NotDefined);
        }
        match self.locks.owner(lock) {
            None => {
                let raised = self.ceiling_for(lock, thread)?;
                self.own(lock, thread, raised);
                Ok(Obtained::Owned)
            }
            Some(owner) if owner == thread => {
                if protocol == Protocol::MrsP {
                    return Err(Error::IncorrectState);
                }
                self.locks.lock_mut(lock).nesting += 1;
                Ok(Obtained::Owned)
            }
            Some(_) if !wait => Err(Error::Unsatisfied),
            Some(_) => self.queue_up(lock, thread),
        }
    }

    /// The level that the ceiling of `lock` gives `thread`; [`Level::NONE`] without ceiling.
    ///
    /// # Errors
    /// [`Error::InvalidPriority`]: the thread is more urgent.
    pub(super) fn ceiling_for(&self, lock: Lock, thread: Thread) -> Result<Level, Error> {
        let level = self.ceiling_level(lock, thread);
        if level != Level::NONE && self.effective(thread, self.home(thread)) < level {
            return Err(Error::InvalidPriority);
        }
        Ok(level)
    }

    /// As [`System::ceiling_for`], unchecked.
    pub(super) fn ceiling_level(&self, lock: Lock, thread: Thread) -> Level {
        if !self.locks.has_ceiling(lock) {
            return Level::NONE;
        }
        let home = self.home(thread);
        self.level(home, self.locks.side(lock, home).ceiling)
    }

    /// Makes `thread` the owner of a free lock, raised to `raised`.
    pub(super) fn own(&mut self, lock: Lock, thread: Thread, raised: Level) {
        self.locks.take_slot(lock, self.home(thread));
        if raised == Level::NONE {
            // No thread waits for a lock that is free, and without a ceiling it does not count.
            return self.locks.set_owner(lock, Some(thread), raised);
        }
        let before = self.involved([Some(thread)]);
        self.locks.set_owner(lock, Some(thread), raised);
        self.count_involved([Some(thread)], before);
        let home = self.home(thread);
        self.share(thread, home, lock, raised);
        self.priority_changed(thread, Order::Append);
    }

    /// Makes `thread` wait for a lock that another owns.
    fn queue_up(&mut self, lock: Lock, thread: Thread) -> Result<Obtained, Error> {
        let spins = self.locks.sticks(lock);
        let raised = match spins {
            true => self.ceiling_for(lock, thread)?,
            false => Level::NONE,
        };
        if self.locks.is_apart(lock) {
            let waiting = self.queue_up_apart(lock, thread, raised)?;
            return Ok(waiting);
        }
        if self.chain_leads_to(lock, thread) {
            return Err(Error::IncorrectState);
        }
        let parties = [Some(thread), self.locks.owner(lock)];
        let before = self.involved(parties);
        self.locks.begin_wait(lock, thread, raised);
        self.count_involved(parties, before);
        self.weigh(lock);
        if spins {
            self.spin(lock, thread, raised);
            return Ok(Obtained::Spinning);
        }
        self.line_up(lock, thread);
        let reach = self.follow_all(thread);
        self.update_owners(lock, reach, Order::Append);
        Ok(Obtained::Waiting)
    }

    /// Puts `thread`, which waits for `lock` since now, into the queues of its protocol.
    pub(super) fn line_up(&mut self, lock: Lock, thread: Thread) {
        if !self.locks.is_omip(lock) {
            return;
        }
        if self.locks.lock(lock).waiters == 1 {
            self.locks.count_slot(lock, |used| used + 1);
        }
        let home = self.home(thread);
        let level = self.effective(thread, home);
        let room = self.room(home);
        self.locks.stand(lock, home, thread, level, room);
    }

    /// `thread`, which waits for `lock`, spins at `raised`.
    fn spin(&mut self, lock: Lock, thread: Thread, raised: Level) {
        let home = self.home(thread);
        self.share(thread, home, lock, raised);
        self.priority_changed(thread, Order::Append);
    }
}
