//! Owns: the laws that hold between two events.
//! Must never know: how they are kept.

use super::Credit;
use super::tables::{ACTIVE, DOMAINS};
use crate::Cpu;
use crate::vcpu::chain::Chain;
use crate::vcpu::{Vcpu, Violation};

fn of_unit(holds: bool, law: &'static str, index: usize, cpu: Cpu) -> Result<(), Violation> {
    Violation::unless(holds, law, Some(Vcpu::new(index as u16)), Some(cpu))
}

fn of_all(holds: bool, law: &'static str) -> Result<(), Violation> {
    Violation::unless(holds, law, None, None)
}

impl Credit<'_> {
    /// Checks every law. Looks at each unit, processor and domain a few times.
    pub(super) fn check(&self) -> Result<(), Violation> {
        self.check_processors()?;
        self.check_units()?;
        self.check_accounts()
    }

    fn check_processors(&self) -> Result<(), Violation> {
        of_all(
            self.online.covers(self.idlers),
            "idlers are processors of the pool",
        )?;
        for (number, processor) in self.processors.iter().enumerate() {
            let Some(cpu) = Cpu::new(number) else { break };
            let idler = self.idlers.contains(cpu);
            let of_cpu = |holds, law| Violation::unless(holds, law, None, Some(cpu));
            of_cpu(
                !idler || processor.current.is_none(),
                "an idler runs nothing",
            )?;
            of_cpu(
                !idler || self.queue(cpu).all(|vcpu| self.units[vcpu.index()].saving),
                "nothing waits on the queue of an idler, but who is still being switched out",
            )?;
            let count = self.queue(cpu).count();
            of_cpu(
                count == processor.waiting as usize,
                "a queue is as long as its count says",
            )?;
            of_cpu(
                self.online.contains(cpu) || count == 0,
                "nothing waits on a processor outside the pool",
            )?;
            for vcpu in self.queue(cpu) {
                let unit = &self.units[vcpu.index()];
                of_unit(
                    unit.queued && unit.cpu == cpu,
                    "who is on a queue knows it",
                    vcpu.index(),
                    cpu,
                )?;
            }
            if let Some(index) = processor.current.map(usize::from) {
                let unit = &self.units[index];
                of_unit(
                    unit.present && unit.cpu == cpu && !unit.queued && !unit.saving,
                    "who runs is on no queue",
                    index,
                    cpu,
                )?;
            }
        }
        Ok(())
    }

    fn check_units(&self) -> Result<(), Violation> {
        let queued = self.units.iter().filter(|unit| unit.queued).count();
        let waiting = |processor: &super::Processor| processor.waiting as usize;
        of_all(
            queued == self.processors.iter().map(waiting).sum(),
            "who says that it is on a queue is on one",
        )?;
        for (index, unit) in self.units.iter().enumerate() {
            let cpu = unit.cpu;
            let running = unit.present && self.is_running(index);
            of_unit(
                unit.is_runnable() || !unit.queued,
                "who is not runnable is on no queue",
                index,
                cpu,
            )?;
            of_unit(
                !unit.is_runnable() || unit.queued != running,
                "who is runnable either runs or waits",
                index,
                cpu,
            )?;
            of_unit(
                !unit.present || unit.migrating || self.allowed(index).contains(cpu),
                "a unit is where it may be, or on its way",
                index,
                cpu,
            )?;
            of_unit(
                !unit.migrating || running || unit.saving,
                "only who runs, or has just run, is on its way",
                index,
                cpu,
            )?;
        }
        Ok(())
    }

    fn check_accounts(&self) -> Result<(), Violation> {
        let mut weight = 0;
        let mut listed = 0;
        let mut next = self.active_domains.first();
        while let Some(id) = next {
            let domain = &self.domains[id];
            let units = core::iter::successors(domain.active_units.first(), |&index| {
                Chain::<ACTIVE>::next(self.units, index)
            });
            let mut count = 0;
            for index in units {
                let unit = &self.units[index];
                of_unit(
                    unit.present && unit.active && unit.domain as usize == id,
                    "who is in a domain's active list is active and of that domain",
                    index,
                    unit.cpu,
                )?;
                count += 1;
            }
            of_all(
                count > 0 && count == domain.active_count,
                "an active domain counts its active units",
            )?;
            weight += domain.active_weight();
            listed += count as usize;
            next = Chain::<DOMAINS>::next(self.domains, id);
        }
        of_all(
            weight == self.active_weight,
            "the active weight is that of the active units",
        )?;
        of_all(
            listed == self.units.iter().filter(|unit| unit.active).count(),
            "every active unit is in its domain's list",
        )?;
        of_all(
            self.population == self.units.iter().filter(|unit| unit.present).count(),
            "the population is counted",
        )
    }
}
