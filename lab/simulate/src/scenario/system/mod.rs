//! The scheduling library as the target of scripts.
//!
//! Owns: the tables that it works on, virtual time, which processor dispatches when.
//! Must never know: the library's decisions, and the expectations of a script.

mod answers;
mod board;
mod commands;
mod locks;
mod scheduler;
mod tables;

use std::collections::BTreeMap;

use taktos_schedule::smp::{Error, InstanceConfig, Lock, PolicyKind, Reasons, System, Thread};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

use super::command::{Command, ThreadName};
use super::names::Names;
use super::script::Setup;
use super::status::Status;
use super::target::{Refusal, Target, World};
use scheduler::{AnyHome, Scheduler};
use tables::Tables;

/// The scheduling library in virtual time, as a kernel has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemWorld;

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
        let homes: Vec<AnyHome> = instances.iter().map(|_| AnyHome::EMPTY).collect();
        let scheduler = Scheduler::new(system, &homes, names.threads().len());
        let mut target = SystemTarget::new(scheduler, setup, names)?;
        Ok(run(&mut target))
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

/// Event that happens by itself at some time.
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
    now: Instant,
    /// Processors that do not dispatch.
    held: CpuSet,
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
            now: Instant::START,
            held: CpuSet::EMPTY,
            threads: vec![None; names.threads().len()],
            rows: vec![None; rows(setup, names)],
            locks: vec![None; names.locks().len()],
            alarms: BTreeMap::new(),
            alarm_count: 0,
        };
        target.settle().map_err(|_| Status::Unsupported)?;
        Ok(target)
    }

    /// Dispatches all processors that are not held, the lowest first, until nothing is left to do.
    fn settle(&mut self) -> Result<(), Refusal> {
        let mut left = MOST_DISPATCHES * self.online.count();
        while let Some(cpu) = self.system.due(self.online.minus(self.held)).lowest() {
            if left == 0 {
                let why = "the processors dispatch for ever, and never settle";
                return Err(Refusal::Broken(why.to_owned()));
            }
            left -= 1;
            self.system.dispatch(cpu);
        }
        Ok(())
    }

    /// Lets time pass, and has happen what is due meanwhile.
    fn advance(&mut self, to: Instant) -> Result<(), Refusal> {
        loop {
            let alarm = self.alarms.keys().next().copied();
            let alarm = alarm.filter(|(at, _)| *at <= to);
            let timer = self.system.next_alarm().filter(|(at, _)| *at <= to);
            match (alarm, timer) {
                (None, None) => break,
                // Budgets end before anything else happens at that time.
                (alarm, Some((at, cpu))) if alarm.is_none_or(|(alarm, _)| at <= alarm) => {
                    self.pass_to(at);
                    self.system.expire(cpu)?;
                }
                (Some(key), _) => self.ring(key)?,
                (None, Some(_)) => break,
            }
            self.settle()?;
        }
        self.pass_to(to);
        Ok(())
    }

    /// It is this time, unless it is later.
    fn pass_to(&mut self, at: Instant) {
        self.now = self.now.max(at);
        self.system.set_time(self.now);
    }

    /// Something happens by itself.
    fn ring(&mut self, key: (Instant, u64)) -> Result<(), Refusal> {
        let Some(alarm) = self.alarms.remove(&key) else {
            return Ok(());
        };
        self.pass_to(key.0);
        let thread = self.thread(alarm.thread())?;
        match alarm {
            Alarm::Wake(_) => {
                let asleep = self.system.reasons(thread)?.any_of(Reasons::TIME);
                if asleep {
                    self.system.unblock(thread, Reasons::TIME)?;
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

    /// Sets `alarm` to `at`, in the place of all other alarms of its thread.
    fn set_alarm(&mut self, at: Instant, alarm: Alarm) {
        self.clear_alarms(alarm.thread());
        self.alarms.insert((at, self.alarm_count), alarm);
        self.alarm_count += 1;
    }

    fn clear_alarms(&mut self, thread: ThreadName) {
        self.alarms.retain(|_, alarm| alarm.thread() != thread);
    }

    /// The processor that has the thread's registers.
    fn executes_on(&self, thread: ThreadName) -> Option<Cpu> {
        self.system.executes_on(self.threads[thread.0]?)
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
