//! `taktos generate`: task sets at random, each a function of its options and key.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};
use taktos_experiments::screen;
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{replace_file, to_json};
use taktos_runner::failure::Failure;
use taktos_simulate::file::{TaskSet, write};
use taktos_simulate::generate::{
    GenerateError, Key, PeriodRange, Specification, WHOLE, execution, generate, utilisation,
};
use taktos_simulate::{Arrival, Task, Workload};

use crate::arguments::{GenerateOptions, SetForm};
use crate::simulation::SEPARATOR;

/// Writes the sets.
pub(super) fn run(options: &GenerateOptions) -> Result<()> {
    let specification = specification(options)?;
    if options.sets == 1 {
        let set = one(options, &specification, options.index)?;
        let text = shown(options.format, &set);
        return match &options.out {
            Some(path) => save(path, &text),
            None => Ok(screen::print(&text)?),
        };
    }
    let last = options.index.checked_add(options.sets - 1).ok_or_else(|| {
        Failure::error("the last index is above 4294967295", "give a lower --index")
    })?;
    let indices = options.index..=last;
    let Some(folder) = &options.out else {
        let sets = indices.map(|index| Ok((name(index), one(options, &specification, index)?)));
        let sets: Result<Vec<(String, Workload)>> = sets.collect();
        return Ok(screen::print(&together(options.format, &sets?))?);
    };
    for index in indices {
        let set = one(options, &specification, index)?;
        let file = format!("{}.{}", name(index), options.format.ending());
        save(&folder.join(file), &shown(options.format, &set))?;
    }
    eprintln!("{} sets in {}", options.sets, folder.display());
    Ok(())
}

/// Returns the name of one set of several.
fn name(index: u32) -> String {
    format!("set-{index:06}")
}

/// Several sets in one text.
fn together(form: SetForm, sets: &[(String, Workload)]) -> String {
    match form {
        SetForm::Toml => {
            let one = |(name, set): &(String, Workload)| {
                format!("{SEPARATOR}{name}\n{}", shown(form, set))
            };
            sets.iter().map(one).collect()
        }
        SetForm::Json => to_json(&sets.iter().map(|(_, set)| json(set)).collect::<Vec<_>>()),
        SetForm::Csv => csv(sets, true),
    }
}

fn specification(options: &GenerateOptions) -> Result<Specification> {
    let tasks = usize::from(options.tasks);
    let bounds = match options.most.as_slice() {
        [most] => vec![(options.least, *most); tasks],
        several if several.len() == tasks => {
            several.iter().map(|most| (options.least, *most)).collect()
        }
        several => {
            return Err(Failure::error(
                format!("--most names {} bounds for {tasks} tasks", several.len()),
                "give one bound, or one for each task",
            ));
        }
    };
    Ok(Specification {
        utilisation: options.utilisation,
        bounds,
        method: options.method,
        periods: options.periods,
        range: PeriodRange {
            min: options.min_period,
            max: options.max_period,
            granularity: options.granularity,
        },
        deadlines: options.deadlines,
    })
}

fn one(options: &GenerateOptions, specification: &Specification, index: u32) -> Result<Workload> {
    let key = Key {
        experiment: options.seed,
        point: options.point,
        index,
    };
    generate(specification, key).map_err(|error| Failure::error(error.to_string(), hint(&error)))
}

const fn hint(error: &GenerateError) -> &'static str {
    match error {
        GenerateError::Tasks(_) => "give another number: --tasks",
        GenerateError::Sum { .. } => "change --utilisation, --tasks, --least or --most",
        GenerateError::Discarded { .. } => "take --method randfixedsum or drs",
        GenerateError::OneBound => "take --method drs",
        GenerateError::NoPeriod => "change --min-period, --max-period or --granularity",
        GenerateError::Deadline(..) => "write --deadlines 0.5..1",
    }
}

fn save(path: &Path, text: &str) -> Result<()> {
    replace_file(path, text)
        .map_err(|error| Failure::error(error.to_string(), "name another place: --out PATH"))
}

fn shown(form: SetForm, set: &Workload) -> String {
    match form {
        SetForm::Toml => write(&TaskSet {
            title: set.name.clone(),
            workload: set.clone(),
            ..TaskSet::default()
        }),
        SetForm::Json => to_json(&json(set)),
        SetForm::Csv => csv(&[(String::new(), set.clone())], false),
    }
}

fn json(set: &Workload) -> Value {
    json!({
        "name": set.name,
        "utilisation": utilisation(set),
        "tasks": set.tasks.iter().map(TaskJson::of).collect::<Vec<_>>(),
    })
}

#[derive(Serialize)]
struct TaskJson<'a> {
    name: &'a str,
    execution: u64,
    period: u64,
    deadline: u64,
}

impl<'a> TaskJson<'a> {
    fn of(task: &'a Task) -> Self {
        let period = match task.arrival {
            Arrival::Periodic { period, .. } => period.as_nanos(),
            // A generated task has a period.
            Arrival::Sporadic { min_separation, .. } => min_separation.as_nanos(),
            Arrival::Once { .. } => 0,
        };
        Self {
            name: &task.name,
            execution: execution(task),
            period,
            deadline: task
                .relative_deadline()
                .map_or(0, taktos_time::Duration::as_nanos),
        }
    }
}

/// A line a task; `named`: the name of its set before it.
fn csv(sets: &[(String, Workload)], named: bool) -> String {
    let columns = [
        "task",
        "execution, ns",
        "period, ns",
        "deadline, ns",
        "utilisation, billionths",
    ];
    let columns = named.then_some("set").into_iter().chain(columns);
    let mut table = Table::new("sets", columns.map(Column::label).collect());
    for (name, set) in sets {
        for task in set.tasks.iter().map(TaskJson::of) {
            let share =
                u128::from(task.execution) * u128::from(WHOLE) / u128::from(task.period.max(1));
            let mut row: Vec<Cell> = named.then(|| name.as_str().into()).into_iter().collect();
            row.extend([
                Cell::from(task.name),
                task.execution.into(),
                task.period.into(),
                task.deadline.into(),
                u64::try_from(share).unwrap_or(u64::MAX).into(),
            ]);
            table.push(row);
        }
    }
    table.to_csv()
}
