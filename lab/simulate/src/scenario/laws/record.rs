//! Record of the commands to the target, as far as the invariants need it.
//!
//! Owns: each thread's own priority and deadline, each lock's protocol and ceilings.
//! Must never know: the target.

use taktos_schedule::CpuSet;
use taktos_schedule::smp::PolicyKind;
use taktos_time::Instant;

use super::grants::Seen;
use crate::scenario::command::{Command, InstanceName, LockKind, LockName, ThreadName};
use crate::scenario::names::Names;
use crate::scenario::script::Setup;

/// A thread, as its commands left it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    /// That with which it was created.
    initial: u32,
    /// That which it has by itself.
    pub priority: u32,
    /// Its job's.
    pub deadline: Option<Instant>,
    /// Whether a budget may have put the deadline off.
    pub server: bool,
}

/// A lock, as its commands left it.
#[derive(Clone, Debug)]
pub(super) struct Lock {
    pub kind: LockKind,
    /// The present ceiling in each instance, where the protocol has them.
    pub ceilings: Vec<u32>,
    /// To what each owner or spinner was raised at its request (MrsP).
    pub raised: Vec<(ThreadName, u32)>,
    /// Owner and waiters after the last command.
    pub seen: Seen,
}

/// The record of a case, and the invariants by which its target is judged.
#[derive(Clone, Debug)]
pub struct Laws {
    pub(super) policies: Vec<PolicyKind>,
    pub(super) threads: Vec<Own>,
    pub(super) locks: Vec<Option<Lock>>,
    pub(super) homes: Vec<InstanceName>,
    /// Whether there ever was a budget.
    pub(super) budgets: bool,
    /// The processors that do not dispatch.
    pub(super) held: CpuSet,
}

impl Laws {
    /// Returns the invariants of a case in which nothing has happened yet.
    pub fn new(setup: &Setup, names: &Names, policy: PolicyKind) -> Self {
        let policies = setup.instances.iter();
        Self {
            policies: policies.map(|one| one.policy.unwrap_or(policy)).collect(),
            threads: vec![Own::default(); names.threads().len()],
            locks: vec![None; names.locks().len()],
            homes: vec![InstanceName(0); names.threads().len()],
            budgets: false,
            held: CpuSet::EMPTY,
        }
    }

    /// Takes note of a command that was carried out at `now`.
    pub fn note(&mut self, command: &Command, now: Instant) {
        match *command {
            Command::Create {
                thread,
                home,
                priority,
                ..
            } => {
                self.homes[thread.0] = home;
                self.threads[thread.0] = Own {
                    initial: priority,
                    priority,
                    ..Own::default()
                };
            }
            Command::Restart(thread) => {
                let own = &mut self.threads[thread.0];
                (own.priority, own.deadline) = (own.initial, None);
            }
            Command::Priority(thread, priority) => self.threads[thread.0].priority = priority,
            Command::Move(thread, to, priority) => {
                let own = &mut self.threads[thread.0];
                own.priority = priority;
                if to != self.homes[thread.0] {
                    // The old one's priorities mean nothing there.
                    own.initial = priority;
                }
                self.homes[thread.0] = to;
            }
            Command::Release(thread, deadline) => {
                let knows = self.policies[self.homes[thread.0].0].knows_deadlines();
                self.threads[thread.0].deadline = knows.then(|| deadline.instant(now));
            }
            Command::Cancel(thread) => self.threads[thread.0].deadline = None,
            Command::Server { thread, .. } => self.threads[thread.0].server = true,
            Command::Mutex {
                lock,
                kind,
                creator,
                locked,
            } => self.made(lock, kind, creator, locked),
            Command::Ceiling(lock, instance, ceiling) => {
                if let Some(lock) = &mut self.locks[lock.0] {
                    lock.ceilings[instance.0] = ceiling;
                }
            }
            Command::Lock(lock, thread, _) => self.asked(lock, thread),
            Command::Hold(cpus) => self.held = self.held.or(cpus),
            Command::Settle(cpus) => self.held = self.held.minus(cpus),
            Command::Destroy(lock) => self.locks[lock.0] = None,
            _ => {}
        }
    }

    fn made(&mut self, lock: LockName, kind: LockKind, creator: ThreadName, locked: bool) {
        let mut ceilings = vec![0; self.policies.len()];
        if let LockKind::Ceiling(ceiling) | LockKind::Mrsp(ceiling) = kind {
            ceilings[self.homes[creator.0].0] = ceiling;
        }
        self.locks[lock.0] = Some(Lock {
            kind,
            ceilings,
            raised: Vec::new(),
            seen: Seen::new(kind),
        });
        if locked {
            self.asked(lock, creator);
        }
    }

    /// Raises a thread that requests a lock under MrsP to the present ceiling of its home.
    fn asked(&mut self, lock: LockName, thread: ThreadName) {
        let home = self.homes[thread.0];
        if let Some(lock) = &mut self.locks[lock.0] {
            lock.raised.retain(|(known, _)| *known != thread);
            lock.raised.push((thread, lock.ceilings[home.0]));
        }
    }

    pub(super) fn locks_known(&self) -> impl Iterator<Item = LockName> {
        let known = self.locks.iter().enumerate();
        known.filter_map(|(index, lock)| lock.as_ref().map(|_| LockName(index)))
    }

    /// The protocol of a lock.
    pub(super) fn kind(&self, lock: LockName) -> Option<LockKind> {
        self.locks[lock.0].as_ref().map(|lock| lock.kind)
    }

    /// Returns the ceiling to which a lock has `thread` raised since its last request for it, if it
    /// has.
    pub(super) fn raised(&self, lock: LockName, thread: ThreadName) -> Option<u32> {
        let raised = &self.locks[lock.0].as_ref()?.raised;
        let found = raised.iter().find(|(known, _)| *known == thread);
        found.map(|(_, ceiling)| *ceiling)
    }
}
