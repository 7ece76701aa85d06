//! Owns: the invariants that hold between two events.
//! Must never know: how they are kept.

use super::Credit;
use super::tables::Processor;
use crate::Cpu;
use crate::vcpu::kit::laws;
use crate::vcpu::{Vcpu, Violation};

/// Unit `index`, as a violation names it.
const fn unit(index: usize) -> Option<Vcpu> {
    Some(Vcpu::new(index as u16))
}

impl Credit<'_> {
    /// Checks every invariant. Reads each unit, processor and domain a few times.
    pub(super) fn check_all(&self) -> Result<(), Violation> {
        laws!(None, None;
            self.cpus.covers(self.idlers) => "idlers are processors of the pool",
        );
        for (number, processor) in self.processors.iter().enumerate() {
            let Some(cpu) = Cpu::new(number) else { break };
            self.check_processor(cpu, processor)?;
        }
        self.check_units()?;
        self.check_accounts()
    }

    fn check_processor(&self, cpu: Cpu, processor: &Processor) -> Result<(), Violation> {
        let idler = self.idlers.contains(cpu);
        let count = self.queue(cpu).count();
        let mut queued = self.queue(cpu).map(|vcpu| &self.units[vcpu.index()]);
        laws!(None, Some(cpu);
            !idler || processor.current.is_none() => "an idler runs nothing",
            !idler || queued.all(|unit| unit.state.saving)
                => "nothing waits on the queue of an idler, but who is still being switched out",
            count == processor.waiting as usize => "a queue is as long as its count says",
            self.cpus.contains(cpu) || count == 0
                => "nothing waits on a processor outside the pool",
        );
        for vcpu in self.queue(cpu) {
            let waiting = &self.units[vcpu.index()];
            laws!(Some(vcpu), Some(cpu);
                waiting.queued && waiting.cpu == cpu => "who is on a queue knows it",
            );
        }
        if let Some(index) = processor.current.map(usize::from) {
            let running = &self.units[index];
            laws!(unit(index), Some(cpu);
                running.cpu == cpu && !running.queued && !running.state.saving
                    => "who runs is on no queue",
            );
        }
        Ok(())
    }

    fn check_units(&self) -> Result<(), Violation> {
        let queued = self.units.iter().filter(|unit| unit.queued).count();
        let waiting = self
            .processors
            .iter()
            .map(|processor| processor.waiting as usize);
        laws!(None, None;
            queued == waiting.sum::<usize>() => "who says that it is on a queue is on one",
        );
        for (index, record) in self.units.iter().enumerate() {
            let running = record.state.present && self.is_running(index);
            let here = record.migrating || self.allowed(index).contains(record.cpu);
            laws!(unit(index), Some(record.cpu);
                record.is_runnable() || !record.queued => "who is not runnable is on no queue",
                !record.is_runnable() || record.queued != running
                    => "who is runnable either runs or waits",
                !record.state.present || here => "a unit is where it may be, or on its way",
                !record.migrating || running || record.state.saving
                    => "only who runs, or has just run, is on its way",
            );
        }
        Ok(())
    }

    fn check_accounts(&self) -> Result<(), Violation> {
        let (mut weight, mut listed) = (0, 0);
        for id in self.active_domains.iter(self.domains) {
            let domain = &self.domains[id];
            let mut count = 0;
            for index in domain.active_units.iter(self.units) {
                let active = &self.units[index];
                let here = active.state.present && active.domain as usize == id;
                laws!(unit(index), Some(active.cpu);
                    active.active && here
                        => "who is in a domain's active list is active and of that domain",
                );
                count += 1;
            }
            laws!(None, None;
                count > 0 && count == domain.active_count
                    => "an active domain counts its active units",
            );
            weight += domain.active_weight();
            listed += count as usize;
        }
        let active = self.units.iter().filter(|unit| unit.active).count();
        laws!(None, None;
            weight == self.active_weight => "the active weight is that of the active units",
            listed == active => "every active unit is in its domain's list",
        );
        Ok(())
    }
}
