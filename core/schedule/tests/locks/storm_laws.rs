//! What must hold after every event of a storm, beside the laws of the system itself.

use crate::storm::Storm;
use taktos_schedule::Cpu;
use taktos_schedule::smp::*;

impl Storm<'_> {
    pub fn compare(&mut self) {
        for lock in &self.lists.locks {
            assert_eq!(self.world.owner(*lock), self.lists.owner(*lock));
        }
        for thread in &self.people {
            let waits_for = self.world.system.waits_for(*thread).unwrap();
            assert_eq!(waits_for, self.lists.waits_for(*thread));
            let outcome = self.world.outcome(*thread);
            assert!(waits_for.is_none() || outcome.is_none());
        }
        if self.world.eager && !self.unsettled {
            self.check_help();
            self.check_progress();
        }
    }

    /// Whether `instance` schedules `thread`: its home, or that of one who waits for it.
    fn takes_part(&self, thread: Thread, instance: Instance) -> bool {
        let waits_here = |wait: &(Thread, Lock)| {
            self.lists.inherits(wait.1)
                && self.lists.owner(wait.1) == Some(thread)
                && self.takes_part(wait.0, instance)
        };
        self.world.system.scheduler(thread) == Ok(instance)
            || self.lists.waits.iter().any(waits_here)
    }

    /// Nobody spins while the one on whom that ends is ready and runs nowhere, where all owners
    /// on the way inherit.
    fn check_progress(&self) {
        for spinner in self.world.running().into_iter().flatten() {
            let mut last = spinner;
            let mut all_inherit = true;
            while let Some(lock) = self.lists.waits_for(last) {
                last = self.lists.owner(lock).unwrap();
                all_inherit &= self.lists.inherits(lock);
            }
            if !all_inherit {
                continue;
            }
            let ready = self.world.system.reasons(last).unwrap().is_empty();
            let runs = self.world.cpu_of(last).is_some();
            assert!(runs || !ready, "{spinner:?} spins, {last:?} waits");
        }
    }

    /// Who is ready and runs nowhere is nowhere more urgent than all that are SCHEDULED there.
    fn check_help(&mut self) {
        for thread in &self.people {
            let home = self.world.system.scheduler(*thread).unwrap();
            if let Some(cpu) = self.world.cpu_of(*thread) {
                let cpu = Cpu::new(cpu).unwrap();
                self.helped += usize::from(self.world.system.instance_of_cpu(cpu) != Ok(home));
                continue;
            }
            if !self.world.system.reasons(*thread).unwrap().is_empty() {
                continue;
            }
            for instance in (0..self.clusters).filter_map(Instance::new) {
                if !self.takes_part(*thread, instance) {
                    continue;
                }
                let own = self.world.system.priority_in(*thread, instance).unwrap();
                self.world.system.for_each_scheduled(instance, |other, _| {
                    let other = self.world.system.priority_in(other, instance);
                    let busy = other.is_ok_and(|other| other <= own);
                    assert!(busy, "{thread:?} was to run in {instance:?}");
                });
            }
        }
    }
}
