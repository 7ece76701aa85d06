//! Owns: figures that are gathered in constant memory, and how they are merged.
//! Must never know: where the figures come from.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::Histogram;

/// Count, minimum, maximum and sum: exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    count: u64,
    min: u64,
    max: u64,
    total: u128,
}

impl Summary {
    /// Nothing yet.
    pub const EMPTY: Self = Self {
        count: 0,
        min: u64::MAX,
        max: 0,
        total: 0,
    };

    /// Returns the summary of `count` values, of which these are known; for none, the arguments are
    /// those of [`Summary::EMPTY`].
    pub(crate) const fn of(count: u64, min: u64, max: u64, total: u64) -> Self {
        Self {
            count,
            min,
            max,
            total: total as u128,
        }
    }

    /// Takes a value in.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.total += u128::from(value);
    }

    /// Takes in all that `other` has.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.total += other.total;
    }

    /// How many values there were.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The smallest; none without values.
    pub const fn min(&self) -> Option<u64> {
        if self.count == 0 {
            None
        } else {
            Some(self.min)
        }
    }

    /// The largest; none without values.
    pub const fn max(&self) -> Option<u64> {
        if self.count == 0 {
            None
        } else {
            Some(self.max)
        }
    }

    /// The mean, rounded down; none without values.
    pub fn mean(&self) -> Option<u64> {
        let mean = self.total.checked_div(u128::from(self.count))?;
        u64::try_from(mean).ok()
    }

    /// The sum of all values.
    pub const fn total(&self) -> u128 {
        self.total
    }
}

/// As programs have it: `min`, `mean` and `max`, which are null without values.
impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_struct("Summary", 3)?;
        form.serialize_field("min", &self.min())?;
        form.serialize_field("mean", &self.mean())?;
        form.serialize_field("max", &self.max())?;
        form.end()
    }
}

impl Default for Summary {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Statistics of one task. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskStatistics {
    /// Jobs that became ready (or were dropped when they would have).
    pub released: u64,
    /// Jobs that were done.
    pub jobs: u64,
    /// Jobs that were not done by their deadline, including those not done at the end of the run.
    pub missed: u64,
    /// Jobs that were given up at their deadline ([`crate::Late::Abort`]).
    pub aborted: u64,
    /// Jobs that were dropped because their predecessor was late ([`crate::Late::Skip`]).
    pub skipped: u64,
    /// From a job's arrival until it was done.
    pub response: Summary,
    /// Response times as in `response`, for percentiles.
    pub responses: Histogram,
    /// Processor time of each done job, spinning included, overhead excluded.
    pub cpu: Summary,
    /// From the instant at which a job was ready and its predecessor was done, until it was done.
    pub wall: Summary,
    /// How late the latest done job was; 0 when none was.
    pub tardiness: u64,
    /// How often a job lost its processor before it was done.
    pub preemptions: u64,
    /// How often the task continued on another processor than its last one.
    pub migrations: u64,
    /// Those of the migrations that happened within a job.
    pub migrations_in_job: u64,
}

impl TaskStatistics {
    /// Takes in what another run of the same task gave.
    pub fn merge(&mut self, other: &Self) {
        self.released += other.released;
        self.jobs += other.jobs;
        self.missed += other.missed;
        self.aborted += other.aborted;
        self.skipped += other.skipped;
        self.response.merge(&other.response);
        self.responses.merge(&other.responses);
        self.cpu.merge(&other.cpu);
        self.wall.merge(&other.wall);
        self.tardiness = self.tardiness.max(other.tardiness);
        self.preemptions += other.preemptions;
        self.migrations += other.migrations;
        self.migrations_in_job += other.migrations_in_job;
    }
}

/// Statistics of one processor. Times are in nanoseconds: `busy + overhead + idle + stolen` is
/// exactly the virtual time that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CpuStatistics {
    /// Which processor.
    pub cpu: u8,
    /// It executed jobs.
    pub busy: u64,
    /// The part of `busy` in which a job spun for a lock.
    pub spinning: u64,
    /// It executed the kernel.
    pub overhead: u64,
    /// It executed an idle thread.
    pub idle: u64,
    /// It did not run: a virtual processor while others had the real one. Otherwise 0.
    #[serde(skip)]
    pub stolen: u64,
    /// Decisions taken on it.
    pub decisions: u64,
    /// Switches from one thread to another.
    pub switches: u64,
}

impl CpuStatistics {
    /// Takes in what another run gave for the same processor.
    pub fn merge(&mut self, other: &Self) {
        self.busy += other.busy;
        self.spinning += other.spinning;
        self.overhead += other.overhead;
        self.idle += other.idle;
        self.stolen += other.stolen;
        self.decisions += other.decisions;
        self.switches += other.switches;
    }
}

/// Result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// One a task, in the workload's order.
    pub tasks: Vec<TaskStatistics>,
    /// One a processor that a cluster has, lowest first.
    pub cpus: Vec<CpuStatistics>,
    /// The virtual time that passed, in nanoseconds.
    pub virtual_time: u64,
    /// Events that were handled: releases, ends of steps, wake-ups, budgets, slices, decisions.
    pub events: u64,
}

impl Outcome {
    /// Jobs that were done, of all tasks.
    pub fn jobs(&self) -> u64 {
        self.tasks.iter().map(|task| task.jobs).sum()
    }

    /// Deadlines that were missed, of all tasks.
    pub fn missed(&self) -> u64 {
        self.tasks.iter().map(|task| task.missed).sum()
    }

    /// Takes in what another run of the same workload and setup gave.
    ///
    /// # Panics
    /// Panics when the numbers of tasks or processors differ.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.tasks.len(), other.tasks.len(), "runs of one workload");
        assert_eq!(self.cpus.len(), other.cpus.len(), "runs on one set-up");
        for (task, more) in self.tasks.iter_mut().zip(&other.tasks) {
            task.merge(more);
        }
        for (cpu, more) in self.cpus.iter_mut().zip(&other.cpus) {
            cpu.merge(more);
        }
        self.virtual_time += other.virtual_time;
        self.events += other.events;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_exact() {
        let mut summary = Summary::EMPTY;
        assert_eq!(
            (summary.min(), summary.mean(), summary.max()),
            (None, None, None)
        );
        for value in [7, 3, 9] {
            summary.add(value);
        }
        assert_eq!(summary.min(), Some(3));
        assert_eq!(summary.mean(), Some(6));
        assert_eq!(summary.max(), Some(9));
        let mut twice = summary;
        twice.merge(&summary);
        assert_eq!((twice.count(), twice.total()), (6, 38));
    }
}
