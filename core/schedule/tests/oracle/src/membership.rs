//! Owns: which processors an instance has, and finding instances (spec 01, 4.1 and 4.2).
//! Must never know: how a processor is switched on or off.

use crate::Effects;
use crate::System;
use crate::rows::{Order, Presence, State};
use taktos_schedule::smp::{Error, Instance};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

impl System {
    /// Gives `cpu`, which has no owner, to `instance`: the most urgent READY node gets it, once
    /// the budget of the thread that lost it before the processor left was checked.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]: no such instance. [`Error::NotConfigured`]: no instance
    /// was given it when the system was made. [`Error::IncorrectState`]: it is not online.
    /// [`Error::ResourceInUse`]: it has an owner.
    pub fn add_processor(
        &mut self,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let target = self.known_instance(instance)?;
        if !self.processor(cpu).assigned {
            return Err(Error::NotConfigured);
        }
        if !self.online.contains(cpu) {
            return Err(Error::IncorrectState);
        }
        if self.processor(cpu).owner.is_some() {
            return Err(Error::ResourceInUse);
        }
        self.at(now, effects, |system| {
            system.look_at_spent(cpu);
            system.give(target, cpu);
        });
        Ok(())
    }

    fn give(&mut self, target: usize, cpu: Cpu) {
        self.processor_mut(cpu).owner = Some(target);
        let owned = &mut self.instances[target].owned;
        *owned = owned.with(cpu);
        if let Some(idle) = self.processor(cpu).heir {
            self.threads[idle].home = target;
            self.threads[idle].first = target;
            self.enter_idle(target, idle, cpu);
            self.reposition(target, idle, Order::Append);
        }
        self.put_idle_behind(target);
    }

    /// Takes `cpu` away from `instance`; it is left to an idle thread. Its holder takes the
    /// processor of a less urgent one, after its equals, or waits. After it, so does another ready
    /// thread of the instance that has its registers there.
    ///
    /// # Errors
    /// In this order: [`Error::InvalidId`]: no such instance. [`Error::InvalidNumber`]: it does not
    /// own the processor. [`Error::ResourceInUse`]: a thread that is at home there, or pinned,
    /// could run nowhere; or it is the last processor and the instance helps a thread.
    pub fn remove_processor(
        &mut self,
        instance: Instance,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        let from = self.known_instance(instance)?;
        let owned = self.instances[from].owned;
        if !owned.contains(cpu) {
            return Err(Error::InvalidNumber);
        }
        if (0..self.idle_from).any(|id| self.needs(id, from, cpu, owned.without(cpu))) {
            return Err(Error::ResourceInUse);
        }
        self.at(now, effects, |system| system.take_away(from, cpu));
        Ok(())
    }

    fn take_away(&mut self, from: usize, cpu: Cpu) {
        let left_over = self.left_over(from, cpu);
        let owned = &mut self.instances[from].owned;
        *owned = owned.without(cpu);
        self.processor_mut(cpu).owner = None;
        if let Some(id) = left_over {
            self.withdraw(from, id);
        }
        if let Some(holder) = self.instances[from].holder(cpu) {
            self.evacuate(from, holder, cpu);
        }
        if let Some(id) = left_over {
            self.threads[id].presence = Presence::Ready;
            if self.enqueue(from, id, Order::Append) {
                self.request_help(id);
            }
        }
    }

    /// Returns the ready thread that is at home in `instance` and has its registers on `cpu`,
    /// which another one of the instance holds, or none. None if it keeps its place, or others
    /// help it.
    fn left_over(&self, instance: usize, cpu: Cpu) -> Option<usize> {
        let id = self.processor(cpu).executing?;
        let record = &self.threads[id];
        let node = self.node(instance, id);
        let is_own = record.exists && record.home == instance && record.first == instance;
        let holds = self.instances[instance].holder(cpu) == Some(id);
        let is_plain = record.helpers.is_empty() && node.idle.is_none();
        let waits = !self.is_blocked(id) && node.state != State::Blocked;
        let is_left = is_own && !holds && is_plain && waits && !self.is_idle_row(id);
        is_left.then_some(id)
    }

    /// Whether the thread `id` could run nowhere if `instance` had only `rest` instead of `cpu`
    /// too.
    fn needs(&self, id: usize, instance: usize, cpu: Cpu, rest: CpuSet) -> bool {
        let record = &self.threads[id];
        let at_home = record.home == instance && record.affinity.and(rest).is_empty();
        let pinned = record.pinned_to == Some(cpu);
        let helped = rest.is_empty() && record.helpers.contains(&instance);
        record.exists && (at_home || pinned || helped)
    }

    /// Leaves `cpu`, which `holder` holds, to an idle thread of the instance.
    fn evacuate(&mut self, instance: usize, holder: usize, cpu: Cpu) {
        self.take_out(instance, holder);
        self.node_mut(instance, holder).state = State::Blocked;
        if self.is_idle_row(holder) {
            return self.park(instance, holder, cpu);
        }
        if self.node(instance, holder).idle.is_none() {
            self.threads[holder].presence = Presence::Ready;
        }
        self.return_idle(instance, holder);
        if let Some(last) = self.instances[instance].idle.pop_back() {
            self.park(instance, last, cpu);
        }
        if self.enqueue(instance, holder, Order::Append) {
            self.request_help(holder);
        }
    }

    /// The idle thread `id`, in no queue, runs on `cpu` for no instance.
    fn park(&mut self, instance: usize, id: usize, cpu: Cpu) {
        self.node_mut(instance, id).state = State::Blocked;
        self.threads[id].presence = Presence::Scheduled;
        self.set_heir(cpu, id);
    }

    /// The instance of this name.
    ///
    /// # Errors
    /// [`Error::InvalidName`].
    pub fn identify(&self, name: [u8; 4]) -> Result<Instance, Error> {
        let found = self.instances.iter().position(|i| i.name == name);
        found.map(crate::instance).ok_or(Error::InvalidName)
    }

    /// The instance that owns `cpu`.
    ///
    /// # Errors
    /// [`Error::IncorrectState`]: no instance owns it.
    pub fn instance_of_cpu(&self, cpu: Cpu) -> Result<Instance, Error> {
        let owner = self.processor(cpu).owner.map(crate::instance);
        owner.ok_or(Error::IncorrectState)
    }

    /// The instance that owns the one of `cpus` that is online and has the highest number.
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
        Ok(self.instances[self.known_instance(instance)?].owned)
    }
}
