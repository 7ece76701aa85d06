//! How far samples lie apart: tables, histograms, tails.

use anyhow::Result;
use taktos_emulator::Count;
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, plot};

use super::{Drawn, Material, summary_of};
use crate::experiment::{Spread, Unit};
use crate::measure::{Observation, Summary};

pub(super) fn summary(spread: &Spread, material: &Material<'_>) -> Result<Drawn> {
    Ok(Drawn {
        title: spread.title.clone(),
        tables: vec![table(spread, material, units(material.observation))?],
        evidence: material.observation.evidence(),
        ..Drawn::default()
    })
}

/// The least, the median and the greatest of each mark's samples, in these units.
fn table(spread: &Spread, material: &Material<'_>, units: &[Unit]) -> Result<Table> {
    let mut columns = vec![Column::label("mark")];
    columns.extend(spread.along.as_deref().map(Column::label));
    columns.push(Column::label("samples"));
    for unit in units {
        let least = format!("{}, min", unit.name());
        for name in [least.as_str(), "median", "max"] {
            columns.push(Column::figures(name, Basis::Ours(unit.evidence())));
        }
    }
    let mut table = Table::new(spread.title.as_str(), columns);
    for mark in chosen(spread, material.observation)? {
        for (label, samples) in grouped(spread, material.observation, &mark) {
            let mut row = vec![Cell::from(mark.as_str())];
            row.extend(spread.along.as_ref().map(|_| number_or_words(&label)));
            row.extend(statistics(&samples, units));
            table.push(row);
        }
    }
    Ok(table)
}

pub(super) fn histogram(spread: &Spread, material: &Material<'_>) -> Result<Drawn> {
    distribution(spread, material, plot::histogram)
}

pub(super) fn tail(spread: &Spread, material: &Material<'_>) -> Result<Drawn> {
    distribution(spread, material, plot::tail)
}

type Plotter = fn(&str, &str, &[(&str, &[u64])]) -> plot::Chart;

/// A plot of samples, and a table of them: what is seen without opening anything.
fn distribution(spread: &Spread, material: &Material<'_>, plotter: Plotter) -> Result<Drawn> {
    let unit = spread.unit.unwrap_or(Unit::Cycles);
    let table = table(spread, material, &[unit])?;
    let mut sets: Vec<(String, Vec<u64>)> = Vec::new();
    for mark in chosen(spread, material.observation)? {
        for (label, samples) in grouped(spread, material.observation, &mark) {
            let name = match &spread.along {
                Some(key) => format!("{mark}, {key} {label}"),
                None => mark.clone(),
            };
            sets.push((name, samples.iter().map(|sample| unit.of(sample)).collect()));
        }
    }
    let sets: Vec<(&str, &[u64])> = sets
        .iter()
        .map(|(name, values)| (name.as_str(), values.as_slice()))
        .collect();
    let words = format!("{} ({})", unit.name(), unit.evidence());
    let plot = plotter(&spread.title, &words, &sets).to_svg();
    Ok(Drawn {
        title: spread.title.clone(),
        plots: vec![(table.file_stem(), plot)],
        tables: vec![table],
        evidence: vec![unit.evidence()],
        ..Drawn::default()
    })
}

/// The marks that the figure is about.
pub(super) fn chosen(spread: &Spread, observation: &Observation) -> Result<Vec<String>> {
    if spread.marks.is_empty() {
        return Ok(observation.marks());
    }
    for mark in &spread.marks {
        summary_of(observation, mark, Unit::Instructions)?;
    }
    Ok(spread.marks.clone())
}

/// The samples of a mark, by the value of the label, in the order of rounds.
fn grouped(spread: &Spread, observation: &Observation, mark: &str) -> Vec<(String, Vec<Count>)> {
    let mut groups: Vec<(String, Vec<Count>)> = Vec::new();
    for round in &observation.rounds {
        let Some(samples) = round.samples.get(mark) else {
            continue;
        };
        let label = spread
            .along
            .as_ref()
            .and_then(|label| round.labels.get(label));
        let label = label.cloned().unwrap_or_default();
        match groups.iter_mut().find(|group| group.0 == label) {
            Some(group) => group.1.extend(samples),
            None => groups.push((label, samples.clone())),
        }
    }
    groups
}

fn number_or_words(label: &str) -> Cell {
    label
        .parse::<u64>()
        .map_or_else(|_| label.into(), Cell::Count)
}

/// What was counted.
const fn units(observation: &Observation) -> &'static [Unit] {
    match observation.modelled {
        true => &[Unit::Instructions, Unit::Cycles],
        false => &[Unit::Instructions],
    }
}

fn statistics(samples: &[Count], units: &[Unit]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = vec![(samples.len() as u64).into()];
    for unit in units {
        match Summary::of(samples.iter().map(|sample| unit.of(sample))) {
            Some(Summary {
                min, median, max, ..
            }) => {
                cells.extend([min, median, max].map(Cell::Count));
            }
            None => cells.extend([const { Cell::Blank }; 3]),
        }
    }
    cells
}
