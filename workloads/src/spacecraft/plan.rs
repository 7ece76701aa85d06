//! Owns: the parameters of the workload: policy, layout, tasks, how long; and where each task goes.
//! Must never know: how tasks are run.

use crate::experiment::PROCESSORS;
use crate::experiment::command::{Refused, UNKNOWN, Word, words};
use crate::experiment::scheme::{Layout, Scheme};
use taktos_kernel::{CpuSet, Duration};

/// The most tasks.
pub const TASKS: usize = 16;
/// The longest name of a task.
const NAME: usize = 16;

/// A task's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    bytes: [u8; NAME],
    length: usize,
}

impl Name {
    fn new(text: &str) -> Option<Self> {
        let fits = !text.is_empty() && text.len() <= NAME && text.is_ascii();
        let mut bytes = [0; NAME];
        bytes
            .iter_mut()
            .zip(text.bytes())
            .for_each(|(to, from)| *to = from);
        fits.then_some(Self {
            bytes,
            length: text.len(),
        })
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.length]).unwrap_or("?")
    }
}

/// A task as requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// Its name.
    pub name: Name,
    /// From release to release.
    pub period: Duration,
    /// Work of a job, in processor time.
    pub execution: Duration,
    /// When its first job is released, after the common beginning.
    pub offset: Duration,
    /// The only processor that it may use, where one is named.
    pub processor: Option<usize>,
}

/// Requested parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Policy, layout, processors.
    pub scheme: Scheme,
    /// How long jobs are released.
    pub span: Duration,
    /// Factor of all periods and execution times, in millionths.
    pub scale: u64,
    tasks: [Task; TASKS],
    count: usize,
}

/// Where a task goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The instance's number.
    pub instance: usize,
    /// Where in the instance it may run.
    pub processors: CpuSet,
}

/// The task set of the paper: name, period and execution time in milliseconds.
const PUBLISHED: [(&str, u64, u64); 7] = [
    ("T1", 500, 60),
    ("T2", 500, 60),
    ("T3", 100, 12),
    ("T4", 400, 48),
    ("T5", 100, 12),
    ("T6", 1000, 120),
    ("T7", 1000, 120),
];

const NO_TASK: Task = Task {
    name: Name {
        bytes: [0; NAME],
        length: 0,
    },
    period: Duration::ZERO,
    execution: Duration::ZERO,
    offset: Duration::ZERO,
    processor: None,
};

/// The scale at which all is as requested.
const UNSCALED: u64 = 1_000_000;
/// The longest time of a task, in nanoseconds: an hour.
const LONGEST: u64 = 3_600_000_000_000;

impl Plan {
    /// Reads the parameters of `line`.
    ///
    /// # Errors
    /// The word that cannot be carried out.
    pub fn read(line: &str) -> Result<Self, Refused<'_>> {
        let mut plan = Self {
            scheme: Scheme::DEFAULT,
            span: Duration::from_millis(10_000),
            scale: UNSCALED,
            tasks: [NO_TASK; TASKS],
            count: 0,
        };
        for word in words(line) {
            plan.accept(word)?;
        }
        if plan.count == 0 {
            for (name, period, execution) in PUBLISHED {
                plan.add(Task {
                    name: Name::new(name).unwrap_or(NO_TASK.name),
                    period: Duration::from_millis(period),
                    execution: Duration::from_millis(execution),
                    ..NO_TASK
                });
            }
        }
        plan.check(line)?;
        plan.scale();
        Ok(plan)
    }

    fn accept<'a>(&mut self, word: Word<'a>) -> Result<(), Refused<'a>> {
        match word.key {
            "for-ms" => self.span = Duration::from_millis(word.number(1, 86_400_000)?),
            "scale-ppm" => self.scale = word.number(1, 1_000_000_000)?,
            "tasks" => {
                for task in word.value.split(';').filter(|task| !task.is_empty()) {
                    let task = read_task(task).ok_or(word.refused(
                        "tasks are NAME:PERIOD_NS:EXECUTION_NS[:OFFSET_NS[:PROCESSOR]], separated by ;",
                    ))?;
                    if !self.add(task) {
                        return Err(word.refused("there are at most 16 tasks"));
                    }
                }
            }
            _ if self.scheme.accept(word)? => {}
            _ => return Err(word.refused(UNKNOWN)),
        }
        Ok(())
    }

    fn add(&mut self, task: Task) -> bool {
        let place = self.tasks.get_mut(self.count);
        let fits = place.is_some();
        if let Some(place) = place {
            *place = task;
            self.count += 1;
        }
        fits
    }

    /// Tasks that name a processor name one that there is.
    fn check<'a>(&self, line: &'a str) -> Result<(), Refused<'a>> {
        let used = self.scheme.used();
        let wrong = |task: &Task| task.processor.is_some_and(|processor| processor >= used);
        if self.tasks().iter().any(wrong) {
            return Err(Refused {
                word: line,
                why: "a task names a processor that the layout does not use",
            });
        }
        Ok(())
    }

    fn scale(&mut self) {
        let scale = u128::from(self.scale);
        for task in &mut self.tasks[..self.count] {
            for time in [&mut task.period, &mut task.execution, &mut task.offset] {
                let scaled = u128::from(time.as_nanos()) * scale / u128::from(UNSCALED);
                *time = Duration::from_nanos(u64::try_from(scaled).unwrap_or(u64::MAX));
            }
        }
    }

    /// The tasks.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks[..self.count]
    }

    /// The priority of the task `index` where priorities decide, from 0: rate monotonic, each its
    /// own.
    pub fn priority(&self, index: usize) -> usize {
        let key = |index: usize| self.tasks.get(index).map(|task| (task.period, index));
        (0..self.count)
            .filter(|other| key(*other) < key(index))
            .count()
    }

    /// Where each task goes: to its processor, or, in the order of the list, to the instance that
    /// has the least to do for each of its processors so far, the first of equals.
    pub fn places(&self) -> [Option<Place>; TASKS] {
        let mut load = [0u64; PROCESSORS];
        core::array::from_fn(|index| {
            let task = self.tasks().get(index)?;
            let instance = match task.processor {
                Some(processor) => self.scheme.instance_of(processor),
                None => (0..self.scheme.instances()).min_by_key(|number| load[*number])?,
            };
            let processors = self.scheme.processors_of(instance);
            let share = task.execution.as_nanos() as u128 * UTILISATION
                / u128::from(task.period.as_nanos().max(1))
                / processors.count().max(1) as u128;
            load[instance] =
                load[instance].saturating_add(u64::try_from(share).unwrap_or(u64::MAX));
            let chosen = task
                .processor
                .filter(|_| matches!(self.scheme.layout, Layout::Global | Layout::Clustered))
                .and_then(taktos_kernel::Cpu::new)
                .map_or(processors, CpuSet::of);
            Some(Place {
                instance,
                processors: chosen,
            })
        })
    }
}

/// A whole processor, for sums of utilisations.
const UTILISATION: u128 = 1 << 32;

fn read_task(text: &str) -> Option<Task> {
    let mut parts = text.split(':');
    let name = Name::new(parts.next()?)?;
    let mut time = |least: u64| {
        let number = parts.next().map(str::parse::<u64>);
        match number {
            None => Some(None),
            Some(Ok(ns)) if (least..=LONGEST).contains(&ns) => Some(Some(Duration::from_nanos(ns))),
            Some(_) => None,
        }
    };
    let period = time(1)??;
    let execution = time(1)??;
    let offset = time(0)?.unwrap_or(Duration::ZERO);
    let processor = match parts.next() {
        None | Some("") => None,
        Some(number) => Some(number.parse().ok()?),
    };
    parts.next().is_none().then_some(Task {
        name,
        period,
        execution,
        offset,
        processor,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn plan(line: &str) -> Plan {
        Plan::read(line).expect("the line can be carried out")
    }

    fn times(plan: &Plan) -> Vec<(u64, u64, u64)> {
        plan.tasks()
            .iter()
            .map(|task| {
                (
                    task.period.as_nanos(),
                    task.execution.as_nanos(),
                    task.offset.as_nanos(),
                )
            })
            .collect()
    }

    #[test]
    fn without_words_it_is_the_published_experiment() {
        let plan = plan("image");
        assert_eq!(plan.tasks().len(), 7);
        assert_eq!(plan.scheme, Scheme::DEFAULT);
        assert_eq!(plan.span, Duration::from_millis(10_000));
        let load: f64 = times(&plan)
            .iter()
            .map(|(p, e, _)| *e as f64 / *p as f64)
            .sum();
        assert!((load - 0.84).abs() < 1e-9, "{load}");
        assert_eq!(plan.tasks()[5].name.as_str(), "T6");
    }

    #[test]
    fn tasks_are_read_and_scaled() {
        let plan = plan("tasks=A:1000:10;B:2000:20:300;C:3000:30:0:2 scale-ppm=500000 for-ms=7");
        assert_eq!(times(&plan), [(500, 5, 0), (1000, 10, 150), (1500, 15, 0)]);
        assert_eq!(plan.tasks()[2].processor, Some(2));
        assert_eq!(plan.span, Duration::from_millis(7));
    }

    #[test]
    fn what_cannot_be_carried_out_is_refused() {
        for line in [
            "speed=1",
            "tasks=A",
            "tasks=A:1",
            "tasks=A:0:1",
            "tasks=A:1:0",
            "tasks=:5:1",
            "tasks=A:5:1:0:0:9",
            "tasks=A:5:1:x",
            "tasks=A:5:1:0:4",
            "tasks=A:5:1:0:1 layout=one",
            "tasks=A:5:1:0:2 processors=2",
            "tasks=ABCDEFGHIJKLMNOPQ:5:1",
            "for-ms=0",
            "scale-ppm=0",
        ] {
            assert!(Plan::read(line).is_err(), "{line}");
        }
        let sixteen = "A:5:1;".repeat(16);
        assert!(Plan::read(&std::format!("tasks={sixteen}")).is_ok());
        assert!(Plan::read(&std::format!("tasks={sixteen}B:5:1")).is_err());
    }

    #[test]
    fn shorter_periods_are_more_urgent() {
        let plan = plan("");
        let levels: Vec<usize> = (0..7).map(|index| plan.priority(index)).collect();
        assert_eq!(levels, [3, 4, 0, 2, 1, 5, 6]);
    }

    #[test]
    fn tasks_go_where_there_is_least_to_do() {
        let places = |line: &str| -> Vec<(usize, u64)> {
            plan(line)
                .places()
                .iter()
                .flatten()
                .map(|place| (place.instance, place.processors.bits()))
                .collect()
        };
        assert_eq!(places("layout=one"), [(0, 1); 7]);
        assert_eq!(places("layout=global"), [(0, 15); 7]);
        let parts: Vec<usize> = places("layout=partitioned").iter().map(|p| p.0).collect();
        assert_eq!(parts, [0, 1, 2, 3, 0, 1, 2]);
        let clusters: Vec<usize> = places("layout=clustered").iter().map(|p| p.0).collect();
        assert_eq!(clusters, [0, 1, 0, 1, 0, 1, 0]);
        let named = "tasks=A:9:3:0:3;B:9:1;C:9:1:0:1 layout=";
        assert_eq!(
            places(&std::format!("{named}global")),
            [(0, 8), (0, 15), (0, 2)]
        );
        assert_eq!(
            places(&std::format!("{named}clustered")),
            [(1, 8), (0, 3), (0, 2)]
        );
        assert_eq!(
            places(&std::format!("{named}partitioned")),
            [(3, 8), (0, 1), (1, 2)]
        );
    }
}
