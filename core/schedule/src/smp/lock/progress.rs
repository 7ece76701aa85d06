//! Owns: that nobody spins in place of the one it spins for.
//! Must never know: what a processor is doing otherwise.
//!
//! In a spinner's instance the owner has the spinner's priority, so the order among equals
//! decides which of the two runs; and a spinner never gives up its processor by itself.
//! The rules of spec 01, 1.5 alone would let the wrong one of them go first where an owner
//! yields, wakes, is pinned, or was behind its equal already when that began to spin.

use crate::smp::ids::NONE;
use crate::smp::node::State;
use crate::smp::order::Order;
use crate::smp::steps::step;
use crate::smp::thread::{Presence, ThreadRecord};
use crate::smp::{Effects, Instance, Lock, System, Thread};
use taktos_time::Instant;

impl System<'_> {
    /// Where a node goes among its equals that `order` would send to their end: an owner for
    /// which somebody spins in this instance goes before them, whatever brings it there (it
    /// yields, wakes, is pinned, falls from a higher priority). One of them may be the
    /// spinner, and then it would never get the processor that it is waited for on.
    ///
    /// As many steps as locks contribute to the node; none do to most.
    #[inline(always)]
    pub(crate) fn order_among_equals(&self, instance: u8, id: u16, order: Order) -> Order {
        let first = self.node(instance, id).shares;
        if first != NONE && self.is_spun_for(Instance(instance), Thread(id), first) {
            return Order::Prepend;
        }
        order
    }

    /// Whether somebody in `instance` spins for a lock of `thread`, among those that
    /// contribute to its node there, from the row `share` on.
    fn is_spun_for(&self, instance: Instance, thread: Thread, mut share: u16) -> bool {
        while share != NONE {
            step();
            let record = &self.contributions[share as usize];
            let lock = Lock(record.lock);
            if self.locks.sticks(lock)
                && self.locks.owner(lock) == Some(thread)
                && self.locks.queues.first(lock, instance).is_some()
            {
                return true;
            }
            share = record.next;
        }
        false
    }

    /// Where a spinner is to run, the one that it spins for goes first. Nothing while nobody spins.
    ///
    /// For each processor with a spinner as many steps as owners along the chain, and an
    /// insertion for each instance; where the owner meets others that go first as well, as many
    /// insertions as processors, and for each the steps along the chains.
    #[inline(always)]
    pub(crate) fn let_owners_lead(&mut self, now: Instant, effects: &mut impl Effects) {
        if self.locks.anyone_spins() {
            self.look_at_heirs(|_, _| true, now, effects);
        }
    }

    /// [`System::let_owners_lead`] where one spins for `owner`, directly or not, after a change among
    /// the waiters of its lock. Other chains are not touched by that. Bound: that of
    /// [`System::let_owners_lead`].
    pub(super) fn let_owner_of_lead(
        &mut self,
        owner: Option<Thread>,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        if let Some(owner) = owner.filter(|_| self.locks.anyone_spins()) {
            self.look_at_heirs(|it, lock| it.chain_leads_to(lock, owner), now, effects);
        }
    }

    /// [`System::let_owners_lead`] for those that may run where `thread` is at home: it may lead there
    /// no longer, and so be in nobody's way. Bound: that of [`System::let_owners_lead`].
    pub(super) fn let_others_lead(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        if self.locks.anyone_spins() {
            let home = self.home(thread);
            let may_run = |it: &Self, lock| {
                let end = it.end_of_chain(lock);
                end.is_some_and(|end| it.takes_part(end, home))
            };
            self.look_at_heirs(may_run, now, effects);
        }
    }

    /// The ends of those chains for which heirs spin lead that are `concerned`, by the first lock.
    fn look_at_heirs(
        &mut self,
        concerned: impl Fn(&Self, Lock) -> bool,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        for cpu in self.online {
            let heir = Thread(self.processors[cpu.index()].heir);
            // Who is chosen to run and waits for a lock spins for it.
            if let Some(lock) = self.locks.waits_for(heir)
                && concerned(self, lock)
            {
                self.let_owner_lead(lock, now, effects);
            }
        }
    }

    /// The one on whom the chain from `lock` ends goes before its equals wherever it is READY,
    /// but not before those that go first as well, until it has a processor; nothing where it has
    /// one, or an owner on the way does not inherit.
    fn let_owner_lead(&mut self, lock: Lock, now: Instant, effects: &mut impl Effects) {
        let Some(owner) = self.end_of_chain(lock) else {
            return;
        };
        let home = self.home(owner);
        self.lead(owner, home, now, effects);
        for instance in self.locks.instances().filter(|other| *other != home) {
            self.lead(owner, instance, now, effects);
        }
    }

    fn end_of_chain(&self, mut lock: Lock) -> Option<Thread> {
        loop {
            step();
            let owner = self
                .locks
                .owner(lock)
                .filter(|_| self.locks.inherits(lock))?;
            match self.locks.waits_for(owner) {
                Some(next) => lock = next,
                None => return Some(owner),
            }
        }
    }

    fn lead(
        &mut self,
        thread: Thread,
        instance: Instance,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let record = self.thread(thread.0);
        let may = record.pinned_to == ThreadRecord::NOWHERE || record.first == instance.0;
        if record.presence != Presence::Ready || !may || !self.takes_part(thread, instance) {
            return;
        }
        match self.state(instance.0, thread.0) {
            State::Scheduled => return self.take_over(instance.0, thread.0, now, effects),
            State::Ready => self.remove_ready(instance.0, thread.0, effects),
            State::Blocked => self.refresh(instance.0, thread.0),
        }
        self.draw_turn(instance.0, thread.0, Order::Prepend);
        while let Some(leader) = self.leader_in_the_way(instance.0, thread.0) {
            self.place_anew(instance.0, leader, Order::Prepend, now, effects);
        }
        if self.victim(instance.0, thread.0).is_some() {
            self.enqueue(instance.0, thread.0, Order::Prepend, now, effects);
        } else {
            self.put_ready(instance.0, thread.0, Order::Prepend, effects);
        }
    }

    /// The node that would lose its processor to `id`, if that is an equal that goes first as
    /// well: it would take the processor back, and so on with each dispatch.
    fn leader_in_the_way(&mut self, instance: u8, id: u16) -> Option<u16> {
        let victim = self.victim(instance, id)?;
        let (own, node) = (self.node(instance, id), self.node(instance, victim));
        let runs_beside = node.key.level == own.key.level && node.idle == NONE;
        (runs_beside && self.leads(Thread(victim))).then_some(victim)
    }

    /// Whether a thread that is to run spins for `thread`, directly or not.
    fn leads(&self, thread: Thread) -> bool {
        self.online.into_iter().any(|cpu| {
            let heir = Thread(self.processors[cpu.index()].heir);
            let lock = self.locks.waits_for(heir);
            lock.and_then(|lock| self.end_of_chain(lock)) == Some(thread)
        })
    }
}
