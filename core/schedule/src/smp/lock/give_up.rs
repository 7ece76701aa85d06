//! Owns: waits that end without the lock.
//! Must never know: the clock that ended them.

use super::{Outcome, Protocol};
use crate::smp::order::{Level, Order};
use crate::smp::{Effects, Error, Lock, Reasons, System, Thread};
use taktos_time::Instant;

impl System<'_> {
    /// The time of `thread`'s wait is over: it leaves the queues, and what it has lent the
    /// owner ends at once. A sleeper wakes; a spinner loses its ceiling and sticks no more.
    ///
    /// Bound: that of a chain, see the module `smp::lock`.
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
        self.reasons(thread)?;
        self.give_up(thread, Outcome::Timeout, now, effects)
    }

    /// Sends all waiters of `lock` away, in the order in which they would be granted it; the
    /// owner keeps it.
    ///
    /// Bound: that of [`System::time_out`] for each waiter.
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
        while self.flush_first(lock, now, effects)?.is_some() {}
        Ok(())
    }

    /// Sends away who would be granted `lock` next; none where nobody waits. For worlds that do something with each, as to wake it.
    ///
    /// Bound: that of [`System::time_out`].
    ///
    /// # Errors
    /// As [`System::flush`].
    pub fn flush_first(
        &mut self,
        lock: Lock,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Option<Thread>, Error> {
        if self.locks.protocol(lock)? == Protocol::MrsP {
            return Err(Error::NotDefined);
        }
        let turn = self.locks.queues.turn(lock);
        let first = turn.and_then(|turn| Some((turn, self.locks.queues.first(lock, turn)?)));
        let Some((turn, first)) = first else {
            return Ok(None);
        };
        self.locks.queues.end_turn(lock, turn);
        self.give_up(first, Outcome::Flushed, now, effects)?;
        Ok(Some(first))
    }

    /// The wait of `thread` ends, if it waits, because the thread itself does.
    pub(crate) fn abandon_wait(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        // It fails where there is no wait: then there is nothing to abandon.
        let _ = self.give_up(thread, Outcome::Flushed, now, effects);
    }

    fn give_up(
        &mut self,
        thread: Thread,
        outcome: Outcome,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let lock = self.locks.waits_for(thread).ok_or(Error::IncorrectState)?;
        self.leave_queues(lock, thread);
        if self.locks.is_apart(lock) {
            let spins = self.locks.spins(thread);
            self.end_spin_seated(thread);
            self.locks.end_wait(thread, outcome);
            self.end_seated_if_free(lock);
            if !spins {
                self.clear_reasons(thread.0, Reasons::LOCK, now, effects);
            }
            return Ok(());
        }
        let parties = [Some(thread), self.locks.owner(lock)];
        let before = self.involved(parties);
        self.locks.end_wait(thread, outcome);
        self.count_involved(parties, before);
        let reach = self.follow_owner(lock, now, effects);
        self.update_owners(lock, reach, Order::Prepend, now, effects);
        if !self.locks.sticks(lock) {
            self.clear_reasons(thread.0, Reasons::LOCK, now, effects);
            self.let_both_lead(lock, thread, now, effects);
            return Ok(());
        }
        let home = self.home(thread);
        self.share(thread, home, lock, Level::NONE);
        self.clean_sticky(thread, home, now, effects);
        self.update_priority(thread, Order::Prepend, now, effects);
        self.let_both_lead(lock, thread, now, effects);
        Ok(())
    }

    /// One may spin for `thread`, which does not wait for `lock` any more, or for the owner of that.
    fn let_both_lead(
        &mut self,
        lock: Lock,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        self.let_owner_of_lead(Some(thread), now, effects);
        if let Some(owner) = self.locks.owner(lock) {
            self.let_owner_of_lead(Some(owner), now, effects);
            self.let_others_lead(owner, now, effects);
        }
    }
}
