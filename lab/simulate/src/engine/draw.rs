//! Owns: lengths of time that are fixed or drawn, and where a draw's numbers come from.
//! Must never know: the purpose of the length.

use crate::random::Stream;
use crate::{Cost, Execution};

/// A row of random numbers: together with a seed and a place it gives one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row(pub u64);

impl Row {
    const SEPARATIONS: u64 = 1 << 32;
    const JITTERS: u64 = 2 << 32;
    const COSTS: u64 = 3 << 32;

    /// Returns the row for the duration of a step, by job.
    pub fn step(step: usize) -> Self {
        Self(step as u64)
    }

    /// A sporadic task's separations, by job.
    pub fn separations(task: usize) -> Self {
        Self(Self::SEPARATIONS + task as u64)
    }

    /// A periodic task's jitters, by job.
    pub fn jitters(task: usize) -> Self {
        Self(Self::JITTERS + task as u64)
    }

    /// A cost's samples, by occurrence.
    pub fn cost(kind: u64) -> Self {
        Self(Self::COSTS + kind)
    }

    /// The number at `place`, 0 to `last`.
    pub fn number(self, seed: u64, place: u64, last: u64) -> u64 {
        Stream::new(seed, self.0).below_or_at(place, last)
    }
}

/// A length of time in nanoseconds: fixed, or drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Draw {
    Fixed(u64),
    Uniform { min: u64, spread: u64, row: Row },
    Samples { values: Box<[u64]>, row: Row },
}

impl Draw {
    pub fn execution(execution: &Execution, row: Row) -> Self {
        match execution {
            Execution::Fixed(time) => Self::Fixed(time.as_nanos()),
            Execution::Uniform { min, max } => Self::Uniform {
                min: min.as_nanos(),
                spread: max.as_nanos() - min.as_nanos(),
                row,
            },
            Execution::Samples(samples) => Self::Samples {
                values: samples.iter().map(|time| time.as_nanos()).collect(),
                row,
            },
        }
    }

    /// Returns the draw of `cost` among `tasks` tasks.
    pub fn cost(cost: &Cost, tasks: u32, row: Row) -> Self {
        match cost {
            Cost::Zero => Self::Fixed(0),
            Cost::Constant(time) => Self::Fixed(time.as_nanos()),
            Cost::Linear(points) => Self::Fixed(on_line(
                points.iter().map(|(n, time)| (*n, time.as_nanos())),
                tasks,
            )),
            Cost::Samples(samples) => Self::Samples {
                values: samples.iter().map(|time| time.as_nanos()).collect(),
                row,
            },
        }
    }

    /// Whether it is never anything.
    pub fn is_zero(&self) -> bool {
        *self == Self::Fixed(0)
    }

    /// The length at `place` of the row.
    #[inline(always)]
    pub fn at(&self, seed: u64, place: u64) -> u64 {
        match self {
            Self::Fixed(time) => *time,
            _ => self.drawn(seed, place),
        }
    }

    fn drawn(&self, seed: u64, place: u64) -> u64 {
        match self {
            Self::Fixed(time) => *time,
            Self::Uniform { min, spread, row } => min + row.number(seed, place, *spread),
            Self::Samples { values, row } => {
                values[row.number(seed, place, values.len() as u64 - 1) as usize]
            }
        }
    }
}

/// The value at `n` of the line through `points`, level outside of them, rounded up.
fn on_line(points: impl Iterator<Item = (u32, u64)>, n: u32) -> u64 {
    let mut before: Option<(u32, u64)> = None;
    for (x, y) in points {
        match before {
            Some((x0, y0)) if n < x => return between((x0, y0), (x, y), n),
            None if n < x => return y,
            _ => before = Some((x, y)),
        }
    }
    before.map_or(0, |(_, y)| y)
}

fn between((x0, y0): (u32, u64), (x1, y1): (u32, u64), n: u32) -> u64 {
    let (along, whole) = (i128::from(n - x0), i128::from(x1 - x0));
    let rise = i128::from(y1) - i128::from(y0);
    let up = (rise * along).div_euclid(whole) + i128::from((rise * along).rem_euclid(whole) > 0);
    // Between two values of u64 it is one.
    u64::try_from(i128::from(y0) + up).unwrap_or(y1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos_time::Duration;

    fn linear(points: &[(u32, u64)], tasks: u32) -> u64 {
        let points = points.iter().map(|(n, ns)| (*n, Duration::from_nanos(*ns)));
        Draw::cost(&Cost::Linear(points.collect()), tasks, Row(0)).at(0, 0)
    }

    #[test]
    fn a_line_is_level_outside_and_rounded_up_inside() {
        let points = [(10, 100), (13, 110), (20, 40)];
        let expected = [
            (0, 100),
            (10, 100),
            (11, 104),
            (12, 107),
            (13, 110),
            (14, 100),
            (19, 50),
            (20, 40),
            (99, 40),
        ];
        for (tasks, cost) in expected {
            assert_eq!(linear(&points, tasks), cost, "{tasks} tasks");
        }
    }

    #[test]
    fn a_draw_depends_on_its_coordinates_alone() {
        let draw = Draw::Uniform {
            min: 5,
            spread: 1_000_000,
            row: Row::step(3),
        };
        let forwards: Vec<u64> = (0..100).map(|job| draw.at(1, job)).collect();
        let mut backwards: Vec<u64> = (0..100).rev().map(|job| draw.at(1, job)).collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
        assert!(forwards.iter().all(|time| (5..=1_000_005).contains(time)));
        assert_ne!(draw.at(1, 0), draw.at(2, 0));
    }
}
