//! Arguments of one run of the spacecraft program: tasks, policy, layout.

use std::ops::Range;

use taktos_runner::failure::Failure;
use taktos_runner::several::{Board, Call};
use taktos_simulate::{Arrival, Execution, Policy, Step, Task, Workload};
use taktos_time::Duration;

/// The most tasks that the program takes.
const MOST_TASKS: usize = 16;

/// Which processors share one scheduler instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// There is one processor.
    One,
    /// One instance has all four.
    Global,
    /// Two instances of two.
    Clustered,
    /// Four instances of one.
    Partitioned,
}

impl Layout {
    /// Those of four processors.
    pub const OF_FOUR: [Self; 3] = [Self::Global, Self::Clustered, Self::Partitioned];

    /// The name that the program knows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Global => "global",
            Self::Clustered => "clustered",
            Self::Partitioned => "partitioned",
        }
    }

    /// Returns how many processors work.
    pub const fn processors(self) -> usize {
        match self {
            Self::One => 1,
            Self::Global | Self::Clustered | Self::Partitioned => Board::PROCESSORS,
        }
    }

    /// The processors of each instance.
    pub fn instances(self) -> Vec<std::ops::Range<usize>> {
        let all = self.processors();
        let size = match self {
            Self::One | Self::Global => all,
            Self::Clustered => all / 2,
            Self::Partitioned => 1,
        };
        (0..all)
            .step_by(size)
            .map(|first| first..first + size)
            .collect()
    }
}

/// A periodic task that does nothing but compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Periodic {
    /// Its name.
    pub name: String,
    /// From one release to the next, nanoseconds.
    pub period: u64,
    /// Execution time of each job, nanoseconds.
    pub execution: u64,
    /// The first release, nanoseconds.
    pub offset: u64,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The tasks.
    pub tasks: Vec<Periodic>,
    /// Its scheduling policy.
    pub policy: Policy,
    /// On which processors.
    pub layout: Layout,
    /// How much time passes, a whole number of milliseconds.
    pub horizon: Duration,
    /// Nanoseconds that one processor may run ahead of another.
    pub quantum: u32,
}

/// The tasks of a workload, where the program can run them.
///
/// # Errors
/// Names the first task, or part of one, that it cannot.
pub fn periodic(workload: &Workload) -> anyhow::Result<Vec<Periodic>> {
    if !workload.partitions.is_empty() || workload.tasks.is_empty() {
        return Err(refused("it has partitions, or no task at all"));
    }
    if workload.tasks.len() > MOST_TASKS {
        return Err(refused(&format!("it has more than {MOST_TASKS} tasks")));
    }
    workload.tasks.iter().map(one).collect()
}

fn one(task: &Task) -> anyhow::Result<Periodic> {
    let name = &task.name;
    let wrong = |what: &str| refused(&format!("its task {name} {what}"));
    let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if name.is_empty() || !name.chars().all(letter) {
        return Err(wrong(
            "has other letters in its name than A to Z, digits, `-` and `_`",
        ));
    }
    let Arrival::Periodic {
        period,
        offset,
        jitter,
    } = task.arrival
    else {
        return Err(wrong("is not periodic"));
    };
    let [Step::Run(Execution::Fixed(execution))] = task.body.as_slice() else {
        return Err(wrong("does more than to compute for a fixed time"));
    };
    let period_ns = period.as_nanos();
    let plain = [
        (jitter == Duration::ZERO, "has jitter"),
        (
            task.deadline.is_none_or(|deadline| deadline == period),
            "has a deadline other than its period",
        ),
        (task.priority.is_none(), "has a priority of its own"),
        (
            task.affinity.is_none() && task.cluster.is_none(),
            "names its processors",
        ),
        (task.budget.is_none(), "has a budget"),
    ];
    if let Some((_, what)) = plain.into_iter().find(|(holds, _)| !holds) {
        return Err(wrong(what));
    }
    Ok(Periodic {
        name: name.clone(),
        period: period_ns,
        execution: execution.as_nanos(),
        offset: offset.as_nanos(),
    })
}

fn refused(why: &str) -> anyhow::Error {
    Failure::error(
        format!("the kernel's program cannot run this task set: {why}"),
        "give it periodic tasks of fixed execution, or simulate it alone: taktos sim FILE",
    )
}

impl Case {
    /// The policy and the layout.
    pub fn name(&self) -> String {
        format!("{}, {}", self.policy, self.layout.name())
    }

    /// From the begin to the first release, in nanoseconds.
    pub fn first_release(&self) -> u64 {
        self.tasks.iter().map(|task| task.offset).min().unwrap_or(0)
    }

    /// Returns the case with no two releases at one instant; none if that is so already.
    pub fn apart(&self) -> Option<Self> {
        let tasks = self.tasks.iter().enumerate();
        let tied = tasks.clone().any(|(place, task)| {
            self.tasks[..place]
                .iter()
                .any(|other| task.coincides_with(other))
        });
        let moved = |(place, task): (usize, &Periodic)| Periodic {
            offset: task.offset + APART * place as u64,
            ..task.clone()
        };
        tied.then(|| Self {
            tasks: tasks.map(moved).collect(),
            ..self.clone()
        })
    }

    /// Returns the call of the image.
    pub fn call(&self) -> Call {
        let tasks: Vec<String> = self.tasks.iter().map(Periodic::word).collect();
        Call {
            argument: format!(
                "policy={}+layout={}+processors={}+for-ms={}+tasks={}",
                self.policy,
                self.layout.name(),
                self.layout.processors(),
                self.horizon.as_nanos() / 1_000_000,
                tasks.join(";"),
            ),
            quantum: self.quantum,
            ..Call::default()
        }
    }
}

/// Between releases of tasks that are released apart, nanoseconds: more than the kernel works for
/// one.
const APART: u64 = 50_000;

impl Periodic {
    /// Returns whether both are released at one instant now and then.
    pub fn coincides_with(&self, other: &Self) -> bool {
        let (mut step, mut rest) = (self.period.max(1), other.period.max(1));
        while rest > 0 {
            (step, rest) = (rest, step % rest);
        }
        self.offset.abs_diff(other.offset).is_multiple_of(step)
    }

    /// Returns how often it is released in the span.
    pub fn released(&self, span: &Range<u64>) -> u64 {
        let before = |at: u64| at.saturating_sub(self.offset).div_ceil(self.period.max(1));
        before(span.end).saturating_sub(before(span.start))
    }

    fn word(&self) -> String {
        let Self {
            name,
            period,
            execution,
            offset,
        } = self;
        match offset {
            0 => format!("{name}:{period}:{execution}"),
            offset => format!("{name}:{period}:{execution}:{offset}"),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn onboard() -> Workload {
        let text = include_str!("../../../../experiments/onboard.toml");
        taktos_simulate::file::parse(text, "onboard.toml")
            .unwrap()
            .workload
    }

    /// The spacecraft's tasks under EDF.
    pub fn case(layout: Layout) -> Case {
        Case {
            tasks: periodic(&onboard()).unwrap(),
            policy: Policy::Edf,
            layout,
            horizon: Duration::from_secs(10),
            quantum: 100,
        }
    }

    #[test]
    fn the_image_is_told_everything() {
        let mut case = case(Layout::Clustered);
        case.tasks.truncate(2);
        case.tasks[1].offset = 7;
        assert_eq!(
            case.call().argument,
            "policy=edf+layout=clustered+processors=4+for-ms=10000+\
             tasks=T1:500000000:60000000;T2:500000000:60000000:7"
        );
        assert_eq!(case.layout.instances(), [0..2, 2..4]);
        assert_eq!(Layout::One.instances().first(), Some(&(0..1)));
    }

    #[test]
    fn releases_are_counted_as_they_come() {
        let task = Periodic {
            period: 7,
            offset: 3,
            ..case(Layout::One).tasks[0].clone()
        };
        for span in [0..0, 0..3, 0..4, 3..10, 4..10, 4..11, 11..60] {
            let expected = span.clone().filter(|at| at % 7 == 3).count();
            assert_eq!(task.released(&span), expected as u64, "{span:?}");
        }
    }

    #[test]
    fn tasks_are_released_apart() {
        let case = case(Layout::One);
        let apart = case.apart().unwrap();
        assert_eq!((apart.tasks[0].offset, apart.tasks[6].offset), (0, 300_000));
        assert_eq!(apart.apart(), None);
        // 7 ms and 5 ms with releases 1 ms apart meet, 4 ms and 6 ms do not.
        let task = |period, offset| Periodic {
            period,
            offset,
            ..case.tasks[0].clone()
        };
        assert!(task(7, 0).coincides_with(&task(5, 1)));
        assert!(!task(4, 0).coincides_with(&task(6, 1)));
    }

    #[test]
    fn what_the_program_cannot_do_is_refused() {
        let refusal = |change: &dyn Fn(&mut Workload)| {
            let mut workload = onboard();
            change(&mut workload);
            periodic(&workload).unwrap_err().to_string()
        };
        let ms = Duration::from_millis;
        assert!(refusal(&|set| set.tasks.clear()).contains("no task at all"));
        assert!(refusal(&|set| set.tasks[0].name = "a b".into()).contains("in its name"));
        assert!(refusal(&|set| set.tasks[0].body.clear()).contains("T1 does more"));
        assert!(refusal(&|set| set.tasks[1].deadline = Some(ms(3))).contains("T2 has a deadline"));
        assert!(refusal(&|set| set.tasks[1].priority = Some(3)).contains("a priority of its own"));
        let task = onboard().tasks[0].clone();
        assert!(refusal(&|set| set.tasks = vec![task.clone(); 17]).contains("more than 16"));
    }
}
