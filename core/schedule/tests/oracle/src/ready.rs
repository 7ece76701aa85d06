//! Owns: threads that become ready and threads that block (spec 01, 1.1 and 2.2).
//! Must never know: what a thread waits for.

use crate::Effects;
use crate::System;
use crate::rows::{Order, Presence, State};
use taktos_schedule::smp::{Error, Reasons, Thread};
use taktos_time::Instant;

/// The reasons that are not the caller's to set or to clear.
const OTHERS: Reasons = Reasons::DORMANT.or(Reasons::LOCK).or(Reasons::BUDGET);

impl System {
    /// Adds `reasons` to those for which `thread` is blocked. Only the first one reaches the
    /// scheduler.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: [`Reasons::DORMANT`] comes from creation
    /// alone, [`Reasons::LOCK`] from [`System::obtain`], and [`Reasons::BUDGET`] from a server.
    pub fn block(
        &mut self,
        thread: Thread,
        reasons: Reasons,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.check_reasons(thread, reasons)?;
        self.at(now, effects, |system| system.add_reasons(id, reasons));
        Ok(())
    }

    /// Takes `reasons` away from those for which `thread` is blocked. Only the last one reaches the
    /// scheduler.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: [`Reasons::DORMANT`] ends by
    /// [`System::start`] alone, [`Reasons::LOCK`] with the wait, and [`Reasons::BUDGET`] with the
    /// refill.
    pub fn unblock(
        &mut self,
        thread: Thread,
        reasons: Reasons,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        self.unblock_as(thread, reasons, Order::Append, now, effects)
    }

    /// [`System::unblock`], but `thread` goes in front of its equals: it takes the processor of the
    /// last placed of them where none is free.
    ///
    /// # Errors
    /// Those of [`System::unblock`].
    pub fn unblock_in_front(
        &mut self,
        thread: Thread,
        reasons: Reasons,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        self.unblock_as(thread, reasons, Order::Prepend, now, effects)
    }

    fn unblock_as(
        &mut self,
        thread: Thread,
        reasons: Reasons,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.check_reasons(thread, reasons)?;
        self.at(now, effects, |system| {
            system.clear_reasons_for(id, reasons, order);
        });
        Ok(())
    }

    fn check_reasons(&self, thread: Thread, reasons: Reasons) -> Result<usize, Error> {
        let id = self.known(thread)?;
        let may = !reasons.any_of(OTHERS);
        may.then_some(id).ok_or(Error::IncorrectState)
    }

    /// Suspends `thread`.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it is suspended already.
    pub fn suspend(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        match self.reasons(thread)?.any_of(Reasons::SUSPENDED) {
            true => Err(Error::IncorrectState),
            false => self.block(thread, Reasons::SUSPENDED, now, effects),
        }
    }

    /// Ends the suspension of `thread`.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it is not suspended.
    pub fn resume(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        match self.reasons(thread)?.any_of(Reasons::SUSPENDED) {
            true => self.unblock(thread, Reasons::SUSPENDED, now, effects),
            false => Err(Error::IncorrectState),
        }
    }

    /// Puts `thread` after its equals, in its home instance. If it runs by the help of another
    /// instance, it keeps its processor there. Nothing for a blocked thread.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn yield_now(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        self.requeue(thread, Order::Append, now, effects)
    }

    /// `thread` goes in front of its equals, in its home instance; otherwise as
    /// [`System::yield_now`].
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn go_in_front(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        self.requeue(thread, Order::Prepend, now, effects)
    }

    fn requeue(
        &mut self,
        thread: Thread,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        self.at(now, effects, |system| system.go_among_equals(id, order));
        Ok(())
    }

    fn go_among_equals(&mut self, id: usize, order: Order) {
        let home = self.threads[id].home;
        match self.node(home, id).state {
            State::Scheduled => self.reposition(home, id, order),
            State::Ready => {
                self.withdraw(home, id);
                self.enqueue(home, id, order);
            }
            State::Blocked => {}
        }
    }

    pub(crate) fn add_reasons(&mut self, id: usize, reasons: Reasons) {
        let record = &mut self.threads[id];
        let before = record.reasons;
        record.reasons = before.or(reasons);
        if before.is_empty() && !reasons.is_empty() {
            self.make_blocked(id);
        }
    }

    pub(crate) fn clear_reasons(&mut self, id: usize, reasons: Reasons) {
        self.clear_reasons_for(id, reasons, Order::Append);
    }

    fn clear_reasons_for(&mut self, id: usize, reasons: Reasons, order: Order) {
        let record = &mut self.threads[id];
        let before = record.reasons;
        record.reasons = before.minus(reasons);
        if !before.is_empty() && record.reasons.is_empty() && self.wake_server(id) {
            self.make_ready(id, order);
        }
    }

    /// The scheduler's *block*: the thread leaves its places, also an owner for which others spin,
    /// and one that spins itself; but for one that steps aside to come in again at once.
    pub(crate) fn make_blocked(&mut self, id: usize) {
        self.cancel_request(id);
        let record = &mut self.threads[id];
        record.presence = Presence::Blocked;
        let first = record.first;
        let node = self.node_mut(first, id);
        node.sticky -= 1;
        let (sticks, state) = (node.sticky > 0, node.state);
        match (sticks && self.keeps_its_place(first, id), state) {
            (true, State::Scheduled) => self.stand_in(first, id),
            (true, State::Ready) => {}
            _ => self.withdraw(first, id),
        }
        for instance in self.others(id) {
            if !self.keeps_its_place(instance, id) {
                self.withdraw(instance, id);
            }
        }
    }

    /// An idle thread runs in place of the owner of the SCHEDULED node `id`.
    fn stand_in(&mut self, instance: usize, id: usize) {
        if self.node(instance, id).idle.is_none()
            && let Some(idle) = self.borrow_idle(instance, id)
        {
            let cpu = self.held_by(instance, id);
            self.set_heir(cpu, idle);
        }
    }

    /// The scheduler's *unblock*.
    pub(crate) fn make_ready(&mut self, id: usize, order: Order) {
        let record = &mut self.threads[id];
        record.presence = Presence::Ready;
        let (first, helped) = (record.first, !record.helpers.is_empty());
        let node = self.node_mut(first, id);
        node.sticky += 1;
        let waits = match node.state {
            State::Scheduled => {
                self.take_over(first, id);
                false
            }
            State::Ready => true,
            State::Blocked => {
                self.refresh(first, id);
                let waits = self.enqueue(first, id, order);
                self.settle(first);
                waits
            }
        };
        if waits && (helped || self.spinners > 0) {
            self.request(id);
        }
    }
}
