//! Owns: reading tasks.
//! Must never know: the names of a body's steps.

use taktos_schedule::CpuSet;
use taktos_time::{Duration, Instant};

use super::body::{self, Names};
use super::reader::Table;
use super::{FileError, Source, TaskSet, named, positive, suggest};
use crate::{Arrival, Budget, Execution, Late, Step, Task};

/// Names of the rules for a job that is late.
const LATE: [(&str, Late); 4] = [
    ("queue", Late::Queue),
    ("abort", Late::Abort),
    ("skip", Late::Skip),
    ("shift", Late::Shift),
];

/// The most tasks that records can name.
const MOST_TASKS: usize = u16::MAX as usize - 1;

/// The tables `[[task]]`.
pub(super) fn tasks(table: &mut Table<'_>, names: &Names) -> Result<Vec<Task>, FileError> {
    let tables = table.tables("task")?;
    if tables.len() > MOST_TASKS {
        return Err(table.error(
            format!("there are {} tasks", tables.len()),
            format!("leave at most {MOST_TASKS}"),
        ));
    }
    let mut seen = std::collections::BTreeSet::new();
    let mut tasks = Vec::with_capacity(tables.len());
    for mut table in tables {
        let task = task(&mut table, names)?;
        if !seen.insert(task.name.clone()) {
            return Err(table.error(
                format!("two tasks are called {}", task.name),
                "give each its own name",
            ));
        }
        table.finish()?;
        tasks.push(task);
    }
    Ok(tasks)
}

fn task(table: &mut Table<'_>, names: &Names) -> Result<Task, FileError> {
    let name = named(table, "task", "\"T1\"")?;
    // The meaning of the job, for people.
    if let Some(job) = table.get("job") {
        job.text()?;
    }
    let arrival = arrival(table)?;
    let late = table
        .get("late")
        .map(|late| late.choice(&LATE))
        .transpose()?;
    let most = i32::MAX as u64;
    let priority = table
        .get("priority")
        .map(|entry| entry.whole(0..=most))
        .transpose()?;
    let cluster = match table.get("cluster") {
        Some(cluster) => Some(cluster.text()?.to_owned()),
        None => None,
    };
    Ok(Task {
        name,
        arrival,
        deadline: positive(table, "deadline")?,
        priority: priority.map(|priority| priority as u32),
        affinity: affinity(table, "affinity")?,
        cluster,
        budget: budget(table)?,
        late: late.unwrap_or_default(),
        body: work(table, names)?,
    })
}

/// The processors of a key.
pub(super) fn affinity(table: &mut Table<'_>, key: &str) -> Result<Option<CpuSet>, FileError> {
    table.get(key).map(|entry| entry.cpus()).transpose()
}

fn arrival(table: &mut Table<'_>) -> Result<Arrival, FileError> {
    let period = positive(table, "period")?;
    let separation = table.execution("separation")?;
    let once = table.time("once")?;
    let given = [period.is_some(), separation.is_some(), once.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        let cause = format!(
            "{} has not exactly one of period, separation and once",
            table.what
        );
        return Err(table.error(cause, "give one of the three: period = \"100 ms\""));
    }
    if let Some(at) = once {
        return Ok(Arrival::Once {
            at: Instant::from_nanos(at.as_nanos()),
        });
    }
    let offset = table.time("offset")?.unwrap_or(Duration::ZERO);
    if let Some(separation) = separation {
        return sporadic(table, separation, offset);
    }
    Ok(Arrival::Periodic {
        period: period.unwrap_or(Duration::ZERO),
        offset,
        jitter: table.time("jitter")?.unwrap_or(Duration::ZERO),
    })
}

fn sporadic(
    table: &Table<'_>,
    separation: Execution,
    offset: Duration,
) -> Result<Arrival, FileError> {
    let (min_separation, max_separation) = match separation {
        Execution::Fixed(time) => (time, time),
        Execution::Uniform { min, max } => (min, max),
        Execution::Samples(_) => (Duration::ZERO, Duration::ZERO),
    };
    if min_separation == Duration::ZERO {
        let cause = format!("{}: separation is no range from 1 ns on", table.what);
        return Err(table.error(cause, "write separation = \"10 ms..20 ms\""));
    }
    Ok(Arrival::Sporadic {
        min_separation,
        max_separation,
        offset,
    })
}

fn budget(table: &mut Table<'_>) -> Result<Option<Budget>, FileError> {
    let Some(entry) = table.get("budget") else {
        return Ok(None);
    };
    if !entry.is_table() {
        return Err(entry.error(
            "is no table",
            "write budget = { runtime = \"2 ms\", period = \"10 ms\" }",
        ));
    }
    let mut inner = entry.table()?;
    let (runtime, period) = (
        positive(&mut inner, "runtime")?,
        positive(&mut inner, "period")?,
    );
    let (Some(runtime), Some(period)) = (runtime, period) else {
        return Err(entry.error(
            "lacks runtime or period",
            "write budget = { runtime = \"2 ms\", period = \"10 ms\" }",
        ));
    };
    if runtime > period {
        return Err(entry.error(
            "has more runtime than its period",
            "give a runtime of at most the period",
        ));
    }
    let hard = inner.flag("hard")?.unwrap_or(false);
    inner.finish()?;
    Ok(Some(Budget {
        runtime,
        period,
        hard,
    }))
}

/// Reads the work of a job: its steps, or one execution.
fn work(table: &mut Table<'_>, names: &Names) -> Result<Vec<Step>, FileError> {
    let execution = table.execution("execution")?;
    match (execution, table.get("body")) {
        (Some(execution), None) => Ok(vec![Step::Run(execution)]),
        (None, Some(steps)) => body::steps(&steps, names),
        (Some(_), Some(steps)) => {
            Err(steps.error("is given beside an execution", "leave one of the two"))
        }
        (None, None) => Err(table.error(
            format!("{} has neither execution nor body", table.what),
            "add a line such as execution = \"12 ms\"",
        )),
    }
}

/// Every cluster that a task names is one of the file's; a file without
/// clusters leaves them to the command line.
pub(super) fn check_clusters(source: Source<'_>, set: &TaskSet) -> Result<(), FileError> {
    if set.clusters.is_empty() {
        return Ok(());
    }
    let known = || set.clusters.iter().map(|cluster| cluster.name.as_str());
    for task in &set.workload.tasks {
        let Some(name) = &task.cluster else { continue };
        if !known().any(|known| known == name) {
            let known: Vec<&str> = known().collect();
            let cause = format!("task {}: there is no cluster `{name}`", task.name);
            let line = source
                .text
                .lines()
                .position(|line| line.contains("cluster") && line.contains(&format!("\"{name}\"")));
            let hint = suggest::hint(name, known.iter().copied());
            return Err(source.error_in_line(line.map(|line| line + 1), cause, hint));
        }
    }
    Ok(())
}
