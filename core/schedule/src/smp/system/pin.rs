//! Owns: threads that stay on the processor that they execute on (spec 01, 3.2). Must never know:
//! why they want to.

use super::System;
use crate::{
    Cpu, CpuSet,
    smp::{Error, Thread, thread::ThreadRecord},
};

impl System<'_> {
    /// The thread `id` has one more pin to `cpu`, or will have: whether it is the first one.
    fn add_pin(&mut self, id: u16, cpu: Cpu) -> Result<bool, Error> {
        if !self.can_pin(cpu) {
            return Err(Error::NotDefined);
        }
        let pins = &mut self.thread_mut(id).pins;
        *pins = pins.checked_add(1).ok_or(Error::TooMany)?;
        Ok(*pins == 1)
    }

    /// `thread` stays on `cpu`, a processor of its home, on which it executes. Whether it is bound
    /// to that by this pin: pins nest.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::NotDefined`]: the instance of that processor cannot pin, see
    /// [`PolicyKind::can_pin`](crate::smp::PolicyKind::can_pin); [`Error::TooMany`]: more than
    /// 65,535 pins.
    pub(crate) fn pin_on(&mut self, thread: Thread, cpu: Cpu) -> Result<bool, Error> {
        let id = self.known(thread)?;
        let is_first = self.add_pin(id, cpu)?;
        if is_first {
            self.thread_mut(id).pinned_to = cpu.index() as u8;
        }
        Ok(is_first)
    }

    /// [`System::pin_on`] of a thread that is helped on `cpu`, which is of another instance than
    /// its own: both instances lend until that is over.
    ///
    /// # Errors
    /// Those of [`System::pin_on`].
    pub(crate) fn pin_abroad(&mut self, thread: Thread, cpu: Cpu) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.add_pin(id, cpu)? {
            self.count_pin(id, cpu, 1);
            self.set_loan(thread, |loan| loan.pinned = Some(cpu));
        }
        Ok(())
    }

    /// Whether `thread` is pinned once.
    pub(crate) fn is_last_pin(&self, thread: Thread) -> bool {
        self.known(thread).is_ok_and(|id| self.thread(id).pins == 1)
    }

    /// Seats have `thread` stay in another instance no longer, if they did: the pin itself is
    /// taken back by [`System::unpin`].
    pub(crate) fn forget_pin_abroad(&mut self, thread: Thread) {
        if let Some(cpu) = self.loan(thread).pinned {
            self.set_loan(thread, |loan| loan.pinned = None);
            self.count_pin(thread.0, cpu, -1);
        }
    }

    /// The thread `id` is pinned to `cpu` of another instance, or no longer: that concerns both.
    fn count_pin(&mut self, id: u16, cpu: Cpu, change: i32) {
        let (home, host) = (self.thread(id).home, self.processors[cpu.index()].owner);
        for instance in [home, host] {
            if let Some(record) = self.instances.get_mut(instance as usize) {
                record.involved = record.involved.wrapping_add_signed(change);
            }
        }
    }

    // On the only processor there is, every thread is pinned.
    fn can_pin(&self, cpu: Cpu) -> bool {
        let owner = self.processors[cpu.index()].owner;
        let kind = self.instances.get(owner as usize).map(|i| i.kind);
        kind.is_some_and(|kind| kind.can_pin()) || self.online.count() == 1
    }

    /// Takes one pin back. The processors to which `thread` is bound by that, if it was the last
    /// one.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it is not pinned.
    pub(crate) fn unpin(&mut self, thread: Thread) -> Result<Option<CpuSet>, Error> {
        let id = self.known(thread)?;
        let record = self.thread_mut(id);
        record.pins = record.pins.checked_sub(1).ok_or(Error::IncorrectState)?;
        if record.pins > 0 || record.pinned_to == ThreadRecord::NOWHERE {
            return Ok(None);
        }
        record.pinned_to = ThreadRecord::NOWHERE;
        Ok(Some(record.affinity))
    }
}
