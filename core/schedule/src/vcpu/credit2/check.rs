//! Owns: the invariants that hold between two events.
//! Must never know: how they are kept.

use super::{CREDIT_CEILING, CREDIT_FLOOR, Credit2};
use crate::Cpu;
use crate::vcpu::kit::laws;
use crate::vcpu::{Vcpu, Violation};

/// Unit `index`, as a violation names it.
const fn unit(index: usize) -> Option<Vcpu> {
    Some(Vcpu::new(index as u16))
}

impl Credit2<'_> {
    /// Checks every invariant. Reads each unit, processor, domain and run queue a few times.
    pub(super) fn check_all(&self) -> Result<(), Violation> {
        self.check_processors()?;
        for group in 0..self.queues.len() {
            self.check_waiting(group)?;
            self.check_members(group)?;
        }
        self.check_budgets()?;
        self.check_units()
    }

    fn check_processors(&self) -> Result<(), Violation> {
        let mut grouped = 0;
        for queue in self.queues.iter() {
            grouped += queue.cpus.count();
            let own = queue.cpus.covers(queue.idle) && queue.cpus.covers(queue.tickled);
            laws!(None, None;
                own && self.cpus.covers(queue.cpus) && queue.cpus.count() <= self.grouping.largest
                    => "a run queue's idle and tickled processors are its own",
            );
        }
        laws!(None, None;
            grouped == self.cpus.count()
                => "a processor of the pool serves exactly one run queue",
        );
        for (number, processor) in self.processors.iter().enumerate() {
            let Some(cpu) = Cpu::new(number) else { break };
            let serves = self.queue_of(cpu);
            let known = serves.is_none_or(|queue| queue.cpus.contains(cpu));
            let idle = serves.is_some_and(|queue| queue.idle.contains(cpu));
            laws!(None, Some(cpu);
                known && serves.is_some() == self.cpus.contains(cpu)
                    => "a processor knows the run queue that it serves",
                !idle || processor.current.is_none() => "an idle processor runs nothing",
            );
            if let Some(index) = processor.current.map(usize::from) {
                let running = &self.units[index];
                laws!(unit(index), None;
                    running.cpu == cpu && !running.queued && !running.state.saving
                        => "who runs is on no queue",
                );
            }
        }
        Ok(())
    }

    fn check_waiting(&self, group: usize) -> Result<(), Violation> {
        let queue = &self.queues[group];
        let mut last = i64::MAX;
        for index in queue.queue.iter(self.units) {
            let waiting = &self.units[index];
            let free = queue.free().and(self.allowed(index));
            let promised = waiting
                .promise
                .is_some_and(|cpu| queue.tickled.contains(cpu));
            laws!(unit(index), None;
                waiting.queued && waiting.group == Some(group as u8)
                    => "who is on a run queue knows it",
                waiting.credit <= last => "a run queue is in the order of credit",
                free.is_empty() || promised
                    => "who waits although a processor is idle is about to be fetched by another",
            );
            last = waiting.credit;
        }
        Ok(())
    }

    fn check_members(&self, group: usize) -> Result<(), Violation> {
        let queue = &self.queues[group];
        let (mut load, mut heaviest) = (0, 1);
        for index in queue.members.iter(self.units) {
            laws!(unit(index), None;
                self.units[index].group == Some(group as u8)
                    => "who is assigned to a run queue knows it",
            );
            load += i64::from(self.units[index].counted);
            heaviest = heaviest.max(self.weight_of(index));
        }
        laws!(None, None;
            load == queue.load => "a run queue's load is counted",
            heaviest == queue.heaviest => "a run queue's greatest weight is that of a member",
        );
        Ok(())
    }

    fn check_budgets(&self) -> Result<(), Violation> {
        for (id, domain) in self.domains.iter().enumerate() {
            let mine = |unit: &&super::Unit| unit.state.present && unit.domain as usize == id;
            let units = self.units.iter().filter(mine);
            let parked = domain.parked.iter(self.units).count();
            laws!(None, None;
                units.clone().count() == domain.units as usize => "a domain's units are counted",
                parked == units.filter(|unit| unit.parked).count()
                    => "who waits for budget is on its domain's list",
                domain.pool <= domain.whole_budget()
                    => "a domain has a period's budget at most",
            );
        }
        Ok(())
    }

    fn check_units(&self) -> Result<(), Violation> {
        for (index, record) in self.units.iter().enumerate() {
            let present = record.state.present;
            let idle = !record.queued && !record.parked && !record.counted;
            laws!(unit(index), None;
                present == record.group.is_some() => "a unit in the pool has a run queue",
                present || idle => "who is outside the pool is on no queue",
            );
            if present {
                self.check_unit(index)?;
            }
        }
        let queued = self.units.iter().filter(|unit| unit.queued).count();
        let listed = self
            .queues
            .iter()
            .map(|queue| queue.queue.iter(self.units).count());
        laws!(None, None;
            queued == listed.sum::<usize>() => "who says that it is on a run queue is on one",
        );
        Ok(())
    }

    fn check_unit(&self, index: usize) -> Result<(), Violation> {
        let record = &self.units[index];
        let states = [record.queued, self.is_running(index), record.state.saving];
        let [queued, running, saving] = states;
        let on = running || saving;
        let here = self.processors[record.cpu.index()].group == record.group
            && self.allowed(index).contains(record.cpu);
        laws!(unit(index), None;
            record.is_runnable() == (queued || on) || !record.is_runnable() && !queued
                => "who is runnable runs, waits, or is being switched out; no other waits",
            states.into_iter().filter(|&state| state).count() <= 1 => "a unit is in one place",
            record.counted || !queued && !running => "who waits or runs is part of the load",
            !record.counted || queued || on
                => "who neither waits nor runs is no part of the load",
            (CREDIT_FLOOR..=CREDIT_CEILING).contains(&record.credit)
                => "credit lies between the floor and the ceiling",
            !record.migrating || on => "only who runs, or has just run, is on its way",
            here || record.migrating => "a unit is where it may be, or on its way",
            record.budget == 0 || on => "only who runs, or has just run, holds budget",
        );
        Ok(())
    }
}
