//! Next owner of a lock, recomputed from the threads that came, changed and left, and when.
//!
//! Owns: the rule that each thread waits in the turn that the protocol gives, and is granted the
//! lock in this turn.
//! Must never know: how the target finds the next one.

use super::turns::Turns;
use super::{Laws, Urgency};
use crate::scenario::command::{Command, InstanceName, LockKind, LockName, ThreadName};
use crate::scenario::names::Names;
use crate::scenario::target::Target;

/// A lock, as it was last seen.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    owner: Option<ThreadName>,
    turns: Turns<InstanceName, ThreadName, Urgency>,
}

impl Seen {
    /// A lock that has just been made.
    pub fn new(kind: LockKind) -> Self {
        Self {
            owner: None,
            turns: Turns::new(kind == LockKind::Omip),
        }
    }
}

impl Laws {
    /// Checks the owner and the waiters of each lock after `command` was carried out.
    ///
    /// # Errors
    /// If a lock was granted to another thread than the one with the turn, or if threads wait in
    /// another order than that of their turns. (The order under OMIP cannot be observed: there each
    /// grant is checked.)
    pub fn follow(
        &mut self,
        command: &Command,
        target: &dyn Target,
        names: &Names,
    ) -> Result<(), String> {
        self.budgets |= self.threads.iter().any(|own| own.server);
        // A budget that is used up postpones deadlines, unobserved, and the waiters with them.
        if self.budgets {
            return Ok(());
        }
        let locks: Vec<_> = self.locks_known().collect();
        for lock in locks {
            let Some(mut seen) = self.locks[lock.0].as_ref().map(|lock| lock.seen.clone()) else {
                continue;
            };
            self.follow_owner(&mut seen, lock, target, names)?;
            self.follow_waiters(&mut seen, lock, command, target, names)?;
            if let Some(record) = &mut self.locks[lock.0] {
                record.seen = seen;
            }
        }
        Ok(())
    }

    /// Checks that a lock that its owner no longer has belongs to the thread with the turn.
    fn follow_owner(
        &self,
        seen: &mut Seen,
        lock: LockName,
        target: &dyn Target,
        names: &Names,
    ) -> Result<(), String> {
        let owner = target.owner(lock);
        let former = std::mem::replace(&mut seen.owner, owner);
        if former == owner {
            return Ok(());
        }
        if former.is_none() {
            if let Some(owner) = owner {
                seen.turns.taken(self.homes[owner.0]);
            }
            return Ok(());
        }
        let due = seen.turns.granted(room(target));
        if due == owner {
            return Ok(());
        }
        let name = |thread: Option<ThreadName>| thread.map_or("nobody", |one| names.thread(one));
        let (due, owner) = (name(due), name(owner));
        let lock = names.lock(lock);
        Err(format!("it was the turn of {due}, and {owner} has {lock}"))
    }

    /// Checks that the waiters are in the order in which they came, changed and had their turns.
    fn follow_waiters(
        &self,
        seen: &mut Seen,
        lock: LockName,
        command: &Command,
        target: &dyn Target,
        names: &Names,
    ) -> Result<(), String> {
        let omip = self.kind(lock) == Some(LockKind::Omip);
        let waiters = target.waiters(lock);
        let chains = self.chains(target);
        let mut places = Vec::new();
        for instance in self.by_turn(command, names) {
            for waiter in &waiters {
                let here = !omip || self.homes[waiter.0] == instance;
                let urgency = self.urgency(target, &chains, *waiter, instance);
                places.extend(urgency.filter(|_| here).map(|one| (instance, *waiter, one)));
            }
        }
        seen.turns.update(&places, room(target));
        let mut rest = seen.turns.clone();
        let order: Vec<_> = std::iter::from_fn(|| rest.granted(room(target))).collect();
        if omip || order == waiters {
            return Ok(());
        }
        let list = |threads: &[ThreadName]| {
            let names: Vec<_> = threads.iter().map(|one| names.thread(*one)).collect();
            names.join(" ")
        };
        let (order, waiters) = (list(&order), list(&waiters));
        let lock = names.lock(lock);
        Err(format!(
            "the turns of those who wait for {lock} are {order}, and they wait as {waiters}"
        ))
    }

    /// Returns all instances; the home of a thread that requested a lock comes first in the lines.
    fn by_turn(&self, command: &Command, names: &Names) -> Vec<InstanceName> {
        let asked = match *command {
            Command::Lock(_, thread, _) => Some(self.homes[thread.0]),
            _ => None,
        };
        let all = (0..names.instances().len()).map(InstanceName);
        let others = all.filter(|instance| Some(*instance) != asked);
        asked.into_iter().chain(others).collect()
    }
}

/// How many threads of an instance can run at a time.
fn room(target: &dyn Target) -> impl Fn(InstanceName) -> usize + '_ {
    |instance| target.owned(instance).count().max(1)
}
