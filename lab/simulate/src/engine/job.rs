//! Owns: how far a task has come: the job that it works on, and the arrivals to come.
//! Must never know: processors' accounts, other tasks.

use super::agenda::NEVER;
use super::plan::ArrivalPlan;

/// Where a task's job stands.
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

/// Where a sequence of arrivals has come to. It depends on the seed alone, so
/// the two cursors of a task, at its releases and at the job that it works on,
/// go through the same instants without a memory of what lies between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    /// Which job, from 0.
    pub number: u64,
    /// Its arrival; [`NEVER`] when there is none any more.
    pub arrival: u64,
    /// When it becomes ready: at its arrival or, with jitter, later.
    pub ready: u64,
}

impl Cursor {
    pub fn first(plan: &ArrivalPlan, seed: u64) -> Self {
        let mut cursor = Self {
            number: 0,
            arrival: plan.first,
            ready: 0,
        };
        cursor.find_ready(plan, seed);
        cursor
    }

    /// Goes on to the next job.
    #[inline]
    pub fn advance(&mut self, plan: &ArrivalPlan, seed: u64) {
        let number = self.number;
        self.number += 1;
        if plan.separation == NEVER {
            self.arrival = NEVER;
            self.ready = NEVER;
            return;
        }
        let longer = match plan.spread {
            0 => 0,
            spread => plan.separations.number(seed, number, spread),
        };
        self.arrival += plan.separation + longer;
        self.find_ready(plan, seed);
    }

    /// It arrives so much later, if there is one.
    pub fn delay(&mut self, time: u64) {
        if self.arrival != NEVER {
            self.arrival += time;
            self.ready += time;
        }
    }

    #[inline(always)]
    fn find_ready(&mut self, plan: &ArrivalPlan, seed: u64) {
        let late = match plan.jitter {
            0 => 0,
            jitter => plan.jitters.number(seed, self.number, jitter),
        };
        self.ready = self.ready.max(self.arrival + late);
    }
}

/// How far a task has come.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    pub stage: Stage,
    /// The processor that executes it, if any does.
    pub on: Option<taktos_schedule::Cpu>,
    /// The processor that executed it last; before that: its lowest one.
    pub last: taktos_schedule::Cpu,
    /// Whether it has ever executed.
    pub has_run: bool,
    /// Whether the present job has executed.
    pub begun: bool,
    /// The step that comes next.
    pub step: u16,
    /// What is left of the present step.
    pub left: u64,
    /// The rest of the time slice in which its thread was preempted; none: it has a whole one.
    pub slice_left: Option<u64>,
    /// Processor time of the present job.
    pub cpu_time: u64,
    /// The absolute deadline of the present job; [`NEVER`] without.
    pub deadline: u64,
    /// When the present job was ready and its predecessor done.
    pub wall_start: u64,
    /// The present job; without one: the next.
    pub job: Cursor,
    /// The next release.
    pub next: Cursor,
    /// Jobs that are released and wait for the present one.
    pub backlog: u64,
    /// Whether the next job is to arrive when the present one is done, for its time has come
    /// ([`crate::Late::Shift`]).
    pub withheld: bool,
    /// By how much what is reckoned from the present job's arrival is later.
    pub shift: u64,
    /// The locks that the job holds, in the order in which it obtained them.
    pub held: Vec<u16>,
}

impl Progress {
    pub fn new(plan: &ArrivalPlan, body: u16, cpu: taktos_schedule::Cpu, seed: u64) -> Self {
        let first = Cursor::first(plan, seed);
        Self {
            stage: Stage::Inactive,
            on: None,
            last: cpu,
            has_run: false,
            begun: false,
            step: body,
            left: 0,
            slice_left: None,
            cpu_time: 0,
            deadline: NEVER,
            wall_start: 0,
            job: first,
            next: first,
            backlog: 0,
            withheld: false,
            shift: 0,
            held: Vec::new(),
        }
    }
}
