//! Owns: random task sets that both worlds can run. Must never know: the results of either.

use taktos_simulate::Policy;
use taktos_simulate::generate::{
    Deadlines, Key, Method, PeriodRange, Periods, Specification, WHOLE, generate,
};
use taktos_simulate::random::Stream;
use taktos_time::Duration;

use crate::smp::{Case, Layout, Periodic, periodic};

/// The least that a job computes, in nanoseconds: so that a twentieth more, which is a job's budget
/// where there are budgets, is more than the kernel works for it.
const LEAST: u64 = 100_000;
/// The most that a job computes, in per cent of the period: so that such a budget fits into it.
const MOST: u64 = 90;

/// A set of 3 to 7 tasks that need most of the processors, released apart at first, with periods
/// from 1 to 20 ms.
pub fn apart(layout: Layout, policy: Policy, horizon: Duration, key: Key) -> Case {
    let mut draw = Draw::new(key);
    let mut tasks = tasks(layout, Duration::from_micros(10), key, &mut draw);
    for (task, place) in tasks.iter_mut().zip(0..) {
        task.offset = 50_000 * place + draw.between(0, 9_999);
    }
    case(tasks, layout, policy, horizon)
}

/// A set as [`apart`], with all tasks released at one instant at first, and many later: periods are
/// whole milliseconds.
pub fn together(layout: Layout, policy: Policy, horizon: Duration, key: Key) -> Case {
    let mut draw = Draw::new(key);
    let tasks = tasks(layout, Duration::from_millis(1), key, &mut draw);
    case(tasks, layout, policy, horizon)
}

fn case(tasks: Vec<Periodic>, layout: Layout, policy: Policy, horizon: Duration) -> Case {
    Case {
        tasks,
        policy,
        layout,
        horizon,
        quantum: 100,
    }
}

fn tasks(layout: Layout, granularity: Duration, key: Key, draw: &mut Draw) -> Vec<Periodic> {
    let specification = Specification {
        utilisation: match layout {
            Layout::One => draw.between(80, 97) * (WHOLE / 100),
            _ => draw.between(100, 260) * (WHOLE / 100),
        },
        bounds: vec![(0, WHOLE); draw.between(3, 7) as usize],
        method: Method::RandFixedSum,
        periods: Periods::LogUniform,
        range: PeriodRange {
            min: Duration::from_millis(1),
            max: Duration::from_millis(20),
            granularity,
        },
        deadlines: Deadlines::Implicit,
    };
    // The bounds allow every sum that is drawn, and a task of the generator is one of ours.
    let set = generate(&specification, key).ok();
    let tasks = set.and_then(|set| periodic(&set).ok());
    let mut tasks = tasks.unwrap_or_default();
    for task in &mut tasks {
        task.execution = task.execution.clamp(LEAST, task.period * MOST / 100);
    }
    tasks
}

/// Numbers of a set's own.
struct Draw(Stream, u64);

impl Draw {
    fn new(key: Key) -> Self {
        Self(Stream::new(key.experiment, u64::from(key.index)), 0)
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        self.1 += 1;
        low + self.0.below_or_at(self.1, high - low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_can_be_drawn_for_every_layout() {
        for layout in [Layout::One, Layout::Global, Layout::Partitioned] {
            for index in 0..50 {
                let key = Key {
                    experiment: 7,
                    point: 0,
                    index,
                };
                let horizon = Duration::from_millis(50);
                let apart = apart(layout, Policy::Edf, horizon, key);
                let together = together(layout, Policy::Edf, horizon, key);
                for case in [&apart, &together] {
                    assert!((3..=7).contains(&case.tasks.len()), "{case:?}");
                    let fits = |task: &Periodic| {
                        task.execution >= LEAST
                            && task.execution + task.execution / 20 < task.period
                    };
                    assert!(case.tasks.iter().all(fits), "{case:?}");
                }
                assert!(together.apart().is_some(), "{together:?}");
            }
        }
    }
}
