//! The figures as tables, which `experiments/tables/several.toml` describes: for people, as CSV,
//! and for the book.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde::Deserialize;
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Evidence};
use taktos_runner::workspace::Workspace;

use super::{Figures, Goals, flatten};
use crate::baseline::Baseline;

/// Where the tables are described.
const FILE: &str = "experiments/tables/several.toml";
/// The table that is none of them.
const GOALS: &str = "goals";
/// Placeholder of the row in the place of a figure.
const ROW: &str = " * ";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    table: Vec<Shape>,
}

/// A table, as it is described.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    /// Its name in the book.
    name: String,
    title: String,
    /// Kind of its rows.
    label: String,
    #[serde(default)]
    notes: Vec<String>,
    column: Vec<Heading>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Heading {
    name: String,
    /// The places of its figures.
    figure: Vec<String>,
    /// Whether it makes no rows.
    #[serde(default)]
    beside: bool,
}

/// Figures by their places.
type Places = BTreeMap<String, String>;

/// The tables by the names under which the book has them, that of the goals last; next to the first
/// one the figures of the board with one processor.
///
/// # Errors
/// When the description is missing or has another shape; as [`Goals::judged`].
pub fn tables(
    workspace: &Workspace,
    (figures, one): (&Figures, Option<&Baseline>),
    goals: &Goals,
) -> Result<Vec<(String, Table)>> {
    let text = std::fs::read_to_string(workspace.path(FILE)).context(FILE)?;
    let file: File = toml::from_str(&text).context(FILE)?;
    let mut places = figures.places()?;
    flatten(&serde_json::to_value(one)?, "one", &mut places);
    let shapes = file.table.into_iter();
    let mut tables: Vec<_> = shapes
        .map(|shape| (shape.name.clone(), shape.table(&places)))
        .collect();
    tables.push((GOALS.into(), goals.table(figures)?));
    Ok(tables)
}

impl Shape {
    fn table(self, places: &Places) -> Table {
        let own = self.column.iter().filter(|column| !column.beside);
        let rows: BTreeSet<&str> = own.flat_map(|column| column.rows(places)).collect();
        let mut columns = vec![Column::label(self.label)];
        columns.extend(self.column.iter().map(Heading::column));
        let mut table = Table::new(self.title, columns);
        for row in rows {
            let cells = self.column.iter().map(|column| column.cell(row, places));
            table.push([Cell::from(row)].into_iter().chain(cells).collect());
        }
        table.notes = self.notes;
        table
    }
}

impl Heading {
    fn column(&self) -> Column {
        let modelled = self.figure.iter().any(|figure| figure.contains(" cycles "));
        let evidence = match modelled {
            true => Evidence::Modelled,
            false => Evidence::Emulated,
        };
        Column::figures(&self.name, Basis::Ours(evidence))
    }

    /// Returns the rows that have such figures.
    fn rows<'a>(&self, places: &'a Places) -> impl Iterator<Item = &'a str> {
        let ends = self
            .figure
            .first()
            .and_then(|figure| figure.split_once(ROW));
        let ends = ends.map(|(before, behind)| (format!("{before} "), format!(" {behind}")));
        places.keys().filter_map(move |place| {
            let (before, behind) = ends.as_ref()?;
            let row = place.strip_prefix(before)?.strip_suffix(behind)?;
            (!row.contains(' ')).then_some(row)
        })
    }

    /// Its figure of a row. A time may be less than none, and is written as it is.
    fn cell(&self, row: &str, places: &Places) -> Cell {
        let found = self.figure.iter().map(|figure| {
            let place = figure.replace(ROW, &format!(" {row} "));
            places.get(&place).map(String::as_str)
        });
        let found: Option<Vec<&str>> = found.collect();
        let is_count = self
            .figure
            .iter()
            .all(|figure| !figure.contains(" nanoseconds "));
        match found.as_deref() {
            Some([one]) if is_count => one.parse::<u64>().ok().into(),
            found => found.map(|figures| figures.join(" / ")).into(),
        }
    }
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
