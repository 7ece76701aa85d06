//! Owns: the rules by which a whole task set gets fixed priorities.
//! Must never know: which policy serves them.

use taktos_time::Duration;

use crate::engine::squeeze;
use crate::{Arrival, SimError, Task, Workload};

/// By what the tasks of a set are ordered under fixed priorities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `rm`, rate monotonic: the shorter the period, the more urgent (Liu and Layland 1973).
    Period,
    /// `dm`, deadline monotonic: the shorter the relative deadline, the more urgent (Leung and
    /// Whitehead 1982).
    Deadline,
    /// `fp`: the priorities that the tasks have.
    Given,
}

impl Order {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Period, Self::Deadline, Self::Given];
    /// The least urgent priority that every policy knows.
    const LEAST: u32 = 255;

    /// The name that users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Period => "rm",
            Self::Deadline => "dm",
            Self::Given => "fp",
        }
    }

    /// Gives the tasks of the workload priorities from 1 on by this rule, whatever they had; those
    /// that are alike in it have the same one. [`Order::Given`] changes nothing.
    ///
    /// # Errors
    /// [`SimError::Value`] where a task lacks what the rule goes by; [`SimError::GivenCeilings`]
    /// where a lock's ceiling is one of the priorities that the rule replaces.
    pub fn prioritise(self, workload: &mut Workload) -> Result<(), SimError> {
        if self == Self::Given {
            return workload
                .tasks
                .iter()
                .try_for_each(|task| self.key(task).map(drop));
        }
        if let Some(lock) = workload.locks.iter().find(|lock| !lock.ceilings.is_empty()) {
            return Err(SimError::GivenCeilings {
                lock: lock.name.clone(),
                order: self.name(),
            });
        }
        let keys: Result<Vec<Duration>, SimError> =
            workload.tasks.iter().map(|task| self.key(task)).collect();
        let keys = keys?;
        let mut levels = keys.clone();
        levels.sort_unstable();
        levels.dedup();
        for (task, key) in workload.tasks.iter_mut().zip(keys) {
            let rank = levels.partition_point(|level| *level < key) as u32 + 1;
            task.priority = Some(squeeze(rank, levels.len() as u32, Self::LEAST));
        }
        Ok(())
    }

    /// The figure by which the task is ordered.
    fn key(self, task: &Task) -> Result<Duration, SimError> {
        let lacks = |what, hint| SimError::Value {
            task: task.name.clone(),
            what,
            hint,
        };
        match (self, task.arrival) {
            (Self::Period, Arrival::Periodic { period, .. }) => Ok(period),
            (Self::Period, Arrival::Sporadic { min_separation, .. }) => Ok(min_separation),
            (Self::Period, Arrival::Once { .. }) => Err(lacks(
                "it has no period, by which rm orders tasks",
                "give it a period, or take dm, or fp with a priority for each task",
            )),
            (Self::Deadline, _) => task.relative_deadline().ok_or_else(|| {
                lacks(
                    "it has no deadline, by which dm orders tasks",
                    "give it a deadline, or take fp with a priority for each task",
                )
            }),
            (Self::Given, _) => task.priority.map(|_| Duration::ZERO).ok_or_else(|| {
                lacks(
                    "it has no priority, by which fp orders tasks",
                    "give each task a priority, or take rm or dm",
                )
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LockSpec;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    /// Tasks with these periods and deadlines in ms.
    fn set(all: &[(u64, u64)]) -> Workload {
        let task = |(index, (period, deadline)): (usize, &(u64, u64))| Task {
            deadline: Some(ms(*deadline)),
            ..Task::periodic(&format!("t{index}"), ms(1), ms(*period))
        };
        Workload {
            tasks: all.iter().enumerate().map(task).collect(),
            ..Workload::default()
        }
    }

    fn priorities(workload: &Workload) -> Vec<Option<u32>> {
        workload.tasks.iter().map(|task| task.priority).collect()
    }

    #[test]
    fn each_rule_goes_by_its_own() {
        let mut workload = set(&[(10, 10), (20, 5), (10, 7)]);
        assert_eq!(Order::Period.prioritise(&mut workload), Ok(()));
        assert_eq!(priorities(&workload), [Some(1), Some(2), Some(1)]);
        assert_eq!(Order::Deadline.prioritise(&mut workload), Ok(()));
        assert_eq!(priorities(&workload), [Some(3), Some(1), Some(2)]);
        assert_eq!(Order::Given.prioritise(&mut workload), Ok(()));
        assert_eq!(priorities(&workload), [Some(3), Some(1), Some(2)]);
    }

    #[test]
    fn more_periods_than_priorities_share_them_in_order() {
        let all: Vec<(u64, u64)> = (1..=1_000).map(|period| (period, 1_000)).collect();
        let mut workload = set(&all);
        assert_eq!(Order::Period.prioritise(&mut workload), Ok(()));
        let given = priorities(&workload);
        assert!(given.is_sorted());
        assert_eq!((given[0], given[999]), (Some(1), Some(255)));
    }

    #[test]
    fn what_a_rule_goes_by_must_be_there() {
        let mut workload = set(&[(10, 10)]);
        let refused = |order: Order, workload: &mut Workload| {
            order.prioritise(workload).unwrap_err().to_string()
        };
        assert!(refused(Order::Given, &mut workload).contains("`t0`: it has no priority"));
        workload.tasks[0].arrival = Arrival::Once {
            at: taktos_time::Instant::START,
        };
        assert!(refused(Order::Period, &mut workload).contains("`t0`: it has no period"));
        assert_eq!(Order::Deadline.prioritise(&mut workload), Ok(()));
        workload.tasks[0].deadline = None;
        assert!(refused(Order::Deadline, &mut workload).contains("`t0`: it has no deadline"));
        let mut workload = set(&[(10, 10)]);
        workload.locks = vec![LockSpec {
            name: "bus".to_owned(),
            protocol: crate::Protocol::Ceiling,
            ceilings: vec![("all".to_owned(), 3)],
        }];
        assert!(refused(Order::Period, &mut workload).contains("lock `bus`"));
    }
}
