//! The scheduling library as the target of scripts.
//!
//! Owns: the tables that it works on, virtual time, who dispatches when.
//! Must never know: what the library decides, and what a script expects.

mod answers;
mod beside;
mod commands;
mod effects;
mod locks;
mod scheduler;
mod tables;

use std::cell::Cell;
use std::collections::BTreeMap;

use taktos_schedule::smp::{
    Dispatch, Error, InstanceConfig, Lock, PolicyKind, Reasons, System, Thread,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

use super::command::{Command, ThreadName};
use super::names::Names;
use super::script::Setup;
use super::status::Status;
use super::target::{Refusal, Target, World};
use beside::{AnyHome, Beside};
use effects::Noted;
use scheduler::Scheduler;
use tables::Tables;

/// The scheduling library in virtual time. No instance is ever closed.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemWorld;

/// The same, and beside it the library as a kernel ships it, whose instances close and open again: whatever is done to the one is
/// done to the other. A target is broken when they differ.
#[derive(Clone, Debug, Default)]
pub struct ClosingWorld {
    /// How often an act was decided in a closed instance, over all targets.
    decided: Cell<usize>,
    /// How many targets had a priority that no kernel has, and so nothing beside them from then on.
    beyond: Cell<usize>,
}

impl ClosingWorld {
    /// How often an act was decided in a closed instance, over all its targets.
    pub fn decided(&self) -> usize {
        self.decided.get()
    }

    /// How many of its targets had a priority that no kernel has: a kernel has 32. They had nothing beside them from then on.
    pub fn beyond(&self) -> usize {
        self.beyond.get()
    }
}

impl World for SystemWorld {
    fn with<R>(
        &self,
        setup: &Setup,
        names: &Names,
        policy: PolicyKind,
        run: impl FnOnce(&mut dyn Target) -> R,
    ) -> Result<R, Status> {
        let instances = configured(setup, names, policy);
        let mut tables = tables(setup, names, &instances);
        let system = System::new(tables.memory(), setup.online, &instances)?;
        let mut target = SystemTarget::new(Scheduler::new(system, None), setup, names)?;
        Ok(run(&mut target))
    }
}

impl World for ClosingWorld {
    fn with<R>(
        &self,
        setup: &Setup,
        names: &Names,
        policy: PolicyKind,
        run: impl FnOnce(&mut dyn Target) -> R,
    ) -> Result<R, Status> {
        let instances = configured(setup, names, policy);
        let [mut tables, mut others] = [(), ()].map(|()| tables(setup, names, &instances));
        let homes: Vec<AnyHome> = instances.iter().map(|_| AnyHome::OPEN).collect();
        let system = System::new(tables.memory(), setup.online, &instances)?;
        let closing = System::new(others.memory(), setup.online, &instances)?;
        let beside = Beside::new(closing, &homes, names.threads().len(), setup.online);
        let mut target = SystemTarget::new(Scheduler::new(system, Some(beside)), setup, names)?;
        let result = run(&mut target);
        match target.system.decided() {
            Some(decided) => self.decided.set(self.decided.get() + decided),
            None => self.beyond.set(self.beyond.get() + 1),
        }
        Ok(result)
    }
}

/// Tables that are long enough.
fn tables(setup: &Setup, names: &Names, instances: &[InstanceConfig]) -> Tables {
    let processors = setup.processors.highest().map_or(0, |cpu| cpu.index() + 1);
    let budgets = { instances.iter() }.any(|instance| instance.policy == PolicyKind::Cbs);
    Tables::new(
        rows(setup, names),
        processors,
        instances.len(),
        names.locks().len(),
        budgets,
    )
}

/// How many threads there can be, the idle ones among them.
fn rows(setup: &Setup, names: &Names) -> usize {
    names.threads().len() + setup.online.count()
}

/// The instances as the library wants them.
fn configured(setup: &Setup, names: &Names, policy: PolicyKind) -> Vec<InstanceConfig> {
    let instances = setup.instances.iter().zip(names.instances());
    let config = instances.map(|(instance, name)| InstanceConfig {
        name: four_letters(name),
        policy: instance.policy.unwrap_or(policy),
        cpus: instance.cpus,
    });
    config.collect()
}

/// A name in the form in which instances are looked up: filled with spaces, cut at four bytes.
fn four_letters(name: &str) -> [u8; 4] {
    let mut letters = [b' '; 4];
    for (place, letter) in letters.iter_mut().zip(name.bytes()) {
        *place = letter;
    }
    letters
}

/// What happens by itself at some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Alarm {
    /// A sleep ends.
    Wake(ThreadName),
    /// The wait for a lock has lasted long enough.
    GiveUp(ThreadName),
}

impl Alarm {
    fn thread(self) -> ThreadName {
        match self {
            Self::Wake(thread) | Self::GiveUp(thread) => thread,
        }
    }
}

/// The most dispatches after one command, for each processor: a library that
/// needs more goes round in circles.
const MOST_DISPATCHES: usize = 64;

struct SystemTarget<'m> {
    system: Scheduler<'m>,
    online: CpuSet,
    noted: Noted,
    now: Instant,
    /// Processors that do not dispatch.
    held: CpuSet,
    /// From where is asked what no thread asks for itself.
    acting: Option<Cpu>,
    /// The library's thread of each name.
    threads: Vec<Option<Thread>>,
    /// The name of each of the library's threads.
    rows: Vec<Option<ThreadName>>,
    /// The library's lock of each name.
    locks: Vec<Option<Lock>>,
    /// In the order of time, then of asking.
    alarms: BTreeMap<(Instant, u64), Alarm>,
    alarm_count: u64,
}

impl<'m> SystemTarget<'m> {
    /// In the state in which a case begins: the processors have loaded their idle threads.
    fn new(system: Scheduler<'m>, setup: &Setup, names: &Names) -> Result<Self, Status> {
        let mut target = Self {
            system,
            online: setup.online,
            noted: Noted::new(setup.online),
            now: Instant::START,
            held: CpuSet::EMPTY,
            acting: setup.online.lowest(),
            threads: vec![None; names.threads().len()],
            rows: vec![None; rows(setup, names)],
            locks: vec![None; names.locks().len()],
            alarms: BTreeMap::new(),
            alarm_count: 0,
        };
        target.settle().map_err(|_| Status::Unsupported)?;
        Ok(target)
    }

    /// Has all processors that are not held dispatch, the lowest first, until nothing is
    /// left to do.
    fn settle(&mut self) -> Result<(), Refusal> {
        let mut left = MOST_DISPATCHES * self.online.count();
        let mut waiting = CpuSet::EMPTY;
        while let Some(cpu) = self.noted.pending.minus(self.held).lowest() {
            if left == 0 {
                let why = "the processors dispatch for ever, and never settle";
                return Err(Refusal::Broken(why.to_owned()));
            }
            left -= 1;
            match self.dispatch(cpu)? {
                // Its registers may be what another one waits for.
                Dispatch::Run(_) => {
                    self.noted.pending = self.noted.pending.or(waiting);
                    waiting = CpuSet::EMPTY;
                }
                Dispatch::Wait { .. } => waiting = waiting.with(cpu),
            }
        }
        // These wait for a processor that is held, or for each other.
        self.noted.pending = self.noted.pending.or(waiting);
        if !waiting.is_empty() && self.held.is_empty() {
            let why = format!("processors {waiting:?} wait for each other's registers");
            return Err(Refusal::Broken(why));
        }
        let settled = self.system.settled(self.held, self.now);
        settled.map_err(Refusal::Broken)
    }

    /// One dispatch.
    fn dispatch(&mut self, cpu: Cpu) -> Result<Dispatch, Refusal> {
        self.noted.pending = self.noted.pending.without(cpu);
        self.system.act_on(cpu, self.now);
        Ok(self.system.dispatch(cpu, self.now, &mut self.noted)?)
    }

    /// Lets time pass, and has happen what is due meanwhile.
    fn advance(&mut self, to: Instant) -> Result<(), Refusal> {
        loop {
            let alarm = self.alarms.keys().next().copied();
            let alarm = alarm.filter(|(at, _)| *at <= to);
            let timer = self.noted.next_timer().filter(|(at, _)| *at <= to);
            match (alarm, timer) {
                (None, None) => break,
                // Budgets end before anything else happens at that time.
                (alarm, Some((at, cpu))) if alarm.is_none_or(|(alarm, _)| at <= alarm) => {
                    self.now = self.now.max(at);
                    self.noted.disarm(cpu);
                    self.system.act_on(cpu, self.now);
                    self.system.expire(cpu, self.now, &mut self.noted)?;
                }
                (Some(key), _) => self.ring(key)?,
                (None, Some(_)) => break,
            }
            self.settle()?;
        }
        self.now = self.now.max(to);
        Ok(())
    }

    /// Something happens by itself.
    fn ring(&mut self, key: (Instant, u64)) -> Result<(), Refusal> {
        let Some(alarm) = self.alarms.remove(&key) else {
            return Ok(());
        };
        self.now = self.now.max(key.0);
        self.act(None);
        let thread = self.thread(alarm.thread())?;
        match alarm {
            Alarm::Wake(_) => {
                let asleep = self.system.reasons(thread)?.any_of(Reasons::TIME);
                if asleep {
                    let now = self.now;
                    self.system
                        .unblock(thread, Reasons::TIME, now, &mut self.noted)?;
                }
            }
            Alarm::GiveUp(name) => {
                if self.waits(name) {
                    self.locking(&Command::Timeout(name))?;
                }
            }
        }
        Ok(())
    }

    /// Has `alarm` happen at `at`, instead of what else its thread waited for.
    fn set_alarm(&mut self, at: Instant, alarm: Alarm) {
        self.clear_alarms(alarm.thread());
        self.alarms.insert((at, self.alarm_count), alarm);
        self.alarm_count += 1;
    }

    fn clear_alarms(&mut self, thread: ThreadName) {
        self.alarms.retain(|_, alarm| alarm.thread() != thread);
    }

    /// Says from which processor the next thing is asked for: that on which `thread`
    /// executes, or the one that the script named.
    fn act(&mut self, thread: Option<ThreadName>) {
        let own = thread.and_then(|thread| self.executes_on(thread));
        if let Some(cpu) = own.or(self.acting) {
            self.system.act_on(cpu, self.now);
        }
    }

    /// The processor that has the thread's registers.
    fn executes_on(&self, thread: ThreadName) -> Option<Cpu> {
        let thread = self.threads[thread.0]?;
        let mut cpus = self.online.into_iter();
        cpus.find(|cpu| self.system.executing(*cpu) == Some(thread))
    }

    /// The library's thread of this name.
    fn thread(&self, name: ThreadName) -> Result<Thread, Refusal> {
        self.threads[name.0].ok_or(Refusal::Status(Status::InvalidId))
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidName => Self::InvalidName,
            Error::InvalidId => Self::InvalidId,
            Error::InvalidNumber => Self::InvalidNumber,
            Error::InvalidPriority => Self::InvalidPriority,
            Error::NotConfigured => Self::NotConfigured,
            Error::IncorrectState => Self::IncorrectState,
            Error::ResourceInUse => Self::ResourceInUse,
            Error::Unsatisfied => Self::Unsatisfied,
            Error::TooMany => Self::TooMany,
            Error::NotOwner => Self::NotOwner,
            Error::NotDefined => Self::NotDefined,
            Error::Timeout => Self::Timeout,
            _ => Self::Unsupported,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Status(error.into())
    }
}
