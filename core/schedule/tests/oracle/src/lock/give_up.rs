//! Owns: waits that end without the lock.
//! Must never know: the clock that ended them.

use crate::Effects;
use crate::System;
use crate::rows::Order;
use taktos_schedule::smp::{Error, Level, Lock, Outcome, Protocol, Reasons, Thread};
use taktos_time::Instant;

impl System {
    /// The time of `thread`'s wait is over: it leaves the queues, and what it has lent the owner
    /// ends at once. A sleeper wakes; a spinner loses its ceiling and sticks no more.
    ///
    /// # Errors
    /// - [`Error::InvalidId`]: no such thread.
    /// - [`Error::IncorrectState`]: it does not wait (the grant came first).
    pub fn time_out(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.threads[id].lock.is_none() {
            return Err(Error::IncorrectState);
        }
        self.at(now, effects, |system| system.give_up(id, Outcome::Timeout));
        Ok(())
    }

    /// Sends all waiters of `lock` away, in the order in which they would be granted it; the owner
    /// keeps it.
    ///
    /// # Errors
    /// - [`Error::InvalidId`]: no such lock.
    /// - [`Error::NotDefined`]: its protocol is MrsP.
    pub fn flush(
        &mut self,
        lock: Lock,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        if self.known_lock(lock)?.protocol == Protocol::MrsP {
            return Err(Error::NotDefined);
        }
        self.at(now, effects, |system| {
            while let Some(first) = system.lock_mut(lock).next_in_turn() {
                system.give_up(first, Outcome::Flushed);
            }
        });
        Ok(())
    }

    /// The wait of the thread `id` ends, if it waits.
    pub(crate) fn give_up(&mut self, id: usize, outcome: Outcome) {
        let Some(lock) = self.threads[id].lock else {
            return;
        };
        self.leave_queues(lock, id);
        self.end_wait(id, outcome);
        if self.lock(lock).is_apart() {
            return self.clear_reasons(id, Reasons::LOCK);
        }
        if !self.lock(lock).sticks() {
            self.clear_reasons(id, Reasons::LOCK);
        }
        let reach = self.follow_owner(lock);
        self.update_owners(lock, reach, Order::Prepend);
        if self.lock(lock).sticks() {
            let home = self.threads[id].home;
            self.share(id, home, lock, Level::NONE);
            self.clean_sticky(id, home);
            self.update_priority(id, Order::Prepend);
        }
        // One may spin for this thread, or for the owner.
        self.let_owner_of_lead(Some(id));
        if let Some(owner) = self.lock(lock).owner {
            self.let_owner_of_lead(Some(owner));
            self.let_others_lead(owner);
        }
    }
}
