//! Which part of the kernel the cost of an operation belongs to.

use anyhow::Result;
use taktos_emulator::Count;
use taktos_export::Basis;
use taktos_export::table::{Cell, Column, Table};

use super::{Drawn, Material};
use crate::experiment::{Spread, Unit};

pub(super) fn draw(spread: &Spread, material: &Material<'_>) -> Result<Drawn> {
    let unit = spread.unit.unwrap_or(Unit::Cycles);
    let basis = || Basis::Ours(unit.evidence());
    let names = &material.observation.phase_names;
    let mut columns = vec![Column::label("mark")];
    columns.extend(names.iter().map(|name| Column::figures(*name, basis())));
    columns.push(Column::figures("all", basis()));
    let mut table = Table::new(format!("{}: {}", spread.title, unit.name()), columns);
    for mark in super::spread::chosen(spread, material.observation)? {
        let Some(shares) = cheapest(material, &mark, unit) else {
            continue;
        };
        let shares: Vec<u64> = shares.iter().map(|share| unit.of(share)).collect();
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
fn cheapest<'a>(material: &'a Material<'_>, mark: &str, unit: Unit) -> Option<&'a Vec<Count>> {
    let rounds = material.observation.rounds.iter();
    let shares = rounds.filter_map(|round| round.phases.get(mark));
    shares.min_by_key(|shares| shares.iter().map(|share| unit.of(share)).sum::<u64>())
}
