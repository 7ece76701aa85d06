//! Owns: the sets by which the simulator's speed is measured.
//! Must never know: how it is measured.

use taktos_time::Duration;

use super::{
    Deadlines, GenerateError, Key, MOST_TASKS, Method, PeriodRange, Periods, Specification, WHOLE,
    generate,
};
use crate::Workload;

/// How large a set is by which the simulator's speed is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpeedSize {
    /// How many tasks.
    pub tasks: usize,
    /// How many processors; the load is three quarters of them.
    pub processors: usize,
}

/// The sizes that are measured, the smallest first.
pub const SPEED_SIZES: [SpeedSize; 3] = [
    SpeedSize::new(20, 4),
    SpeedSize::new(1_000, 64),
    SpeedSize::new(10_000, 64),
];

impl SpeedSize {
    const fn new(tasks: usize, processors: usize) -> Self {
        Self { tasks, processors }
    }

    /// The set of this size, with periods of 1 to 100 ms. That of the first of [`SPEED_SIZES`] is
    /// what `taktos generate --tasks 20 --utilisation 3 --method randfixedsum --min-period 1ms`
    /// writes; one with more tasks than are generated at once consists of equally large parts, sets
    /// 0, 1, ..., with equal loads.
    ///
    /// # Errors
    /// Those of [`generate`]: none for [`SPEED_SIZES`].
    pub fn workload(self) -> Result<Workload, GenerateError> {
        let parts = self.tasks.div_ceil(MOST_TASKS).max(1);
        let specification = Specification {
            utilisation: 3 * WHOLE * self.processors as u64 / (4 * parts as u64),
            bounds: vec![(0, WHOLE); self.tasks / parts],
            method: Method::RandFixedSum,
            periods: Periods::LogUniform,
            range: PeriodRange {
                min: Duration::from_millis(1),
                max: Duration::from_millis(100),
                granularity: Duration::from_millis(1),
            },
            deadlines: Deadlines::Implicit,
        };
        let mut whole = generate(&specification, Key::default())?;
        for index in 1..parts as u32 {
            let key = Key {
                index,
                ..Key::default()
            };
            whole.tasks.extend(generate(&specification, key)?.tasks);
        }
        for (number, task) in (1..).zip(&mut whole.tasks) {
            task.name = format!("T{number}");
        }
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::utilisation;

    #[test]
    fn each_has_its_tasks_and_three_quarters_of_its_processors_load() {
        for size in SPEED_SIZES {
            let workload = size.workload().unwrap();
            assert_eq!(workload.tasks.len(), size.tasks);
            let load = utilisation(&workload) / (0.75 * size.processors as f64);
            assert!((0.99..1.01).contains(&load), "{size:?}: {load}");
        }
    }
}
