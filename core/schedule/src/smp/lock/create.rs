//! Owns: the creation and deletion of locks, and their ceilings.
//! Must never know: the threads that wait for them.

use super::Protocol;
use crate::smp::order::{Level, Order};
use crate::smp::{Error, Instance, Lock, Priority, System, Thread};

impl System<'_> {
    /// A new lock, made by `creator`; `ceiling` is that of the creator's home, where the
    /// protocol has ceilings. Under MrsP all other instances have the most urgent ceiling
    /// until they are given one. `locked`: the creator owns it.
    ///
    /// Bound: i + the bound of [`System::obtain`] of a free lock.
    ///
    /// # Errors
    /// In this order:
    /// - [`Error::InvalidId`]: no such thread.
    /// - [`Error::InvalidPriority`]: the ceiling is missing where the protocol needs one, is beyond
    ///   the instance's least urgent priority, or the creator, which is to own the lock, is more
    ///   urgent.
    /// - [`Error::TooMany`]: all rows are used.
    pub fn create_lock(
        &mut self,
        protocol: Protocol,
        creator: Thread,
        ceiling: Option<Priority>,
        locked: bool,
    ) -> Result<Lock, Error> {
        self.known(creator)?;
        let home = self.home(creator);
        let ceiling = match protocol {
            Protocol::None | Protocol::Inheritance | Protocol::Omip => None,
            Protocol::Ceiling | Protocol::MrsP => Some(ceiling.ok_or(Error::InvalidPriority)?),
        };
        let mut raised = Level::NONE;
        if let Some(ceiling) = ceiling {
            self.check_priority(home, ceiling)?;
            raised = self.level(home, ceiling);
            if locked && self.effective(creator, home) < raised {
                return Err(Error::InvalidPriority);
            }
        }
        let lock = self.locks.take(protocol, home).ok_or(Error::TooMany)?;
        if let Some(ceiling) = ceiling {
            self.locks.side_mut(lock, home).ceiling = ceiling;
        }
        if locked {
            self.own(lock, creator, raised);
        }
        Ok(lock)
    }

    /// Deletes `lock`. A fixed number of steps.
    ///
    /// # Errors
    /// - [`Error::InvalidId`]: no such lock.
    /// - [`Error::ResourceInUse`]: a thread owns it.
    pub fn delete_lock(&mut self, lock: Lock) -> Result<(), Error> {
        self.locks.protocol(lock)?;
        if self.locks.owner(lock).is_some() {
            return Err(Error::ResourceInUse);
        }
        self.locks.put_back(lock);
        Ok(())
    }

    /// The ceiling of `lock` for `instance`.
    ///
    /// # Errors
    /// As [`System::set_ceiling`], but for the priority.
    pub(crate) fn ceiling(&self, lock: Lock, instance: Instance) -> Result<Priority, Error> {
        let protocol = self.locks.protocol(lock)?;
        self.processors(instance)?;
        let defined = match protocol {
            Protocol::None | Protocol::Inheritance | Protocol::Omip => false,
            Protocol::Ceiling => self.locks.lock(lock).home == instance,
            Protocol::MrsP => true,
        };
        if !defined {
            return Err(Error::NotDefined);
        }
        Ok(self.locks.side(lock, instance).ceiling)
    }

    /// Gives `lock` another ceiling for `instance`; the old one. The owner of a lock with an
    /// immediate ceiling has the new priority at once (if the world raised it, see
    /// [`System::obtain_raised`], that is the world's to do); under MrsP the present owner and
    /// spinners keep what they were raised to.
    ///
    /// Bound: that of a chain, see the module `smp::lock`.
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
    ) -> Result<Priority, Error> {
        let old = self.ceiling(lock, instance)?;
        self.check_priority(instance, ceiling)?;
        self.locks.side_mut(lock, instance).ceiling = ceiling;
        if let (false, Some(owner)) = (self.locks.sticks(lock), self.locks.owner(lock)) {
            let raised = self.level(instance, ceiling);
            let record = self.locks.lock_mut(lock);
            record.raised = raised;
            if record.light {
                // The world raises the owner.
                return Ok(old);
            }
            self.share(owner, instance, lock, raised);
            self.priority_changed(owner, Order::Append);
        }
        Ok(old)
    }
}
