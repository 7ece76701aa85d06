//! Owns: how far a task has come: the job that it works on, and the arrivals to come.
//! Must never know: processors' accounts, other tasks.

use taktos_schedule::Cpu;

use super::draw::Row;
use super::plan::{Plan, TaskPlan};
use super::tournament::NEVER;

/// State of a task's job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// There is none: the next has not been released.
    Inactive,
    /// Can execute.
    Ready,
    /// Executes in vain until a lock is its own.
    Spinning,
    /// Blocked until a lock is its own.
    Waiting,
    /// Sleeps.
    Suspended,
}

/// Which job of a sequence of arrivals. It depends on the seed alone. So the two cursors of a task,
/// at its releases and at its present job, need no memory of the jobs between them: they go through
/// the same instants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    /// Which job, from 0.
    pub number: u64,
    /// Its arrival; [`NEVER`] when there is none any more.
    pub arrival: u64,
}

impl Cursor {
    /// The first job of a task, which arrives at `first`.
    pub fn first(first: u64) -> Self {
        Self {
            number: 0,
            arrival: first,
        }
    }

    /// Advances to the next job of `task`.
    #[inline(always)]
    pub fn advance(&mut self, planned: &TaskPlan, plan: &Plan, task: usize, seed: u64) {
        if planned.separation == NEVER {
            self.arrival = NEVER;
        } else {
            self.arrival += planned.separation;
            if planned.varies {
                let spread = plan.entries[task].spread;
                self.arrival += drawn(Row::separations(task), seed, self.number, spread);
            }
        }
        self.number += 1;
    }
}

/// The number of a job in a row, 0 to `last`.
fn drawn(row: Row, seed: u64, number: u64, last: u64) -> u64 {
    match last {
        0 => 0,
        last => row.number(seed, number, last),
    }
}

/// The next release of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Release {
    pub job: Cursor,
    /// When it becomes ready: at its arrival or, with jitter, later, but not before its
    /// predecessor.
    pub ready: u64,
}

impl Release {
    /// The release of the first job of `task`.
    pub fn first(planned: &TaskPlan, plan: &Plan, task: usize, seed: u64) -> Self {
        let mut release = Self {
            job: Cursor::first(plan.entries[task].first),
            ready: 0,
        };
        release.find_ready(planned, plan, task, seed);
        release
    }

    /// Advances to the next job of `task`.
    #[inline(always)]
    pub fn advance(&mut self, planned: &TaskPlan, plan: &Plan, task: usize, seed: u64) {
        self.job.advance(planned, plan, task, seed);
        self.find_ready(planned, plan, task, seed);
    }

    /// It arrives so much later, if there is one.
    pub fn delay(&mut self, time: u64) {
        if self.job.arrival != NEVER {
            self.job.arrival += time;
            self.ready += time;
        }
    }

    #[inline(always)]
    fn find_ready(&mut self, planned: &TaskPlan, plan: &Plan, task: usize, seed: u64) {
        let mut ready = self.job.arrival;
        if planned.varies && ready != NEVER {
            let jitter = plan.entries[task].jitter;
            ready += drawn(Row::jitters(task), seed, self.job.number, jitter);
        }
        self.ready = self.ready.max(ready);
    }
}

/// How far a task has come: what each of its events touches, in two cache lines.
#[derive(Clone, Debug)]
#[repr(align(128))]
pub(super) struct Progress {
    pub stage: Stage,
    /// The processor that executes it, if any does.
    pub on: Option<Cpu>,
    /// The processor that executed it last; before that: its lowest one.
    pub last: Cpu,
    /// Whether it has ever executed.
    pub has_run: bool,
    /// Whether the present job has executed.
    pub begun: bool,
    /// Whether the next job is to arrive when the present one is done, for its time has come
    /// ([`crate::Late::Shift`]).
    pub withheld: bool,
    /// The step that comes next.
    pub step: u16,
    /// Time left of the present step.
    pub left: u64,
    /// Processor time of the present job.
    pub cpu_time: u64,
    /// When the present job was ready and its predecessor done.
    pub wall_start: u64,
    /// The present job; without one: the next.
    pub job: Cursor,
    /// The next release.
    pub next: Release,
    /// Jobs that are released and wait for the present one.
    pub backlog: u64,
    /// The rest of the time slice in which its thread was preempted; [`NEVER`]: it has a whole
    /// one.
    pub slice_left: u64,
    pub plan: TaskPlan,
}

const _: () = assert!(size_of::<Progress>() == 128, "two cache lines");

impl Progress {
    /// Returns the state before the first event of `task`, which has `cpu` as its lowest processor.
    pub fn new(plan: &Plan, task: usize, cpu: Cpu, seed: u64) -> Self {
        let planned = plan.tasks[task];
        Self {
            stage: Stage::Inactive,
            on: None,
            last: cpu,
            has_run: false,
            begun: false,
            withheld: false,
            step: planned.body,
            left: 0,
            cpu_time: 0,
            wall_start: 0,
            job: Cursor::first(plan.entries[task].first),
            next: Release::first(&planned, plan, task, seed),
            backlog: 0,
            slice_left: NEVER,
            plan: planned,
        }
    }

    /// The absolute deadline of the present job; [`NEVER`] without.
    #[inline(always)]
    pub fn deadline(&self) -> u64 {
        self.job.arrival.saturating_add(self.plan.deadline)
    }
}

/// State of a job that few tasks need.
#[derive(Clone, Debug, Default)]
pub(super) struct Rare {
    /// The locks that the job holds, in the order in which it obtained them.
    pub held: Vec<u16>,
    /// By how much what is reckoned from the present job's arrival is later
    /// ([`crate::Late::Shift`]).
    pub shift: u64,
}
