//! Carries commands out with the library's operations.
//!
//! Owns: the operation for each command, and the threads that can ask for it.
//! Must never know: the outcome of an operation.

use taktos_schedule::smp::{Instance, Priority, Reasons};
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
                let (id, deadline) = (self.thread(thread)?, deadline.instant(self.now));
                Ok(self.system.set_job(id, Some(deadline))?)
            }
            Command::Affinity(thread, cpus) => {
                let cpus = if cpus == CpuSet::ALL {
                    self.online
                } else {
                    cpus
                };
                let id = self.thread(thread)?;
                Ok(self.system.set_affinity(id, cpus)?)
            }
            Command::Priority(thread, priority) => {
                let id = self.thread(thread)?;
                Ok(self.system.set_priority(id, Priority(priority))?)
            }
            Command::Move(thread, to, priority) => {
                let (id, to) = (self.thread(thread)?, self.instance(to)?);
                Ok(self.system.set_scheduler(id, to, Priority(priority))?)
            }
            Command::Server {
                thread,
                budget,
                period,
                hard,
            } => {
                let id = self.thread(thread)?;
                Ok(self.system.set_server(id, budget, period, hard)?)
            }
            Command::Add(cpu, to) => {
                let (to, cpu) = (self.instance(to)?, self.cpu(cpu, Status::NotConfigured)?);
                Ok(self.system.add_processor(to, cpu)?)
            }
            Command::Remove(cpu, from) => {
                let (from, cpu) = (self.instance(from)?, self.cpu(cpu, Status::InvalidNumber)?);
                Ok(self.system.remove_processor(from, cpu)?)
            }
            Command::Identify(ref name) => {
                self.system
                    .rows(|system| system.identify(four_letters(name)))?;
                Ok(())
            }
            Command::WhichCpu(cpu) => {
                let cpu = self.cpu(cpu, Status::InvalidName)?;
                self.system.rows(|system| system.instance_of_cpu(cpu))?;
                Ok(())
            }
            Command::WhichSet(cpus) => {
                self.system.rows(|system| system.instance_of_set(cpus))?;
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
                self.system.dispatch(cpu);
                Ok(())
            }
            Command::Act(cpu) => {
                if !self.online.contains(cpu) {
                    return Err(Refusal::Status(Status::InvalidNumber));
                }
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
        let id = self.thread(thread)?;
        let system = &self.system;
        match command {
            Command::Start(_) => system.start(id)?,
            Command::Restart(_) => {
                system.restart(id)?;
                self.clear_alarms(thread);
            }
            Command::Block(_) => system.block(id, Reasons::WAIT)?,
            Command::Wake(_) => {
                let waits = Reasons::WAIT.or(Reasons::TIME);
                system.unblock(id, waits)?;
                self.clear_alarms(thread);
            }
            Command::Suspend(_) => system.suspend(id)?,
            Command::Resume(_) => system.resume(id)?,
            Command::Yield(_) => system.yield_now(id)?,
            Command::Cancel(_) => system.set_job(id, None)?,
            Command::Pin(_) => system.pin(id)?,
            _ => system.unpin(id)?,
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
        let thread = self.thread(name)?;
        self.system.delete(thread)?;
        self.clear_alarms(name);
        self.threads[name.0] = None;
        Ok(())
    }

    fn sleep(&mut self, name: ThreadName, span: Duration) -> Done {
        self.waits_not(name)?;
        let thread = self.thread(name)?;
        self.system.block(thread, Reasons::TIME)?;
        self.set_alarm(self.now.saturating_add(span), Alarm::Wake(name));
        Ok(())
    }

    pub(super) fn instance(&self, name: InstanceName) -> Result<Instance, Refusal> {
        Instance::new(name.0).ok_or(Refusal::Status(Status::InvalidId))
    }

    /// A processor by a number that the library's type may not take.
    fn cpu(&self, index: usize, otherwise: Status) -> Result<Cpu, Refusal> {
        Cpu::new(index).ok_or(Refusal::Status(otherwise))
    }
}
