//! Carries out the commands about locks.
//!
//! Owns: the operation for each, and the threads that can ask for it: those that execute and wait
//! for nothing. Must never know: the effects of the protocols.

use taktos_schedule::smp::{Instance, Lock, Obtained, Outcome, Priority, Protocol, Thread};

use super::commands::Done;
use super::{Alarm, SystemTarget};
use crate::scenario::command::{Command, LockKind, LockName, Patience, ThreadName};
use crate::scenario::script::WaitEnd;
use crate::scenario::status::Status;
use crate::scenario::target::Refusal;

impl SystemTarget<'_> {
    /// Carries out a command about a lock.
    pub(super) fn locking(&mut self, command: &Command) -> Done {
        match *command {
            Command::Mutex {
                lock,
                kind,
                creator,
                locked,
            } => self.make_lock(lock, kind, creator, locked),
            Command::Ceiling(lock, instance, ceiling) => {
                let (lock, instance) = (self.lock(lock)?, self.instance(instance)?);
                self.system.set_ceiling(lock, instance, Priority(ceiling))?;
                Ok(())
            }
            Command::Lock(lock, thread, patience) => self.obtain(lock, thread, patience),
            Command::Unlock(lock, thread) => {
                let (lock, id) = (self.lock(lock)?, self.own_act(thread)?);
                self.system.surrender(lock, id)?;
                Ok(())
            }
            Command::Flush(lock) => {
                let lock = self.lock(lock)?;
                Ok(self.system.flush(lock)?)
            }
            Command::Destroy(lock) => {
                let id = self.lock(lock)?;
                self.system.delete_lock(id)?;
                self.locks[lock.0] = None;
                Ok(())
            }
            Command::Timeout(thread) => {
                let id = self.thread(thread)?;
                Ok(self.system.time_out(id)?)
            }
            _ => Err(Refusal::Status(Status::Unsupported)),
        }
    }

    fn make_lock(
        &mut self,
        lock: LockName,
        kind: LockKind,
        creator: ThreadName,
        locked: bool,
    ) -> Done {
        if self.locks[lock.0].is_some() {
            let why = "there is a lock of this name already";
            return Err(Refusal::Impossible(why.to_owned()));
        }
        let creator = match locked {
            true => self.own_act(creator)?,
            false => self.thread(creator)?,
        };
        let (protocol, ceiling) = match kind {
            LockKind::Plain => (Protocol::None, None),
            LockKind::Inheritance => (Protocol::Inheritance, None),
            LockKind::Omip => (Protocol::Omip, None),
            LockKind::Ceiling(ceiling) => (Protocol::Ceiling, Some(Priority(ceiling))),
            LockKind::Mrsp(ceiling) => (Protocol::MrsP, Some(Priority(ceiling))),
        };
        let made = self
            .system
            .create_lock(protocol, creator, ceiling, locked)?;
        self.locks[lock.0] = Some(made);
        Ok(())
    }

    fn obtain(&mut self, lock: LockName, name: ThreadName, patience: Patience) -> Done {
        let (lock, thread) = (self.lock(lock)?, self.own_act(name)?);
        let wait = patience != Patience::None;
        let answer = self.system.obtain(lock, thread, wait)?;
        match (answer, patience) {
            (Obtained::Owned, _) => self.clear_alarms(name),
            (_, Patience::For(span)) => {
                self.set_alarm(self.now.saturating_add(span), Alarm::GiveUp(name));
            }
            _ => self.clear_alarms(name),
        }
        Ok(())
    }

    /// The thread, which must execute and wait for nothing: only so can it take or
    /// release a lock.
    fn own_act(&mut self, name: ThreadName) -> Result<Thread, Refusal> {
        let thread = self.thread(name)?;
        let why = match self.executes_on(name) {
            None => "the thread executes nowhere, so it cannot do this",
            Some(_) if self.waits(name) => "it waits for a lock, so it can do nothing else",
            Some(_) => return Ok(thread),
        };
        Err(Refusal::Impossible(why.to_owned()))
    }

    /// That the thread waits for no lock.
    pub(super) fn waits_not(&self, name: ThreadName) -> Done {
        match self.waits(name) {
            true => Err(Refusal::Impossible(
                "it waits for a lock, so it can do nothing else".to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// Whether the thread waits for a lock, blocked or not.
    pub(super) fn waits(&self, name: ThreadName) -> bool {
        let thread = self.threads[name.0];
        let lock = thread.and_then(|thread| {
            self.system
                .rows(|system| system.waits_for(thread))
                .ok()
                .flatten()
        });
        lock.is_some()
    }

    /// Returns the owner of the lock.
    pub(super) fn owner_of(&self, lock: LockName) -> Option<Thread> {
        let lock = self.locks[lock.0]?;
        self.system.rows(|system| system.owner(lock)).ok().flatten()
    }

    /// Returns the waiters in the order in which they would get the lock: the most urgent of the
    /// instance with the turn, which then goes after the other instances.
    pub(super) fn waiters_of(&self, lock: LockName) -> Vec<Thread> {
        let mut queues: Vec<(Instance, Vec<Thread>)> = Vec::new();
        if let Some(lock) = self.locks[lock.0] {
            // An unknown lock has no waiters.
            let mut visit =
                |instance, thread| match queues.iter_mut().find(|(known, _)| *known == instance) {
                    Some((_, queue)) => queue.push(thread),
                    None => queues.push((instance, vec![thread])),
                };
            let _ = self
                .system
                .rows(|system| system.for_each_waiter(lock, &mut visit));
        }
        let mut order = Vec::new();
        while !queues.is_empty() {
            let (instance, queue) = queues.remove(0);
            order.push(queue[0]);
            queues.push((instance, queue.clone()));
            for (_, queue) in &mut queues {
                queue.retain(|waiter| !order.contains(waiter));
            }
            queues.retain(|(_, queue)| !queue.is_empty());
        }
        order
    }

    /// How the thread's last wait ended.
    pub(super) fn end_of_wait(&self, name: ThreadName) -> WaitEnd {
        let thread = self.threads[name.0];
        match thread.and_then(|thread| {
            self.system
                .rows(|system| system.outcome(thread))
                .ok()
                .flatten()
        }) {
            None => WaitEnd::None,
            Some(Outcome::Granted) => WaitEnd::Granted,
            Some(Outcome::Timeout) => WaitEnd::Timeout,
            Some(Outcome::Flushed) => WaitEnd::Flushed,
        }
    }

    pub(super) fn lock(&self, name: LockName) -> Result<Lock, Refusal> {
        self.locks[name.0].ok_or(Refusal::Status(Status::InvalidId))
    }
}
