//! Owns: threads that become ready and threads that block (spec 01, 1.1 and 2.2).
//! Must never know: what a thread waits for.

use super::System;
use crate::smp::{
    Effects, Error, Reasons, Thread, ids::NONE, node::NodeRecord, node::State, order::Order,
    thread::Presence,
};
use taktos_time::Instant;

/// What is not the caller's to set or to clear.
const OTHERS: Reasons = Reasons::DORMANT.or(Reasons::LOCK).or(Reasons::BUDGET);

impl System<'_> {
    /// Adds `reasons` to those for which `thread` is blocked. Only the first one reaches the scheduler.
    ///
    /// A fixed number of steps and those of the policy for a removal and the most urgent READY node; in all, for a thread
    /// with helping nodes, so many times.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: [`Reasons::DORMANT`] comes from creation alone,
    /// [`Reasons::LOCK`] from [`System::obtain`], and [`Reasons::BUDGET`] from a server.
    #[inline]
    pub fn block(
        &mut self,
        thread: Thread,
        reasons: Reasons,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if reasons.any_of(OTHERS) {
            return Err(Error::IncorrectState);
        }
        self.add_reasons(id, reasons, now, effects);
        Ok(())
    }

    /// Takes `reasons` away from those for which `thread` is blocked. Only the last one reaches the scheduler. Insert + m steps.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: [`Reasons::DORMANT`] ends by [`System::start`] alone,
    /// [`Reasons::LOCK`] with the wait, and [`Reasons::BUDGET`] with the refill.
    #[inline]
    pub fn unblock(
        &mut self,
        thread: Thread,
        reasons: Reasons,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if reasons.any_of(OTHERS) {
            return Err(Error::IncorrectState);
        }
        self.clear_reasons(id, reasons, now, effects);
        Ok(())
    }

    /// [`System::unblock`], but `thread` goes in front of its equals: it takes the processor of the last placed of them where none
    /// is free. For who is handed another's turn. Bound and errors: as there.
    pub fn unblock_in_front(
        &mut self,
        thread: Thread,
        reasons: Reasons,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if reasons.any_of(OTHERS) {
            return Err(Error::IncorrectState);
        }
        self.clear_reasons_for(id, reasons, Order::Prepend, now, effects);
        Ok(())
    }

    /// Suspends `thread`. Bound: that of [`System::block`].
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it is suspended already.
    pub fn suspend(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.thread(id).reasons.any_of(Reasons::SUSPENDED) {
            return Err(Error::IncorrectState);
        }
        self.add_reasons(id, Reasons::SUSPENDED, now, effects);
        Ok(())
    }

    /// Ends the suspension of `thread`. Bound: that of [`System::unblock`].
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it is not suspended.
    pub fn resume(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if !self.thread(id).reasons.any_of(Reasons::SUSPENDED) {
            return Err(Error::IncorrectState);
        }
        self.clear_reasons(id, Reasons::SUSPENDED, now, effects);
        Ok(())
    }

    /// `thread` goes behind its equals, in its home instance. Where it runs by the help of another instance, it keeps its
    /// processor there. Nothing for a blocked thread. Insert + m steps.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn yield_now(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        self.go_among_equals(thread, Order::Append, now, effects)
    }

    /// `thread` goes in front of its equals, in its home instance; otherwise as [`System::yield_now`].
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn go_in_front(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        self.go_among_equals(thread, Order::Prepend, now, effects)
    }

    #[inline]
    fn go_among_equals(
        &mut self,
        thread: Thread,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        let home = self.thread(id).home;
        match self.state(home, id) {
            State::Scheduled => self.place_anew(home, id, order, now, effects),
            State::Ready => {
                self.remove_ready(home, id, effects);
                self.enqueue(home, id, order, now, effects);
            }
            State::Blocked => {}
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn add_reasons(
        &mut self,
        id: u16,
        reasons: Reasons,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let record = self.thread_mut(id);
        let before = record.reasons;
        record.reasons = before.or(reasons);
        if before.is_empty() && !reasons.is_empty() {
            self.make_blocked(id, now, effects);
        }
    }

    #[inline]
    pub(crate) fn clear_reasons(
        &mut self,
        id: u16,
        reasons: Reasons,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        self.clear_reasons_for(id, reasons, Order::Append, now, effects);
    }

    #[inline(always)]
    fn clear_reasons_for(
        &mut self,
        id: u16,
        reasons: Reasons,
        order: Order,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let record = self.thread_mut(id);
        let before = record.reasons;
        record.reasons = before.minus(reasons);
        if before.is_empty() || !record.reasons.is_empty() {
            return;
        }
        if !self.serves(id) || self.wake_server(id, now, effects) {
            self.make_ready(id, order, now, effects);
        }
    }

    /// The scheduler's *block*: the thread leaves its places, also an owner for which others spin,
    /// and one that spins itself; but for one that steps aside to come in again at once.
    pub(crate) fn make_blocked(&mut self, id: u16, now: Instant, effects: &mut impl Effects) {
        self.cancel_request(id);
        let record = self.thread_mut(id);
        record.presence = Presence::Blocked;
        let first = record.first;
        let node = self.node_mut(first, id);
        node.sticky = node.sticky.saturating_sub(1);
        let (sticks, state) = (node.sticky > 0, node.state);
        match (sticks && self.keeps_its_place(first, id), state) {
            (true, State::Scheduled) => self.stand_in(first, id, now, effects),
            (true, State::Ready) => {}
            _ => self.withdraw(first, id, now, effects),
        }
        let record = self.thread(id);
        if record.helper != NodeRecord::NO_HELPER || record.home != first {
            self.leave_others(id, now, effects);
        }
    }

    /// The thread `id`, which is blocked, leaves the places that it does not keep, but for the first.
    fn leave_others(&mut self, id: u16, now: Instant, effects: &mut impl Effects) {
        self.for_each_other(id, |system, instance| {
            if !system.keeps_its_place(instance, id) {
                system.withdraw(instance, id, now, effects);
            }
        });
    }

    /// An idle thread runs in place of the owner of the SCHEDULED node `id`.
    fn stand_in(&mut self, instance: u8, id: u16, now: Instant, effects: &mut impl Effects) {
        if self.node(instance, id).idle == NONE {
            let idle = self.borrow_idle(instance, id);
            if idle != NONE {
                let cpu = self.node(instance, id).processor();
                self.set_heir(cpu, idle, now, effects);
            }
        }
    }

    /// The scheduler's *unblock*.
    pub(crate) fn make_unblocked(&mut self, id: u16, now: Instant, effects: &mut impl Effects) {
        self.make_ready(id, Order::Append, now, effects);
    }

    #[inline(always)]
    fn make_ready(&mut self, id: u16, order: Order, now: Instant, effects: &mut impl Effects) {
        let record = self.thread_mut(id);
        record.presence = Presence::Ready;
        let first = record.first;
        let helped = record.helper != NodeRecord::NO_HELPER;
        let node = self.node_mut(first, id);
        node.sticky = node.sticky.saturating_add(1);
        let waits = match node.state {
            State::Scheduled => {
                self.take_over(first, id, now, effects);
                false
            }
            State::Ready => true,
            State::Blocked => {
                self.refresh(first, id);
                let waits = self.enqueue(first, id, order, now, effects);
                self.settle(first, now, effects);
                waits
            }
        };
        if waits && (helped || self.locks.anyone_spins()) {
            self.request(id, effects);
        }
    }
}
