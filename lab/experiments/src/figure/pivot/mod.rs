//! A table turned out of the long one: a row for each case, a column for each statistic, change, or
//! published figure.

mod cell;
mod theirs;

use std::cmp::Ordering;

use anyhow::{Context, Result};
use taktos_export::table::{Cell, Column, Table, thousands};
use taktos_export::{Basis, Drawn, Evidence};

use super::Material;
use super::spread::number_or_words;
use crate::experiment::{Enough, Pivot, PivotColumn};
use crate::number::change;
use crate::published;
use crate::samples::{Group, Samples, Statistic, Unit};
use cell::Figure;
use theirs::{Publications, publications, published_figure};

/// A column of the table: one of several, if there is one for each value of a label.
struct Heading<'a> {
    name: String,
    of: &'a PivotColumn,
    /// The rows of the long table that it is about, beyond the figure's own.
    only: crate::measure::Labels,
}

/// The text of a cell without a percentile.
const NO_PERCENTILE: &str = "A percentile is shown where at least one sample lies beyond it.";

pub(super) fn draw(pivot: &Pivot, material: &Material<'_>) -> Result<Drawn> {
    let theirs = publications(pivot, material.workspace)?;
    let headings = headings(pivot, material.samples);
    let mut columns: Vec<Column> = pivot.rows.iter().map(Column::label).collect();
    columns.extend(headings.iter().map(column));
    let mut table = Table::new(pivot.title.as_str(), columns);
    let mut all = Vec::new();
    for group in material.samples.grouped(&pivot.rows, &pivot.only) {
        let figures = figures(&headings, &group, (pivot, &theirs))?;
        if figures.iter().all(|figure| *figure == Figure::None) {
            continue;
        }
        let mut row: Vec<Cell> = group
            .key
            .iter()
            .map(|label| number_or_words(label))
            .collect();
        row.extend(
            headings
                .iter()
                .zip(&figures)
                .map(|(heading, figure)| cell(heading, *figure, &headings, &figures)),
        );
        table.push(row);
        all.push((group.key.join(", "), figures));
    }
    table.notes.clone_from(&pivot.notes);
    let percentile =
        |column: &PivotColumn| matches!(column.statistic, Some(Statistic::Percentile(_)));
    if pivot.columns.iter().any(percentile) {
        table.notes.push(NO_PERCENTILE.into());
    }
    for file in theirs.values() {
        let source = published::source(file);
        table.notes.push(format!("Published: {source}."));
    }
    let answer = answer(pivot, &headings, &all, &table);
    let (tables, details) = match pivot.detail {
        true => (Vec::new(), vec![table]),
        false => (vec![table], Vec::new()),
    };
    Ok(Drawn {
        title: pivot.title.clone(),
        answer,
        tables,
        details,
        evidence: vec![Evidence::Emulated],
        printed: !pivot.detail,
        ..Drawn::default()
    })
}

fn headings<'a>(pivot: &'a Pivot, samples: &Samples) -> Vec<Heading<'a>> {
    let mut all = Vec::new();
    for column in &pivot.columns {
        let one = |name: String, only| Heading {
            name,
            of: column,
            only,
        };
        match &column.each {
            None => all.push(one(column.name.clone(), column.only.clone())),
            Some(label) => {
                for value in samples.values_of(label, &pivot.only) {
                    let name = column.name.replace(&format!("{{{label}}}"), &value);
                    let mut only = column.only.clone();
                    only.insert(label.clone(), value);
                    all.push(one(name, only));
                }
            }
        }
    }
    all
}

fn column(heading: &Heading<'_>) -> Column {
    let basis = match (&heading.of.theirs, &heading.of.basis) {
        (Some(_), Some(basis)) => Basis::Theirs(basis.clone()),
        _ => Basis::Ours(Evidence::Emulated),
    };
    Column::figures(heading.name.as_str(), basis)
}

/// The figures of a row, in the order of the columns; a change is made of columns before it.
fn figures(
    headings: &[Heading<'_>],
    group: &Group<'_>,
    (pivot, theirs): (&Pivot, &Publications),
) -> Result<Vec<Figure>> {
    let mut all: Vec<Figure> = Vec::new();
    for heading in headings {
        let of = heading.of;
        let pair = |names: &[String; 2]| -> Result<[Figure; 2]> {
            let [before, after] = names.each_ref().map(|name| find(headings, &all, name));
            Ok([before?, after?])
        };
        let figure = match (&of.mark, &of.change, &of.difference, &of.theirs) {
            (Some(mark), ..) => measured(group, heading, mark),
            (_, Some(names), ..) => match pair(names)? {
                [Figure::Measured(_, before), Figure::Measured(_, after)] => {
                    let change = change(before, after);
                    Figure::Change(change, change)
                }
                _ => Figure::None,
            },
            (_, _, Some(names), _) => match pair(names)? {
                [Figure::Measured(_, before), Figure::Measured(_, after)] => {
                    Figure::Difference(after.cast_signed().wrapping_sub(before.cast_signed()))
                }
                _ => Figure::None,
            },
            (.., Some(path)) => {
                let file = of.published.as_ref().or(pivot.published.as_ref());
                let file = file.and_then(|name| theirs.get(name));
                published_figure(file, path, (pivot, group), of.shown)?
            }
            _ => Figure::None,
        };
        all.push(figure);
    }
    Ok(all)
}

/// Returns the figure of an earlier column.
fn find(headings: &[Heading<'_>], figures: &[Figure], name: &str) -> Result<Figure> {
    let place = headings.iter().position(|heading| heading.name == name);
    let figure = place.and_then(|place| figures.get(place).copied());
    figure.with_context(|| format!("no column before it is called `{name}`"))
}

fn measured(group: &Group<'_>, heading: &Heading<'_>, mark: &str) -> Figure {
    let statistic = heading.of.statistic.unwrap_or(Statistic::Mean);
    let found = group.values_where(&heading.only, mark);
    if heading.of.three {
        return found.map_or(Figure::None, |(_, values)| Figure::three(&values));
    }
    let value = found.and_then(|(unit, values)| Some((unit, values.statistic(statistic)?)));
    value.map_or(Figure::None, |(unit, value)| match statistic {
        Statistic::Samples => Figure::Measured(Unit::Number, value),
        _ => Figure::Measured(unit, value),
    })
}

fn cell(
    heading: &Heading<'_>,
    figure: Figure,
    headings: &[Heading<'_>],
    figures: &[Figure],
) -> Cell {
    let Some([ours, theirs]) = &heading.of.within else {
        return figure.cell(heading.of.shown);
    };
    let of = |name: &str| find(headings, figures, name).unwrap_or(Figure::None);
    let Some(beside) = of(ours).beside(of(theirs)) else {
        return Cell::Blank;
    };
    if let Some(Enough { column, least }) = &heading.of.from
        && !matches!(of(column), Figure::Measured(_, samples) if samples >= *least)
    {
        return format!("from {} {column} on", thousands(*least)).into();
    }
    let why = heading.of.why.as_ref();
    let reason = match beside {
        Ordering::Less => why.and_then(|why| why.below.as_ref()),
        Ordering::Greater => why.and_then(|why| why.above.as_ref()),
        Ordering::Equal => None,
    };
    match reason {
        Some(reason) => Cell::Verdict {
            met: false,
            words: format!("no: {reason}"),
        },
        None => Cell::yes_or_no(beside == Ordering::Equal),
    }
}

/// Returns the summary of the columns that the figure's verdict names: how many verdicts are met,
/// or their range.
fn answer(
    pivot: &Pivot,
    headings: &[Heading<'_>],
    all: &[(String, Vec<Figure>)],
    table: &Table,
) -> Vec<String> {
    let named = headings.iter().enumerate();
    let named = named.filter(|(_, heading)| pivot.verdict.contains(&heading.name));
    let sentence = |(place, heading): (usize, &Heading<'_>)| match heading.of.within {
        Some(_) => share(pivot, heading, table, pivot.rows.len() + place),
        None => extremes(pivot, heading, all, place),
    };
    named.filter_map(sentence).collect()
}

fn share(pivot: &Pivot, heading: &Heading<'_>, table: &Table, column: usize) -> Option<String> {
    let verdicts = table.rows.iter().filter_map(|row| match row[column] {
        Cell::Verdict { met, .. } => Some(met),
        _ => None,
    });
    let verdicts: Vec<bool> = verdicts.collect();
    let met = verdicts.iter().filter(|met| **met).count();
    let (title, name, all) = (&pivot.title, &heading.name, verdicts.len());
    (all > 0).then(|| format!("{title}, {name}: {met} of {all} (emulated)."))
}

fn extremes(
    pivot: &Pivot,
    heading: &Heading<'_>,
    all: &[(String, Vec<Figure>)],
    place: usize,
) -> Option<String> {
    let of = all
        .iter()
        .filter_map(|(name, figures)| Some((figures[place].order()?, name, figures[place])));
    let (least, at_least, first) = of.clone().min_by_key(|one| one.0)?;
    let (most, at_most, last) = of.max_by_key(|one| one.0)?;
    let words = |figure: Figure| figure.shown(heading.of.shown).unwrap_or_default();
    let (title, name) = (&pivot.title, &heading.name);
    Some(match least == most {
        true => format!("{title}, {name}: {} for each (emulated).", words(first)),
        false => format!(
            "{title}, {name}: {} ({at_least}) to {} ({at_most}) (emulated).",
            words(first),
            words(last)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Labels;
    use crate::samples::Values;
    use crate::samples::tests::labels;
    use taktos_runner::workspace::Workspace;

    fn samples() -> Samples {
        let mut samples = Samples::default();
        for (case, value) in [
            ("task=T1 processors=1", 4_000_000),
            ("task=T1 processors=4", 3_000_000),
            ("task=T3 processors=1", 1_000_000),
            ("task=T3 processors=4", 1_000_000),
        ] {
            let labels: Labels = labels(case);
            samples.push(&labels, "wall", Unit::Nanoseconds, Values::one(value));
        }
        let all = labels("processors=1");
        samples.push(&all, "overhead", Unit::Share, Values::one(12_345));
        samples
    }

    fn drawn(text: &str) -> Result<Drawn> {
        let pivot: Pivot = toml::from_str(text).unwrap();
        let material = Material {
            workspace: &Workspace::find().unwrap(),
            board: "board",
            cpu: "cpu",
            samples: &samples(),
            run: None,
        };
        draw(&pivot, &material)
    }

    const WALL: &str = "title = 'Wall'\nrows = ['task']\nverdict = ['change', 'as the paper']\n\
        published = 'smp_scheduling'\ncolumn = [\n\
        { name = 'one', mark = 'wall', shown = 'ms', where = { processors = '1' } },\n\
        { name = 'four', mark = 'wall', shown = 'ms', where = { processors = '4' } },\n\
        { name = 'change', change = ['one', 'four'] },\n\
        { name = 'paper', theirs = 'result.wall_time_change_pct.{task}', shown = 'change', basis = 'paper' },\n\
        { name = 'as the paper', within = ['change', 'paper'] },\n]\n";

    #[test]
    fn ours_stands_beside_theirs_with_a_verdict() {
        let drawn = drawn(WALL).unwrap();
        let table = drawn.tables[0].to_csv();
        let rows: Vec<&str> = table.lines().skip(1).collect();
        assert!(rows[0].starts_with("T1,4.000,3.000,−25.00 %,"), "{table}");
        assert!(
            rows[0].contains("−28.00 % to −22.00 %") && rows[0].ends_with("yes"),
            "{table}"
        );
        assert!(rows[1].starts_with("T3,1.000,1.000,0.00 %,"), "{table}");
        assert_eq!(
            drawn.answer,
            [
                "Wall, change: −25.00 % (T1) to 0.00 % (T3) (emulated).",
                "Wall, as the paper: 2 of 2 (emulated)."
            ]
        );
        assert!(drawn.tables[0].notes[0].starts_with("Published: "));
    }

    #[test]
    fn a_verdict_that_is_not_met_says_why() {
        let ends = |why: &str| {
            let text = WALL.replace("['one', 'four']", "['four', 'one']");
            let within = "within = ['change', 'paper']";
            let table = drawn(&text.replace(within, &format!("{within}{why}"))).unwrap();
            let csv = table.tables[0].to_csv();
            let rows = csv.lines().skip(1);
            let last = rows.map(|row| row.rsplit(',').next().unwrap().to_owned());
            last.collect::<Vec<_>>()
        };
        assert_eq!(ends(", why.above = 'so it is'"), ["no: so it is", "yes"]);
        assert_eq!(ends(", why.below = 'so it is'"), ["no", "yes"]);
    }

    #[test]
    fn a_label_spreads_into_columns_and_shares_are_per_cent() {
        let drawn = drawn(
            "title = 'All'\nrows = ['processors']\ndetail = true\ncolumn = [\n\
             { name = 'overhead, %', mark = 'overhead' },\n\
             { name = 'wall {task}', mark = 'wall', each = 'task' },\n]\n",
        )
        .unwrap();
        assert!(drawn.tables.is_empty() && !drawn.printed);
        let table = &drawn.details[0];
        let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["processors", "overhead, %", "wall T1", "wall T3"]);
        let csv = table.to_csv();
        assert!(csv.contains("\n1,1.2345,4000000,1000000"), "{csv}");
        assert!(csv.contains("\n4,,3000000,1000000"), "{csv}");
    }

    #[test]
    fn what_a_figure_lacks_is_named() {
        let unknown = WALL.replace("change = ['one', 'four']", "change = ['one', 'for']");
        let error = drawn(&unknown).unwrap_err().to_string();
        assert_eq!(error, "no column before it is called `for`");
        let unpublished = WALL.replace("published = 'smp_scheduling'\n", "");
        let error = drawn(&unpublished).unwrap_err().to_string();
        assert!(error.contains("needs the key `published`"), "{error}");
        let shape = WALL.replace("shown = 'change'", "shown = 'difference'");
        let error = drawn(&shape).unwrap_err().to_string();
        assert!(
            error.contains("result.wall_time_change_pct.T1 has another shape"),
            "{error}"
        );
    }
}
