//! Owns: random task sets: utilisations, periods, deadlines.
//! Must never know: the scheduler of the task sets.
//!
//! Every draw is a function of the set's [`Key`] and of its purpose. So any set of a large
//! experiment can be made again from three numbers, on any machine, by any number of workers.

mod draws;
mod drs;
mod fixed_sum;
mod period;
mod speed;
mod utilisation;
mod uunifast;

#[cfg(test)]
mod check;

use taktos_time::Duration;

use crate::{Execution, Step, Task, Workload};
pub use draws::Key;
use draws::{Draws, Purpose};
use period::PeriodSource;
pub use period::{LIMIT, PeriodRange, Periods};
pub use speed::{SPEED_SIZES, SpeedSize};
use utilisation::utilisations;
pub use utilisation::{Method, WHOLE};

/// The most tasks that are generated at once.
pub const MOST_TASKS: usize = 1000;

/// Properties of a task set.
#[derive(Clone, Debug, PartialEq)]
pub struct Specification {
    /// The sum of the utilisations, in billionths of a processor ([`WHOLE`]).
    pub utilisation: u64,
    /// For each task the least and the greatest utilisation, in billionths; 1
    /// to [`MOST_TASKS`] tasks.
    pub bounds: Vec<(u64, u64)>,
    /// How utilisations are drawn.
    pub method: Method,
    /// How periods are distributed.
    pub periods: Periods,
    /// The range of periods.
    pub range: PeriodRange,
    /// Deadlines.
    pub deadlines: Deadlines,
}

/// How deadlines are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deadlines {
    /// Each is the period.
    Implicit,
    /// Evenly from C + a(T − C) to C + b(T − C), in whole nanoseconds, for
    /// execution time C, period T, and shares a and b from 0 to 1.
    Constrained(f64, f64),
}

/// Why there is no such set.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// The number of tasks is out of range.
    #[error("{0} tasks: a set has 1 to {MOST_TASKS}")]
    Tasks(usize),
    /// The bounds allow other sums.
    #[error(
        "the utilisations can have sums from {} to {}, not {}",
        shown(*.lower), shown(*.upper), shown(*.sum)
    )]
    Sum {
        /// The sum of the lower bounds, in billionths.
        lower: u64,
        /// The sum of the upper bounds.
        upper: u64,
        /// The requested sum.
        sum: u64,
    },
    /// Hardly any drawn vector keeps the bounds.
    #[error("none of {attempts} draws kept the bounds")]
    Discarded {
        /// How many were drawn.
        attempts: u32,
    },
    /// The method has one bound for all tasks.
    #[error("randfixedsum has one bound for all tasks; bounds of their own need drs")]
    OneBound,
    /// No period of the distribution is in the range.
    #[error("no period of this kind lies in the range")]
    NoPeriod,
    /// The shares of a constrained deadline are out of range.
    #[error("deadlines lie from {0} to {1} of the way from C to T: shares are from 0 to 1, rising")]
    Deadline(f64, f64),
}

/// Billionths as a number of processors.
fn shown(billionths: u64) -> f64 {
    billionths as f64 / WHOLE as f64
}

/// The set `key`: tasks `T1`, `T2`, ... in the order in which they were drawn.
/// An execution time is rounded down to nanoseconds, and at least 1 ns.
///
/// # Errors
/// When there is no such set.
pub fn generate(specification: &Specification, key: Key) -> Result<Workload, GenerateError> {
    let count = specification.bounds.len();
    if !(1..=MOST_TASKS).contains(&count) {
        return Err(GenerateError::Tasks(count));
    }
    let source = PeriodSource::new(specification.periods, specification.range)?;
    let parts = utilisations(
        specification.method,
        &specification.bounds,
        specification.utilisation,
        &mut Draws::new(key, Purpose::Utilisation),
    )?;
    let mut periods = Draws::new(key, Purpose::Period);
    let mut deadlines = Draws::new(key, Purpose::Deadline);
    let mut tasks = Vec::with_capacity(count);
    for (number, part) in (1..).zip(parts) {
        let period = source.draw(&mut periods);
        let execution = u128::from(period) * u128::from(part) / u128::from(WHOLE);
        let execution = u64::try_from(execution).unwrap_or(u64::MAX).max(1);
        let name = format!("T{number}");
        let nanos = Duration::from_nanos;
        let mut task = Task::periodic(&name, nanos(execution), nanos(period));
        task.deadline = deadline(specification.deadlines, execution, period, &mut deadlines)?;
        tasks.push(task);
    }
    Ok(Workload {
        name: format!(
            "set {} of point {} of experiment {}",
            key.index, key.point, key.experiment
        ),
        tasks,
        ..Workload::default()
    })
}

fn deadline(
    kind: Deadlines,
    execution: u64,
    period: u64,
    draws: &mut Draws,
) -> Result<Option<Duration>, GenerateError> {
    let Deadlines::Constrained(from, to) = kind else {
        return Ok(None);
    };
    if !(0.0 <= from && from <= to && to <= 1.0) {
        return Err(GenerateError::Deadline(from, to));
    }
    let room = period.saturating_sub(execution) as f64;
    let (low, high) = ((from * room) as u64, (to * room) as u64);
    Ok(Some(Duration::from_nanos(
        execution + draws.between(low, high),
    )))
}

/// The sum of the utilisations of a workload's periodic and sporadic tasks
/// (longest execution, shortest separation), in processors.
#[must_use]
pub fn utilisation(workload: &Workload) -> f64 {
    workload.tasks.iter().filter_map(utilisation_of).sum()
}

/// The utilisation of one task; none for a task that comes once.
#[must_use]
pub fn utilisation_of(task: &Task) -> Option<f64> {
    let period = match task.arrival {
        crate::Arrival::Periodic { period, .. } => period,
        crate::Arrival::Sporadic { min_separation, .. } => min_separation,
        crate::Arrival::Once { .. } => return None,
    };
    Some(execution(task) as f64 / period.as_nanos().max(1) as f64)
}

/// The longest time that one job of the task can execute, in nanoseconds:
/// its own steps and the services that it calls.
#[must_use]
pub fn execution(task: &Task) -> u64 {
    let longest = |execution: &Execution| execution.longest().as_nanos();
    let step = |step: &Step| match step {
        Step::Run(execution) => longest(execution),
        Step::Call { service, .. } => longest(service),
        Step::Lock(_) | Step::Unlock(_) | Step::Suspend(_) | Step::Until(_) => 0,
    };
    task.body.iter().map(step).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specification(count: usize, sum: u64) -> Specification {
        Specification {
            utilisation: sum,
            bounds: vec![(0, WHOLE); count],
            method: Method::Drs,
            periods: Periods::LogUniform,
            range: PeriodRange {
                min: Duration::from_millis(10),
                max: Duration::from_millis(100),
                granularity: Duration::from_millis(1),
            },
            deadlines: Deadlines::Implicit,
        }
    }

    #[test]
    fn a_set_is_made_again_from_its_key() {
        let specification = specification(20, 3 * WHOLE);
        let key = |index| Key {
            experiment: 1,
            point: 2,
            index,
        };
        let set = generate(&specification, key(3)).unwrap();
        assert_eq!(generate(&specification, key(3)).unwrap(), set);
        assert_ne!(generate(&specification, key(4)).unwrap().tasks, set.tasks);
        assert_eq!(set.tasks.len(), 20);
        assert!(
            (utilisation(&set) - 3.0).abs() < 1e-5,
            "{}",
            utilisation(&set)
        );
    }

    /// Any change of these numbers is a change of every set that was ever
    /// named by its key.
    #[test]
    fn the_sets_are_those_of_earlier_versions() {
        let known = Method::ALL.map(|method| {
            let specification = Specification {
                method,
                ..specification(4, WHOLE)
            };
            let set = generate(&specification, Key::default()).unwrap();
            set.tasks.iter().map(execution).collect::<Vec<_>>()
        });
        assert_eq!(known, KNOWN.map(|executions| executions.to_vec()));
    }

    const KNOWN: [[u64; 4]; 4] = [
        [43_929_496, 720_020, 2_224_326, 4_031_537],
        [43_929_496, 720_020, 2_224_326, 4_031_537],
        [13_299_946, 4_379_670, 477_621, 33_660_844],
        [134_912, 19_166_997, 5_296_673, 10_975_371],
    ];

    #[test]
    fn constrained_deadlines_lie_between_execution_and_period() {
        let specification = Specification {
            deadlines: Deadlines::Constrained(0.25, 0.75),
            ..specification(200, 20 * WHOLE)
        };
        let set = generate(&specification, Key::default()).unwrap();
        let mut shares = Vec::new();
        for task in &set.tasks {
            let crate::Arrival::Periodic { period, .. } = task.arrival else {
                panic!("{task:?}");
            };
            let room = (period.as_nanos() - execution(task)) as f64;
            let deadline = task.deadline.unwrap().as_nanos() - execution(task);
            shares.push(deadline as f64 / room);
        }
        assert!(shares.iter().all(|share| (0.249..=0.751).contains(share)));
        let mean = shares.iter().sum::<f64>() / 200.0;
        assert!((mean - 0.5).abs() < 0.06, "{mean}");
        let turned = Specification {
            deadlines: Deadlines::Constrained(0.75, 0.25),
            ..specification
        };
        assert!(generate(&turned, Key::default()).is_err());
    }

    #[test]
    fn no_tasks_and_too_many_are_refused() {
        for count in [0, MOST_TASKS + 1] {
            let set = generate(&specification(count, 0), Key::default());
            assert_eq!(set, Err(GenerateError::Tasks(count)));
        }
    }
}
