//! Owns: the rule that no thread spins in place of the one it spins for.
//! Must never know: what a processor is doing otherwise.
//!
//! In a spinner's instance the owner has the spinner's priority, so the order among equals decides
//! which of the two runs. A spinner never gives up its processor by itself. By the rules of spec
//! 01, 1.5 alone the wrong one of them would go first in some cases: the owner yields, wakes, is
//! pinned, or was after its equal already when that began to spin.

use super::LockRow;
use crate::System;
use crate::rows::{Order, Presence, State};
use taktos_schedule::smp::Lock;

impl System {
    /// Returns the place among its equals of a node that `order` would send to their end. An owner
    /// for which a thread spins in this instance goes before them, whatever brings it there.
    pub(crate) fn order_among_equals(&self, instance: usize, id: usize, order: Order) -> Order {
        let mut shares = self.node(instance, id).shares.iter();
        let is_spun_for = shares.any(|(lock, _)| {
            let spins = |row: &LockRow| row.sticks() && row.first(instance).is_some();
            let row = self.known_lock(*lock);
            row.is_ok_and(|row| row.owner == Some(id) && spins(row))
        });
        if is_spun_for { Order::Prepend } else { order }
    }

    /// If a spinner is to run, the one that it spins for goes first.
    pub(crate) fn let_owners_lead(&mut self) {
        self.look_at_heirs(|_, _| true);
    }

    /// [`System::let_owners_lead`] where one spins for `owner`, directly or not, after a change
    /// among the waiters of its lock. Other chains are not touched by that.
    pub(super) fn let_owner_of_lead(&mut self, owner: Option<usize>) {
        if let Some(owner) = owner {
            self.look_at_heirs(|it, lock| it.chain_leads_to(lock, owner));
        }
    }

    /// Does [`System::let_owners_lead`] for those that may run where the thread `id` is at home:
    /// it may lead there no longer, and so may be in the way of no thread.
    pub(super) fn let_others_lead(&mut self, id: usize) {
        let home = self.threads[id].home;
        self.look_at_heirs(|it, lock| {
            let end = it.end_of_chain(lock);
            end.is_some_and(|end| it.takes_part(end, home))
        });
    }

    /// The lock that the heir of `cpu` waits for: one that is chosen to run and waits for a lock
    /// spins for it.
    fn spun_for(&self, cpu: taktos_schedule::Cpu) -> Option<Lock> {
        self.threads[self.processor(cpu).heir?].lock
    }

    /// The ends of those chains for which heirs spin lead that are `concerned`, by the first lock.
    fn look_at_heirs(&mut self, concerned: impl Fn(&Self, Lock) -> bool) {
        if self.spinners == 0 {
            return;
        }
        for cpu in self.online {
            if let Some(lock) = self.spun_for(cpu)
                && concerned(self, lock)
                && let Some(owner) = self.end_of_chain(lock)
            {
                self.let_owner_lead(owner);
            }
        }
    }

    /// The thread goes before its equals wherever it is READY, but not before those that go first
    /// as well, until it has a processor; nothing where it has one.
    fn let_owner_lead(&mut self, owner: usize) {
        let home = self.threads[owner].home;
        self.lead(owner, home);
        for instance in (0..self.instances.len()).filter(|other| *other != home) {
            self.lead(owner, instance);
        }
    }

    /// Returns the thread at the end of the chain from `lock`; none if an owner on the way does
    /// not inherit.
    fn end_of_chain(&self, mut lock: Lock) -> Option<usize> {
        loop {
            let row = self.lock(lock);
            let owner = row.owner.filter(|_| row.inherits())?;
            match self.threads[owner].lock {
                Some(next) => lock = next,
                None => return Some(owner),
            }
        }
    }

    fn lead(&mut self, id: usize, instance: usize) {
        let record = &self.threads[id];
        let may = record.pinned_to.is_none() || record.first == instance;
        if record.presence != Presence::Ready || !may || !self.takes_part(id, instance) {
            return;
        }
        match self.node(instance, id).state {
            State::Scheduled => return self.take_over(instance, id),
            State::Ready => self.withdraw(instance, id),
            State::Blocked => self.refresh(instance, id),
        }
        self.draw_turn(instance, id, Order::Prepend);
        while let Some(leader) = self.leader_in_the_way(instance, id) {
            self.reposition(instance, leader, Order::Prepend);
        }
        if self.victim(instance, id).is_some() {
            self.enqueue(instance, id, Order::Prepend);
        } else {
            self.node_mut(instance, id).state = State::Ready;
        }
    }

    /// The node that would lose its processor to `id`, if that is an equal that goes first as well:
    /// it would take the processor back, and so on with each dispatch.
    fn leader_in_the_way(&mut self, instance: usize, id: usize) -> Option<usize> {
        let victim = self.victim(instance, id)?;
        let (own, node) = (self.node(instance, id), self.node(instance, victim));
        let runs_beside = node.key.level == own.key.level && node.idle.is_none();
        (runs_beside && self.leads(victim)).then_some(victim)
    }

    /// Whether a thread that is to run spins for the thread `id`, directly or not.
    fn leads(&self, id: usize) -> bool {
        self.online.into_iter().any(|cpu| {
            let lock = self.spun_for(cpu);
            lock.and_then(|lock| self.end_of_chain(lock)) == Some(id)
        })
    }
}
