//! The figures as tables: for people, as CSV, and for the book.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use taktos_export::table::{Cell, Column, Filling, Table};
use taktos_export::{Basis, Evidence};

use super::{Contended, Counted, Figures, Goals, LockCost, Reach};
use crate::baseline::Baseline;
use crate::several::{Board, QUANTA};

/// The tables by the names under which the book has them.
pub const TABLES: [&str; 8] = [
    "same",
    "instances",
    "again",
    "across",
    "locks",
    "sections",
    "quanta",
    "goals",
];

/// The columns of the table of instances: the layouts.
const INSTANCES: [(&str, &str); 4] = [
    ("fixed priorities", "cluster"),
    ("EDF, no deadlines", "edf"),
    ("EDF, deadlines", "deadlines"),
    ("threads with affinity", "gathered"),
];
/// Those of the table of what happened before, and beside.
const AGAIN: [(&str, &str); 7] = [
    ("one processor, opened before", "partitioned-again"),
    ("one, beside quiet ones", "one"),
    ("one, beside busy ones", "one-beside"),
    ("four", "cluster"),
    ("four, opened before", "cluster-again"),
    ("two, beside quiet ones", "two"),
    ("two, beside busy ones", "two-beside"),
];

/// The tables in the order of [`TABLES`]; beside the first one the figures of the board with one processor.
///
/// # Errors
/// As [`Goals::judged`].
pub fn tables(
    figures: &Figures,
    one: Option<&Baseline>,
    goals: &Goals,
) -> Result<[Table; TABLES.len()]> {
    Ok([
        same(&figures.same, one),
        instances(figures),
        again(figures),
        across(&figures.across),
        locks(&figures.locks),
        sections(&figures.locks),
        quanta(&figures.locks),
        goals.table(figures)?,
    ])
}

fn instructions(name: impl Into<String>) -> Column {
    Column::figures(name, Basis::Ours(Evidence::Emulated))
}

fn cycles(name: impl Into<String>) -> Column {
    Column::figures(name, Basis::Ours(Evidence::Modelled))
}

fn count(counted: Option<&Counted>) -> Cell {
    counted.map(|counted| counted.instructions.median).into()
}

fn modelled(counted: Option<&Counted>) -> Cell {
    counted
        .and_then(|counted| Some(counted.cycles?.median))
        .into()
}

/// The rows of a table: what is known by its name.
fn rows<T>(all: &BTreeMap<String, T>) -> Vec<(&str, &T)> {
    all.iter().map(|(name, one)| (name.as_str(), one)).collect()
}

fn same(operations: &BTreeMap<String, Counted>, one: Option<&Baseline>) -> Table {
    let beside = |name: &str| one.and_then(|one| one.operations.get(name));
    let title = "Both threads on one processor of four: medians";
    Table::over(title, &rows(operations))
        .label("operation", |(name, _)| *name)
        .column(instructions("instructions"), |(_, counted)| {
            count(Some(counted))
        })
        .column(cycles("cycles"), |(_, counted)| modelled(Some(counted)))
        .column(instructions("instructions, one processor"), |(name, _)| {
            beside(name).map(|counts| counts.instructions.median)
        })
        .column(cycles("cycles, one processor"), |(name, _)| {
            beside(name).and_then(|counts| Some(counts.cycles?.median))
        })
        .note(
            "One processor: the image whose kernel knows one alone, from its checked-in baseline.",
        )
        .done()
}

fn instances(figures: &Figures) -> Table {
    let title = "In one instance of all four processors, the others busy: medians";
    let mut table = beside(figures, title, "an instance of one", &INSTANCES);
    table.notes.push(
        "The other processors execute more urgent threads of the instance. An instance of one: the first table's.".into(),
    );
    table
}

fn again(figures: &Figures) -> Table {
    let title = "Opened and closed again, and beside others: medians";
    let mut table = beside(figures, title, "one processor", &AGAIN);
    table.notes.push(
        "Opened before: by moves, cluster mutexes, a look, and the operation ceiling-lock-unlock, which opens and closes. Busy ones: the other processors are an instance whose threads \
         use pins, MrsP, OMIP, ceilings and affinities all the time."
            .into(),
    );
    table
}

/// Instructions of each operation, in an instance of one processor and in these.
fn beside(figures: &Figures, title: &str, one: &str, others: &[(&str, &str)]) -> Table {
    let of = |layout: &str| figures.instances.get(layout);
    let columns = others.iter().filter_map(|(_, layout)| of(layout));
    let names = columns.flat_map(BTreeMap::keys).chain(figures.same.keys());
    let names: Vec<&String> = names.collect::<BTreeSet<_>>().into_iter().collect();
    let mut table = Table::over(title, &names)
        .label("operation", |name| name.as_str())
        .column(instructions(one), |name| count(figures.same.get(*name)));
    for (column, layout) in others {
        table = table.column(instructions(*column), |name| {
            count(of(layout).and_then(|counts| counts.get(*name)))
        });
    }
    table.done()
}

fn across(operations: &BTreeMap<String, Reach>) -> Table {
    let rows = rows(operations);
    let mut table = Table::over("From one processor to another: medians", &rows)
        .label("operation", |(name, _)| *name)
        .column(instructions("to the call"), |(_, reach)| {
            count(reach.to_call.as_ref())
        })
        .column(instructions("to the return"), |(_, reach)| {
            count(reach.to_return.as_ref())
        })
        .column(instructions("from the interrupt"), |(_, reach)| {
            count(reach.from_interrupt.as_ref())
        })
        .column(cycles("cycles to the call"), |(_, reach)| {
            modelled(reach.to_call.as_ref())
        })
        .column(cycles("cycles from the interrupt"), |(_, reach)| {
            modelled(reach.from_interrupt.as_ref())
        });
    for quantum in QUANTA {
        let column = instructions(format!("ns, quantum {quantum}"));
        table = table.column(column, |(_, reach)| {
            let times = reach.nanoseconds.get(&quantum);
            times.map(|times| times.median.to_string())
        });
    }
    table
        .note(
            "To the call: what the sender executes until it calls the other processor. From the interrupt: what the receiver \
             executes from its vector's first instruction to the end of the operation.",
        )
        .note(
            "ns: of the common clock, an instruction each; a quantum is how far one processor may run ahead of another.",
        )
        .done()
}

/// A column for each number of contenders.
fn contenders() -> impl Iterator<Item = usize> {
    1..=Board::PROCESSORS
}

fn processors(number: usize) -> String {
    match number {
        1 => "1 processor".into(),
        more => format!("{more} processors"),
    }
}

fn both(contended: Option<&Contended>) -> Cell {
    contended
        .map(|cost| format!("{} / {}", cost.mean, cost.max))
        .into()
}

fn of(cost: &LockCost, quantum: u32, contenders: usize) -> Option<&Contended> {
    cost.contended.get(&quantum)?.get(&contenders)
}

/// The table with a column for each number of contenders.
fn contended<'a, C: Into<Cell>>(
    table: Filling<'a, (&'a str, &'a LockCost)>,
    cell: impl Fn(Option<&'a Contended>) -> C,
) -> Filling<'a, (&'a str, &'a LockCost)> {
    contenders().fold(table, |table, number| {
        table.column(instructions(processors(number)), |(_, cost)| {
            cell(of(cost, QUANTA[0], number))
        })
    })
}

fn locks(locks: &BTreeMap<String, LockCost>) -> Table {
    let title = "Locks: from the call of lock to its return, mean / maximum in ns";
    let rows = rows(locks);
    let table = Table::over(title, &rows)
        .label("lock", |(name, _)| *name)
        .column(instructions("lock and unlock alone"), |(_, cost)| {
            count(cost.alone.as_ref())
        })
        .column(cycles("cycles alone"), |(_, cost)| {
            modelled(cost.alone.as_ref())
        });
    contended(table, both)
        .note(format!(
            "Each contender holds the lock for 2,000 instructions and does without it for 2,000. Quantum {}.",
            QUANTA[0]
        ))
        .done()
}

fn sections(locks: &BTreeMap<String, LockCost>) -> Table {
    let title = "Locks: sections in a millisecond, of all contenders";
    let rows = rows(locks);
    let table = Table::over(title, &rows).label("lock", |(name, _)| *name);
    contended(table, |cost| cost.map(|cost| cost.sections)).done()
}

fn quanta(locks: &BTreeMap<String, LockCost>) -> Table {
    let title = "Locks on four processors for each quantum: mean / maximum in ns";
    let rows = rows(locks);
    let mut table = Table::over(title, &rows).label("lock", |(name, _)| *name);
    for quantum in QUANTA {
        let column = instructions(format!("quantum {quantum}"));
        table = table.column(column, |(_, cost)| {
            both(of(cost, quantum, Board::PROCESSORS))
        });
    }
    table.done()
}

/// A table as the book has it.
pub fn markdown(table: &Table) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(table.columns.iter().map(|c| c.name.as_str()).collect());
    text.push_str(&format!("|{}\n", "---|".repeat(table.columns.len())));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(Cell::shown).collect();
        text.push_str(&line(cells.iter().map(String::as_str).collect()));
    }
    text
}
