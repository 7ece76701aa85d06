//! Owns: how a system begins. Must never know: how it goes on.

use super::System;
use crate::{
    Cpu, CpuSet,
    smp::{
        ContributionRecord, Error, InstanceConfig, InstanceRecord, Memory, NodeRecord, PolicyKind,
        ProcessorRecord, Reasons, ServerRecord, ThreadRecord,
        ids::NONE,
        lock::Table,
        node::State,
        order::{Key, Level, Order},
        policy::Queues,
        thread::Presence,
    },
};

/// The largest number of instances.
const INSTANCES: usize = 64;

impl<'a> System<'a> {
    /// A system in which every processor of `online` runs an idle thread.
    ///
    /// `instances` says which processors each is given; those that are not online it does not get. Of several idle
    /// processors the one with the lowest number is taken first.
    ///
    /// # Errors
    /// [`Error::InvalidName`]: two instances of one name. [`Error::ResourceInUse`]: a processor given to two.
    /// [`Error::InvalidNumber`]: no processor is online. [`Error::TooMany`]: a table of `memory` is too short.
    pub fn new(
        memory: Memory<'a>,
        online: CpuSet,
        instances: &[InstanceConfig],
    ) -> Result<Self, Error> {
        let acting = online.lowest().ok_or(Error::InvalidNumber)?;
        let given = check_instances(instances)?;
        check_memory(&memory, online.or(given), online.count(), instances)?;
        let Memory {
            threads,
            nodes,
            instances: records,
            processors,
            contributions,
            locks,
            servers,
        } = memory;
        let locks = Table::new(locks, instances.len(), threads.len(), contributions.len())?;
        let idle_from = (threads.len() - online.count()) as u16;
        let records = &mut records[..instances.len()];
        for (record, config) in records.iter_mut().zip(instances) {
            *record = InstanceRecord::EMPTY;
            record.name = config.name;
            record.kind = config.policy;
            record.queues = Queues::new(config.policy);
            record.places.owned = config.cpus.and(online);
        }
        nodes.fill(NodeRecord::EMPTY);
        processors.fill(ProcessorRecord::EMPTY);
        servers.fill(ServerRecord::EMPTY);
        for cpu in given {
            processors[cpu.index()].assigned = true;
        }
        let mut system = Self {
            free_thread: chain_threads(threads, idle_from),
            free_contribution: chain_contributions(contributions),
            threads,
            nodes,
            instances: records,
            processors,
            contributions,
            locks,
            servers,
            throttled: None,
            idle_from,
            acting,
            online,
        };
        for instance in 0..system.instances.len() as u8 {
            for id in 0..system.idle_from {
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
            let id = self.idle_from + rest.count() as u16;
            let owner = (0..self.instances.len() as u8)
                .find(|&i| self.instances[i as usize].places.owned.contains(cpu));
            *self.thread_mut(id) = ThreadRecord {
                exists: true,
                reasons: Reasons::NONE,
                presence: Presence::Scheduled,
                cpu: cpu.index() as u8,
                live_on: cpu.index() as u8,
                home: owner.unwrap_or(0),
                first: owner.unwrap_or(0),
                ..ThreadRecord::EMPTY
            };
            let processor = &mut self.processors[cpu.index()];
            processor.heir = id;
            processor.executing = id;
            if let Some(owner) = owner {
                processor.owner = owner;
                self.enter_idle(owner, id, cpu);
            }
        }
    }

    /// The idle thread `id`, which is on `cpu`, becomes one of `instance`, SCHEDULED.
    pub(crate) fn enter_idle(&mut self, instance: u8, id: u16, cpu: Cpu) {
        let (record, nodes) = self.split(instance);
        nodes[id as usize] = NodeRecord {
            key: Key {
                level: Level::NONE,
                turn: record.turns.draw(Order::Append),
            },
            state: State::Scheduled,
            cpu: cpu.index() as u8,
            ..NodeRecord::EMPTY
        };
        record.places.holders[cpu.index()] = id;
        record.places.scheduled.insert_sorted(nodes, id);
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

fn check_memory(
    memory: &Memory<'_>,
    cpus: CpuSet,
    online: usize,
    instances: &[InstanceConfig],
) -> Result<(), Error> {
    let threads = memory.threads.len();
    let budgets = instances.iter().any(|i| i.policy == PolicyKind::Cbs);
    let enough = instances.len() <= memory.instances.len().min(INSTANCES)
        && cpus
            .highest()
            .is_none_or(|cpu| cpu.index() < memory.processors.len())
        && (online..NONE as usize).contains(&threads)
        && memory.nodes.len() / threads >= instances.len()
        && memory.contributions.len() < NONE as usize
        && (!budgets || memory.servers.len() >= threads);
    if enough { Ok(()) } else { Err(Error::TooMany) }
}

/// Makes all rows free; the first of those before the idle threads.
fn chain_threads(threads: &mut [ThreadRecord], idle_from: u16) -> u16 {
    let mut next = NONE;
    for (index, record) in threads.iter_mut().enumerate().rev() {
        *record = ThreadRecord::EMPTY;
        if index < idle_from as usize {
            record.ask_next = next;
            next = index as u16;
        }
    }
    next
}

/// Makes all rows free; the first.
fn chain_contributions(contributions: &mut [ContributionRecord]) -> u16 {
    let mut next = NONE;
    for (index, record) in contributions.iter_mut().enumerate().rev() {
        *record = ContributionRecord {
            next,
            ..ContributionRecord::EMPTY
        };
        next = index as u16;
    }
    next
}
