//! Priorities in effect, recomputed from each thread's own priority and from the chains of waiting
//! threads.
//!
//! Owns: the priority that an owner has from the waiters, and that which a ceiling gives.
//! Must never know: in which order changes came.

use std::collections::BTreeMap;

use super::{Laws, Urgency};
use crate::scenario::command::{InstanceName, LockKind, LockName, ThreadName};
use crate::scenario::names::Names;
use crate::scenario::target::Target;

/// Owner and waiters of each lock.
pub(super) type Chains = BTreeMap<LockName, (ThreadName, Vec<ThreadName>)>;

impl Laws {
    /// Returns the locks that have an owner, with their waiters.
    pub(super) fn chains(&self, target: &dyn Target) -> Chains {
        let owned = |lock| Some((lock, (target.owner(lock)?, target.waiters(lock))));
        self.locks_known().filter_map(owned).collect()
    }

    /// How urgent a thread is in an instance; none where it is neither at home nor helped.
    pub(super) fn urgency(
        &self,
        target: &dyn Target,
        chains: &Chains,
        thread: ThreadName,
        instance: InstanceName,
    ) -> Option<Urgency> {
        let at_home = target.home(thread) == Some(instance);
        let own = at_home.then(|| self.own_urgency(thread));
        let mut best = own;
        let mut add = |urgency: Option<Urgency>| {
            best = match (best, urgency) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        };
        for (lock, (owner, waiters)) in chains {
            let Some(kind) = self.kind(*lock) else {
                continue;
            };
            let owns = *owner == thread;
            let waits = waiters.contains(&thread);
            if at_home && (owns || waits) {
                add(self.ceiling(*lock, kind, thread, instance, owns));
            }
            let inherits = matches!(
                kind,
                LockKind::Inheritance | LockKind::Omip | LockKind::Mrsp(_)
            );
            if owns && inherits {
                for waiter in waiters {
                    add(self.urgency(target, chains, *waiter, instance));
                }
            }
        }
        best
    }

    /// Returns the thread's own urgency.
    fn own_urgency(&self, thread: ThreadName) -> Urgency {
        let own = &self.threads[thread.0];
        match own.deadline {
            Some(deadline) => Urgency::Deadline(deadline.as_nanos()),
            None => Urgency::Priority(own.priority),
        }
    }

    /// Returns the urgency that the lock's ceiling gives to an owner or to a spinner.
    fn ceiling(
        &self,
        lock: LockName,
        kind: LockKind,
        thread: ThreadName,
        home: InstanceName,
        owns: bool,
    ) -> Option<Urgency> {
        let present = self.locks[lock.0]
            .as_ref()
            .map(|lock| lock.ceilings[home.0]);
        let ceiling = match kind {
            LockKind::Ceiling(_) if owns => present,
            LockKind::Mrsp(_) => self.raised(lock, thread),
            _ => None,
        };
        ceiling.map(Urgency::Priority)
    }

    /// That the target says of every thread, at home and wherever it is helped, what the chains
    /// say.
    pub(super) fn priorities(&self, target: &dyn Target, names: &Names) -> Result<(), String> {
        let chains = self.chains(target);
        for thread in Self::all_threads(names) {
            let instances = (0..names.instances().len()).map(InstanceName);
            for instance in instances {
                let Some(expected) = self.urgency(target, &chains, thread, instance) else {
                    continue;
                };
                if self.threads.iter().any(|own| own.server) {
                    // A budget that is used up puts deadlines off.
                    continue;
                }
                let expected = match expected {
                    Urgency::Deadline(_) => 0,
                    Urgency::Priority(priority) => priority,
                    Urgency::Idle => continue,
                };
                let found = target.priority(thread, Some(instance));
                if found != Some(expected) {
                    let (thread, instance) = (names.thread(thread), names.instance(instance));
                    return Err(format!(
                        "{thread} has priority {found:?} in {instance}; \
                         what it has by itself, its locks and those who wait make {expected}"
                    ));
                }
            }
        }
        Ok(())
    }
}
