//! Owns: the reports of a simulation while it runs.
//! Must never know: the use of the reports (a trace, a plot, a test).

use taktos_schedule::Cpu;
use taktos_time::{Duration, Instant};

use crate::{LockId, ServerId};

/// A task, by its place in the workload's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u16);

impl TaskId {
    /// The place in the list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One job: a task and which of its jobs, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId {
    /// The task.
    pub task: TaskId,
    /// Which of its jobs.
    pub number: u64,
}

/// A lock, or the lock of a server that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// A lock of the workload.
    Lock(LockId),
    /// A server of the workload.
    Server(ServerId),
}

/// Activity of a processor from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Nothing: an idle thread runs.
    Idle,
    /// It executes a job.
    Job(JobId),
    /// It executes a job that spins for a lock.
    Spin(JobId),
}

/// Receives the events of a run, in the order in which they happen. Every method does nothing
/// unless it is written; `()` observes nothing, at no cost.
pub trait Observer {
    /// From `at` on, `cpu` does this. The kernel's work before it (`overhead`)
    /// ends at `at`.
    fn switch(&mut self, at: Instant, cpu: Cpu, doing: Doing, overhead: Duration) {
        let _ = (at, cpu, doing, overhead);
    }

    /// A job becomes ready. It arrived at `arrival`, which is earlier where there is jitter.
    fn release(&mut self, at: Instant, job: JobId, arrival: Instant, deadline: Option<Instant>) {
        let _ = (at, job, arrival, deadline);
    }

    /// A job is done, `response` after its arrival.
    fn complete(&mut self, at: Instant, cpu: Cpu, job: JobId, response: Duration) {
        let _ = (at, cpu, job, response);
    }

    /// A job has missed its deadline. This is reported when the job ends (done, given up, or
    /// dropped before it began), or at the end of the run.
    fn miss(&mut self, at: Instant, job: JobId, deadline: Instant) {
        let _ = (at, job, deadline);
    }

    /// A thread continues on another processor than the one it ran on last.
    fn migrate(&mut self, at: Instant, job: JobId, from: Cpu, to: Cpu) {
        let _ = (at, job, from, to);
    }

    /// A job lost its processor to another thread before it was done.
    fn preempt(&mut self, at: Instant, cpu: Cpu, job: JobId) {
        let _ = (at, cpu, job);
    }

    /// A job waits for a resource, blocked or spinning.
    fn wait(&mut self, at: Instant, job: JobId, resource: Resource) {
        let _ = (at, job, resource);
    }

    /// A job has obtained a resource, at once or after it waited.
    fn lock(&mut self, at: Instant, job: JobId, resource: Resource) {
        let _ = (at, job, resource);
    }

    /// A job has given a resource back.
    fn unlock(&mut self, at: Instant, job: JobId, resource: Resource) {
        let _ = (at, job, resource);
    }

    /// A job suspends itself until `until`.
    fn suspend(&mut self, at: Instant, job: JobId, until: Instant) {
        let _ = (at, job, until);
    }

    /// A suspension is over.
    fn resume(&mut self, at: Instant, job: JobId) {
        let _ = (at, job);
    }
}

impl Observer for () {}
