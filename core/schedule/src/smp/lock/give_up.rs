//! Owns: waits that end without the lock.
//! Must never know: the clock that ended them.

use super::{Outcome, Protocol};
use crate::smp::order::{Level, Order};
use crate::smp::{Error, Lock, System, Thread};

impl System<'_> {
    /// The time of `thread`'s wait is over: it leaves the queues, and what it has lent the
    /// owner ends at once. A sleeper wakes; a spinner loses its ceiling and sticks no more.
    ///
    /// Bound: that of a chain, see the module `smp::lock`.
    ///
    /// # Errors
    /// - [`Error::InvalidId`]: no such thread.
    /// - [`Error::IncorrectState`]: it does not wait (the grant came first).
    pub fn time_out(&mut self, thread: Thread) -> Result<(), Error> {
        self.known(thread)?;
        self.give_up(thread, Outcome::Timeout)
    }

    /// Ends the wait of the thread that would be granted `lock` next; none if no thread waits. For
    /// worlds that do something with each one, for example wake it.
    ///
    /// Bound: that of [`System::time_out`].
    ///
    /// # Errors
    /// [`Error::InvalidId`]: no such lock; [`Error::NotDefined`]: its protocol is MrsP, under which
    /// waiters spin.
    pub fn flush_first(&mut self, lock: Lock) -> Result<Option<Thread>, Error> {
        if self.locks.protocol(lock)? == Protocol::MrsP {
            return Err(Error::NotDefined);
        }
        let turn = self.locks.queues.turn(lock);
        let first = turn.and_then(|turn| Some((turn, self.locks.queues.first(lock, turn)?)));
        let Some((turn, first)) = first else {
            return Ok(None);
        };
        self.locks.queues.end_turn(lock, turn);
        self.give_up(first, Outcome::Flushed)?;
        Ok(Some(first))
    }

    /// The wait of `thread` ends, if it waits, because the thread itself does.
    pub(crate) fn abandon_wait(&mut self, thread: Thread) {
        // It fails where there is no wait: then there is nothing to abandon.
        let _ = self.give_up(thread, Outcome::Flushed);
    }

    fn give_up(&mut self, thread: Thread, outcome: Outcome) -> Result<(), Error> {
        let lock = self.locks.waits_for(thread).ok_or(Error::IncorrectState)?;
        self.leave_queues(lock, thread);
        if self.locks.is_apart(lock) {
            self.end_spin_seated(thread);
            self.locks.end_wait(thread, outcome);
            self.end_seated_if_free(lock);
            return Ok(());
        }
        let parties = [Some(thread), self.locks.owner(lock)];
        let before = self.involved(parties);
        self.locks.end_wait(thread, outcome);
        self.count_involved(parties, before);
        let reach = self.follow_owner(lock);
        self.update_owners(lock, reach, Order::Prepend);
        if self.locks.sticks(lock) {
            let home = self.home(thread);
            self.share(thread, home, lock, Level::NONE);
            self.update_priority(thread, Order::Prepend);
        }
        Ok(())
    }
}
