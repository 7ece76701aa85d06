//! Results of the spacecraft program in one run.
//!
//! Owns: the meaning of its lines. Must never know: the runs that are compared.

#[cfg(test)]
mod fuzz;

use anyhow::Result;

use super::case::Case;
use crate::console::{self, Line};

/// Least, mean and greatest, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The least.
    pub min: u64,
    /// The mean.
    pub mean: u64,
    /// The greatest.
    pub max: u64,
}

/// One task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFigures {
    /// Its name.
    pub name: String,
    /// From one release to the next, nanoseconds.
    pub period: u64,
    /// The processors that it may use: bit n for number n.
    pub processors: u64,
    /// Address of its thread: the word that the kernel writes when it switches to it.
    pub thread: Option<u64>,
    /// Jobs that were done, late ones too.
    pub jobs: u64,
    /// Jobs that were late.
    pub missed: u64,
    /// Processor time of a job; none where no job was done.
    pub cpu: Option<Times>,
    /// From a job's release until it was done.
    pub wall: Option<Times>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// The tasks, in the order of the program's arguments.
    pub tasks: Vec<TaskFigures>,
    /// Time that all processors together were not idle, nanoseconds.
    pub busy: u64,
    /// Time that they were idle.
    pub idle: u64,
    /// Time that the tasks themselves computed, nanoseconds.
    pub work: u64,
    /// When the time began, by the kernel's clock: it starts when the kernel does, later than the
    /// machine's.
    pub begin: u64,
    /// How long it was measured from then on.
    pub span: u64,
}

impl Figures {
    /// Reads a console.
    ///
    /// # Errors
    /// When a line is missing or broken, or is of another run than `case`: the error names it.
    pub fn read(console: &str, case: &Case) -> Result<Self> {
        let lines = console::lines(console)?;
        let one = |kind: &str| {
            let found = lines.iter().find(|line| line.kind == kind);
            found.ok_or_else(|| console::missing(kind))
        };
        one("end")?;
        is_of(one("run")?, case)?;
        let of = |kind: &'static str| lines.iter().filter(move |line| line.kind == kind);
        let figures = Self {
            tasks: of("task").map(task).collect::<Result<_>>()?,
            busy: sum(of("cpu"), "busy_ns")?,
            idle: sum(of("cpu"), "idle_ns")?,
            work: one("work")?.number("ns")?,
            begin: one("begin")?.number("at_ns")?,
            span: one("span")?.number("ns")?,
        };
        let told = case.tasks.iter().map(|task| task.name.as_str());
        if !told.eq(figures.tasks.iter().map(|task| task.name.as_str())) {
            return Err(one("run")?.broken("and its tasks are not those that were asked for"));
        }
        Ok(figures)
    }

    /// The part of the processors' work that was not the tasks' own, in millionths.
    pub fn overhead(&self) -> u64 {
        crate::number::millionths(self.busy.saturating_sub(self.work), self.busy)
    }

    /// Jobs of all tasks.
    pub fn jobs(&self) -> u64 {
        self.tasks.iter().map(|task| task.jobs).sum()
    }
}

/// Returns whether the line is that of the requested run.
fn is_of(run: &Line<'_>, case: &Case) -> Result<()> {
    let asked = [
        ("workload", "spacecraft".to_owned()),
        ("policy", case.policy.name().to_owned()),
        ("layout", case.layout.name().to_owned()),
        ("processors", case.layout.processors().to_string()),
        ("for_ns", case.horizon.as_nanos().to_string()),
    ];
    for (key, asked) in asked {
        if run.word(key)? != asked {
            return Err(run.broken(&format!("but `{key}={asked}` was asked for")));
        }
    }
    Ok(())
}

fn task(line: &Line<'_>) -> Result<TaskFigures> {
    let jobs = line.number("jobs")?;
    let times = |what: &str| -> Result<Option<Times>> {
        let number = |of: &str| line.number(&format!("{what}_{of}_ns"));
        let times = Times {
            min: number("min")?,
            mean: number("mean")?,
            max: number("max")?,
        };
        if !(times.min <= times.mean && times.mean <= times.max) {
            return Err(line.broken(&format!(
                "in which the mean of `{what}` does not lie between least and greatest"
            )));
        }
        Ok((jobs > 0).then_some(times))
    };
    Ok(TaskFigures {
        name: line.word("name")?.to_owned(),
        period: line.number("period_ns")?,
        processors: line.number("processors")?,
        thread: line
            .word_if_any("thread")
            .map(|_| line.number("thread"))
            .transpose()?,
        jobs,
        missed: line.number("missed")?,
        cpu: times("cpu")?,
        wall: times("wall")?,
    })
}

fn sum<'a, 'b: 'a>(lines: impl Iterator<Item = &'a Line<'b>>, key: &str) -> Result<u64> {
    let mut sum = 0_u64;
    for line in lines {
        let more = sum.checked_add(line.number(key)?);
        sum = more.ok_or_else(|| line.broken(&format!("and all `{key}` together are too much")))?;
    }
    Ok(sum)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::case::{Layout, tests::case};
    use super::*;

    /// Returns the output of the program for the case; each wall time is `wall` for a thousand of
    /// the task's execution time.
    pub fn console(case: &Case, wall: u64) -> String {
        let mut out = format!(
            "Taktos\r\n@run workload=spacecraft policy={} layout={} processors={} for_ns={} scale_ppm=1000000\r\n@begin at_ns=2000\r\n",
            case.policy,
            case.layout.name(),
            case.layout.processors(),
            case.horizon.as_nanos()
        );
        let mut work = 0;
        for task in &case.tasks {
            let (cpu, jobs) = (task.execution, case.horizon.as_nanos() / task.period);
            let wall = cpu / 1000 * wall;
            work += cpu * jobs;
            out.push_str(&format!(
                "@task name={} period_ns={} execution_ns={cpu} offset_ns=0 priority=1 processors=15 jobs={jobs} missed=1 overruns=0 \
                 cpu_min_ns={cpu} cpu_mean_ns={} cpu_max_ns={} wall_min_ns={wall} wall_mean_ns={wall} wall_max_ns={}\n",
                task.name, task.period, cpu + 10, cpu + 20, wall + 5
            ));
        }
        out + &format!(
            "@cpu number=0 busy_ns={} idle_ns=9\n@cpu number=1 busy_ns=0 idle_ns=91\n\
             @work ns={work} instructions={work}\n@span ns={}\n@end at_ns=99\n",
            work + work / 1000,
            case.horizon.as_nanos() + 7
        )
    }

    #[test]
    fn a_console_is_read() {
        let case = case(Layout::Global);
        let figures = Figures::read(&console(&case, 1500), &case).unwrap();
        let first = &figures.tasks[0];
        assert_eq!(
            (first.name.as_str(), first.jobs, first.missed),
            ("T1", 20, 1)
        );
        assert_eq!(first.cpu.unwrap().mean, 60_000_010);
        assert_eq!(
            first.wall.unwrap(),
            Times {
                min: 90_000_000,
                mean: 90_000_000,
                max: 90_000_005
            }
        );
        assert_eq!(
            (figures.idle, figures.begin, figures.span),
            (100, 2000, 10_000_000_007)
        );
        assert_eq!(figures.jobs(), 285);
        // 20 · 90 · 2 + 100 · 18 · 2 + 25 · 72 + 10 · 180 · 2 ms, of 285 jobs.
        // A thousandth more than the work: 0.0999 %.
        assert_eq!(figures.overhead(), 999);
    }

    #[test]
    fn a_task_without_jobs_has_no_times() {
        let case = case(Layout::One);
        let text = console(&case, 1500).replace("jobs=20", "jobs=0");
        let figures = Figures::read(&text, &case).unwrap();
        assert_eq!(figures.tasks[0].wall, None);
        assert!(figures.tasks[2].wall.is_some());
    }

    #[test]
    fn what_is_wrong_is_told() {
        let case = case(Layout::Global);
        let good = console(&case, 1500);
        for (from, to, words) in [
            ("@end", "end", "the console has no line `@end`"),
            ("@work ns=", "@work nz=", "which lacks `ns`"),
            (
                "policy=edf",
                "policy=cbs",
                "line 2 of the console is `@run workload=spacecraft policy=cbs",
            ),
            ("name=T3", "name=T9", "its tasks are not those"),
            ("jobs=100", "jobs=x", "`jobs` is no whole number"),
            (
                "cpu_min_ns=6",
                "cpu_min_ns=7",
                "the mean of `cpu` does not lie",
            ),
            ("busy_ns=0", "busy_ns=18446744073709551615", "too much"),
        ] {
            let text = good.replacen(from, to, 1);
            assert_ne!(text, good, "{from}");
            let error = Figures::read(&text, &case).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
