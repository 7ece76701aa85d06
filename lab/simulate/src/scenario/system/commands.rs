//! Carries commands out with the library's operations.
//!
//! Owns: which operation each command is, and who can ask for it.
//! Must never know: what comes of it.

use taktos_schedule::smp::{Instance, Lock, Obtained, Priority, Protocol, Reasons, Thread};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Duration;

use super::{Alarm, SystemTarget, four_letters};
use crate::scenario::command::{
    Command, InstanceName, LockKind, LockName, Patience, ThreadName, When,
};
use crate::scenario::status::Status;
use crate::scenario::target::Refusal;

type Done = Result<(), Refusal>;

impl SystemTarget<'_> {
    /// Carries the command out, without dispatching.
    pub(super) fn operate(&mut self, command: &Command) -> Done {
        match *command {
            Command::Create {
                thread,
                home,
                priority,
                affinity,
            } => self.create(thread, home, priority, affinity),
            Command::Delete(thread) => self.delete(thread),
            Command::Sleep(thread, span) => self.sleep(thread, span),
            Command::Release(thread, deadline) => {
                let (id, deadline) = (self.asked(thread)?, deadline.instant(self.now));
                let now = self.now;
                Ok(self
                    .system
                    .release_job(id, deadline, now, &mut self.noted)?)
            }
            Command::Affinity(thread, cpus) => {
                let cpus = if cpus == CpuSet::ALL { self.online } else { cpus };
                let id = self.asked(thread)?;
                let now = self.now;
                Ok(self.system.set_affinity(id, cpus, now, &mut self.noted)?)
            }
            Command::Priority(thread, priority) => {
                let id = self.asked(thread)?;
                let (priority, now) = (Priority(priority), self.now);
                self.system
                    .set_priority(id, priority, now, &mut self.noted)?;
                Ok(())
            }
            Command::Move(thread, to, priority) => {
                let (id, to) = (self.asked(thread)?, self.instance(to)?);
                let (priority, now) = (Priority(priority), self.now);
                Ok(self
                    .system
                    .set_scheduler(id, to, priority, now, &mut self.noted)?)
            }
            Command::Server(thread, budget, period) => {
                let id = self.asked(thread)?;
                Ok(self.system.set_server(id, budget, period)?)
            }
            Command::Add(cpu, to) => {
                let (to, cpu) = (self.instance(to)?, self.cpu(cpu, Status::NotConfigured)?);
                self.act(None);
                Ok(self.system.add_processor(to, cpu, self.now, &mut self.noted)?)
            }
            Command::Remove(cpu, from) => {
                let (from, cpu) = (self.instance(from)?, self.cpu(cpu, Status::InvalidNumber)?);
                self.act(None);
                let now = self.now;
                Ok(self.system.remove_processor(from, cpu, now, &mut self.noted)?)
            }
            Command::Identify(ref name) => {
                self.system.identify(four_letters(name))?;
                Ok(())
            }
            Command::WhichCpu(cpu) => {
                let cpu = self.cpu(cpu, Status::InvalidName)?;
                self.system.instance_of_cpu(cpu)?;
                Ok(())
            }
            Command::WhichSet(cpus) => {
                self.system.instance_of_set(cpus)?;
                Ok(())
            }
            Command::Hold(cpus) => {
                self.held = self.held.or(cpus.and(self.online));
                Ok(())
            }
            Command::Settle(cpus) => {
                self.held = self.held.minus(cpus);
                Ok(())
            }
            Command::Dispatch(cpu) => {
                if !self.online.contains(cpu) {
                    return Err(Refusal::Status(Status::InvalidNumber));
                }
                if let taktos_schedule::smp::Dispatch::Wait { .. } = self.dispatch(cpu)? {
                    // It will try again.
                    self.noted.pending = self.noted.pending.with(cpu);
                }
                Ok(())
            }
            Command::Act(cpu) => {
                if !self.online.contains(cpu) {
                    return Err(Refusal::Status(Status::InvalidNumber));
                }
                self.acting = Some(cpu);
                Ok(())
            }
            Command::Advance(When::In(span)) => self.advance(self.now.saturating_add(span)),
            Command::Advance(When::At(at)) => self.advance(at),
            Command::Mutex {
                lock,
                kind,
                creator,
                locked,
            } => self.make_lock(lock, kind, creator, locked),
            Command::Ceiling(lock, instance, ceiling) => {
                let (lock, instance) = (self.lock(lock)?, self.instance(instance)?);
                let (ceiling, now) = (Priority(ceiling), self.now);
                self.act(None);
                self.system
                    .set_ceiling(lock, instance, ceiling, now, &mut self.noted)?;
                Ok(())
            }
            Command::Lock(lock, thread, patience) => self.obtain(lock, thread, patience),
            Command::Unlock(lock, thread) => {
                let (lock, id) = (self.lock(lock)?, self.own_act(thread)?);
                self.system.surrender(lock, id, self.now, &mut self.noted)?;
                Ok(())
            }
            Command::Flush(lock) => {
                let lock = self.lock(lock)?;
                self.act(None);
                Ok(self.system.flush(lock, self.now, &mut self.noted)?)
            }
            Command::Destroy(lock) => {
                let id = self.lock(lock)?;
                self.act(None);
                self.system.delete_lock(id, self.now, &mut self.noted)?;
                self.locks[lock.0] = None;
                Ok(())
            }
            ref simple => self.simple(simple),
        }
    }

    /// Commands that name a thread and nothing else.
    fn simple(&mut self, command: &Command) -> Done {
        let (Command::Start(thread)
        | Command::Restart(thread)
        | Command::Block(thread)
        | Command::Wake(thread)
        | Command::Suspend(thread)
        | Command::Resume(thread)
        | Command::Yield(thread)
        | Command::Cancel(thread)
        | Command::Pin(thread)
        | Command::Unpin(thread)
        | Command::Timeout(thread)) = *command
        else {
            return Err(Refusal::Status(Status::Unsupported));
        };
        if matches!(command, Command::Block(_)) && self.waits(thread) {
            return Err(Refusal::Impossible(
                "it waits for a lock, so it can do nothing else".to_owned(),
            ));
        }
        let id = self.asked(thread)?;
        let now = self.now;
        let (system, noted) = (&mut self.system, &mut self.noted);
        match command {
            Command::Start(_) => system.start(id, now, noted)?,
            Command::Restart(_) => {
                system.restart(id, now, noted)?;
                self.clear_alarms(thread);
            }
            Command::Block(_) => system.block(id, Reasons::WAIT, now, noted)?,
            Command::Wake(_) => {
                let waits = Reasons::WAIT.or(Reasons::TIME);
                system.unblock(id, waits, now, noted)?;
                self.clear_alarms(thread);
            }
            Command::Suspend(_) => system.suspend(id, now, noted)?,
            Command::Resume(_) => system.resume(id, now, noted)?,
            Command::Yield(_) => system.yield_now(id, now, noted)?,
            Command::Cancel(_) => system.cancel_job(id, now, noted)?,
            Command::Pin(_) => system.pin(id)?,
            Command::Unpin(_) => system.unpin(id, now, noted)?,
            _ => system.time_out(id, now, noted)?,
        }
        Ok(())
    }

    fn create(
        &mut self,
        name: ThreadName,
        home: InstanceName,
        priority: u32,
        affinity: Option<CpuSet>,
    ) -> Done {
        if self.threads[name.0].is_some() {
            let why = "there is a thread of this name already";
            return Err(Refusal::Impossible(why.to_owned()));
        }
        let home = self.instance(home)?;
        let affinity = affinity.map(|cpus| match cpus {
            CpuSet::ALL => self.online,
            cpus => cpus,
        });
        let thread = self.system.create(home, Priority(priority), affinity)?;
        self.threads[name.0] = Some(thread);
        self.rows[thread.index()] = Some(name);
        Ok(())
    }

    fn delete(&mut self, name: ThreadName) -> Done {
        let thread = self.asked(name)?;
        self.system.delete(thread, self.now, &mut self.noted)?;
        self.clear_alarms(name);
        self.threads[name.0] = None;
        Ok(())
    }

    fn sleep(&mut self, name: ThreadName, span: Duration) -> Done {
        if self.waits(name) {
            return Err(Refusal::Impossible(
                "it waits for a lock, so it can do nothing else".to_owned(),
            ));
        }
        let thread = self.asked(name)?;
        self.system
            .block(thread, Reasons::TIME, self.now, &mut self.noted)?;
        self.set_alarm(self.now.saturating_add(span), Alarm::Wake(name));
        Ok(())
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
            false => self.asked(creator)?,
        };
        let (protocol, ceiling) = match kind {
            LockKind::Plain => (Protocol::None, None),
            LockKind::Inheritance => (Protocol::Inheritance, None),
            LockKind::Ceiling(ceiling) => (Protocol::Ceiling, Some(Priority(ceiling))),
            LockKind::Mrsp(ceiling) => (Protocol::MrsP, Some(Priority(ceiling))),
        };
        let now = self.now;
        let made = self
            .system
            .create_lock(protocol, creator, ceiling, locked, now, &mut self.noted)?;
        self.locks[lock.0] = Some(made);
        Ok(())
    }

    fn obtain(&mut self, lock: LockName, name: ThreadName, patience: Patience) -> Done {
        let (lock, thread) = (self.lock(lock)?, self.own_act(name)?);
        let wait = patience != Patience::None;
        let answer = self
            .system
            .obtain(lock, thread, wait, self.now, &mut self.noted)?;
        match (answer, patience) {
            (Obtained::Owned, _) => self.clear_alarms(name),
            (_, Patience::For(span)) => {
                self.set_alarm(self.now.saturating_add(span), Alarm::GiveUp(name));
            }
            _ => self.clear_alarms(name),
        }
        Ok(())
    }

    /// The thread, which asks for itself where it executes.
    fn asked(&mut self, name: ThreadName) -> Result<Thread, Refusal> {
        self.act(Some(name));
        self.thread(name)
    }

    /// The thread, which must execute and wait for nothing: only so can it take or
    /// release a lock.
    fn own_act(&mut self, name: ThreadName) -> Result<Thread, Refusal> {
        let thread = self.asked(name)?;
        let why = match self.executes_on(name) {
            None => "the thread executes nowhere, so it cannot do this",
            Some(_) if self.waits(name) => "it waits for a lock, so it can do nothing else",
            Some(_) => return Ok(thread),
        };
        Err(Refusal::Impossible(why.to_owned()))
    }

    /// Whether the thread waits for a lock, blocked or not.
    pub(super) fn waits(&self, name: ThreadName) -> bool {
        let Some(thread) = self.threads[name.0] else {
            return false;
        };
        self.locks.iter().flatten().any(|lock| {
            let mut found = false;
            self.system
                .for_each_waiter(*lock, |waiter| found |= waiter == thread);
            found
        })
    }

    pub(super) fn instance(&self, name: InstanceName) -> Result<Instance, Refusal> {
        Instance::new(name.0).ok_or(Refusal::Status(Status::InvalidId))
    }

    pub(super) fn lock(&self, name: LockName) -> Result<Lock, Refusal> {
        self.locks[name.0].ok_or(Refusal::Status(Status::InvalidId))
    }

    /// A processor by a number that the library's type may not take.
    fn cpu(&self, index: usize, otherwise: Status) -> Result<Cpu, Refusal> {
        Cpu::new(index).ok_or(Refusal::Status(otherwise))
    }
}
