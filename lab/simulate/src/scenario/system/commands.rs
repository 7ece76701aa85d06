//! Carries commands out with the library's operations.
//!
//! Owns: which operation each command is, and who can ask for it.
//! Must never know: what comes of it.

use taktos_schedule::smp::{Dispatch, Instance, Priority, Reasons, Thread};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Duration;

use super::{Alarm, SystemTarget, four_letters};
use crate::scenario::command::{Command, InstanceName, ThreadName, When};
use crate::scenario::status::Status;
use crate::scenario::target::Refusal;

pub(super) type Done = Result<(), Refusal>;

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
                let cpus = if cpus == CpuSet::ALL {
                    self.online
                } else {
                    cpus
                };
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
            Command::Server {
                thread,
                budget,
                period,
                hard,
            } => {
                let id = self.asked(thread)?;
                Ok(self.system.set_server(id, budget, period, hard)?)
            }
            Command::Add(cpu, to) => {
                let (to, cpu) = (self.instance(to)?, self.cpu(cpu, Status::NotConfigured)?);
                self.act(None);
                Ok(self
                    .system
                    .add_processor(to, cpu, self.now, &mut self.noted)?)
            }
            Command::Remove(cpu, from) => {
                let (from, cpu) = (self.instance(from)?, self.cpu(cpu, Status::InvalidNumber)?);
                self.act(None);
                let now = self.now;
                Ok(self
                    .system
                    .remove_processor(from, cpu, now, &mut self.noted)?)
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
                self.system.hold(self.held);
                Ok(())
            }
            Command::Settle(cpus) => {
                self.held = self.held.minus(cpus);
                self.system.hold(self.held);
                Ok(())
            }
            Command::Dispatch(cpu) => {
                if !self.online.contains(cpu) {
                    return Err(Refusal::Status(Status::InvalidNumber));
                }
                if let Dispatch::Wait { .. } = self.dispatch(cpu)? {
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
            Command::Mutex { .. }
            | Command::Ceiling(..)
            | Command::Lock(..)
            | Command::Unlock(..)
            | Command::Timeout(_)
            | Command::Flush(_)
            | Command::Destroy(_) => self.locking(command),
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
        | Command::Unpin(thread)) = *command
        else {
            return Err(Refusal::Status(Status::Unsupported));
        };
        if matches!(command, Command::Block(_)) {
            self.waits_not(thread)?;
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
            _ => system.unpin(id, now, noted)?,
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
        self.waits_not(name)?;
        let thread = self.asked(name)?;
        self.system
            .block(thread, Reasons::TIME, self.now, &mut self.noted)?;
        self.set_alarm(self.now.saturating_add(span), Alarm::Wake(name));
        Ok(())
    }

    /// The thread, which asks for itself where it executes.
    pub(super) fn asked(&mut self, name: ThreadName) -> Result<Thread, Refusal> {
        self.act(Some(name));
        self.thread(name)
    }

    pub(super) fn instance(&self, name: InstanceName) -> Result<Instance, Refusal> {
        Instance::new(name.0).ok_or(Refusal::Status(Status::InvalidId))
    }

    /// A processor by a number that the library's type may not take.
    fn cpu(&self, index: usize, otherwise: Status) -> Result<Cpu, Refusal> {
        Cpu::new(index).ok_or(Refusal::Status(otherwise))
    }
}
