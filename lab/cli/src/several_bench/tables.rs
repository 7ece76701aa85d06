//! The figures as tables: for people, as CSV, and for the book.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use taktos_export::table::{Cell, Column, Table};
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

fn same(operations: &BTreeMap<String, Counted>, one: Option<&Baseline>) -> Table {
    let mut table = Table::new(
        "Both threads on one processor of four: medians",
        vec![
            Column::label("operation"),
            instructions("instructions"),
            cycles("cycles"),
            instructions("instructions, one processor"),
            cycles("cycles, one processor"),
        ],
    );
    for (name, counted) in operations {
        let beside = one.and_then(|one| one.operations.get(name));
        table.push(vec![
            name.as_str().into(),
            count(Some(counted)),
            modelled(Some(counted)),
            beside.map(|counts| counts.instructions.median).into(),
            beside.and_then(|counts| Some(counts.cycles?.median)).into(),
        ]);
    }
    table.notes.push(
        "One processor: the image whose kernel knows one alone, from its checked-in baseline."
            .into(),
    );
    table
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
    let mut columns = vec![Column::label("operation"), instructions(one)];
    columns.extend(others.iter().map(|(name, _)| instructions(*name)));
    let mut table = Table::new(title, columns);
    let of = |layout: &str| figures.instances.get(layout);
    let columns = others.iter().filter_map(|(_, layout)| of(layout));
    let names = columns.flat_map(BTreeMap::keys).chain(figures.same.keys());
    for name in names.collect::<BTreeSet<_>>() {
        let mut row = vec![name.as_str().into(), count(figures.same.get(name))];
        let others = others.iter().map(|(_, layout)| of(layout)?.get(name));
        row.extend(others.map(count));
        table.push(row);
    }
    table
}

fn across(operations: &BTreeMap<String, Reach>) -> Table {
    let mut columns = vec![
        Column::label("operation"),
        instructions("to the call"),
        instructions("to the return"),
        instructions("from the interrupt"),
        cycles("cycles to the call"),
        cycles("cycles from the interrupt"),
    ];
    columns.extend(QUANTA.map(|quantum| instructions(format!("ns, quantum {quantum}"))));
    let mut table = Table::new("From one processor to another: medians", columns);
    for (name, reach) in operations {
        let mut row = vec![
            name.as_str().into(),
            count(reach.to_call.as_ref()),
            count(reach.to_return.as_ref()),
            count(reach.from_interrupt.as_ref()),
            modelled(reach.to_call.as_ref()),
            modelled(reach.from_interrupt.as_ref()),
        ];
        row.extend(QUANTA.map(|quantum| {
            let times = reach.nanoseconds.get(&quantum);
            Cell::from(times.map(|times| times.median.to_string()))
        }));
        table.push(row);
    }
    table.notes.extend([
        "To the call: what the sender executes until it calls the other processor. From the interrupt: what the receiver \
         executes from its vector's first instruction to the end of the operation."
            .into(),
        "ns: of the common clock, an instruction each; a quantum is how far one processor may run ahead of another.".into(),
    ]);
    table
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

fn locks(locks: &BTreeMap<String, LockCost>) -> Table {
    let mut columns = vec![
        Column::label("lock"),
        instructions("lock and unlock alone"),
        cycles("cycles alone"),
    ];
    columns.extend(contenders().map(|number| instructions(processors(number))));
    let mut table = Table::new(
        "Locks: from the call of lock to its return, mean / maximum in ns",
        columns,
    );
    for (name, cost) in locks {
        let mut row = vec![
            name.as_str().into(),
            count(cost.alone.as_ref()),
            modelled(cost.alone.as_ref()),
        ];
        row.extend(contenders().map(|number| both(of(cost, QUANTA[0], number))));
        table.push(row);
    }
    table.notes.push(format!(
        "Each contender holds the lock for 2,000 instructions and does without it for 2,000. Quantum {}.",
        QUANTA[0]
    ));
    table
}

fn sections(locks: &BTreeMap<String, LockCost>) -> Table {
    let mut columns = vec![Column::label("lock")];
    columns.extend(contenders().map(|number| instructions(processors(number))));
    let mut table = Table::new(
        "Locks: sections in a millisecond, of all contenders",
        columns,
    );
    for (name, cost) in locks {
        let mut row = vec![name.as_str().into()];
        row.extend(contenders().map(|number| {
            let contended = of(cost, QUANTA[0], number);
            Cell::from(contended.map(|cost| cost.sections))
        }));
        table.push(row);
    }
    table
}

fn quanta(locks: &BTreeMap<String, LockCost>) -> Table {
    let mut columns = vec![Column::label("lock")];
    columns.extend(QUANTA.map(|quantum| instructions(format!("quantum {quantum}"))));
    let mut table = Table::new(
        "Locks on four processors for each quantum: mean / maximum in ns",
        columns,
    );
    for (name, cost) in locks {
        let mut row = vec![name.as_str().into()];
        row.extend(QUANTA.map(|quantum| both(of(cost, quantum, Board::PROCESSORS))));
        table.push(row);
    }
    table
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
