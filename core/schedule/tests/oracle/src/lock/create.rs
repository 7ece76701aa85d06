//! Owns: the creation and deletion of locks, and their ceilings.
//! Must never know: the threads that wait for them.

use super::LockRow;
use crate::Effects;
use crate::System;
use crate::rows::Order;
use taktos_schedule::smp::{Error, Instance, Level, Lock, Priority, Protocol, Thread};
use taktos_time::Instant;

impl System {
    /// A new lock, made by `creator`; `ceiling` is that of the creator's home, where the protocol
    /// has ceilings. Under MrsP all other instances have the most urgent ceiling until they are
    /// given one. `locked`: the creator owns it.
    ///
    /// # Errors
    /// In this order:
    /// - [`Error::InvalidId`]: no such thread.
    /// - [`Error::InvalidPriority`]: the ceiling is missing where the protocol needs one, is beyond
    ///   the instance's least urgent priority, or the creator, which is to own the lock, is more
    ///   urgent.
    /// - [`Error::TooMany`]: there is no room for it.
    pub fn create_lock(
        &mut self,
        protocol: Protocol,
        creator: Thread,
        ceiling: Option<Priority>,
        locked: bool,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Lock, Error> {
        let creator = self.known(creator)?;
        let home = self.threads[creator].home;
        let mut row = LockRow::new(protocol, home, self.instances.len());
        let mut raised = Level::NONE;
        if row.has_ceiling() {
            let ceiling = ceiling.ok_or(Error::InvalidPriority)?;
            self.check_priority(home, ceiling)?;
            raised = self.level(home, ceiling);
            if locked && self.wanted(home, creator) < raised {
                return Err(Error::InvalidPriority);
            }
            row.sides[home].ceiling = ceiling;
        }
        let at = self.free_locks.pop().ok_or(Error::TooMany)?;
        self.locks[at] = Some(row);
        let lock = Lock::of_row(at as u16);
        if locked {
            self.at(now, effects, |system| system.own(lock, creator, raised));
        }
        Ok(lock)
    }

    /// Ends `lock`.
    ///
    /// # Errors
    /// - [`Error::InvalidId`]: no such lock.
    /// - [`Error::ResourceInUse`]: a thread owns it.
    pub fn delete_lock(&mut self, lock: Lock) -> Result<(), Error> {
        if self.owner(lock)?.is_some() {
            return Err(Error::ResourceInUse);
        }
        self.locks[lock.index()] = None;
        self.free_locks.push(lock.index());
        Ok(())
    }

    /// The ceiling of `lock` for `instance`.
    ///
    /// # Errors
    /// As [`System::set_ceiling`], but for the priority.
    pub fn ceiling(&self, lock: Lock, instance: Instance) -> Result<Priority, Error> {
        let row = self.known_lock(lock)?;
        let instance = self.known_instance(instance)?;
        let defined = row.sticks() || row.has_ceiling() && row.home == instance;
        let ceiling = defined.then_some(row.sides[instance].ceiling);
        ceiling.ok_or(Error::NotDefined)
    }

    /// Gives `lock` another ceiling for `instance`; the old one. The owner of a lock with an
    /// immediate ceiling has the new priority at once; under MrsP the present owner and spinners
    /// keep what they were raised to.
    ///
    /// # Errors
    /// In this order:
    /// - [`Error::InvalidId`]: no such lock or instance.
    /// - [`Error::NotDefined`]: the protocol has no ceiling for this instance.
    /// - [`Error::InvalidPriority`]: beyond the instance's least urgent one.
    pub fn set_ceiling(
        &mut self,
        lock: Lock,
        instance: Instance,
        ceiling: Priority,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Priority, Error> {
        let old = self.ceiling(lock, instance)?;
        let instance = instance.index();
        self.check_priority(instance, ceiling)?;
        let raised = self.level(instance, ceiling);
        let row = self.lock_mut(lock);
        row.sides[instance].ceiling = ceiling;
        if let Some(owner) = row.owner.filter(|_| !row.sticks()) {
            row.raised = raised;
            self.at(now, effects, |system| {
                system.share(owner, instance, lock, raised);
                system.priority_changed(owner, Order::Append);
            });
        }
        Ok(old)
    }
}
