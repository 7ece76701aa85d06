//! Invariants after every event of a stress test, in addition to those of the system itself.

use crate::lists::Urgency;
use crate::storm::{Storm, queued, room};
use crate::turns::Turns;
use taktos_schedule::Cpu;
use taktos_schedule::smp::*;

impl Storm {
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
        self.check_turns();
        if self.world.eager && !self.unsettled {
            self.check_help();
            self.check_progress();
        }
    }

    /// Checks that each thread waits where the calls and their answers, in the order in which they
    /// came, have put it. (The queues of OMIP cannot be seen: each grant is judged.)
    fn check_turns(&mut self) {
        let asked = self.asked.take().map(|thread| self.lists.own(thread).home);
        let instances = (0..self.clusters).filter_map(Instance::new);
        let others = instances.filter(|other| Some(*other) != asked);
        // The home of the thread that made the request comes first in the line.
        let instances: Vec<_> = asked.into_iter().chain(others).collect();
        for lock in &self.lists.locks {
            let omip = self.lists.protocol(*lock) == Some(Protocol::Omip);
            let mut places = Vec::new();
            for instance in &instances {
                for (thread, _) in self.lists.waits.iter().filter(|one| one.1 == *lock) {
                    let at_home = self.lists.own(*thread).home == *instance;
                    if at_home || !omip && self.lists.takes_part(*thread, *instance) {
                        let urgency = self.lists.urgency(*thread, *instance);
                        places.push((*instance, *thread, urgency));
                    }
                }
            }
            let turns = &mut self.turns[lock.index()];
            turns.update(&places, room(&self.world));
            if !omip {
                let expected: Vec<_> = turns
                    .line
                    .iter()
                    .map(|at| (*at, here(turns, *at)))
                    .collect();
                assert_eq!(queued(&self.world, *lock), expected, "{lock:?}");
            }
        }
    }

    /// Checks that no thread spins while the end of its chain is ready and runs nowhere, if all
    /// owners on the way inherit.
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

    /// Checks that a ready thread that runs nowhere is nowhere more urgent than all that are
    /// SCHEDULED there.
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
                if !self.lists.takes_part(*thread, instance) {
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

/// The waiters of `instance`, the next one first.
fn here(turns: &Turns<Instance, Thread, Urgency>, instance: Instance) -> Vec<Thread> {
    let here = turns.waiters.iter().filter(|waiter| waiter.0 == instance);
    let mut here: Vec<_> = here.collect();
    here.sort_by_key(|waiter| waiter.2); // stable: equals stay in order
    here.into_iter().map(|waiter| waiter.1).collect()
}
