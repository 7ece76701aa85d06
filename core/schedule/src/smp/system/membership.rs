//! Owns: which processors an instance has, and finding instances (spec 01, 4.1 and 4.2).
//! Must never know: how a processor is switched on or off.

use super::System;
use crate::{
    Cpu, CpuSet,
    smp::{
        Effects, Error, Instance, ProcessorRecord, Thread,
        ids::NONE,
        node::{NodeRecord, State},
        order::Order,
        thread::Presence,
    },
};
use taktos_time::Instant;

impl System<'_> {
    /// Gives `cpu`, which has no owner, to `instance`: the most urgent READY node gets it, once the
    /// budget of who lost it before the processor left was looked at. As many steps as
    /// [`System::block`], and one for each idle thread that waits.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]: no such instance. [`Error::NotConfigured`]: no instance was given it when the
    /// system was made. [`Error::IncorrectState`]: it is not online. [`Error::ResourceInUse`]: it has an owner.
    pub fn add_processor(
        &mut self,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let target = self.check_arrival(instance, cpu)?;
        self.look_at_spent(cpu, now, effects);
        self.give(target, cpu, now, effects);
        Ok(())
    }

    /// The row of `instance`, if `cpu` can be given to it; see [`System::add_processor`].
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
    pub(crate) fn give(&mut self, target: u8, cpu: Cpu, now: Instant, effects: &mut impl Effects) {
        let idle = self.processors[cpu.index()].heir;
        self.processors[cpu.index()].owner = target;
        let places = &mut self.instances[target as usize].places;
        places.owned = places.owned.with(cpu);
        let record = self.thread_mut(idle);
        record.home = target;
        record.first = target;
        self.enter_idle(target, idle, cpu);
        self.place_anew(target, idle, Order::Append, now, effects);
        self.put_idle_behind(target);
    }

    /// Takes `cpu` away from `instance`; it is left to an idle thread. Who held it takes the processor of a less urgent one,
    /// behind its equals, or waits; and so does behind that one another ready thread of the
    /// instance whose registers are still there. As many steps as threads for the checks, and twice
    /// insert + m.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]: no such instance. [`Error::InvalidNumber`]: it does not own the processor.
    /// [`Error::ResourceInUse`]: a thread that is at home there, or pinned, could run nowhere; or it is the last processor
    /// and the instance helps somebody.
    pub fn remove_processor(
        &mut self,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let from = self.check_departure(instance, cpu)?;
        self.take_away(from, cpu, now, effects);
        Ok(())
    }

    /// The row of `instance`, if `cpu` can be taken away from it; see [`System::remove_processor`].
    pub(crate) fn check_departure(&self, instance: Instance, cpu: Cpu) -> Result<u8, Error> {
        let from = self.known_instance(instance)?;
        let owned = self.instances[from as usize].places.owned;
        if !owned.contains(cpu) {
            return Err(Error::InvalidNumber);
        }
        let rest = owned.without(cpu);
        if (0..self.idle_from).any(|id| self.needs(id, from, cpu, rest)) {
            return Err(Error::ResourceInUse);
        }
        Ok(from)
    }

    /// `from` has `cpu` no longer, which [may be taken from it](System::check_departure).
    pub(crate) fn take_away(
        &mut self,
        from: u8,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        let left_over = self.left_over(from, cpu);
        let owned = &mut self.instances[from as usize].places.owned;
        *owned = owned.without(cpu);
        self.processors[cpu.index()].owner = ProcessorRecord::NO_OWNER;
        if let Some(id) = left_over {
            self.withdraw(from, id, now, effects);
        }
        let holder = self.instances[from as usize].places.holder(cpu);
        if holder != NONE {
            self.evacuate(from, holder, cpu, now, effects);
        }
        if let Some(id) = left_over {
            self.thread_mut(id).presence = Presence::Ready;
            if self.enqueue(from, id, Order::Append, now, effects) {
                self.request_help(Thread(id), effects);
            }
        }
    }

    /// The ready thread that is at home in `instance` and has its registers on `cpu`, which another
    /// one of the instance holds, or nobody; none where it keeps its place, or others help it.
    fn left_over(&self, instance: u8, cpu: Cpu) -> Option<u16> {
        let id = self.processors[cpu.index()].executing;
        if id == NONE || self.is_idle_row(id) {
            return None;
        }
        let record = self.thread(id);
        let node = self.node(instance, id);
        let is_own = record.exists && record.home == instance && record.first == instance;
        let holds = self.instances[instance as usize].places.holder(cpu) == id;
        let is_plain = record.helper == NodeRecord::NO_HELPER && node.idle == NONE;
        let waits = record.presence != Presence::Blocked && node.state != State::Blocked;
        (is_own && !holds && is_plain && waits).then_some(id)
    }

    /// Whether the thread `id` could run nowhere if `instance` had only `rest` instead of `cpu` too.
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

    /// Leaves `cpu`, which `holder` holds, to an idle thread of the instance.
    fn evacuate(
        &mut self,
        instance: u8,
        holder: u16,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        self.take_out(instance, holder);
        self.node_mut(instance, holder).state = State::Blocked;
        if self.is_idle_row(holder) {
            return self.park(instance, holder, cpu, now, effects);
        }
        if self.node(instance, holder).idle == NONE {
            self.thread_mut(holder).presence = Presence::Ready;
        }
        self.return_idle(instance, holder);
        let last = self.instances[instance as usize].idle.last;
        let (record, nodes) = self.split(instance);
        if last != NONE {
            record.idle.remove(nodes, last);
            self.park(instance, last, cpu, now, effects);
        }
        if self.enqueue(instance, holder, Order::Append, now, effects) {
            self.request_help(Thread(holder), effects);
        }
    }

    /// The idle thread `id`, in no queue, runs on `cpu` for no instance.
    fn park(&mut self, instance: u8, id: u16, cpu: Cpu, now: Instant, effects: &mut impl Effects) {
        self.node_mut(instance, id).state = State::Blocked;
        self.thread_mut(id).presence = Presence::Scheduled;
        self.set_heir(cpu, id, now, effects);
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

    /// The instance that owns `cpu`.
    ///
    /// # Errors
    /// [`Error::InvalidName`]: there is no such processor. [`Error::IncorrectState`]: nobody owns it.
    #[inline]
    pub fn instance_of_cpu(&self, cpu: Cpu) -> Result<Instance, Error> {
        let processor = self.processors.get(cpu.index()).ok_or(Error::InvalidName)?;
        if processor.owner == ProcessorRecord::NO_OWNER {
            Err(Error::IncorrectState)
        } else {
            Ok(Instance(processor.owner))
        }
    }

    /// The instance that owns the one of `cpus` that is online and has the highest number.
    ///
    /// # Errors
    /// [`Error::InvalidName`]: none of them is online. [`Error::IncorrectState`]: nobody owns it.
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
        Ok(self.instances[row as usize].places.owned)
    }
}
