//! The spread of samples: tables, histograms, tails.

use anyhow::Result;
use taktos_export::plot::{Chart, Counts, counted_histogram, counted_tail};
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Drawn};

use super::{Material, unknown};
use crate::experiment::Spread;
use crate::measure::Labels;
use crate::samples::{Samples, Statistic, Unit, Values};

pub(super) fn summary(spread: &Spread, material: &Material<'_>) -> Result<Drawn> {
    let units = match (spread.unit, material.samples.has(Unit::Cycles)) {
        (Some(unit), _) => vec![unit],
        (None, true) => vec![Unit::Instructions, Unit::Cycles],
        (None, false) => vec![Unit::Instructions],
    };
    Ok(Drawn {
        title: spread.title.clone(),
        tables: vec![table(spread, material, &units)?],
        evidence: units.iter().map(|unit| unit.evidence()).collect(),
        ..Drawn::default()
    })
}

/// The statistics of each mark's samples, in these units.
fn table(spread: &Spread, material: &Material<'_>, units: &[Unit]) -> Result<Table> {
    let mut columns = vec![Column::label("mark")];
    columns.extend(labels(spread).map(Column::label));
    columns.push(Column::label("samples"));
    for unit in units {
        for (place, statistic) in spread.statistics.iter().enumerate() {
            let name = short(*statistic);
            let name = if place == 0 {
                format!("{}, {name}", unit.name())
            } else {
                name
            };
            columns.push(Column::figures(name, Basis::Ours(unit.evidence())));
        }
    }
    let mut table = Table::new(spread.title.as_str(), columns);
    for mark in chosen(spread, material.samples)? {
        for group in grouped(spread, material.samples, &spread.only) {
            let of = |unit: &Unit| group.values(&mark, Some(*unit));
            let Some(samples) = units.first().and_then(of) else {
                continue;
            };
            let mut row = vec![Cell::from(mark.as_str())];
            row.extend(group.key.iter().map(|label| number_or_words(label)));
            row.push(samples.statistic(Statistic::Samples).into());
            for unit in units {
                let values = of(unit);
                let statistic = |one: &Statistic| values.as_ref()?.statistic(*one);
                row.extend(
                    spread
                        .statistics
                        .iter()
                        .map(|one| Cell::from(statistic(one))),
                );
            }
            table.push(row);
        }
    }
    Ok(table)
}

/// Returns the labels that distinguish rows.
fn labels(spread: &Spread) -> impl Iterator<Item = &str> {
    let both = [&spread.per, &spread.along];
    both.into_iter().filter_map(|label| label.as_deref())
}

fn grouped<'a>(
    spread: &Spread,
    samples: &'a Samples,
    only: &Labels,
) -> Vec<crate::samples::Group<'a>> {
    let keys: Vec<String> = labels(spread).map(str::to_owned).collect();
    samples.grouped(&keys, only)
}

/// The name of a statistic above a narrow column.
fn short(statistic: Statistic) -> String {
    match statistic {
        Statistic::Minimum => "min".into(),
        Statistic::Maximum => "max".into(),
        other => other.name(),
    }
}

pub(super) fn histogram(spread: &Spread, material: &Material<'_>) -> Result<Drawn> {
    distribution(spread, material, ("", counted_histogram))
}

pub(super) fn tail(spread: &Spread, material: &Material<'_>) -> Result<Drawn> {
    distribution(spread, material, ("-tail", counted_tail))
}

type Plotter = fn(&str, &str, &[Counts<'_>]) -> Chart;

/// A plot of samples, or one for each value of a label, and a table of them: what is seen without
/// opening anything.
fn distribution(
    spread: &Spread,
    material: &Material<'_>,
    (kind, plotter): (&str, Plotter),
) -> Result<Drawn> {
    let unit = spread.unit.unwrap_or(Unit::Cycles);
    // Where there are many plots, a figure of another kind has the numbers.
    let tables = match spread.per {
        None => vec![table(spread, material, &[unit])?],
        Some(_) => Vec::new(),
    };
    let words = format!("{} ({})", unit.name(), unit.evidence());
    let mut plots = Vec::new();
    for (value, only) in parts(spread, material.samples) {
        let title = match value.as_str() {
            "" => spread.title.clone(),
            value => format!("{}: {value}", spread.title),
        };
        let sets = sets(spread, material.samples, &only, unit)?;
        let sets: Vec<Counts<'_>> = sets
            .iter()
            .map(|(name, values)| (name.as_str(), values.counts().to_vec()))
            .collect();
        let stem = Table::new(title.as_str(), Vec::new()).file_stem();
        let plot = plotter(&title, &words, &sets).to_svg();
        plots.push((
            if spread.per.is_some() {
                format!("{stem}{kind}")
            } else {
                stem
            },
            plot,
        ));
    }
    Ok(Drawn {
        title: spread.title.clone(),
        plots,
        tables,
        evidence: vec![unit.evidence()],
        ..Drawn::default()
    })
}

/// The values of the label that has plots of its own, and the cases of each.
fn parts(spread: &Spread, samples: &Samples) -> Vec<(String, Labels)> {
    let Some(label) = &spread.per else {
        return vec![(String::new(), spread.only.clone())];
    };
    let one = |value: String| {
        let mut only = spread.only.clone();
        only.insert(label.clone(), value.clone());
        (value, only)
    };
    let values = samples.values_of(label, &spread.only);
    values.into_iter().map(one).collect()
}

/// Returns the sets of a plot: the marks, and for each the values of the label along.
fn sets(
    spread: &Spread,
    samples: &Samples,
    only: &Labels,
    unit: Unit,
) -> Result<Vec<(String, Values)>> {
    let mut sets = Vec::new();
    let marks = chosen(spread, samples)?;
    for mark in &marks {
        for group in grouped(spread, samples, only) {
            let along = spread.along.as_ref().zip(group.key.last());
            let name = match (along, marks.as_slice()) {
                (Some((key, label)), [_]) => format!("{key} {label}"),
                (Some((key, label)), _) => format!("{mark}, {key} {label}"),
                (None, _) => mark.clone(),
            };
            sets.extend(group.values(mark, Some(unit)).map(|values| (name, values)));
        }
    }
    Ok(sets)
}

/// The marks that the figure is about.
pub(super) fn chosen(spread: &Spread, samples: &Samples) -> Result<Vec<String>> {
    let known = samples.marks();
    if spread.marks.is_empty() {
        return Ok(known);
    }
    match spread.marks.iter().find(|mark| !known.contains(mark)) {
        Some(unheard) => Err(unknown(unheard)),
        None => Ok(spread.marks.clone()),
    }
}

/// A label as a cell: a number where it is one.
pub(super) fn number_or_words(label: &str) -> Cell {
    let number = label.parse::<u64>();
    number.map_or_else(|_| label.into(), Cell::Count)
}
