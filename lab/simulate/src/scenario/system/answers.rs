//! Queries to the library.
//!
//! Owns: how its results become those that scripts compare.
//! Must never know: the expected results.

use taktos_schedule::smp::seats::Sight;
use taktos_schedule::smp::{Reasons, Thread, Violation};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

use super::SystemTarget;
use crate::scenario::command::{Command, InstanceName, LockName, ThreadName};
use crate::scenario::names::Names;
use crate::scenario::script::{Occupant, OnCpu, WaitEnd};
use crate::scenario::target::{Refusal, Target};

impl SystemTarget<'_> {
    /// Returns the occupant that a thread of the library is, on this processor.
    fn occupant(&self, thread: Option<Thread>, cpu: Cpu) -> Occupant {
        let Some(thread) = thread else {
            return Occupant::Nobody;
        };
        match self.rows[thread.index()] {
            Some(name) if self.threads[name.0] == Some(thread) => Occupant::Thread(name),
            // It was deleted, and its registers are still here.
            Some(_) => Occupant::Nobody,
            None => Occupant::Idle(self.stood_for(thread, cpu)),
        }
    }

    /// Returns the thread in the place of which an idle thread is heir.
    fn stood_for(&self, idle: Thread, cpu: Cpu) -> Option<ThreadName> {
        self.system.look(|sight| {
            if sight.heir(cpu) != Some(idle) {
                return None;
            }
            let instance = sight.system().instance_of_cpu(cpu).ok()?;
            let mut holder = None;
            sight.for_each_scheduled(instance, &mut |thread, place| {
                if place == cpu {
                    holder = self.rows[thread.index()];
                }
            });
            holder
        })
    }

    fn names_of(&self, threads: &[Thread]) -> Vec<ThreadName> {
        let names = threads
            .iter()
            .filter_map(|thread| self.rows[thread.index()]);
        names.collect()
    }
}

impl Target for SystemTarget<'_> {
    fn perform(&mut self, command: &Command) -> Result<(), Refusal> {
        self.operate(command)?;
        self.settle()
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn on(&self, cpu: Cpu) -> OnCpu {
        if !self.online.contains(cpu) {
            return OnCpu {
                executing: Occupant::Nobody,
                heir: Occupant::Nobody,
            };
        }
        let seen = |sight: &dyn Sight| (sight.executing(cpu), sight.heir(cpu));
        let (executing, heir) = self.system.look(seen);
        OnCpu {
            executing: self.occupant(executing, cpu),
            heir: self.occupant(heir, cpu),
        }
    }

    fn has_processor(&self, thread: ThreadName) -> bool {
        let thread = self.threads[thread.0];
        let has = |thread| {
            self.system
                .look(|sight| sight.processor_of(thread))
                .is_some()
        };
        thread.is_some_and(has)
    }

    fn ready(&self, instance: InstanceName) -> Vec<ThreadName> {
        let mut found = Vec::new();
        if let Ok(instance) = self.instance(instance) {
            let visit = &mut |thread| found.push(thread);
            self.system
                .look(|sight| sight.for_each_ready(instance, visit));
        }
        self.names_of(&found)
    }

    fn scheduled(&self, instance: InstanceName) -> Vec<Occupant> {
        let mut found = Vec::new();
        if let Ok(instance) = self.instance(instance) {
            self.system.look(|sight| {
                sight.for_each_scheduled(instance, &mut |thread, cpu| {
                    found.push((thread, sight.heir(cpu) == Some(thread)));
                });
            });
        }
        let who = |(thread, is_heir): (Thread, bool)| match self.rows[thread.index()] {
            Some(owner) if !is_heir => Occupant::Idle(Some(owner)),
            Some(owner) => Occupant::Thread(owner),
            None => Occupant::Idle(None),
        };
        found.into_iter().map(who).collect()
    }

    fn reasons(&self, thread: ThreadName) -> Option<Reasons> {
        self.system.reasons(self.threads[thread.0]?).ok()
    }

    fn pinned(&self, thread: ThreadName) -> Option<Cpu> {
        let thread = self.threads[thread.0]?;
        self.system.rows(|system| system.pinned_to(thread))
    }

    fn priority(&self, thread: ThreadName, instance: Option<InstanceName>) -> Option<u32> {
        let thread = self.threads[thread.0]?;
        let instance = instance.map(|name| self.instance(name)).transpose().ok()?;
        let priority = self.system.look(|sight| match instance {
            None => sight.system().priority(thread),
            Some(instance) => sight.priority_in(thread, instance),
        });
        priority.ok().map(|priority| priority.0)
    }

    fn affinity(&self, thread: ThreadName) -> CpuSet {
        let thread = self.threads[thread.0];
        let affinity = |thread| self.system.rows(|system| system.affinity(thread)).ok();
        let affinity = thread.and_then(affinity).unwrap_or_default();
        match affinity.covers(self.online) {
            true => CpuSet::ALL,
            false => affinity,
        }
    }

    fn home(&self, thread: ThreadName) -> Option<InstanceName> {
        let thread = self.threads[thread.0]?;
        let home = self.system.rows(|system| system.scheduler(thread)).ok()?;
        Some(InstanceName(home.index()))
    }

    fn owned(&self, instance: InstanceName) -> CpuSet {
        let instance = self.instance(instance).ok();
        let owned = |instance| self.system.rows(|system| system.processors(instance)).ok();
        instance.and_then(owned).unwrap_or_default()
    }

    fn cpu_time(&self, thread: ThreadName) -> Duration {
        let thread = self.threads[thread.0];
        let time = thread.and_then(|thread| self.system.cpu_time(thread).ok());
        time.unwrap_or(Duration::ZERO)
    }

    fn owner(&self, lock: LockName) -> Option<ThreadName> {
        self.rows[self.owner_of(lock)?.index()]
    }

    fn waiters(&self, lock: LockName) -> Vec<ThreadName> {
        self.names_of(&self.waiters_of(lock))
    }

    fn outcome(&self, thread: ThreadName) -> WaitEnd {
        self.end_of_wait(thread)
    }

    fn check(&self, names: &Names) -> Result<(), String> {
        self.system.check().map_err(|violation| {
            let Violation {
                law,
                thread,
                instance,
                cpu,
            } = violation;
            let named = |thread: Thread| match self.rows[thread.index()] {
                Some(name) => names.thread(name).to_owned(),
                None => "an idle thread".to_owned(),
            };
            let mut said = law.to_owned();
            if let Some(thread) = thread {
                said.push_str(&format!("; {}", named(thread)));
            }
            if let Some(instance) = instance {
                said.push_str(&format!(
                    "; instance {}",
                    names.instance(InstanceName(instance.index()))
                ));
            }
            if let Some(cpu) = cpu {
                said.push_str(&format!("; processor {}", cpu.index()));
            }
            said
        })
    }
}
