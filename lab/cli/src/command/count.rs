//! `taktos count`: what stretches of any image cost, on each processor that executes them, and
//! whether that is within their budgets.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;
use taktos_emulator::{Count, Record, Statistics};
use taktos_experiments::outcome::begin;
use taktos_experiments::screen;
use taktos_export::table::{Column, Table};
use taktos_export::{Basis, Evidence, to_json};
use taktos_runner::failure::{CheckFailed, Failure};
use taktos_runner::workspace::Workspace;

use super::trace::{self, Asked};
use crate::arguments::{CountOptions, Format};
use crate::made_for::Chosen;
use crate::watched::{Interval, Watched};

/// The passages of an interval, by the processor that executed them; where there is but one it has
/// no number.
type Passages = BTreeMap<Option<usize>, Vec<Count>>;

/// Cost of one interval on a processor.
#[derive(Serialize)]
struct Counted<'a> {
    interval: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    processor: Option<usize>,
    passages: usize,
    instructions: Figures,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles: Option<Figures>,
}

#[derive(Clone, Copy, Serialize)]
struct Figures {
    min: u64,
    median: u64,
    max: u64,
}

impl From<Statistics> for Figures {
    fn from(of: Statistics) -> Self {
        let Statistics {
            min, median, max, ..
        } = of;
        Self { min, median, max }
    }
}

/// Returns the intervals to count: those of a file, or the one of the command line.
fn watched(given: &CountOptions) -> Result<Watched> {
    let ends = given.from.as_deref().zip(given.to.as_deref());
    let file = given.budget.as_deref().map(Watched::load);
    let mut watched = file.transpose()?.unwrap_or_default();
    watched.interval.extend(ends.map(|(from, to)| Interval {
        name: format!("{from} to {to}"),
        from: from.into(),
        to: to.into(),
        instructions: None,
        cycles: None,
    }));
    match watched.interval.is_empty() {
        true => Err(Failure::error(
            "nothing is to be counted",
            "name --from SYMBOL and --to SYMBOL, or --budget FILE with intervals",
        )),
        false => Ok(watched),
    }
}

pub(super) fn run(workspace: &Workspace, given: CountOptions) -> Result<()> {
    let watched = &watched(&given)?;
    let (subject, options) = (given.subject.as_str(), given.options);
    let chosen = Chosen::of(subject, options.board.as_deref(), &given.machine)?;
    let stem = PathBuf::from(subject);
    let stem = stem.file_stem().unwrap_or_default().to_string_lossy();
    let directory = begin(workspace, &format!("count-{stem}"), options.out.as_deref())?;
    let asked = Asked {
        subject,
        argument: String::new(),
        loaded: given.loaded.loaded,
        time: given.time,
        live: false,
    };
    let (mut subject, record) = trace::record(workspace, &chosen, asked, watched)?;
    let counted = counted(&record, watched);
    subject.counts.push(table(&counted));
    trace::write(&directory, &subject, None)?;
    directory.write("counts.json", to_json(&counted))?;
    let place = workspace.opened(&directory.finish()?);
    match options.format {
        Format::Table => trace::show(&subject, Format::Table, &place)?,
        Format::Csv => screen::print(&subject.counts[0].to_csv())?,
        Format::Json => screen::print(&to_json(&counted))?,
    }
    trace::ended(subject, &place)?;
    judge(&counted, watched)
}

fn passages(record: &Record, name: &str) -> Passages {
    let is_of_several = record.processors.len() > 1;
    let mut passages = Passages::new();
    for sample in record.samples(name) {
        let number = is_of_several.then_some(sample.processor);
        passages.entry(number).or_default().push(sample.count);
    }
    passages
}

fn counted<'a>(record: &Record, watched: &'a Watched) -> Vec<Counted<'a>> {
    let mut counted = Vec::new();
    for interval in &watched.interval {
        for (processor, counts) in passages(record, &interval.name) {
            let cycles = Statistics::of(counts.iter().map(|count| count.cycles));
            let instructions = counts.iter().map(|count| count.instructions);
            counted.extend(Statistics::of(instructions).map(|instructions| Counted {
                interval: &interval.name,
                processor,
                passages: instructions.samples,
                instructions: instructions.into(),
                cycles: cycles.filter(|_| record.modelled).map(Into::into),
            }));
        }
    }
    counted
}

fn table(counted: &[Counted<'_>]) -> Table {
    let emulated = || Basis::Ours(Evidence::Emulated);
    let is_of_several = counted.iter().any(|one| one.processor.is_some());
    let mut columns = vec![Column::label("interval")];
    columns.extend(is_of_several.then(|| Column::label("processor")));
    columns.push(Column::figures("passages", emulated()));
    let of = ["least", "median", "most"];
    columns.extend(of.map(|which| Column::figures(format!("instructions, {which}"), emulated())));
    if counted.iter().any(|one| one.cycles.is_some()) {
        let modelled = || Basis::Ours(Evidence::Modelled);
        columns.extend(of.map(|which| Column::figures(format!("cycles, {which}"), modelled())));
    }
    let mut table = Table::new("What each interval cost", columns);
    if is_of_several {
        let note =
            "A passage begins and ends on one processor; what ends on another is not counted.";
        table.notes.push(note.into());
    }
    for one in counted {
        let mut row = vec![one.interval.into()];
        row.extend(one.processor.map(|number| number.to_string().into()));
        row.push((one.passages as u64).into());
        for figures in [Some(one.instructions), one.cycles].into_iter().flatten() {
            row.extend([figures.min, figures.median, figures.max].map(Into::into));
        }
        table.push(row);
    }
    table
}

/// A line for each budget that is not kept.
fn judge(counted: &[Counted<'_>], watched: &Watched) -> Result<()> {
    let mut broken = 0;
    for interval in &watched.interval {
        for line in over(interval, counted) {
            eprintln!("  {line}");
            broken += 1;
        }
    }
    match broken {
        0 => Ok(()),
        1 => Err(CheckFailed("1 budget is not kept".into()).into()),
        broken => Err(CheckFailed(format!("{broken} budgets are not kept")).into()),
    }
}

/// Returns the budget violations of an interval.
fn over(interval: &Interval, counted: &[Counted<'_>]) -> Vec<String> {
    let name = &interval.name;
    let rows = counted.iter().filter(|one| one.interval == *name);
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return vec![format!("{name}: it was never passed from end to end")];
    }
    rows.flat_map(|row| over_on(interval, row)).collect()
}

/// Returns the budget violations of an interval on one processor.
fn over_on(interval: &Interval, counted: &Counted<'_>) -> Vec<String> {
    let name = match counted.processor {
        Some(number) => format!("{} on processor {number}", interval.name),
        None => interval.name.clone(),
    };
    let budgets = [
        (
            "instructions",
            interval.instructions,
            Some(counted.instructions),
        ),
        ("cycles", interval.cycles, counted.cycles),
    ];
    let mut lines = Vec::new();
    for (unit, budget, figures) in budgets {
        match (budget, figures) {
            (Some(budget), Some(figures)) if figures.max > budget => lines.push(format!(
                "{name}: {} {unit}, and its budget is {budget}",
                figures.max
            )),
            (Some(_), None) => lines.push(format!("{name}: this board models no {unit}")),
            _ => {}
        }
    }
    lines
}
