//! The parts of one operation, analysed and measured, next to other kernels.

use anyhow::{Context, Result};
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Drawn};

use super::{Material, summary_of};
use crate::experiment::{Parts, PublishedParts};
use crate::measure::Summary;
use crate::published;
use crate::samples::Unit;

pub(super) fn draw(parts: &Parts, material: &Material<'_>) -> Result<Drawn> {
    let basis = || Basis::Ours(parts.unit.evidence());
    let mut columns = vec![
        Column::label("part"),
        Column::figures("ours, analysed", basis()),
        Column::figures("measured, min", basis()),
        Column::figures("max", basis()),
    ];
    let (mut rows, mut answer) = (Vec::new(), Vec::new());
    for (part, mark) in &parts.parts {
        let mark = mark
            .as_str()
            .with_context(|| format!("the mark of the part `{part}` is no text"))?;
        let (analysed, measured) = figures_of_part(material, parts.unit, mark)?;
        let shown = part.replace('_', " and ");
        answer.push(sentence(&shown, parts.unit, analysed, measured));
        rows.push(vec![
            shown.into(),
            analysed.map(|summary| summary.min).into(),
            measured.min.into(),
            measured.max.into(),
        ]);
    }
    let mut notes = vec![
        "Analysed: the timing tables applied to the path alone. Measured: counted while the program \
         runs."
            .to_owned(),
    ];
    if let Some(paper) = &parts.published {
        let figures = published::read(material.workspace, &paper.file)?;
        add_theirs(paper, &figures, parts, &mut columns, &mut rows)?;
        notes.push("Theirs: least, and average where it differs.".into());
        notes.push(format!("Published: {}.", published::source(&figures)));
    }
    let mut table = Table::new(format!("{}: {}", parts.title, parts.unit.name()), columns);
    rows.into_iter().for_each(|row| table.push(row));
    table.notes = notes;
    Ok(Drawn {
        title: parts.title.clone(),
        answer,
        tables: vec![table],
        evidence: vec![parts.unit.evidence()],
        printed: true,
        ..Drawn::default()
    })
}

/// The analysed and the measured figures of a mark. Only cycles are analysed:
/// of instructions there is nothing to analyse.
pub fn figures_of_part(
    material: &Material<'_>,
    unit: Unit,
    mark: &str,
) -> Result<(Option<Summary>, Summary)> {
    let measured = summary_of(material.samples, mark, unit)?;
    let analysed = material.run()?.analysed.get(mark).copied();
    Ok((analysed.filter(|_| unit == Unit::Cycles), measured))
}

fn sentence(part: &str, unit: Unit, analysed: Option<Summary>, measured: Summary) -> String {
    let (evidence, unit) = (unit.evidence(), unit.name());
    let analysed = analysed.map_or(String::new(), |summary| {
        format!(", analysed {}", summary.min)
    });
    format!(
        "{part}: {} {unit} measured{analysed} ({evidence}).",
        measured.min
    )
}

fn add_theirs(
    paper: &PublishedParts,
    figures: &toml::Table,
    parts: &Parts,
    columns: &mut Vec<Column>,
    rows: &mut [Vec<Cell>],
) -> Result<()> {
    let table = |key: &String| {
        let table = figures.get(key).and_then(toml::Value::as_table);
        table.with_context(|| format!("the published figures lack [{key}]"))
    };
    let (analysed, measured) = (table(&paper.analysed)?, table(&paper.measured)?);
    for system in analysed.keys() {
        columns.push(Column::figures(
            system.as_str(),
            Basis::Theirs("analysed".into()),
        ));
        let measured_basis = Basis::Theirs(paper.basis.clone());
        columns.push(Column::figures(system.as_str(), measured_basis));
        for (part, row) in parts.parts.keys().zip(rows.iter_mut()) {
            row.push(figure(analysed.get(system), part));
            row.push(figure(measured.get(system), part));
        }
    }
    Ok(())
}

/// A published figure: one count, or the least and the average.
fn figure(system: Option<&toml::Value>, part: &str) -> Cell {
    let Some(value) = system.and_then(|system| system.get(part)) else {
        return Cell::Blank;
    };
    let counts: Vec<u64> = match value {
        toml::Value::Array(values) => values.iter().filter_map(count).collect(),
        value => count(value).into_iter().collect(),
    };
    match counts.as_slice() {
        [] => Cell::Blank,
        [one] => Cell::Count(*one),
        [least, average, ..] if least == average => Cell::Count(*least),
        [least, average, ..] => Cell::Text(format!("{least} / {average}")),
    }
}

fn count(value: &toml::Value) -> Option<u64> {
    value
        .as_integer()
        .and_then(|number| u64::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_figure_is_one_count_or_least_and_average() {
        let table: toml::Table = "a = 70\nb = [71, 71]\nc = [35, 49]\n".parse().unwrap();
        let table = toml::Value::Table(table);
        let shown = |part| figure(Some(&table), part).shown();
        assert_eq!(
            ["a", "b", "c", "d"].map(shown),
            ["70", "71", "35 / 49", "–"]
        );
    }

    #[test]
    fn a_part_says_both_figures_and_their_class() {
        let summary = |min| Summary {
            min,
            median: min,
            max: min,
            samples: 1,
        };
        assert_eq!(
            sentence("total", Unit::Cycles, Some(summary(67)), summary(66)),
            "total: 66 cycles measured, analysed 67 (modelled)."
        );
    }
}
