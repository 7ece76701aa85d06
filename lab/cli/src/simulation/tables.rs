//! The tables of a simulation: tasks and processors of each run, and the
//! policies beside each other.

use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Evidence};
use taktos_simulate::file::text;
use taktos_simulate::{Arrival, Summary, Task, TaskStatistics, generate};
use taktos_time::Duration;

use super::outcome::{Outcomes, Run};
use super::request::Request;

/// A unit of time that fits the values of a table.
#[derive(Clone, Copy)]
pub(super) struct Unit {
    name: &'static str,
    nanos: u64,
}

impl Unit {
    /// Microseconds where no response reaches a millisecond, milliseconds otherwise.
    pub(super) fn of<'a>(tasks: impl Iterator<Item = &'a TaskStatistics>) -> Self {
        match tasks.filter_map(|task| task.response.max()).max() {
            Some(longest) if longest >= 1_000_000 => Self {
                name: "ms",
                nanos: 1_000_000,
            },
            _ => Self {
                name: "us",
                nanos: 1000,
            },
        }
    }

    /// With three decimals: a thousandth of the unit is what is shown.
    pub(super) fn cell(self, nanos: Option<u64>) -> Cell {
        nanos.map_or(Cell::Blank, |nanos| {
            let thousandths = nanos / (self.nanos / 1000);
            Cell::Text(format!("{}.{:03}", thousandths / 1000, thousandths % 1000))
        })
    }
}

/// The unit of all runs.
fn unit_of(outcomes: &Outcomes) -> Unit {
    Unit::of(outcomes.runs.iter().flat_map(|run| &run.outcome.tasks))
}

/// A column of simulated figures.
pub(super) fn simulated(name: impl Into<String>) -> Column {
    Column::figures(name, Basis::Ours(Evidence::Simulated))
}

/// The tables of one run: its tasks, their response times, its processors.
pub fn of_run(request: &Request, outcomes: &Outcomes, run: &Run) -> [Table; 3] {
    let unit = unit_of(outcomes);
    [
        tasks(request, run, unit),
        responses(request, run, unit),
        processors(run),
    ]
}

/// The policies beside each other.
pub fn beside(outcomes: &Outcomes) -> Table {
    policies(outcomes, unit_of(outcomes))
}

fn policies(outcomes: &Outcomes, unit: Unit) -> Table {
    let mut table = Table::new(
        "Policies",
        vec![
            Column::label("policy"),
            simulated("jobs"),
            simulated("missed"),
            simulated(format!("latest, {}", unit.name)),
            simulated(format!("CPU time, {}", unit.name)),
            simulated(format!("wall time, {}", unit.name)),
            simulated("preemptions"),
            simulated("migrations"),
        ],
    );
    for run in &outcomes.runs {
        let tasks = || run.outcome.tasks.iter();
        let (mut cpu, mut wall) = (Summary::EMPTY, Summary::EMPTY);
        for task in tasks() {
            cpu.merge(&task.cpu);
            wall.merge(&task.wall);
        }
        table.push(vec![
            run.name.as_str().into(),
            run.outcome.jobs().into(),
            run.outcome.missed().into(),
            unit.cell(tasks().map(|task| task.tardiness).max()),
            unit.cell(cpu.mean()),
            unit.cell(wall.mean()),
            tasks().map(|task| task.preemptions).sum::<u64>().into(),
            tasks().map(|task| task.migrations).sum::<u64>().into(),
        ]);
    }
    for (name, error) in &outcomes.refused {
        table.notes.push(format!("{name} is not there: {error}."));
    }
    table
}

fn tasks(request: &Request, run: &Run, unit: Unit) -> Table {
    let title = format!("Tasks under {}", run.name);
    let mut table = task_table(title, &request.set.workload.tasks, &run.outcome.tasks, unit);
    if !run.without.is_empty() {
        let names = run.without.join(", ");
        table
            .notes
            .push(format!("Only cbs enforces budgets: {names} ran without."));
    }
    table
}

/// Jobs, misses and times of some tasks.
pub(super) fn task_table(
    title: String,
    tasks: &[Task],
    all: &[TaskStatistics],
    unit: Unit,
) -> Table {
    let name = unit.name;
    let mut table = Table::new(
        title,
        vec![
            Column::label("task"),
            Column::label("period"),
            Column::label("execution"),
            simulated("jobs"),
            simulated("missed"),
            simulated(format!("CPU time, {name}")),
            simulated(format!("wall time, {name}")),
            simulated(format!("longest, {name}")),
            simulated("preemptions"),
            simulated("migrations"),
        ],
    );
    for (task, figures) in tasks.iter().zip(all) {
        table.push(vec![
            task.name.as_str().into(),
            period(task),
            text::shown(Duration::from_nanos(generate::execution(task))).into(),
            figures.jobs.into(),
            figures.missed.into(),
            unit.cell(figures.cpu.mean()),
            unit.cell(figures.wall.mean()),
            unit.cell(figures.response.max()),
            figures.preemptions.into(),
            figures.migrations.into(),
        ]);
    }
    table.notes.push(
        "CPU time, wall time: means of a job, on a processor and from when it could begin until \
         it was done. Longest: from its arrival until it was done."
            .into(),
    );
    table
}

fn responses(request: &Request, run: &Run, unit: Unit) -> Table {
    let title = format!("Response times under {}", run.name);
    response_table(title, &request.set.workload.tasks, &run.outcome.tasks, unit)
}

/// The response times of some tasks.
pub(super) fn response_table(
    title: String,
    tasks: &[Task],
    all: &[TaskStatistics],
    unit: Unit,
) -> Table {
    let mut columns = vec![Column::label("task")];
    let names = [
        "least", "mean", "50 %", "90 %", "99 %", "99.9 %", "greatest", "latest",
    ];
    let named = |name: &str| simulated(format!("{name}, {}", unit.name));
    columns.extend(names.map(named));
    let mut table = Table::new(title, columns);
    for (task, figures) in tasks.iter().zip(all) {
        table.push(vec![
            task.name.as_str().into(),
            unit.cell(figures.response.min()),
            unit.cell(figures.response.mean()),
            unit.cell(percentile(figures, 50, 100)),
            unit.cell(percentile(figures, 90, 100)),
            unit.cell(percentile(figures, 99, 100)),
            unit.cell(percentile(figures, 999, 1000)),
            unit.cell(figures.response.max()),
            unit.cell(Some(figures.tardiness)),
        ]);
    }
    table.notes.push(
        "From a job's arrival until it was done; latest: how far beyond its deadline. Percentiles \
         are at most 1/64 too large, and never too small."
            .into(),
    );
    table
}

/// A percentile of the responses: a bucket's upper end, but never above the maximum.
pub fn percentile(figures: &taktos_simulate::TaskStatistics, part: u64, whole: u64) -> Option<u64> {
    let most = figures.response.max()?;
    figures
        .responses
        .quantile(part, whole)
        .map(|value| value.min(most))
}

/// A part in per cent, with two decimals.
pub(super) fn share(part: u64, all: u64) -> Cell {
    let hundredths = u128::from(part) * 10_000 / u128::from(all.max(1));
    Cell::Text(format!("{}.{:02}", hundredths / 100, hundredths % 100))
}

fn period(task: &Task) -> Cell {
    match task.arrival {
        Arrival::Periodic { period, .. } => text::shown(period).into(),
        Arrival::Sporadic {
            min_separation,
            max_separation,
            ..
        } => format!(
            "{}..{}",
            text::shown(min_separation),
            text::shown(max_separation)
        )
        .into(),
        Arrival::Once { .. } => "once".into(),
    }
}

fn processors(run: &Run) -> Table {
    let mut table = Table::new(
        format!("Processors under {}", run.name),
        vec![
            Column::label("processor"),
            Column::label("policy"),
            simulated("busy, %"),
            simulated("overhead, %"),
            simulated("idle, %"),
            simulated("decisions"),
            simulated("switches"),
        ],
    );
    for cpu in &run.outcome.cpus {
        let all = cpu.busy + cpu.overhead + cpu.idle;
        let clusters = &run.setup.clusters;
        let here = clusters
            .iter()
            .find(|cluster| cluster.cpus.bits() >> cpu.cpu & 1 == 1);
        table.push(vec![
            u64::from(cpu.cpu).into(),
            here.map_or(Cell::Blank, |cluster| cluster.policy.name().into()),
            share(cpu.busy, all),
            share(cpu.overhead, all),
            share(cpu.idle, all),
            cpu.decisions.into(),
            cpu.switches.into(),
        ]);
    }
    table
}
