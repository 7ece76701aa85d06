//! Carries commands out with the kernel's calls.
//!
//! Owns: which call each command is, and which thread makes it.
//! Must never know: what comes of it.

use super::actor::{Actor, Lock, Order};
use super::{Stage, no_kernel, places};
use crate::leak;
use crate::several::SeveralHost;
use std::sync::atomic::Ordering::Relaxed;
use taktos_arch_host::HostSeveral;
use taktos_kernel::{AnyThread, ClusterProtocol, Cpu, CpuSet, Error, Priority, State, Timeout};
use taktos_machine::Machine;
use taktos_simulate::scenario::{
    Command, InstanceName, LockKind, LockName, Patience, Refusal, Status, ThreadName, When,
};

type Done = Result<(), Refusal>;
type Kernel = taktos_kernel::Kernel<SeveralHost>;
type Current = AnyThread<SeveralHost>;

/// A kernel's error in the scripts' words.
fn refused(error: Error) -> Refusal {
    Refusal::Status(match error {
        Error::Timeout => Status::Timeout,
        Error::WouldBlock | Error::Cancelled => Status::Unsatisfied,
        Error::Deleted => Status::InvalidId,
        Error::Parameter => Status::InvalidNumber,
        Error::State
        | Error::Deadlock
        | Error::Context
        | Error::OwnerDied
        | Error::NotRecoverable => Status::IncorrectState,
        Error::NotOwner => Status::NotOwner,
        Error::Ceiling => Status::InvalidPriority,
        Error::Limit | Error::NoMemory => Status::TooMany,
        Error::InUse => Status::ResourceInUse,
    })
}

/// Returns the status that represents several ones of the library for which the kernel has one
/// error.
pub fn coarse(status: Status) -> Status {
    match status {
        Status::InvalidName | Status::NotConfigured | Status::NotDefined => Status::InvalidNumber,
        other => other,
    }
}

/// The kernel's priority: it has 32 levels, the library 256 or more.
fn priority(level: u32) -> Result<Priority, Refusal> {
    match u8::try_from(level) {
        Err(_) => Err(Refusal::Status(Status::InvalidPriority)),
        Ok(level) => Priority::new(level).ok_or_else(|| no_kernel("there is no such priority")),
    }
}

impl Stage {
    pub fn perform(&mut self, command: &Command) -> Done {
        match *command {
            Command::Create {
                thread,
                home,
                priority,
                affinity,
            } => self.create(thread, home, priority, affinity),
            Command::Start(thread) => self.start(thread),
            Command::Restart(thread) => self.restart(thread),
            Command::Delete(thread) => self.delete(thread),
            Command::Suspend(thread) | Command::Resume(thread) => {
                self.suspend(thread, matches!(command, Command::Suspend(_)))
            }
            Command::Block(thread) => self.order(thread, || Current::sleep(Timeout::FOREVER)),
            Command::Sleep(thread, span) => {
                let end = Kernel::now().saturating_add(span);
                self.order(thread, move || Current::sleep(Timeout::until(end)))
            }
            Command::Wake(thread) => self.wake(thread),
            Command::Yield(thread) => self.order(thread, || {
                Current::yield_now();
                Ok(())
            }),
            Command::Priority(thread, level) => {
                let level = priority(level)?;
                self.existing(thread)?
                    .thread()
                    .set_priority(level)
                    .map_err(refused)
            }
            Command::Release(thread, deadline) => {
                let deadline = match deadline {
                    When::In(span) => Kernel::now().saturating_add(span),
                    When::At(at) => self.instant(at),
                };
                let thread = self.existing(thread)?.thread();
                thread.release_job(deadline).map_err(refused)
            }
            Command::Cancel(thread) => {
                let thread = self.existing(thread)?.thread();
                thread.cancel_job().map_err(refused)
            }
            Command::Affinity(thread, cpus) => {
                let thread = self.existing(thread)?.thread();
                let cpus = places::to_kernel(cpus, self.online);
                thread.set_affinity(cpus).map_err(refused)
            }
            Command::Pin(thread) => self.order(thread, Current::pin),
            Command::Unpin(thread) => self.order(thread, Current::unpin),
            Command::Move(thread, to, level) => {
                let thread = self.existing(thread)?.thread();
                let to = Self::instance(to)?;
                thread.move_to(to, priority(level)?).map_err(refused)
            }
            Command::Server { hard: true, .. } => Err(no_kernel("there are no hard servers")),
            Command::Server {
                thread,
                budget,
                period,
                ..
            } => {
                let thread = self.existing(thread)?.thread();
                thread.set_server(budget, period).map_err(refused)
            }
            ref other => self.perform_beside_threads(other),
        }
    }

    /// Locks, processors and time.
    fn perform_beside_threads(&mut self, command: &Command) -> Done {
        match *command {
            Command::Mutex {
                lock,
                kind,
                creator,
                locked,
            } => self.make_lock(lock, kind, creator, locked),
            Command::Ceiling(lock, instance, ceiling) => {
                let (lock, instance) = (self.lock(lock)?, Self::instance(instance)?);
                lock.set_ceiling(instance, priority(ceiling)?)
                    .map_err(refused)
            }
            Command::Lock(lock, thread, patience) => {
                let lock = self.lock(lock)?;
                let timeout = match patience {
                    Patience::Forever => Timeout::FOREVER,
                    Patience::None => Timeout::NONE,
                    Patience::For(span) => Timeout::until(Kernel::now().saturating_add(span)),
                };
                self.order(thread, move || lock.lock(timeout))
            }
            Command::Unlock(lock, thread) => {
                let lock = self.lock(lock)?;
                self.order(thread, move || lock.unlock())
            }
            Command::Timeout(thread) => self.end_wait_for_lock(thread),
            Command::Flush(lock) => self.lock(lock)?.flush().map_err(refused),
            Command::Destroy(lock) => {
                self.lock(lock)?.delete().map_err(refused)?;
                self.locks[lock.0] = None;
                Ok(())
            }
            Command::Add(cpu, to) => {
                let to = Self::instance(to)?;
                let cpu = Self::cpu(cpu)?;
                Kernel::add_processor(to, cpu).map_err(refused)
            }
            Command::Remove(cpu, from) => {
                let from = Self::instance(from)?;
                let cpu = Self::cpu(cpu)?;
                Kernel::remove_processor(from, cpu).map_err(refused)
            }
            Command::Identify(ref name) => Kernel::instance_named(places::four_letters(name))
                .map(|_| ())
                .map_err(refused),
            Command::WhichCpu(cpu) => Kernel::instance_with(Self::cpu(cpu)?)
                .map(|_| ())
                .map_err(refused),
            Command::Hold(cpus) => {
                self.hold(cpus, true);
                Ok(())
            }
            Command::Settle(cpus) => {
                self.hold(cpus, false);
                Ok(())
            }
            Command::Dispatch(cpu) => self.dispatch(cpu),
            // The operator's processor acts, whatever the script says.
            Command::Act(cpu) if self.held.contains(cpu) => {
                Err(no_kernel("a processor that acts is not held"))
            }
            Command::Act(_) => Ok(()),
            Command::Advance(when) => {
                HostSeveral::busy_until(match when {
                    When::In(span) => Kernel::now().saturating_add(span),
                    When::At(at) => self.instant(at),
                });
                Ok(())
            }
            _ => Err(no_kernel("there is no such call")),
        }
    }

    /// The thread, which exists.
    fn existing(&self, name: ThreadName) -> Result<&'static Actor, Refusal> {
        let actor = self.actors[name.0];
        match actor.thread().state() {
            State::NonExistent => Err(Refusal::Status(Status::InvalidId)),
            _ => Ok(actor),
        }
    }

    fn cpu(number: usize) -> Result<Cpu, Refusal> {
        places::to_cpu(number).ok_or(Refusal::Status(Status::InvalidNumber))
    }

    fn lock(&self, name: LockName) -> Result<&'static Lock, Refusal> {
        self.locks[name.0].ok_or(Refusal::Status(Status::InvalidId))
    }

    /// The processor that has the thread's registers.
    pub fn executes_on(&self, actor: &'static Actor) -> Option<Cpu> {
        let control_block = std::ptr::from_ref(actor.thread()).addr();
        let has = |cpu: &Cpu| {
            let cells = HostSeveral::processor_numbered(places::number_of(*cpu));
            cells.current.get().addr() == control_block
        };
        self.online.into_iter().find(has)
    }

    /// Makes the thread do something itself.
    fn order(
        &self,
        name: ThreadName,
        order: impl FnOnce() -> Result<(), Error> + Send + 'static,
    ) -> Done {
        let actor = self.existing(name)?;
        let Some(cpu) = self.executes_on(actor) else {
            return Err(no_kernel("a thread that does not execute does nothing"));
        };
        if actor.is_busy() && !self.look().threads[name.0].waits_for_lock {
            // It spins for a lock that it has been granted, and has not seen that yet.
            HostSeveral::poke(places::number_of(cpu));
            HostSeveral::settle();
        }
        if actor.is_busy() {
            let why = "it waits for a lock, so it can do nothing else";
            return Err(Refusal::Impossible(why.to_owned()));
        }
        if self.held.contains(cpu) {
            return Err(no_kernel("who makes a call gives way in it"));
        }
        let order: Order = Box::new(order);
        match actor.tell(places::number_of(cpu), order) {
            Some(result) => result.map_err(refused),
            None => Ok(()),
        }
    }

    fn create(
        &mut self,
        name: ThreadName,
        home: InstanceName,
        level: u32,
        affinity: Option<CpuSet>,
    ) -> Done {
        let actor = self.actors[name.0];
        if actor.thread().state() != State::NonExistent {
            let why = "there is a thread of this name already";
            return Err(Refusal::Impossible(why.to_owned()));
        }
        if self.executes_on(actor).is_some() {
            return Err(no_kernel(
                "the memory of a deleted thread is used until its processor has left it",
            ));
        }
        let (home, level) = (Self::instance(home)?, priority(level)?);
        let created = actor.own().create_as("actor", level);
        let there = created.and_then(|()| actor.thread().move_to(home, level));
        let placed = there.and_then(|()| match affinity {
            Some(cpus) => actor
                .thread()
                .set_affinity(places::to_kernel(cpus, self.online)),
            None => Ok(()),
        });
        placed.map_err(|error| {
            let _ = actor.thread().delete();
            refused(error)
        })?;
        actor.suspended.store(false, Relaxed);
        Ok(())
    }

    fn start(&self, name: ThreadName) -> Done {
        self.existing(name)?.start().map_err(refused)
    }

    fn restart(&self, name: ThreadName) -> Done {
        let actor = self.existing(name)?;
        if self.owns_a_lock(actor) {
            return Err(no_kernel("a thread that is restarted keeps no lock"));
        }
        if self
            .executes_on(actor)
            .is_some_and(|cpu| self.held.contains(cpu))
        {
            return Err(no_kernel(
                "a held processor does not leave who is restarted",
            ));
        }
        actor.restart().map_err(refused)?;
        actor.suspended.store(false, Relaxed);
        Ok(())
    }

    fn delete(&self, name: ThreadName) -> Done {
        let actor = self.existing(name)?;
        if self.owns_a_lock(actor) {
            return Err(no_kernel("a thread that is deleted keeps no lock"));
        }
        actor.thread().delete().map_err(refused)
    }

    fn owns_a_lock(&self, actor: &'static Actor) -> bool {
        let view = self.look();
        let place = self
            .actors
            .iter()
            .position(|other| std::ptr::eq(*other, actor));
        view.locks
            .iter()
            .any(|lock| lock.owner.is_some() && lock.owner.map(|owner| owner.0) == place)
    }

    fn suspend(&self, name: ThreadName, suspends: bool) -> Done {
        let actor = self.existing(name)?;
        let was = actor.suspended.load(Relaxed);
        if suspends && was {
            // The kernel takes it twice, the library once.
            return Err(Refusal::Status(Status::IncorrectState));
        }
        let thread = actor.thread();
        let done = if suspends {
            if thread.state() == State::Dormant {
                return Err(no_kernel("a thread that was not started is not suspended"));
            }
            thread.suspend()
        } else {
            thread.resume()
        };
        done.map_err(refused)?;
        actor.suspended.store(suspends, Relaxed);
        Ok(())
    }

    fn wake(&self, name: ThreadName) -> Done {
        let actor = self.existing(name)?;
        if self.look().threads[name.0].waits_for_lock {
            return Err(Refusal::Status(Status::IncorrectState));
        }
        actor.thread().cancel_wait().map_err(refused)
    }

    fn end_wait_for_lock(&self, name: ThreadName) -> Done {
        let actor = self.existing(name)?;
        if !self.look().threads[name.0].waits_for_lock {
            return Err(Refusal::Status(Status::IncorrectState));
        }
        actor
            .thread()
            .cancel_wait()
            .map_err(|_| no_kernel("the wait of a thread that spins is not ended from outside"))
    }

    fn make_lock(
        &mut self,
        name: LockName,
        kind: LockKind,
        creator: ThreadName,
        locked: bool,
    ) -> Done {
        if self.locks[name.0].is_some() {
            let why = "there is a lock of this name already";
            return Err(Refusal::Impossible(why.to_owned()));
        }
        let protocol = match kind {
            LockKind::Plain => ClusterProtocol::None,
            LockKind::Inheritance => ClusterProtocol::Inheritance,
            LockKind::Omip => ClusterProtocol::Omip,
            LockKind::Ceiling(ceiling) => ClusterProtocol::Ceiling(priority(ceiling)?),
            LockKind::Mrsp(ceiling) => ClusterProtocol::MrsP(priority(ceiling)?),
        };
        let lock: &'static Lock = leak(Lock::new(protocol));
        let has_ceiling = matches!(kind, LockKind::Ceiling(_) | LockKind::Mrsp(_));
        if locked {
            self.order(creator, move || lock.lock(Timeout::NONE))?;
        } else if has_ceiling {
            self.order(creator, move || lock.make())?;
        } else {
            // The creator makes no difference here.
            lock.make().map_err(refused)?;
        }
        self.locks[name.0] = Some(lock);
        Ok(())
    }

    fn hold(&mut self, cpus: CpuSet, holds: bool) {
        let cpus = cpus.and(self.online);
        for cpu in cpus {
            HostSeveral::hold(places::number_of(cpu), holds);
        }
        self.held = if holds {
            self.held.or(cpus)
        } else {
            self.held.minus(cpus)
        };
    }

    fn dispatch(&mut self, cpu: Cpu) -> Done {
        if !self.online.contains(cpu) {
            return Err(Refusal::Status(Status::InvalidNumber));
        }
        if self.held.contains(cpu) {
            self.hold(CpuSet::of(cpu), false);
            HostSeveral::settle();
            self.hold(CpuSet::of(cpu), true);
        }
        Ok(())
    }
}
