//! Owns: how a change of a waiter's priority reaches the owners along the chain.
//! Must never know: why it changed.

use crate::System;
use crate::rows::Order;
use taktos_schedule::smp::{Level, Lock};

impl System {
    /// The owner of `lock`, that of the lock that this one waits for, and so on.
    fn chain(&self, lock: Lock) -> impl Iterator<Item = usize> {
        let next = |owner: &usize| self.lock(self.threads[*owner].lock?).owner;
        std::iter::successors(self.lock(lock).owner, next)
    }

    /// Whether the chain from the owner of `lock` leads to `id`: then it must not wait for it.
    pub(super) fn chain_leads_to(&self, lock: Lock, id: usize) -> bool {
        self.chain(lock).any(|owner| owner == id)
    }

    /// Makes all places of a waiting thread agree with its nodes, and all that follows from it.
    /// Returns the number of owners along the chain with nodes that are to be updated.
    pub(super) fn follow_all(&mut self, id: usize) -> usize {
        // Home comes first in the line of instances.
        let home = self.threads[id].home;
        let others = (0..self.instances.len()).filter(|other| *other != home);
        let all = std::iter::once(home).chain(others);
        let reach = all.map(|instance| self.follow(id, instance)).max();
        reach.unwrap_or(0)
    }

    /// As [`System::follow_all`], for one instance.
    fn follow(&mut self, mut id: usize, instance: usize) -> usize {
        let mut reach = 0;
        while let Some(lock) = self.threads[id].lock {
            if !self.take_place(lock, instance, id) || !self.pass_on(lock, instance) {
                break;
            }
            let Some(owner) = self.lock(lock).owner else {
                break;
            };
            reach += 1;
            id = owner;
        }
        reach
    }

    /// Applies the changes among the waiters of `lock` in all instances to its owner, and further
    /// along the chain. Returns the number of owners with nodes that are to be updated.
    pub(super) fn follow_owner(&mut self, lock: Lock) -> usize {
        let Some(owner) = self.lock(lock).owner else {
            return 0;
        };
        let mut reach = 0;
        for instance in 0..self.instances.len() {
            if self.pass_on(lock, instance) {
                reach = reach.max(1 + self.follow(owner, instance));
            }
        }
        reach
    }

    /// Carries the priorities of the first `reach` owners along the chain from `lock` to their
    /// instances: in such an order that in the end each goes before its waiter where they are
    /// equals. Else a spinner could keep the processor that its owner needs.
    pub(super) fn update_owners(&mut self, lock: Lock, reach: usize, order: Order) {
        for nth in 0..reach {
            // Of those appended the first one goes first, of those prepended the last one.
            let distance = match order {
                Order::Append => reach - 1 - nth,
                Order::Prepend => nth,
            };
            let owner = self.chain(lock).nth(distance);
            if let Some(owner) = owner {
                self.update_priority(owner, order);
            }
        }
    }

    /// The priority of the thread `id` has changed by itself: carries it to its instances, and what
    /// follows from it to the owners that it waits for.
    pub(crate) fn priority_changed(&mut self, id: usize, order: Order) {
        let Some(lock) = self.threads[id].lock else {
            return self.update_priority(id, order);
        };
        let reach = self.follow_all(id);
        match order {
            Order::Append => {
                self.update_owners(lock, reach, order);
                self.update_priority(id, order);
            }
            Order::Prepend => {
                self.update_priority(id, order);
                self.update_owners(lock, reach, order);
            }
        }
        if !self.lock(lock).is_apart() {
            self.let_owner_of_lead(self.lock(lock).owner);
        }
    }

    /// Makes the place of `id`, which waits for `lock`, agree with its node of `instance`; whether
    /// that changed anything.
    fn take_place(&mut self, lock: Lock, instance: usize, id: usize) -> bool {
        let takes_part = self.takes_part(id, instance);
        let due = takes_part.then(|| self.wanted(instance, id));
        let is_home = self.threads[id].home == instance;
        let row = self.lock_mut(lock);
        if row.level(instance, id) == due {
            return false;
        }
        row.place(instance, id, due);
        if let Some(level) = due.filter(|_| is_home) {
            row.stand_anew(instance, id, level);
        }
        true
    }

    /// Makes what `lock` contributes to its owner in `instance` agree with its waiters there;
    /// whether the owner's node changed.
    pub(super) fn pass_on(&mut self, lock: Lock, instance: usize) -> bool {
        let row = self.lock(lock);
        let Some(owner) = row.owner.filter(|_| !row.is_apart()) else {
            return false;
        };
        let highest = row.first(instance).filter(|_| row.inherits());
        let at_home = self.threads[owner].home == instance;
        let own = if at_home { row.raised } else { Level::NONE };
        let before = self.wanted(instance, owner);
        let level = highest.map_or(own, |(level, _)| level.min(own));
        self.share(owner, instance, lock, level);
        let helps = highest.is_some() && !at_home;
        let began_or_ended = self.lend(lock, owner, instance, helps);
        began_or_ended || before != self.wanted(instance, owner)
    }

    /// Makes the node of `owner` in `instance` help because of `lock`, or no more; whether that is
    /// new.
    pub(super) fn lend(&mut self, lock: Lock, owner: usize, instance: usize, helps: bool) -> bool {
        let side = &mut self.lock_mut(lock).sides[instance];
        if std::mem::replace(&mut side.helps, helps) == helps {
            return false;
        }
        if helps {
            self.add_helping(owner, instance);
        } else {
            self.remove_helping(owner, instance);
        }
        true
    }
}
