//! Owns: which processors an instance has, and finding instances (spec 01, 4.1 and 4.2).
//! Must never know: how a processor is switched on or off.

use super::System;
use crate::{
    Cpu, CpuSet,
    smp::{Error, Instance, ProcessorRecord, Thread, node::NodeRecord},
};
use taktos_time::Instant;

impl System<'_> {
    /// The row of `instance`, if `cpu` can be given to it; see
    /// [`Router::add_processor`](crate::smp::seats::Router::add_processor).
    pub(crate) fn check_arrival(&self, instance: Instance, cpu: Cpu) -> Result<u8, Error> {
        let target = self.known_instance(instance)?;
        let processor = self.processors.get(cpu.index());
        let processor = processor
            .filter(|p| p.assigned)
            .ok_or(Error::NotConfigured)?;
        if !self.online.contains(cpu) {
            return Err(Error::IncorrectState);
        }
        if processor.owner != ProcessorRecord::NO_OWNER {
            return Err(Error::ResourceInUse);
        }
        Ok(target)
    }

    /// `target` has `cpu` from now on, which [may be given to it](System::check_arrival).
    pub(crate) fn give(&mut self, target: u8, cpu: Cpu, now: Instant) {
        self.charge_idle(cpu, now);
        self.processors[cpu.index()].owner = target;
        let owned = &mut self.instances[target as usize].owned;
        *owned = owned.with(cpu);
    }

    /// The row of `instance`, if `cpu` can be taken away from it; see
    /// [`Router::remove_processor`](crate::smp::seats::Router::remove_processor).
    pub(crate) fn check_departure(&self, instance: Instance, cpu: Cpu) -> Result<u8, Error> {
        let from = self.known_instance(instance)?;
        let owned = self.instances[from as usize].owned;
        if !owned.contains(cpu) {
            return Err(Error::InvalidNumber);
        }
        let rest = owned.without(cpu);
        if (0..self.idle_from).any(|id| self.needs(id, from, cpu, rest)) {
            return Err(Error::ResourceInUse);
        }
        Ok(from)
    }

    /// `from` has `cpu` no longer, which [may be taken from it](System::check_departure): it idles.
    pub(crate) fn take_away(&mut self, from: u8, cpu: Cpu, now: Instant) {
        let owned = &mut self.instances[from as usize].owned;
        *owned = owned.without(cpu);
        let processor = &mut self.processors[cpu.index()];
        processor.owner = ProcessorRecord::NO_OWNER;
        processor.since = now;
    }

    /// The time for which `cpu`, which no instance has, idled is counted.
    pub(super) fn charge_idle(&mut self, cpu: Cpu, now: Instant) {
        let processor = &mut self.processors[cpu.index()];
        processor.idle = processor.idle.saturating_add(now.since(processor.since));
        processor.since = now;
    }

    /// Whether the thread `id` could run nowhere if `instance` had only `rest` instead of `cpu`
    /// too.
    fn needs(&self, id: u16, instance: u8, cpu: Cpu, rest: CpuSet) -> bool {
        let record = self.thread(id);
        if !record.exists {
            return false;
        }
        let at_home = record.home == instance && record.affinity.and(rest).is_empty();
        let pinned = self.pinned_to(Thread(id)) == Some(cpu);
        at_home || pinned || rest.is_empty() && self.is_helped_by(id, instance)
    }

    fn is_helped_by(&self, id: u16, instance: u8) -> bool {
        let mut helper = self.thread(id).helper;
        while helper != NodeRecord::NO_HELPER {
            if helper == instance {
                return true;
            }
            helper = self.node(helper, id).next_helper;
        }
        false
    }

    /// The instance of this name. As many steps as instances.
    ///
    /// # Errors
    /// [`Error::InvalidName`].
    pub fn identify(&self, name: [u8; 4]) -> Result<Instance, Error> {
        let found = self.instances.iter().position(|i| i.name == name);
        found
            .map(|index| Instance(index as u8))
            .ok_or(Error::InvalidName)
    }

    /// Returns the instance that owns `cpu`.
    ///
    /// # Errors
    /// [`Error::InvalidName`]: there is no such processor. [`Error::IncorrectState`]: no instance
    /// owns it.
    #[inline]
    pub fn instance_of_cpu(&self, cpu: Cpu) -> Result<Instance, Error> {
        let processor = self.processors.get(cpu.index()).ok_or(Error::InvalidName)?;
        if processor.owner == ProcessorRecord::NO_OWNER {
            Err(Error::IncorrectState)
        } else {
            Ok(Instance(processor.owner))
        }
    }

    /// Returns the instance that owns the one of `cpus` that is online and has the highest number.
    ///
    /// # Errors
    /// [`Error::InvalidName`]: none of them is online. [`Error::IncorrectState`]: no instance owns
    /// it.
    pub fn instance_of_set(&self, cpus: CpuSet) -> Result<Instance, Error> {
        let cpu = cpus.and(self.online).highest().ok_or(Error::InvalidName)?;
        self.instance_of_cpu(cpu)
    }

    /// The processors of `instance`.
    ///
    /// # Errors
    /// [`Error::InvalidId`].
    pub fn processors(&self, instance: Instance) -> Result<CpuSet, Error> {
        let row = self.known_instance(instance)?;
        Ok(self.instances[row as usize].owned)
    }
}
