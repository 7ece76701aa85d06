//! Owns: the creation of a system. Must never know: the operations on it.

use super::System;
use crate::{
    CpuSet,
    smp::{
        ContributionRecord, Error, InstanceConfig, InstanceRecord, Memory, NodeRecord, PolicyKind,
        ProcessorRecord, ServerRecord, ThreadRecord, ids::NONE, lock::Table,
    },
};

/// The largest number of instances.
const INSTANCES: usize = 64;

impl<'a> System<'a> {
    /// Creates a system in which every processor of `online` runs an idle thread.
    ///
    /// `instances` assigns processors to each instance; an instance does not get those that are not
    /// online. Of several idle processors the one with the lowest number is taken first.
    ///
    /// # Errors
    /// [`Error::InvalidName`]: two instances of one name. [`Error::ResourceInUse`]: a processor
    /// given to two. [`Error::InvalidNumber`]: no processor is online. [`Error::TooMany`]: a table
    /// of `memory` is too short.
    pub fn new(
        memory: Memory<'a>,
        online: CpuSet,
        instances: &[InstanceConfig],
    ) -> Result<Self, Error> {
        if online.is_empty() {
            return Err(Error::InvalidNumber);
        }
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
            record.owned = config.cpus.and(online);
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

    /// Gives every processor online its idle thread, and the instance that it is given to.
    fn start_idle(&mut self) {
        for (number, cpu) in self.online.into_iter().enumerate() {
            let id = self.idle_from + number as u16;
            let owner = self
                .instances
                .iter()
                .position(|record| record.owned.contains(cpu));
            *self.thread_mut(id) = ThreadRecord {
                exists: true,
                ..ThreadRecord::EMPTY
            };
            let processor = &mut self.processors[cpu.index()];
            processor.idle_row = id;
            if let Some(owner) = owner {
                processor.owner = owner as u8;
            }
        }
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
            record.next_free = next;
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
