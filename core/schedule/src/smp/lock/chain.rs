//! Owns: how a change of a waiter's priority reaches the owners along the chain.
//! Must never know: why it changed.

use crate::smp::order::{Level, Order};
use crate::smp::steps::step;
use crate::smp::{Instance, Lock, System, Thread};

impl System<'_> {
    /// Whether the chain from the owner of `lock` leads to `thread`: then it must not wait
    /// for it. At most as many steps as there are locks.
    pub(super) fn chain_leads_to(&self, lock: Lock, thread: Thread) -> bool {
        let next = |owner: &Thread| self.locks.owner(self.locks.waits_for(*owner)?);
        core::iter::successors(self.locks.owner(lock), next)
            .inspect(|_| step())
            .any(|owner| owner == thread)
    }

    /// Makes all places of a waiting `thread` agree with its nodes, and applies all that follows
    /// from it. Returns the number of owners along the chain that have nodes to update.
    pub(super) fn follow_all(&mut self, thread: Thread) -> usize {
        // Home comes first in the line of instances.
        let home = self.home(thread);
        let mut reach = self.follow(thread, home);
        for instance in self.locks.instances().filter(|other| *other != home) {
            reach = reach.max(self.follow(thread, instance));
        }
        reach
    }

    /// As [`System::follow_all`], for one instance.
    pub(super) fn follow(&mut self, mut thread: Thread, instance: Instance) -> usize {
        let mut reach = 0;
        while let Some(lock) = self.locks.waits_for(thread) {
            step();
            if !self.take_place(lock, instance, thread) || !self.pass_on(lock, instance) {
                break;
            }
            let Some(owner) = self.locks.owner(lock) else {
                break;
            };
            reach += 1;
            thread = owner;
        }
        reach
    }

    /// Lets the changes among the waiters of `lock` in all instances act on its owner, and further
    /// along the chain. Returns the number of owners that have nodes to update.
    pub(super) fn follow_owner(&mut self, lock: Lock) -> usize {
        let Some(owner) = self.locks.owner(lock) else {
            return 0;
        };
        let mut reach = 0;
        for instance in self.locks.instances() {
            if self.pass_on(lock, instance) {
                reach = reach.max(1 + self.follow(owner, instance));
            }
        }
        reach
    }

    /// Carries the priorities of the first `reach` owners along the chain from `lock` to
    /// their instances: in such an order that in the end each goes before its waiter where
    /// they are equals. Else a spinner could keep the processor that its owner needs.
    ///
    /// At most reach² / 2 links are followed.
    pub(super) fn update_owners(&mut self, lock: Lock, reach: usize, order: Order) {
        for nth in 0..reach {
            // Of those appended the first one goes first, of those prepended the last one.
            let distance = match order {
                Order::Append => reach - 1 - nth,
                Order::Prepend => nth,
            };
            if let Some(owner) = self.owner_along(lock, distance) {
                self.update_priority(owner, order);
            }
        }
    }

    /// The owner of `lock`, or of what that one waits for, and so on.
    fn owner_along(&self, lock: Lock, distance: usize) -> Option<Thread> {
        let next = |owner: &Thread| {
            step();
            self.locks.owner(self.locks.waits_for(*owner)?)
        };
        core::iter::successors(self.locks.owner(lock), next).nth(distance)
    }

    /// The priority of `thread` has changed by itself: carries it to its instances, and
    /// what follows from it to the owners that it waits for.
    #[inline]
    pub(crate) fn priority_changed(&mut self, thread: Thread, order: Order) {
        match self.locks.waits_for(thread) {
            None => self.update_priority(thread, order),
            Some(lock) if self.locks.is_apart(lock) => {
                self.take_places(lock, thread, true);
                self.update_priority(thread, order);
            }
            Some(lock) => self.follow_waiter(lock, thread, order),
        }
    }

    fn follow_waiter(&mut self, lock: Lock, thread: Thread, order: Order) {
        let reach = self.follow_all(thread);
        match order {
            Order::Append => {
                self.update_owners(lock, reach, order);
                self.update_priority(thread, order);
            }
            Order::Prepend => {
                self.update_priority(thread, order);
                self.update_owners(lock, reach, order);
            }
        }
    }

    /// Makes the place of `thread`, which waits for `lock`, agree with its node of
    /// `instance`; whether that changed anything.
    pub(super) fn take_place(&mut self, lock: Lock, instance: Instance, thread: Thread) -> bool {
        let due = self
            .takes_part(thread, instance)
            .then(|| self.effective(thread, instance));
        let queues = &mut self.locks.queues;
        let is = queues.level(instance, thread);
        if is == due {
            return false;
        }
        queues.reposition(lock, instance, thread, due);
        if let Some(level) = due
            && self.home(thread) == instance
        {
            self.locks.stand_anew(lock, instance, thread, level);
        }
        true
    }

    /// Makes what `lock` contributes to its owner in `instance` agree with its waiters
    /// there; whether the owner's node changed.
    pub(super) fn pass_on(&mut self, lock: Lock, instance: Instance) -> bool {
        let Some(owner) = self
            .locks
            .owner(lock)
            .filter(|_| !self.locks.is_apart(lock))
        else {
            return false;
        };
        let highest = match self.locks.inherits(lock) {
            true => self.locks.queues.highest(lock, instance),
            false => None,
        };
        let at_home = self.home(owner) == instance;
        let own = match at_home {
            true => self.locks.lock(lock).raised,
            false => Level::NONE,
        };
        let before = self.effective(owner, instance);
        self.share(
            owner,
            instance,
            lock,
            highest.map_or(own, |level| level.min(own)),
        );
        let helps = highest.is_some() && !at_home;
        let began_or_ended = self.lend(lock, owner, instance, helps);
        began_or_ended || before != self.effective(owner, instance)
    }

    /// Makes `owner`'s node of `instance` help because of `lock`, or no more; whether that
    /// is new.
    pub(super) fn lend(
        &mut self,
        lock: Lock,
        owner: Thread,
        instance: Instance,
        helps: bool,
    ) -> bool {
        let side = self.locks.side_mut(lock, instance);
        if core::mem::replace(&mut side.helps, helps) == helps {
            return false;
        }
        if helps {
            self.add_helping(owner, instance);
        } else {
            self.remove_helping(owner, instance);
        }
        true
    }

    /// Sets the contribution of `lock` to `thread` in `instance`; [`Level::NONE`] removes it.
    pub(super) fn share(&mut self, thread: Thread, instance: Instance, lock: Lock, level: Level) {
        if level == Level::NONE {
            self.retract(thread, instance, lock);
        } else {
            // The pool was long enough when the system was made.
            let kept = self.contribute(thread, instance, lock, level);
            debug_assert_eq!(kept, Ok(()));
        }
    }
}
