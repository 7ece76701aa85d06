//! Owns: reading the costs of the kernel's operations.
//! Must never know: the operations.

use super::reader::{Entry, Table};
use super::{FileError, Source, document, text};
use crate::{Cost, Costs};

/// Reads a file of costs: the keys of the table `[costs]` of a task set, at its
/// top or in such a table.
///
/// # Errors
/// [`FileError`] with what is wrong in it.
pub fn parse(text: &str, file: &str) -> Result<Costs, FileError> {
    let source = Source { file, text };
    let document = document(source)?;
    let mut table = Table::new(source, "the costs", document.get_ref(), 0);
    match table.get("costs") {
        Some(entry) => {
            let costs = of(entry.table()?)?;
            table.finish()?;
            Ok(costs)
        }
        None => of(table),
    }
}

/// The costs of a table.
pub(super) fn of(mut table: Table<'_>) -> Result<Costs, FileError> {
    let costs = Costs {
        release: cost(&mut table, "release")?,
        schedule: cost(&mut table, "schedule")?,
        switch: cost(&mut table, "switch")?,
        ipi: cost(&mut table, "ipi")?,
        migration: cost(&mut table, "migration")?,
    };
    table.finish()?;
    Ok(costs)
}

fn cost(table: &mut Table<'_>, key: &str) -> Result<Cost, FileError> {
    // Found twice: with a unit after its key it is a constant.
    let list = table
        .get(key)
        .filter(|entry| entry.is_list() || entry.is_table());
    match list {
        Some(entry) if entry.is_table() => by_tasks(&entry),
        Some(entry) => samples(&entry),
        None => Ok(table.time(key)?.map_or(Cost::Zero, Cost::Constant)),
    }
}

/// `["1 us", "3 us"]`: recorded costs.
fn samples(entry: &Entry<'_>) -> Result<Cost, FileError> {
    let samples = entry.list()?;
    if samples.is_empty() {
        return Err(entry.error("is an empty list", "give at least one time"));
    }
    let time = |sample: &Entry<'_>| sample.parsed(text::duration);
    samples
        .iter()
        .map(time)
        .collect::<Result<_, _>>()
        .map(Cost::Samples)
}

/// `{ 1 = "1 us", 10 = "3 us" }`: a function of the number of tasks.
fn by_tasks(entry: &Entry<'_>) -> Result<Cost, FileError> {
    let mut points = Vec::new();
    for (tasks, cost) in super::reader::pairs(&entry.table()?) {
        let number: u32 = tasks.parse().map_err(|_| {
            entry.error(
                format!("has the key `{tasks}`, which is no number of tasks"),
                "write { 1 = \"1 us\", 10 = \"3 us\" }",
            )
        })?;
        points.push((number, cost.parsed(text::duration)?));
    }
    if points.is_empty() {
        return Err(entry.error("is an empty table", "write { 1 = \"1 us\", 10 = \"3 us\" }"));
    }
    points.sort_unstable();
    Ok(Cost::Linear(points))
}
