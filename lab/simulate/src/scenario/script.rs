//! Script that has been read.
//!
//! Owns: its cases, their set-up and their steps.
//! Must never know: the text of the script, and the target that carries it out.

use taktos_schedule::smp::PolicyKind;
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Duration;

use super::command::{Command, InstanceName, LockName, ThreadName};
use super::names::Names;
use super::status::Status;
use super::storm::Plan;

/// A file of cases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// The file's name, for messages.
    pub file: String,
    /// The cases, in their order.
    pub cases: Vec<Case>,
}

/// One story: what there is, what happens, and what is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Its name: one word.
    pub name: String,
    /// Point that the case shows; may be empty.
    pub title: String,
    /// The line of its beginning.
    pub line: usize,
    /// The policies for which it holds; none when each instance names its own.
    pub policies: Vec<PolicyKind>,
    /// The processors and instances.
    pub setup: Setup,
    /// The names of threads, instances and locks.
    pub names: Names,
    /// Steps, in order.
    pub steps: Vec<Step>,
}

/// Initial processors and instances of a case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Setup {
    /// All processors, those too that are not online.
    pub processors: CpuSet,
    /// The processors that are online.
    pub online: CpuSet,
    /// The instances; their names stand in [`Case::names`].
    pub instances: Vec<InstanceSetup>,
}

/// An instance of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstanceSetup {
    /// Its policy; that of the run when none is named.
    pub policy: Option<PolicyKind>,
    /// The processors that it owns at the beginning.
    pub cpus: CpuSet,
}

/// A step of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The line of the step, counted from 1.
    pub line: usize,
    /// The words of the line.
    pub text: String,
    /// The policies of the run under which it is taken; all when there is none.
    pub under: Vec<PolicyKind>,
    /// Action of the step.
    pub action: Action,
}

/// Action of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// A command, which must succeed.
    Do(Command),
    /// A command, which must be refused with this status and leave all as it was.
    Refused(Status, Command),
    /// Something that must be so.
    Expect(Expectation),
    /// Steps, this number of times.
    Repeat(u32, Vec<Step>),
    /// Commands at random.
    Storm(Plan),
    /// Lists of steps, which are taken in every order that keeps that of each list.
    Together(Vec<Vec<Step>>),
}

/// Occupant of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occupant {
    /// A thread of the case.
    Thread(ThreadName),
    /// An idle thread, in the place of this thread if there is one. When expected without such a
    /// thread, any idle thread will do.
    Idle(Option<ThreadName>),
    /// No thread: no instance owns the processor, or it waits for registers.
    Nobody,
}

impl Occupant {
    /// Whether this, which was found, is what was expected.
    pub fn fits(self, expected: Self) -> bool {
        self == expected || matches!((self, expected), (Self::Idle(_), Self::Idle(None)))
    }
}

/// Expected occupants of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnCpu {
    /// Occupant that has its registers loaded.
    pub executing: Occupant,
    /// Occupant that should run.
    pub heir: Occupant,
}

/// How the last wait of a thread for a lock ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitEnd {
    /// It got the lock.
    Granted,
    /// Time ran out.
    Timeout,
    /// The lock's waiters were sent away.
    Flushed,
    /// It has waited for nothing yet, or still waits.
    None,
}

/// In what state threads are expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Executing on some processor, and heir there.
    Running,
    /// Ready, and heir of no processor.
    Waiting,
    /// Not ready, for whatever reason.
    Blocked,
    /// Suspended, whatever else.
    Suspended,
    /// Created, not started.
    Dormant,
    /// Pinned.
    Pinned,
    /// Not there: deleted, or never created.
    Absent,
}

/// Condition that must hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// `0: A, 1: idle`
    Cpus(Vec<(Cpu, OnCpu)>),
    /// `ready in X: A B`: those that wait for a processor, in order.
    Ready(InstanceName, Vec<ThreadName>),
    /// `scheduled in X: A idle`: those that hold one, in order.
    Scheduled(InstanceName, Vec<Occupant>),
    /// `blocked: A B`
    State(Expected, Vec<ThreadName>),
    /// `owner M: A`
    Owner(LockName, Option<ThreadName>),
    /// `waiters M: A B`: in the order in which they would get it.
    Waiters(LockName, Vec<ThreadName>),
    /// `outcome A: timeout`
    Outcome(ThreadName, WaitEnd),
    /// `priority A in X: 3`
    Priority(ThreadName, Option<InstanceName>, u32),
    /// `affinity A: 0-1`
    Affinity(ThreadName, CpuSet),
    /// `home A: X`
    Home(ThreadName, InstanceName),
    /// `cpus X: 0-1`
    Owned(InstanceName, CpuSet),
    /// `time A: 5ms`: the processor's time that it had.
    Time(ThreadName, Duration),
}
