//! The file of all baselines: a line for each operation, a cell for each of its counts.
//!
//! The first column names the baseline, the second the operation, by its keys in the figures' data,
//! joined by slashes. Each further column is the last key of a count: what was counted, how many
//! contended, or which quantum the processors had, in nanoseconds. A cell is one of three records:
//!
//! - `74/75/80*101`: the least, the median and the greatest of 101 samples; `74*101` if all are
//!   equal;
//! - `60/537@242`: the mean and the longest wait for a lock in nanoseconds, and the sections in a
//!   millisecond;
//! - `293/427@4157=2082+2075`: the mean and the longest round trip in nanoseconds, and the trips in
//!   a millisecond: of all pairs, and of each.
//!
//! Owns: this form. Must never know: the set of figures.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};
use taktos_export::replace_file;
use taktos_runner::failure::{Failure, one_line};
use taktos_runner::workspace::Workspace;

use super::{Baselined, FILE};

/// The columns after the first two.
const COLUMNS: [&str; 9] = [
    "instructions",
    "cycles",
    "1",
    "2",
    "3",
    "4",
    "20",
    "100",
    "1000",
];
/// The key of the figures' name, which is the baseline's.
const NAME: &str = "board";
/// The file has the figures of all boards, so that no run writes a broken one again.
const HINT: &str = "remove that line, or restore the file; taktos bench --board BOARD --save-baseline writes a board's lines again";

/// The cells of a line, by their columns; empty where nothing was counted.
type Cells = [String; COLUMNS.len()];

/// All baselines of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Baselines(BTreeMap<String, BTreeMap<String, Cells>>);

impl Baselines {
    /// Reads those that are checked in; none if there is no file of them.
    ///
    /// # Errors
    /// If a line of the file is none of these.
    pub fn checked_in(workspace: &Workspace) -> Result<Self> {
        let file = workspace.path(FILE);
        match file.is_file() {
            true => Self::read(&file),
            false => Ok(Self::default()),
        }
    }

    /// Returns the figures of a baseline that must be there.
    ///
    /// # Errors
    /// If it has no such one, or its lines are other figures.
    pub fn of<T: Baselined>(&self, name: &str) -> Result<T> {
        self.figures(name)?.ok_or_else(|| {
            Failure::error(
                format!("{FILE} has no baseline of {name}"),
                "write one: taktos bench --board BOARD --save-baseline",
            )
        })
    }

    /// Reads them.
    ///
    /// # Errors
    /// When there is no such file, or a line of it is none of these.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|cause| {
            Failure::error(
                format!("cannot read the baseline {}: {cause}", path.display()),
                "write one: taktos bench --board BOARD --save-baseline",
            )
        })?;
        Self::parse(&text, path)
    }

    /// The baselines of a text, which is that of the file at `path`.
    pub(super) fn parse(text: &str, path: &Path) -> Result<Self> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let (mut table, mut line) = (Self::default(), 1);
        for record in reader.records() {
            let added = record.map_err(Into::into).and_then(|record| {
                line = record.position().map_or(line, csv::Position::line);
                table.add(&record, line)
            });
            added.map_err(|cause| {
                let why = one_line(&cause.to_string());
                Failure::error(
                    format!("{}:{line}: no baseline: {why}", path.display()),
                    HINT,
                )
            })?;
        }
        Ok(table)
    }

    fn add(&mut self, record: &csv::StringRecord, line: u64) -> Result<()> {
        if line == 1 {
            ensure!(record.iter().eq(header()), "the columns are others");
            return Ok(());
        }
        let mut fields = record.iter();
        let (name, operation) = (fields.next(), fields.next());
        let (name, operation) = name.zip(operation).context("a line has no operation")?;
        let cells: Vec<String> = fields.map(str::to_owned).collect();
        let cells = Cells::try_from(cells).ok().context("a cell is missing")?;
        for cell in cells.iter().filter(|cell| !cell.is_empty()) {
            ensure!(record_of(cell).is_some(), "no counts: {cell}");
        }
        let rows = self.0.entry(name.to_owned()).or_default();
        let before = rows.insert(operation.to_owned(), cells);
        ensure!(before.is_none(), "{operation} stands there twice");
        Ok(())
    }

    /// Writes them, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        replace_file(path, self.text()?).context("the baseline was not saved")
    }

    pub(super) fn text(&self) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(header())?;
        for (name, rows) in &self.0 {
            for (operation, cells) in rows {
                let keys = [name, operation].into_iter();
                writer.write_record(keys.chain(cells))?;
            }
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    /// The baselines that it has.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The figures of a baseline; none if it has no such one.
    ///
    /// # Errors
    /// When its lines are other figures.
    pub fn figures<T: Baselined>(&self, name: &str) -> Result<Option<T>> {
        let Some(rows) = self.0.get(name) else {
            return Ok(None);
        };
        let mut data = json!({ NAME: name });
        for (operation, cells) in rows {
            let mut place = &mut data;
            for key in operation.split('/') {
                place = at(place, key)?;
            }
            for (column, cell) in COLUMNS.iter().zip(cells) {
                if let Some(record) = record_of(cell) {
                    *at(place, column)? = record;
                }
            }
        }
        let figures = serde_json::from_value(data).map_err(|cause| {
            let why = one_line(&cause.to_string());
            Failure::error(
                format!("the baseline of {name} has other figures: {why}"),
                HINT,
            )
        })?;
        Ok(Some(figures))
    }

    /// Replaces the figures of the same name by these.
    ///
    /// # Errors
    /// If a figure has no place in the form.
    pub fn set<T: Baselined>(&mut self, name: &str, figures: &T) -> Result<()> {
        let mut rows = BTreeMap::new();
        let mut data = serde_json::to_value(figures)?;
        if let Some(data) = data.as_object_mut() {
            data.remove(NAME);
        }
        flatten(&data, "", &mut rows)?;
        self.0.insert(name.to_owned(), rows);
        Ok(())
    }
}

fn header() -> impl Iterator<Item = &'static str> {
    ["baseline", "operation"].into_iter().chain(COLUMNS)
}

/// Returns the value in `data` under `key`; null if it had none.
fn at<'d>(data: &'d mut Value, key: &str) -> Result<&'d mut Value> {
    if data.is_null() {
        *data = Value::Object(Map::new());
    }
    let map = data.as_object_mut();
    let map = map.with_context(|| format!("{key} is below a count"))?;
    Ok(map.entry(key).or_insert(Value::Null))
}

fn flatten(data: &Value, operation: &str, rows: &mut BTreeMap<String, Cells>) -> Result<()> {
    let Some(map) = data.as_object() else {
        bail!("{operation} is no count");
    };
    for (key, value) in map.iter().filter(|(_, value)| !value.is_null()) {
        let column = COLUMNS.iter().position(|column| column == key);
        if let Some((column, cell)) = column.zip(cell_of(value)) {
            rows.entry(operation.to_owned()).or_default()[column] = cell;
            continue;
        }
        ensure!(!key.is_empty() && !key.contains('/'), "{key} is no name");
        let below = match operation {
            "" => key.clone(),
            above => format!("{above}/{key}"),
        };
        flatten(value, &below, rows)?;
    }
    Ok(())
}

/// A record as a cell; none where it is no such record.
fn cell_of(value: &Value) -> Option<String> {
    let map = value.as_object()?;
    let number = |key: &str| {
        map.get(key)
            .filter(|value| value.is_i64() || value.is_u64())
    };
    let has = |keys: usize| map.len() == keys;
    if let (true, Some(mean), Some(max)) = (has(3), number("mean"), number("max")) {
        return Some(format!("{mean}/{max}@{}", number("sections")?));
    }
    if let (true, Some(mean), Some(max)) = (has(4), number("mean"), number("max")) {
        let each = map.get("each")?.as_object()?;
        let numbers = (0..each.len()).map(|place| Some(each.get(&place.to_string())?.to_string()));
        let each = numbers.collect::<Option<Vec<String>>>()?.join("+");
        return Some(format!("{mean}/{max}@{}={each}", number("total")?));
    }
    let [min, median, max] = [number("min")?, number("median")?, number("max")?];
    let samples = number("samples").filter(|_| has(4))?;
    Some(match min == median && median == max {
        true => format!("{min}*{samples}"),
        false => format!("{min}/{median}/{max}*{samples}"),
    })
}

/// The record that a cell is; none where it is no such cell.
fn record_of(cell: &str) -> Option<Value> {
    if let Some((times, rates)) = cell.split_once('@') {
        let [mean, max] = numbers(times)?;
        return match rates.split_once('=') {
            None => Some(json!({ "mean": mean, "max": max, "sections": number_of(rates)? })),
            Some((total, each)) => {
                let each = each.split('+').enumerate();
                let each = each.map(|(place, rate)| Some((place.to_string(), number_of(rate)?)));
                let each = each.collect::<Option<Map<_, _>>>()?;
                Some(json!({ "mean": mean, "max": max, "total": number_of(total)?, "each": each }))
            }
        };
    }
    let (statistics, samples) = cell.split_once('*')?;
    let [min, median, max] = match numbers(statistics) {
        Some(three) => three,
        None => {
            let each = number_of(statistics)?;
            [each.clone(), each.clone(), each]
        }
    };
    let samples = number_of(samples)?;
    Some(json!({ "min": min, "median": median, "max": max, "samples": samples }))
}

fn numbers<const N: usize>(text: &str) -> Option<[Value; N]> {
    let numbers = text.split('/').map(number_of);
    let numbers = numbers.collect::<Option<Vec<Value>>>()?;
    numbers.try_into().ok()
}

fn number_of(text: &str) -> Option<Value> {
    let whole = text.parse::<u64>().map(Value::from);
    whole.or_else(|_| text.parse::<i64>().map(Value::from)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_the_record_that_it_was_made_of() {
        let records = [
            json!({ "min": 74, "median": 74, "max": 74, "samples": 101 }),
            json!({ "min": -119, "median": 75, "max": 80, "samples": 2 }),
            json!({ "mean": 60, "max": 537, "sections": 242 }),
            json!({ "mean": 293, "max": 427, "total": 4157, "each": { "0": 2082, "1": 2075 } }),
        ];
        let cells = records.each_ref().map(|record| cell_of(record).unwrap());
        assert_eq!(
            cells,
            [
                "74*101",
                "-119/75/80*2",
                "60/537@242",
                "293/427@4157=2082+2075"
            ]
        );
        for (cell, record) in cells.iter().zip(records) {
            assert_eq!(record_of(cell), Some(record));
        }
    }

    #[test]
    fn text_that_is_no_count_is_no_cell() {
        for text in [
            "", "7", "*", "7*", "*7", "7/8*9", "7/8/x*9", "7@8", "7/8@", "7/8@9=", "a*1",
        ] {
            assert_eq!(record_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_line_that_is_wrong_is_named() {
        let head = header().collect::<Vec<_>>().join(",");
        let line = |line: &str| {
            let text = format!("{head}\nb,operations/yield,20*9,,,,,,,,\n{line}\n");
            let error = Baselines::parse(&text, Path::new("mine.csv")).unwrap_err();
            error.to_string()
        };
        assert!(line("b,x,20*9").contains("mine.csv:3: no baseline"));
        assert!(line("b,x,20,,,,,,,,").ends_with("no counts: 20"));
        let twice = line("b,operations/yield,20*9,,,,,,,,");
        assert!(
            twice.ends_with("operations/yield stands there twice"),
            "{twice}"
        );
        let other = Baselines::parse("a,b\n", Path::new("mine.csv")).unwrap_err();
        assert!(
            other.to_string().starts_with("mine.csv:1: no baseline: "),
            "{other}"
        );
    }
}
