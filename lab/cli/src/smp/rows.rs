//! Several runs as rows beside each other: policies, layouts, quanta.

use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Evidence};

use super::case::{Case, Layout};
use super::figures::{Figures, TaskFigures};
use crate::figure::Drawn;
use crate::several::number::{change, millis, percent, signed};

/// One run and what it gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What was asked.
    pub case: Case,
    /// What came.
    pub figures: Figures,
}

/// What tells the rows apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// Policy, and the number of processors.
    Policy,
    /// Which processors share an instance.
    Layout,
    /// How far processors may drift apart.
    Quantum,
}

impl By {
    fn columns(self) -> Vec<Column> {
        let names: &[&str] = match self {
            Self::Policy => &["policy", "processors"],
            Self::Layout => &["layout"],
            Self::Quantum => &["quantum, ns"],
        };
        names.iter().map(|name| Column::label(*name)).collect()
    }

    fn cells(self, case: &Case) -> Vec<Cell> {
        match self {
            Self::Policy => vec![
                case.policy.name().into(),
                (case.layout.processors() as u64).into(),
            ],
            Self::Layout => vec![case.layout.name().into()],
            Self::Quantum => vec![u64::from(case.quantum).into()],
        }
    }
}

/// Every policy on one processor and on four.
pub fn policies(runs: &[&Run]) -> Drawn {
    let mut answer: Vec<String> = [(1, "on one processor"), (4, "on four")]
        .into_iter()
        .filter_map(|(processors, which)| {
            let of = runs
                .iter()
                .filter(|run| run.case.layout.processors() == processors);
            extremes(of.copied(), which, |run| run.case.policy.name())
        })
        .collect();
    answer.push(late(runs, |run| run.case.name()));
    Drawn {
        title: "Every policy".into(),
        answer,
        tables: vec![table(
            "Policies on one processor and on four",
            By::Policy,
            runs,
        )],
        details: details(runs),
        evidence: vec![Evidence::Emulated],
        printed: true,
        ..Drawn::default()
    }
}

/// One policy, with the four processors in one instance, in two, in four.
pub fn layouts(runs: &[&Run]) -> Drawn {
    let policy = runs.first().map_or("", |run| run.case.policy.name());
    let mut answer = Vec::new();
    answer.extend(extremes(
        runs.iter().copied(),
        &format!("of the layouts under {policy}"),
        |run| run.case.layout.name(),
    ));
    let walls = runs
        .iter()
        .filter_map(|run| Some((run.figures.wall()?, run.case.layout.name())));
    if let (Some((least, best)), Some((most, worst))) = (walls.clone().min(), walls.max()) {
        answer.push(format!(
            "Layouts under {policy}: a job's wall time is shortest {best} ({} ms in the mean of all jobs) and longest \
             {worst} ({} ms) (emulated).",
            millis(least),
            millis(most)
        ));
    }
    answer.push(late(runs, |run| run.case.layout.name().to_owned()));
    // The global run stands among the policies' already.
    let elsewhere: Vec<&Run> = runs
        .iter()
        .copied()
        .filter(|run| run.case.layout != Layout::Global)
        .collect();
    Drawn {
        title: format!("Global, clustered and partitioned, under {policy}"),
        answer,
        tables: vec![table(
            &format!("Four processors in one, two and four instances, {policy}"),
            By::Layout,
            runs,
        )],
        details: details(&elsewhere),
        evidence: vec![Evidence::Emulated],
        printed: true,
        ..Drawn::default()
    }
}

/// The same run with other quanta: how far the emulator's grain shows in the figures.
pub fn quanta(runs: &[&Run]) -> Drawn {
    let mut worst = (0, String::new());
    for run in runs {
        for (task, first) in run.figures.tasks.iter().zip(&runs[0].figures.tasks) {
            for (what, mean) in [
                ("processor time", cpu as fn(&TaskFigures) -> Option<u64>),
                ("wall time", wall),
            ] {
                let Some((before, after)) = mean(first).zip(mean(task)) else {
                    continue;
                };
                let size = change(before, after);
                if size.unsigned_abs() >= worst.0 {
                    let quantum = run.case.quantum;
                    worst = (
                        size.unsigned_abs(),
                        format!("{what} of {} at {quantum} ns: {}", task.name, signed(size)),
                    );
                }
            }
        }
    }
    let first = runs.first().map_or(0, |run| run.case.quantum);
    Drawn {
        title: "The emulator's grain".into(),
        answer: vec![format!(
            "Grain: against a quantum of {first} ns no task's mean differs by more than the {} (emulated).",
            worst.1
        )],
        tables: vec![table("The same run at other quanta", By::Quantum, runs)],
        evidence: vec![Evidence::Emulated],
        ..Drawn::default()
    }
}

fn cpu(task: &TaskFigures) -> Option<u64> {
    task.cpu.map(|times| times.mean)
}

fn wall(task: &TaskFigures) -> Option<u64> {
    task.wall.map(|times| times.mean)
}

fn ours(name: impl Into<String>) -> Column {
    Column::figures(name, Basis::Ours(Evidence::Emulated))
}

fn table(title: &str, by: By, runs: &[&Run]) -> Table {
    let mut columns = by.columns();
    columns.extend(["jobs", "late", "overhead share, %", "wall time, mean, ms"].map(ours));
    let tasks = runs.first().map_or(&[][..], |run| &run.figures.tasks);
    columns.extend(
        tasks
            .iter()
            .map(|task| ours(format!("wall {}, ms", task.name))),
    );
    let mut table = Table::new(title, columns);
    for run in runs {
        let figures = &run.figures;
        let mut row = by.cells(&run.case);
        row.extend([
            figures.jobs().into(),
            figures.missed().into(),
            percent(figures.overhead()).into(),
            figures.wall().map(millis).into(),
        ]);
        row.extend(
            figures
                .tasks
                .iter()
                .map(|task| Cell::from(wall(task).map(millis))),
        );
        table.push(row);
    }
    table
        .notes
        .push("Wall time: the mean of all jobs, then of each task's.".into());
    table
}

/// The whole figures of each run, for the report.
fn details(runs: &[&Run]) -> Vec<Table> {
    runs.iter().map(|run| detail(run)).collect()
}

fn detail(run: &Run) -> Table {
    let mut columns = vec![
        Column::label("task"),
        Column::label("period, ms"),
        Column::label("processors"),
    ];
    columns.extend(["jobs", "late"].map(ours));
    for what in ["CPU", "wall"] {
        columns.extend(["least", "mean", "greatest"].map(|of| ours(format!("{what}, {of}, ms"))));
    }
    let mut table = Table::new(
        format!(
            "Tasks: {} of {}",
            run.case.name(),
            run.case.layout.processors()
        ),
        columns,
    );
    for task in &run.figures.tasks {
        let mut row: Vec<Cell> = vec![
            task.name.as_str().into(),
            millis(task.period).into(),
            shown_processors(task.processors).into(),
            task.jobs.into(),
            task.missed.into(),
        ];
        for times in [task.cpu, task.wall] {
            let of = times.map(|times| [times.min, times.mean, times.max]);
            row.extend((0..3).map(|place| Cell::from(of.map(|of| millis(of[place])))));
        }
        table.push(row);
    }
    table
}

/// The numbers of the processors in a mask.
fn shown_processors(mask: u64) -> String {
    let numbers = (0..64).filter(|number| mask >> number & 1 == 1);
    numbers
        .map(|number: u32| number.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Which run has the least overhead, and which the most.
fn extremes<'a>(
    runs: impl Iterator<Item = &'a Run> + Clone,
    which: &str,
    name: impl Fn(&Run) -> &str,
) -> Option<String> {
    let shares = runs.map(|run| (run.figures.overhead(), name(run).to_owned()));
    let (least, best) = shares.clone().min()?;
    let (most, worst) = shares.max()?;
    Some(format!(
        "Overhead {which}: least {best} with {} %, most {worst} with {} % of the busy time (emulated).",
        percent(least),
        percent(most)
    ))
}

/// Which runs missed deadlines.
fn late(runs: &[&Run], name: impl Fn(&Run) -> String) -> String {
    let late: Vec<String> = runs
        .iter()
        .filter(|run| run.figures.missed() > 0)
        .map(|run| format!("{} {}", name(run), run.figures.missed()))
        .collect();
    match late.is_empty() {
        true => format!(
            "Deadlines: none of these {} runs missed one (emulated).",
            runs.len()
        ),
        false => format!("Deadlines missed: {} (emulated).", late.join("; ")),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::case::{Layout, tests::case};
    use super::super::figures::tests::console;
    use super::*;
    use taktos_simulate::Policy;

    /// A run whose wall times are `wall` for each thousand of execution.
    pub fn run(policy: Policy, layout: Layout, quantum: u32, wall: u64) -> Run {
        let case = Case {
            policy,
            quantum,
            ..case(layout)
        };
        let figures = Figures::read(&console(&case, wall), &case).unwrap();
        Run { case, figures }
    }

    #[test]
    fn rows_and_words_follow_the_runs() {
        let mut runs = [
            run(Policy::Edf, Layout::Global, 100, 1500),
            run(Policy::Edf, Layout::Clustered, 100, 2000),
        ];
        runs[1].figures.busy *= 2;
        for task in &mut runs[0].figures.tasks {
            task.missed = 0;
        }
        let drawn = layouts(&runs.each_ref());
        let csv = drawn.tables[0].to_csv();
        assert!(
            csv.contains("\nglobal,285,0,0.0999,44.210,90.000,"),
            "{csv}"
        );
        assert!(
            csv.contains("\nclustered,285,7,50.0500,58.947,120.000,"),
            "{csv}"
        );
        assert!(
            drawn.answer[0].contains("least global with 0.0999 %, most clustered with 50.0500 %"),
            "{:?}",
            drawn.answer
        );
        assert!(
            drawn.answer[1].contains("shortest global (44.210 ms"),
            "{:?}",
            drawn.answer
        );
        assert_eq!(drawn.answer[2], "Deadlines missed: clustered 7 (emulated).");
        assert_eq!(drawn.details.len(), 1);
    }

    #[test]
    fn policies_are_compared_where_they_ran() {
        let mut runs = [Policy::Edf, Policy::Simple]
            .map(|policy| {
                [Layout::One, Layout::Global].map(|layout| run(policy, layout, 100, 1500))
            })
            .concat();
        runs[3].figures.busy *= 2;
        let drawn = policies(&runs.iter().collect::<Vec<_>>());
        let on_four = "Overhead on four: least edf with 0.0999 %, most simple with 50.0500 %";
        assert!(
            drawn.answer[0].starts_with("Overhead on one processor: "),
            "{:?}",
            drawn.answer
        );
        assert!(drawn.answer[1].starts_with(on_four), "{:?}", drawn.answer);
        assert_eq!((drawn.answer.len(), drawn.details.len()), (3, 4));
    }

    #[test]
    fn the_grain_is_the_greatest_difference() {
        let mut runs = [
            run(Policy::Edf, Layout::Global, 20, 1500),
            run(Policy::Edf, Layout::Global, 1000, 1500),
        ];
        runs[1].figures.tasks[3].wall.as_mut().unwrap().mean -= 720_000;
        let drawn = quanta(&runs.each_ref());
        assert!(
            drawn.answer[0].contains("than the wall time of T4 at 1000 ns: −1.00 %"),
            "{:?}",
            drawn.answer
        );
    }
}
