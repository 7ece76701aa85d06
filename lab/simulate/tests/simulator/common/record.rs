//! Record of an observer's events as a list, for comparisons.

use taktos_schedule::Cpu;
use taktos_simulate::{Doing, JobId, Observer};
use taktos_time::{Duration, Instant};

/// A job: its task and its number.
pub type Job = (usize, u64);

/// Something that both the engine and the naive model say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A job was done.
    Done(u64, Job),
    /// From this instant on these jobs execute, in order of task.
    Executing(u64, Vec<Job>),
}

/// Listens to a run.
#[derive(Default)]
pub struct Recorder {
    on: Vec<Option<Job>>,
    at: u64,
    last: Vec<Job>,
    done: Vec<Job>,
    said: Vec<Said>,
}

impl Recorder {
    /// All that was said. Jobs done at one instant are in order of task.
    pub fn finish(mut self) -> Vec<Said> {
        self.flush();
        self.said
    }

    /// Reports the state at the end of the old instant when a new one begins.
    fn time(&mut self, at: Instant) {
        if at.as_nanos() != self.at {
            self.flush();
            self.at = at.as_nanos();
        }
    }

    fn flush(&mut self) {
        self.done.sort_unstable();
        for job in self.done.drain(..) {
            self.said.push(Said::Done(self.at, job));
        }
        let mut executing: Vec<Job> = self.on.iter().copied().flatten().collect();
        executing.sort_unstable();
        if executing != self.last {
            self.last.clone_from(&executing);
            self.said.push(Said::Executing(self.at, executing));
        }
    }
}

fn job(job: JobId) -> Job {
    (job.task.index(), job.number)
}

impl Observer for Recorder {
    fn switch(&mut self, at: Instant, cpu: Cpu, doing: Doing, _: Duration) {
        self.time(at);
        if self.on.len() <= cpu.index() {
            self.on.resize(cpu.index() + 1, None);
        }
        self.on[cpu.index()] = match doing {
            Doing::Idle => None,
            Doing::Job(id) | Doing::Spin(id) => Some(job(id)),
        };
    }

    fn complete(&mut self, at: Instant, _: Cpu, id: JobId, _: Duration) {
        self.time(at);
        self.done.push(job(id));
    }
}
