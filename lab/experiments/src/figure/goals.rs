//! Operations next to other systems and goals.

use anyhow::Result;
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Drawn, Evidence};

use super::Material;
use crate::experiment::Goals;
use crate::measure::Summary;
use crate::published::{self, PeerOperation, Peers};
use crate::samples::{Samples, Unit};

/// The summaries of one operation.
pub struct Operation {
    /// Its name, which is its mark's.
    pub name: String,
    /// Executed instructions.
    pub instructions: Summary,
    /// Modelled cycles, where there is a model.
    pub cycles: Option<Summary>,
}

/// All operations that the program measured: in the order of the published
/// ones, then the others by name.
pub fn operations(samples: &Samples, peers: &Peers) -> Vec<Operation> {
    let mut names = samples.marks();
    let place = |name: &String| {
        peers
            .operations
            .keys()
            .position(|known| known == name)
            .unwrap_or(usize::MAX)
    };
    names.sort_by_key(|name| (place(name), name.clone()));
    let summarised = names.into_iter().filter_map(|name| {
        Some(Operation {
            instructions: samples.summary(&name, Unit::Instructions)?,
            cycles: samples.summary(&name, Unit::Cycles),
            name,
        })
    });
    summarised.collect()
}

pub(super) fn draw(goals: &Goals, material: &Material<'_>) -> Result<Drawn> {
    let figures = published::read(material.workspace, &goals.published.file)?;
    let comparable = goals.published.board == material.board;
    let peers = if comparable {
        Peers::of(&figures)?
    } else {
        Peers::default()
    };
    let mut table = Table::new(
        format!("{}: median", goals.title),
        columns(&peers, &goals.published.basis),
    );
    let mut meanings = Table::new(
        "What each operation measures",
        vec![
            Column::label("operation"),
            Column::label("from the call, to"),
        ],
    );
    for operation in operations(material.samples, &peers) {
        let published = peers.operation(&operation.name)?.unwrap_or_default();
        table.push(row(&operation, &published, &peers));
        if !published.meaning.is_empty() {
            meanings.push(vec![
                operation.name.as_str().into(),
                published.meaning.into(),
            ]);
        }
        if let Some(note) = published.note {
            table.notes.push(format!("{}: {note}.", operation.name));
        }
    }
    let answer = match comparable {
        true => vec![
            format!("Goals met: {}.", share(&table, GOAL)),
            format!("Operations ahead of every peer: {}.", share(&table, PEERS)),
        ],
        false => vec![format!("Operations counted: {}.", table.rows.len())],
    };
    if comparable {
        table
            .notes
            .push("Goal: at most so many cycles. Peers: emulated instructions / modelled cycles, counted as ours.".into());
        table
            .notes
            .push(format!("Published: {}.", published::source(&figures)));
    }
    table.notes.extend(material.without_model());
    Ok(Drawn {
        title: goals.title.clone(),
        answer,
        tables: vec![table],
        details: vec![meanings],
        evidence: material.evidence(),
        printed: true,
        ..Drawn::default()
    })
}

/// The columns that hold verdicts.
const GOAL: usize = 4;
const PEERS: usize = 5;

/// Returns how many of a column's verdicts are met, in words.
fn share(table: &Table, column: usize) -> String {
    let verdicts = table.rows.iter().filter_map(|row| match row[column] {
        Cell::Verdict { met, .. } => Some(met),
        _ => None,
    });
    let verdicts: Vec<bool> = verdicts.collect();
    format!(
        "{} of {}",
        verdicts.iter().filter(|met| **met).count(),
        verdicts.len()
    )
}

fn columns(peers: &Peers, basis: &str) -> Vec<Column> {
    let mut columns = vec![
        Column::label("operation"),
        Column::figures("instructions", Basis::Ours(Evidence::Emulated)),
        Column::figures("cycles", Basis::Ours(Evidence::Modelled)),
        Column::label("goal"),
        Column::label("verdict"),
        Column::label("peers"),
    ];
    let theirs = || Basis::Theirs(basis.to_owned());
    columns.extend(
        peers
            .systems
            .keys()
            .map(|system| Column::figures(system.as_str(), theirs())),
    );
    columns
}

fn row(operation: &Operation, published: &PeerOperation, peers: &Peers) -> Vec<Cell> {
    let cycles = operation.cycles.map(|cycles| cycles.median);
    let mut row = vec![
        operation.name.as_str().into(),
        operation.instructions.median.into(),
        cycles.into(),
        published.goal.into(),
        published
            .goal
            .zip(cycles)
            .map_or(Cell::Blank, |(goal, cycles)| against_goal(cycles, goal)),
        cycles.map_or(Cell::Blank, |cycles| against_peers(cycles, published)),
    ];
    for system in peers.systems.keys() {
        let figures = published.systems.get(system);
        row.push(
            figures
                .map(|(instructions, cycles)| format!("{instructions}/{cycles}"))
                .into(),
        );
    }
    row
}

fn against_goal(cycles: u64, goal: u64) -> Cell {
    let met = cycles <= goal;
    let words = if met {
        "met".into()
    } else {
        format!("missed by {}", cycles - goal)
    };
    Cell::Verdict { met, words }
}

fn against_peers(cycles: u64, published: &PeerOperation) -> Cell {
    let best = published
        .systems
        .iter()
        .min_by_key(|(_, figures)| figures.1);
    let Some((system, (_, theirs))) = best else {
        return Cell::Blank;
    };
    let met = cycles < *theirs;
    let words = if met {
        "ahead".into()
    } else {
        format!("{system} {theirs}")
    };
    Cell::Verdict { met, words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_up_to_its_last_cycle() {
        assert_eq!(
            against_goal(60, 60),
            Cell::Verdict {
                met: true,
                words: "met".into()
            }
        );
        let missed = Cell::Verdict {
            met: false,
            words: "missed by 1".into(),
        };
        assert_eq!(against_goal(61, 60), missed);
    }

    #[test]
    fn a_tie_with_the_best_peer_is_not_ahead() {
        let mut published = PeerOperation::default();
        published.systems.insert("ThreadX".into(), (61, 135));
        published.systems.insert("FreeRTOS".into(), (50, 118));
        let words = |cycles| against_peers(cycles, &published).shown();
        assert_eq!(words(117), "ahead");
        assert_eq!(words(118), "FreeRTOS 118");
    }
}
