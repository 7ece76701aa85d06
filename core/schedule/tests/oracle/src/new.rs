//! Owns: the creation of a system. Must never know: the operations on it.

use crate::System;
use crate::rows::{InstanceRow, Key, Node, Order, Presence, ProcessorRow, State, ThreadRow};
use taktos_schedule::smp::{Error, InstanceConfig, Level, Reasons};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

impl System {
    /// Creates a system in which every processor of `online` runs an idle thread, with room for
    /// `threads` threads in addition to these, and for `locks` locks.
    ///
    /// `instances` says which processors each is given; those that are not online it does not get.
    /// Of several idle processors the one with the lowest number is taken first.
    ///
    /// # Errors
    /// [`Error::InvalidName`]: two instances of one name. [`Error::ResourceInUse`]: a processor
    /// given to two. [`Error::InvalidNumber`]: no processor is online.
    pub fn new(
        threads: usize,
        locks: usize,
        online: CpuSet,
        instances: &[InstanceConfig],
    ) -> Result<Self, Error> {
        let acting = online.lowest().ok_or(Error::InvalidNumber)?;
        let given = check_instances(instances)?;
        let rows = threads + online.count();
        let row = |config: &InstanceConfig| {
            InstanceRow::new(config.name, config.policy, config.cpus.and(online))
        };
        let mut system = Self {
            threads: (0..rows).map(|_| ThreadRow::EMPTY).collect(),
            nodes: vec![vec![Node::new(Level::NONE); rows]; instances.len()],
            instances: instances.iter().map(row).collect(),
            processors: (0..Cpu::COUNT).map(|_| ProcessorRow::EMPTY).collect(),
            locks: (0..locks).map(|_| None).collect(),
            idle_from: threads,
            free_threads: (0..threads).rev().collect(),
            free_locks: (0..locks).rev().collect(),
            spinners: 0,
            acting,
            online,
            now: Instant::START,
            told: Vec::new(),
        };
        for cpu in given {
            system.processor_mut(cpu).assigned = true;
        }
        for instance in 0..instances.len() {
            for id in 0..threads {
                system.fresh_node(instance, id);
            }
        }
        system.start_idle();
        Ok(system)
    }

    /// Gives every processor online its idle thread. The last one placed is the first to be taken.
    fn start_idle(&mut self) {
        let mut rest = self.online;
        while let Some(cpu) = rest.highest() {
            rest = rest.without(cpu);
            let id = self.idle_from + rest.count();
            let mut instances = self.instances.iter();
            let owner = instances.position(|instance| instance.owned.contains(cpu));
            self.threads[id] = ThreadRow {
                exists: true,
                reasons: Reasons::NONE,
                presence: Presence::Scheduled,
                cpu: Some(cpu),
                live_on: Some(cpu),
                home: owner.unwrap_or(0),
                first: owner.unwrap_or(0),
                ..ThreadRow::EMPTY
            };
            let processor = self.processor_mut(cpu);
            processor.heir = Some(id);
            processor.executing = Some(id);
            processor.owner = owner;
            if let Some(owner) = owner {
                self.enter_idle(owner, id, cpu);
            }
        }
    }

    /// The idle thread `id`, which is on `cpu`, becomes one of `instance`, SCHEDULED.
    pub(crate) fn enter_idle(&mut self, instance: usize, id: usize, cpu: Cpu) {
        let record = &mut self.instances[instance];
        record.holders[cpu.index()] = Some(id);
        self.nodes[instance][id] = Node {
            key: Key {
                level: Level::NONE,
                turn: record.turns.draw(Order::Append),
            },
            state: State::Scheduled,
            cpu: Some(cpu),
            ..Node::new(Level::NONE)
        };
    }
}

/// All processors that the instances are given.
fn check_instances(instances: &[InstanceConfig]) -> Result<CpuSet, Error> {
    let mut given = CpuSet::EMPTY;
    for (index, config) in instances.iter().enumerate() {
        if instances[..index].iter().any(|i| i.name == config.name) {
            return Err(Error::InvalidName);
        }
        if !given.and(config.cpus).is_empty() {
            return Err(Error::ResourceInUse);
        }
        given = given.or(config.cpus);
    }
    Ok(given)
}
