//! Which part of the kernel the cost of an operation belongs to.

use anyhow::Result;
use taktos_emulator::Count;
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Drawn};

use super::Material;
use crate::experiment::Spread;
use crate::measure::Observation;
use crate::samples::Unit;

pub(super) fn draw(spread: &Spread, material: &Material<'_>) -> Result<Drawn> {
    let unit = spread.unit.unwrap_or(Unit::Cycles);
    let basis = || Basis::Ours(unit.evidence());
    let observation = material.run()?.observation;
    let names = &observation.phase_names;
    let mut columns = vec![Column::label("mark")];
    columns.extend(names.iter().map(|name| Column::figures(*name, basis())));
    columns.push(Column::figures("all", basis()));
    let mut table = Table::new(format!("{}: {}", spread.title, unit.name()), columns);
    for mark in super::spread::chosen(spread, material.samples)? {
        let Some(shares) = cheapest(observation, &mark, unit) else {
            continue;
        };
        let shares: Vec<u64> = shares.iter().map(|share| counted(unit, share)).collect();
        let mut row: Vec<Cell> = vec![mark.into()];
        row.extend(shares.iter().copied().map(Cell::Count));
        row.push(shares.iter().sum::<u64>().into());
        table.push(row);
    }
    table
        .notes
        .push("Of the cheapest sample of each mark.".into());
    Ok(Drawn {
        title: spread.title.clone(),
        tables: vec![table],
        evidence: vec![unit.evidence()],
        ..Drawn::default()
    })
}

/// The shares of the phases in the cheapest sample of all rounds.
fn cheapest<'a>(observation: &'a Observation, mark: &str, unit: Unit) -> Option<&'a Vec<Count>> {
    let rounds = observation.rounds.iter();
    let shares = rounds.filter_map(|round| round.phases.get(mark));
    shares.min_by_key(|shares| shares.iter().map(|share| counted(unit, share)).sum::<u64>())
}

/// The clock counts each phase in instructions and in cycles.
const fn counted(unit: Unit, share: &Count) -> u64 {
    match unit {
        Unit::Cycles => share.cycles,
        _ => share.instructions,
    }
}
