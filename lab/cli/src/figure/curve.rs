//! A statistic of some marks along a label of the rounds.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use taktos_export::Basis;
use taktos_export::plot::{Axis, Chart, Origin, Series, Shape};
use taktos_export::table::{Column, Table, thousands};

use super::{Drawn, Material, summary_of};
use crate::experiment::{Curve, PublishedCurve};
use crate::measure::{Observation, Summary};
use crate::published;

/// Values along, by their place.
type Values = BTreeMap<u64, u64>;

/// One mark: our values, and theirs where there are any.
struct Line<'a> {
    mark: &'a str,
    ours: Values,
    /// Of all samples of all places.
    all: Summary,
    theirs: Option<Values>,
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
        lines.push(Line {
            mark,
            ours: ours(curve, material.observation, mark)?,
            all: summary_of(material.observation, mark, curve.unit)?,
            theirs,
        });
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

/// For each value along, the statistic of the rounds that were run with it.
pub fn along(
    observation: &Observation,
    label: &str,
    mark: &str,
    value: impl Fn(&taktos_emulator::Count) -> u64,
) -> Result<BTreeMap<u64, Summary>> {
    let mut samples: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for round in &observation.rounds {
        let Some(taken) = round.samples.get(mark) else {
            continue;
        };
        let place = round.labels.get(label);
        let place =
            place.with_context(|| format!("a round of the program has no label `{label}`"))?;
        let place = place
            .parse()
            .with_context(|| format!("the label {label}={place} of a round is no number"))?;
        samples
            .entry(place)
            .or_default()
            .extend(taken.iter().map(&value));
    }
    let summarised = samples
        .into_iter()
        .filter_map(|(place, values)| Some((place, Summary::of(values.into_iter())?)));
    Ok(summarised.collect())
}

/// What the line says: one number for all, or from where to where.
fn sentence(curve: &Curve, line: &Line<'_>) -> String {
    let (unit, evidence, along) = (curve.unit.name(), curve.unit.evidence(), &curve.along);
    let (Some((first, at_first)), Some((last, at_last))) =
        (line.ours.first_key_value(), line.ours.last_key_value())
    else {
        return format!("{}: no samples.", line.mark);
    };
    let flat = line.ours.values().all(|value| value == at_first);
    let words = if flat {
        let Summary { median, max, .. } = line.all;
        let (value, median, max) = (thousands(*at_first), thousands(median), thousands(max));
        format!(
            "{value} {unit} ({evidence}) for every number of {along}; of all samples the median is \
             {median}, the maximum {max}"
        )
    } else {
        let (low, high) = (thousands(*at_first), thousands(*at_last));
        format!("from {low} {unit} ({evidence}) at {first} {along} to {high} at {last}")
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
                line.mark, paper.name, paper.basis
            )
        }
        _ => format!("{}: {words}.", line.mark),
    }
}

fn ours(curve: &Curve, observation: &Observation, mark: &str) -> Result<Values> {
    let summaries = along(observation, &curve.along, mark, |sample| {
        curve.unit.of(sample)
    })?;
    Ok(summaries
        .into_iter()
        .map(|(place, summary)| (place, curve.statistic.of(summary)))
        .collect())
}

fn theirs(paper: &PublishedCurve, figures: &toml::Table, mark: &str) -> Result<Option<Values>> {
    let Some(key) = paper.series.get(mark) else {
        return Ok(None);
    };
    let places = published::numbers(figures, &paper.table, &paper.along)?;
    let values = published::numbers(figures, &paper.table, key)?;
    Ok(Some(places.into_iter().zip(values).collect()))
}

fn table(curve: &Curve, lines: &[Line<'_>]) -> Table {
    let unit = curve.unit.name();
    let mut columns = vec![Column::label(curve.along.as_str())];
    for line in lines {
        columns.push(Column::figures(
            line.mark,
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
            row.push(line.ours.get(&place).copied().into());
            if let Some(theirs) = &line.theirs {
                row.push(theirs.get(&place).copied().into());
            }
        }
        table.push(row);
    }
    table
}

fn chart(curve: &Curve, lines: &[Line<'_>]) -> Chart {
    let mut series = Vec::new();
    for (colour, line) in lines.iter().enumerate() {
        series.push(one(line.mark.to_owned(), &line.ours, Origin::Ours, colour));
        if let (Some(theirs), Some(paper)) = (&line.theirs, &curve.published) {
            series.push(one(
                format!("{}: {}", paper.name, line.mark),
                theirs,
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

fn one(name: String, values: &Values, origin: Origin, colour: usize) -> Series {
    let points = values
        .iter()
        .map(|(place, value)| (*place as f64, *value as f64));
    Series {
        name,
        points: points.collect(),
        origin,
        colour,
        shape: Shape::Line,
    }
}
