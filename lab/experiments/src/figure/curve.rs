//! A statistic of some marks along a label of the rounds.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use taktos_export::plot::{Axis, Chart, Origin, Series, Shape};
use taktos_export::table::{Cell, Column, Table, thousands};
use taktos_export::{Basis, Drawn};

use super::{Material, unknown};
use crate::experiment::{Curve, PublishedCurve};
use crate::measure::{Labels, Summary};
use crate::number::percent;
use crate::published;
use crate::samples::{Samples, Unit, Values};

/// Values along, by their place.
type Places = BTreeMap<u64, u64>;

/// One mark, or one case of it: our values, and theirs where there are any.
struct Line {
    name: String,
    ours: Places,
    /// The median and the maximum of all samples of all places, where each is known.
    all: Option<Summary>,
    theirs: Option<Places>,
}

pub(super) fn draw(curve: &Curve, material: &Material<'_>) -> Result<Drawn> {
    let paper = curve.published.as_ref();
    let figures = paper
        .map(|paper| published::read(material.workspace, &paper.file))
        .transpose()?;
    let mut lines = Vec::new();
    for mark in &curve.marks {
        let theirs = match (paper, &figures) {
            (Some(paper), Some(figures)) => theirs(paper, figures, mark)?,
            _ => None,
        };
        for (name, only) in cases(curve, material.samples, mark) {
            lines.push(line(
                curve,
                material.samples,
                (mark, name, &only),
                theirs.clone(),
            )?);
        }
    }
    let mut table = table(curve, &lines);
    if let Some(figures) = &figures {
        table
            .notes
            .push(format!("Published: {}.", published::source(figures)));
    }
    let chart = chart(curve, &lines);
    Ok(Drawn {
        title: curve.title.clone(),
        answer: lines.iter().map(|line| sentence(curve, line)).collect(),
        plots: vec![(table.file_stem(), chart.to_svg())],
        tables: vec![table],
        evidence: vec![curve.unit.evidence()],
        printed: true,
        ..Drawn::default()
    })
}

/// For each value along, all values of the mark in cases that have these labels.
///
/// # Errors
/// When a value along is no number.
pub fn along(
    samples: &Samples,
    (label, only): (&str, &Labels),
    mark: &str,
    unit: Unit,
) -> Result<BTreeMap<u64, Values>> {
    let mut places = BTreeMap::new();
    for group in samples.grouped(&[label.to_owned()], only) {
        let Some(values) = group.values(mark, Some(unit)) else {
            continue;
        };
        let place = &group.key[0];
        let number = place.parse();
        let number =
            number.with_context(|| format!("the label {label}={place} of a case is no number"))?;
        places.insert(number, values);
    }
    Ok(places)
}

/// Returns the statement on the line: one number for all, or the numbers at both ends.
fn sentence(curve: &Curve, line: &Line) -> String {
    let (unit, evidence, along) = (curve.unit, curve.unit.evidence(), &curve.along);
    let (name, shown) = (unit.name(), |value| shown(unit, value));
    let (Some((first, at_first)), Some((last, at_last))) =
        (line.ours.first_key_value(), line.ours.last_key_value())
    else {
        return format!("{}: no samples.", line.name);
    };
    let flat = line.ours.values().all(|value| value == at_first);
    let words = if let (true, Some(Summary { median, max, .. })) = (flat, line.all) {
        let (value, median, max) = (shown(*at_first), shown(median), shown(max));
        format!(
            "{value} {name} ({evidence}) for every number of {along}; of all samples the median is \
             {median}, the maximum {max}"
        )
    } else {
        let (low, high) = (shown(*at_first), shown(*at_last));
        format!("from {low} {name} ({evidence}) at {first} {along} to {high} at {last}")
    };
    let theirs = line
        .theirs
        .as_ref()
        .and_then(|theirs| theirs.last_key_value());
    match (theirs, &curve.published) {
        (Some((place, value)), Some(paper)) => {
            let value = thousands(*value);
            format!(
                "{}: {words}; {}: {value} at {place} ({}).",
                line.name, paper.name, paper.basis
            )
        }
        _ => format!("{}: {words}.", line.name),
    }
}

/// Returns the names that distinguish the lines of a mark, and the cases in each.
fn cases(curve: &Curve, samples: &Samples, mark: &str) -> Vec<(String, Labels)> {
    let Some(label) = &curve.by else {
        return vec![(mark.to_owned(), curve.only.clone())];
    };
    let values = samples.values_of(label, &curve.only).into_iter();
    let one = |value: String| {
        let name = format!("{label} {value}");
        let only = curve.only.clone().into_iter();
        (name, only.chain([(label.clone(), value)]).collect())
    };
    values.map(one).collect()
}

fn line(
    curve: &Curve,
    samples: &Samples,
    (mark, name, only): (&str, String, &Labels),
    theirs: Option<Places>,
) -> Result<Line> {
    let places = along(samples, (&curve.along, only), mark, curve.unit)?;
    let statistic =
        |(place, values): (&u64, &Values)| Some((*place, values.statistic(curve.statistic)?));
    let ours: Places = places.iter().filter_map(statistic).collect();
    if ours.is_empty() {
        return Err(unknown(mark));
    }
    Ok(Line {
        name,
        ours,
        all: Values::together(places.values()).and_then(|all| all.summary()),
        theirs,
    })
}

fn theirs(paper: &PublishedCurve, figures: &toml::Table, mark: &str) -> Result<Option<Places>> {
    let Some(key) = paper.series.get(mark) else {
        return Ok(None);
    };
    let places = published::numbers(figures, &paper.table, &paper.along)?;
    let values = published::numbers(figures, &paper.table, key)?;
    Ok(Some(places.into_iter().zip(values).collect()))
}

fn table(curve: &Curve, lines: &[Line]) -> Table {
    let unit = curve.unit.name();
    let mut columns = vec![Column::label(curve.along.as_str())];
    for line in lines {
        columns.push(Column::figures(
            line.name.clone(),
            Basis::Ours(curve.unit.evidence()),
        ));
        if let (Some(_), Some(paper)) = (&line.theirs, &curve.published) {
            columns.push(Column::figures(
                paper.name.as_str(),
                Basis::Theirs(paper.basis.clone()),
            ));
        }
    }
    let mut table = Table::new(
        format!("{}: {}, {}", curve.title, unit, curve.statistic.name()),
        columns,
    );
    let mut places: Vec<u64> = lines
        .iter()
        .flat_map(|line| line.ours.keys().copied())
        .collect();
    places.sort_unstable();
    places.dedup();
    for place in places {
        let mut row = vec![place.into()];
        for line in lines {
            row.push(
                line.ours
                    .get(&place)
                    .map_or(Cell::Blank, |value| cell(curve.unit, *value)),
            );
            if let Some(theirs) = &line.theirs {
                row.push(theirs.get(&place).copied().into());
            }
        }
        table.push(row);
    }
    table
}

fn chart(curve: &Curve, lines: &[Line]) -> Chart {
    let mut series = Vec::new();
    for (colour, line) in lines.iter().enumerate() {
        series.push(one(
            line.name.clone(),
            (&line.ours, curve.unit),
            Origin::Ours,
            colour,
        ));
        if let (Some(theirs), Some(paper)) = (&line.theirs, &curve.published) {
            series.push(one(
                format!("{}: {}", paper.name, line.name),
                (theirs, curve.unit),
                Origin::Theirs,
                colour,
            ));
        }
    }
    let (unit, evidence) = (curve.unit.name(), curve.unit.evidence());
    Chart {
        title: curve.title.clone(),
        x: Axis {
            label: curve.along.clone(),
            scale: curve.x_scale.into(),
        },
        y: Axis {
            label: format!("{unit} ({evidence}), {}", curve.statistic.name()),
            scale: curve.y_scale.into(),
        },
        series,
        guides: Vec::new(),
    }
}

/// A value as people read it.
fn shown(unit: Unit, value: u64) -> String {
    match unit {
        Unit::Share => percent(value),
        _ => thousands(value),
    }
}

fn cell(unit: Unit, value: u64) -> Cell {
    match unit {
        Unit::Share => shown(unit, value).into(),
        _ => value.into(),
    }
}

/// A series in the unit's whole: shares in per cent.
fn one(name: String, (values, unit): (&Places, Unit), origin: Origin, colour: usize) -> Series {
    let whole = if unit == Unit::Share { 10_000.0 } else { 1.0 };
    let points = values
        .iter()
        .map(|(place, value)| (*place as f64, *value as f64 / whole));
    Series {
        name,
        points: points.collect(),
        origin,
        colour,
        shape: Shape::Line,
    }
}
