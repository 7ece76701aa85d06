//! Owns: the laws that hold between two events.
//! Must never know: how they are kept.

use super::tables::{MEMBERS, QUEUE};
use super::{CREDIT_CEILING, CREDIT_FLOOR, Credit2};
use crate::Cpu;
use crate::vcpu::chain::Chain;
use crate::vcpu::{Vcpu, Violation};

fn of_unit(holds: bool, law: &'static str, index: usize) -> Result<(), Violation> {
    Violation::unless(holds, law, Some(Vcpu::new(index as u16)), None)
}

fn of_all(holds: bool, law: &'static str) -> Result<(), Violation> {
    Violation::unless(holds, law, None, None)
}

impl Credit2<'_> {
    /// Checks every law. Looks at each unit, processor, domain and run queue a
    /// few times.
    pub(super) fn check(&self) -> Result<(), Violation> {
        self.check_processors()?;
        for group in 0..self.queues.len() {
            self.check_queue(group)?;
        }
        self.check_budgets()?;
        self.check_units()
    }

    fn check_processors(&self) -> Result<(), Violation> {
        let mut grouped = 0;
        for queue in self.queues.iter() {
            grouped += queue.cpus.count();
            of_all(
                self.online.covers(queue.cpus)
                    && queue.cpus.covers(queue.idle)
                    && queue.cpus.covers(queue.tickled)
                    && queue.cpus.count() <= self.grouping.largest,
                "a run queue's idle and tickled processors are its own",
            )?;
        }
        of_all(
            grouped == self.online.count(),
            "a processor of the pool serves exactly one run queue",
        )?;
        for (number, processor) in self.processors.iter().enumerate() {
            let Some(cpu) = Cpu::new(number) else { break };
            let serves = self.queue_of(cpu);
            let holds = serves.is_some() == self.online.contains(cpu)
                && serves.is_none_or(|queue| queue.cpus.contains(cpu));
            let of_cpu = |holds, law| Violation::unless(holds, law, None, Some(cpu));
            of_cpu(holds, "a processor knows the run queue that it serves")?;
            let idle = serves.is_some_and(|queue| queue.idle.contains(cpu));
            of_cpu(
                !idle || processor.current.is_none(),
                "an idle processor runs nothing",
            )?;
            if let Some(index) = processor.current.map(usize::from) {
                let unit = &self.units[index];
                of_unit(
                    unit.group.is_some() && unit.cpu == cpu && !unit.queued && !unit.saving,
                    "who runs is on no queue",
                    index,
                )?;
            }
        }
        Ok(())
    }

    fn check_queue(&self, group: usize) -> Result<(), Violation> {
        let queue = &self.queues[group];
        let mut last = i64::MAX;
        let follow = |&index: &usize| Chain::<QUEUE>::next(self.units, index);
        for index in core::iter::successors(queue.queue.first(), follow) {
            let unit = &self.units[index];
            let mine = unit.queued && unit.group == Some(group as u8);
            of_unit(mine, "who is on a run queue knows it", index)?;
            of_unit(
                unit.credit <= last,
                "a run queue is in the order of credit",
                index,
            )?;
            last = unit.credit;
            let free = queue.free().and(self.allowed(index));
            of_unit(
                free.is_empty() || unit.promise.is_some_and(|cpu| queue.tickled.contains(cpu)),
                "who waits although a processor is idle is about to be fetched by another",
                index,
            )?;
        }
        let (mut load, mut heaviest) = (0, 1);
        let follow = |&index: &usize| Chain::<MEMBERS>::next(self.units, index);
        for index in core::iter::successors(queue.members.first(), follow) {
            let unit = &self.units[index];
            of_unit(
                unit.group == Some(group as u8),
                "who is assigned to a run queue knows it",
                index,
            )?;
            load += i64::from(unit.counted);
            heaviest = heaviest.max(self.weight_of(index));
        }
        of_all(load == queue.load, "a run queue's load is counted")?;
        of_all(
            heaviest == queue.heaviest,
            "a run queue's greatest weight is that of a member",
        )
    }

    fn check_budgets(&self) -> Result<(), Violation> {
        for (id, domain) in self.domains.iter().enumerate() {
            let mine = |unit: &&super::Unit| unit.group.is_some() && unit.domain as usize == id;
            let units = self.units.iter().filter(mine);
            of_all(
                units.clone().count() == domain.units as usize,
                "a domain's units are counted",
            )?;
            let follow = |&index: &usize| Chain::<QUEUE>::next(self.units, index);
            let parked = core::iter::successors(domain.parked.first(), follow).count();
            of_all(
                parked == units.filter(|unit| unit.parked).count(),
                "who waits for budget is on its domain's list",
            )?;
            of_all(
                domain.pool <= (super::CAP_PERIOD.as_nanos() / 100) as i64 * i64::from(domain.cap),
                "a domain has a period's budget at most",
            )?;
        }
        Ok(())
    }

    fn check_units(&self) -> Result<(), Violation> {
        let mut queued = 0;
        for (index, unit) in self.units.iter().enumerate() {
            if unit.group.is_none() {
                of_unit(
                    !unit.queued && !unit.parked && !unit.counted,
                    "who is outside the pool is on no queue",
                    index,
                )?;
                continue;
            }
            queued += usize::from(unit.queued);
            self.check_unit(index)?;
        }
        let lists = self.queues.iter().map(|queue| {
            let follow = |&index: &usize| Chain::<QUEUE>::next(self.units, index);
            core::iter::successors(queue.queue.first(), follow).count()
        });
        of_all(
            queued == lists.sum(),
            "who says that it is on a run queue is on one",
        )
    }

    fn check_unit(&self, index: usize) -> Result<(), Violation> {
        let unit = &self.units[index];
        let running = self.is_running(index);
        let holds = unit.is_runnable() == (unit.queued || running || unit.saving)
            || !unit.is_runnable() && !unit.queued;
        of_unit(
            holds,
            "who is runnable runs, waits, or is being switched out; no other waits",
            index,
        )?;
        let states = [unit.queued, running, unit.saving];
        of_unit(
            states.into_iter().filter(|&state| state).count() <= 1,
            "a unit is in one place",
            index,
        )?;
        of_unit(
            unit.counted || !unit.queued && !running,
            "who waits or runs is part of the load",
            index,
        )?;
        of_unit(
            !unit.counted || unit.queued || running || unit.saving,
            "who neither waits nor runs is no part of the load",
            index,
        )?;
        of_unit(
            (CREDIT_FLOOR..=CREDIT_CEILING).contains(&unit.credit),
            "credit lies between the floor and the ceiling",
            index,
        )?;
        of_unit(
            !unit.migrating || running || unit.saving,
            "only who runs, or has just run, is on its way",
            index,
        )?;
        let here = self.processors[unit.cpu.index()].group == unit.group
            && self.allowed(index).contains(unit.cpu);
        of_unit(
            here || unit.migrating,
            "a unit is where it may be, or on its way",
            index,
        )?;
        of_unit(
            unit.budget == 0 || running || unit.saving,
            "only who runs, or has just run, holds budget",
            index,
        )
    }
}
