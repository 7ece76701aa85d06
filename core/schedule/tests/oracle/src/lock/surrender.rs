//! Owns: how a lock passes from its owner to the next.
//! Must never know: how the next came to wait.

use crate::Effects;
use crate::System;
use crate::rows::Order;
use taktos_schedule::smp::{Error, Level, Lock, Outcome, Protocol, Reasons, Thread};
use taktos_time::Instant;

impl System {
    /// Gives `lock` up, once for each time that it was obtained. Returns the new owner, if there
    /// is one.
    ///
    /// The next owner is the most urgent waiter of the instance that has its turn; that instance
    /// then goes to the end of the line. Under OMIP it is the first of the line. A waiter that
    /// sleeps wakes; one that spins finds its [`System::outcome`].
    ///
    /// # Errors
    /// - [`Error::InvalidId`]: no such lock or thread.
    /// - [`Error::NotOwner`]: `thread` does not own it.
    pub fn surrender(
        &mut self,
        lock: Lock,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Option<Thread>, Error> {
        self.known_lock(lock)?;
        let id = self.known(thread)?;
        let row = self.lock_mut(lock);
        if row.owner != Some(id) {
            return Err(Error::NotOwner);
        }
        if row.nesting > 1 {
            row.nesting -= 1;
            return Ok(None);
        }
        let next = self.at(now, effects, |system| system.pass(lock, id));
        Ok(next.map(crate::thread))
    }

    /// `id`, which owns `lock`, has it no longer; the new owner.
    fn pass(&mut self, lock: Lock, id: usize) -> Option<usize> {
        let next = self.choose(lock);
        self.shed(lock, id);
        let raised = next.map_or(Level::NONE, |next| self.ceiling_of_waiter(lock, next));
        self.lock_mut(lock).set_owner(next, raised);
        if let Some(next) = next {
            self.end_wait(next, Outcome::Granted);
            for instance in 0..self.instances.len() {
                self.pass_on(lock, instance);
            }
        }
        let row = self.lock(lock);
        let (apart, sticks) = (row.is_apart(), row.sticks());
        let had_more = row.has_ceiling() || row.inherits() && next.is_some();
        if sticks {
            self.clean_sticky(id, self.threads[id].home);
        }
        if had_more {
            self.priority_changed(id, Order::Prepend);
        }
        let next = next?;
        if apart {
            self.clear_reasons(next, Reasons::LOCK);
            return Some(next);
        }
        self.update_priority(next, Order::Append);
        if !sticks {
            self.clear_reasons(next, Reasons::LOCK);
        }
        self.let_owner_of_lead(Some(next));
        self.let_others_lead(id);
        Some(next)
    }

    /// Takes the next owner of `lock` from its queues.
    fn choose(&mut self, lock: Lock) -> Option<usize> {
        if !self.is_waited_for(lock) {
            return None;
        }
        let row = self.lock(lock);
        let next = if row.protocol == Protocol::Omip {
            let room = row.slot.map_or(1, |slot| self.room(slot));
            let row = self.lock_mut(lock);
            row.return_slot(room);
            row.next_in_line()?
        } else {
            self.lock_mut(lock).next_in_turn()?
        };
        self.leave_queues(lock, next);
        Some(next)
    }

    /// Takes the thread `id` from all places that it has in the queues of `lock`.
    pub(super) fn leave_queues(&mut self, lock: Lock, id: usize) {
        let home = self.threads[id].home;
        let room = self.room(home);
        let row = self.lock_mut(lock);
        if row.protocol == Protocol::Omip {
            row.stand_down(home, id, room);
        }
        for instance in 0..row.sides.len() {
            row.place(instance, id, None);
        }
    }

    /// The owner's nodes have nothing more from `lock`.
    fn shed(&mut self, lock: Lock, owner: usize) {
        for instance in 0..self.instances.len() {
            self.share(owner, instance, lock, Level::NONE);
        }
        for instance in 0..self.instances.len() {
            self.lend(lock, owner, instance, false);
        }
    }

    /// To what the waiter is raised as an owner: a spinner keeps what it was raised to, one that
    /// slept is given the present ceiling, unchecked.
    fn ceiling_of_waiter(&self, lock: Lock, waiter: usize) -> Level {
        match self.lock(lock).sticks() {
            true => self.threads[waiter].raised,
            false => self.ceiling_level(lock, waiter),
        }
    }
}
