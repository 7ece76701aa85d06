//! The tables of a simulation: tasks and processors of each run, and the comparison of the
//! policies.

use taktos_experiments::response::tells;
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Evidence};
use taktos_simulate::file::text;
use taktos_simulate::{Arrival, CpuStatistics, Summary, Task, TaskStatistics, generate};
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

/// Returns the comparison of the policies.
pub fn beside(outcomes: &Outcomes) -> Table {
    policies(outcomes, unit_of(outcomes))
}

fn policies(outcomes: &Outcomes, unit: Unit) -> Table {
    let name = unit.name;
    let sum = |run: &Run, of: fn(&TaskStatistics) -> u64| -> u64 {
        run.outcome.tasks.iter().map(of).sum()
    };
    let mean = |run: &Run, of: fn(&TaskStatistics) -> &Summary| {
        let mut all = Summary::EMPTY;
        for task in &run.outcome.tasks {
            all.merge(of(task));
        }
        unit.cell(all.mean())
    };
    let latest = |run: &Run| run.outcome.tasks.iter().map(|task| task.tardiness).max();
    let mut table = Table::over("Policies", &outcomes.runs)
        .label("policy", |run| run.name.as_str())
        .column(simulated("jobs"), |run| run.outcome.jobs())
        .column(simulated("missed"), |run| run.outcome.missed())
        .column(simulated(format!("latest, {name}")), |run| {
            unit.cell(latest(run))
        })
        .column(simulated(format!("CPU time, {name}")), |run| {
            mean(run, |task| &task.cpu)
        })
        .column(simulated(format!("wall time, {name}")), |run| {
            mean(run, |task| &task.wall)
        })
        .column(simulated("preemptions"), |run| {
            sum(run, |task| task.preemptions)
        })
        .column(simulated("migrations"), |run| {
            sum(run, |task| task.migrations)
        })
        .done();
    for (name, error) in &outcomes.refused {
        table.notes.push(format!("{name} is not there: {error}."));
    }
    table.notes.extend(outcomes.runs.first().and_then(unseen));
    table
}

/// How much of what can happen a run has seen.
fn unseen(run: &Run) -> Option<String> {
    run.unseen.as_ref().map(|words| format!("{words}."))
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
    table.notes.extend(unseen(run));
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
    let rows: Vec<_> = tasks.iter().zip(all).collect();
    let execution = |task| text::shown(Duration::from_nanos(generate::execution(task)));
    Table::over(title, &rows)
        .label("task", |(task, _)| task.name.as_str())
        .label("period", |(task, _)| period(task))
        .label("execution", |(task, _)| execution(task))
        .column(simulated("jobs"), |(_, figures)| figures.jobs)
        .column(simulated("missed"), |(_, figures)| figures.missed)
        .column(simulated(format!("CPU time, {name}")), |(_, figures)| {
            unit.cell(figures.cpu.mean())
        })
        .column(simulated(format!("wall time, {name}")), |(_, figures)| {
            unit.cell(figures.wall.mean())
        })
        .column(simulated(format!("longest, {name}")), |(_, figures)| {
            unit.cell(figures.response.max())
        })
        .column(simulated("preemptions"), |(_, figures)| figures.preemptions)
        .column(simulated("migrations"), |(_, figures)| figures.migrations)
        .note(
            "CPU time, wall time: means of a job, on a processor and from when it could begin until \
             it was done. Longest: from its arrival until it was done.",
        )
        .done()
}

fn responses(request: &Request, run: &Run, unit: Unit) -> Table {
    let title = format!("Response times under {}", run.name);
    response_table(title, &request.set.workload.tasks, &run.outcome.tasks, unit)
}

/// A figure of a task.
type Statistic = fn(&TaskStatistics) -> Option<u64>;

/// The response times of some tasks.
pub(super) fn response_table(
    title: String,
    tasks: &[Task],
    all: &[TaskStatistics],
    unit: Unit,
) -> Table {
    let rows: Vec<_> = tasks.iter().zip(all).collect();
    let columns: [(&str, Statistic); 8] = [
        ("least", |figures| figures.response.min()),
        ("mean", |figures| figures.response.mean()),
        ("50 %", |figures| percentile(figures, 50, 100)),
        ("90 %", |figures| percentile(figures, 90, 100)),
        ("99 %", |figures| percentile(figures, 99, 100)),
        ("99.9 %", |figures| percentile(figures, 999, 1000)),
        ("greatest", |figures| figures.response.max()),
        ("latest", |figures| Some(figures.tardiness)),
    ];
    let mut table = Table::over(title, &rows).label("task", |(task, _)| task.name.as_str());
    for (name, of) in columns {
        let name = format!("{name}, {}", unit.name);
        table = table.column(simulated(name), |(_, figures)| unit.cell(of(figures)));
    }
    table
        .note(
            "From a job's arrival until it was done; latest: how far beyond its deadline. Percentiles \
             are at most 1/64 too large, and never too small; one that no response lies beyond is not shown.",
        )
        .done()
}

/// Returns a percentile of the responses: a bucket's upper end, but never above the maximum; none
/// if no response is beyond it.
pub fn percentile(figures: &taktos_simulate::TaskStatistics, part: u64, whole: u64) -> Option<u64> {
    let most = figures.response.max()?;
    let told = tells(figures.response.count(), part, whole);
    let found = figures.responses.quantile(part, whole);
    found.filter(|_| told).map(|value| value.min(most))
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
    let policy = |cpu: &CpuStatistics| {
        let mut clusters = run.setup.clusters.iter();
        let here = clusters.find(|cluster| cluster.cpus.bits() >> cpu.cpu & 1 == 1);
        here.map(|cluster| cluster.policy.name())
    };
    let part = |cpu: &CpuStatistics, part| share(part, cpu.busy + cpu.overhead + cpu.idle);
    let title = format!("Processors under {}", run.name);
    Table::over(title, &run.outcome.cpus)
        .label("processor", |cpu| u64::from(cpu.cpu))
        .label("policy", policy)
        .column(simulated("busy, %"), |cpu| part(cpu, cpu.busy))
        .column(simulated("overhead, %"), |cpu| part(cpu, cpu.overhead))
        .column(simulated("idle, %"), |cpu| part(cpu, cpu.idle))
        .column(simulated("decisions"), |cpu| cpu.decisions)
        .column(simulated("switches"), |cpu| cpu.switches)
        .done()
}
