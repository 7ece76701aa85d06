//! Samples as one long table: the measurements of each case, from any source.
//!
//! Owns: its rows, and how rows are chosen and put together. Must never know: the question of an
//! experiment, or the form of a figure.

mod values;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use taktos_export::{Evidence, joined};

use crate::measure::{Labels, Observation, Summary};
use crate::response::Distribution;

pub use values::{Known, Statistic, Values};

/// Unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Executed instructions.
    Instructions,
    /// Modelled cycles.
    Cycles,
    /// Nanoseconds of the emulated clock.
    Nanoseconds,
    /// Thousands of executed instructions, of a nanosecond each: the microseconds of guests'
    /// clocks.
    ThousandInstructions,
    /// Things: jobs, misses.
    Number,
    /// Millionths of a whole.
    Share,
    /// Cycles of a board's own counter.
    Counter,
}

impl Unit {
    /// The unit's name in the plural, as tables and axes have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Cycles | Self::Counter => "cycles",
            Self::Nanoseconds => "ns",
            Self::ThousandInstructions => "thousand instructions",
            Self::Number => "number",
            Self::Share => "%",
        }
    }

    /// Returns the evidence of a figure in this unit.
    pub const fn evidence(self) -> Evidence {
        match self {
            Self::Cycles => Evidence::Modelled,
            Self::Counter => Evidence::Hardware,
            Self::Instructions
            | Self::ThousandInstructions
            | Self::Nanoseconds
            | Self::Number
            | Self::Share => Evidence::Emulated,
        }
    }
}

/// A row: the samples of one mark in one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The case.
    pub labels: Labels,
    /// Name of the measurement.
    pub mark: String,
    /// Unit of its values.
    pub unit: Unit,
    /// The values.
    pub values: Values,
}

/// The long table, in the order in which it was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    rows: Vec<Sample>,
}

/// Rows that have the same values of some labels.
pub struct Group<'a> {
    /// The values of the labels.
    pub key: Vec<String>,
    rows: Vec<&'a Sample>,
}

impl Group<'_> {
    /// All values of a mark in the group, together; none where there are none, or they cannot be
    /// put together.
    pub fn values(&self, mark: &str, unit: Option<Unit>) -> Option<Values> {
        let of = self.rows.iter().filter(|row| row.mark == mark);
        let of = of.filter(|row| unit.is_none_or(|unit| unit == row.unit));
        Values::together(of.map(|row| &row.values))
    }

    /// Returns all values of a mark in the rows with these labels, together, and their unit.
    pub fn values_where(&self, wanted: &Labels, mark: &str) -> Option<(Unit, Values)> {
        let has = |row: &&&Sample| row.mark == mark && has(&row.labels, wanted);
        let unit = self.rows.iter().find(has)?.unit;
        let of = self.rows.iter().filter(has);
        Some((unit, Values::together(of.map(|row| &row.values))?))
    }
}

impl Samples {
    /// Adds a row.
    pub fn push(&mut self, labels: &Labels, mark: &str, unit: Unit, values: Values) {
        self.rows.push(Sample {
            labels: labels.clone(),
            mark: mark.to_owned(),
            unit,
            values,
        });
    }

    /// All that the marks of a run on one processor say: a row for each round, mark and unit.
    pub fn of(observation: &Observation) -> Self {
        let mut samples = Self::default();
        for round in &observation.rounds {
            for (mark, counts) in &round.samples {
                let mut push = |unit, of: fn(&taktos_emulator::Count) -> u64| {
                    if let Some(values) = Distribution::each(counts.iter().map(of)) {
                        samples.push(&round.labels, mark, unit, Values::All(values));
                    }
                };
                push(Unit::Instructions, |count| count.instructions);
                if observation.modelled {
                    push(Unit::Cycles, |count| count.cycles);
                }
            }
        }
        samples
    }

    /// Returns the table for programs, a row for each case and mark.
    pub fn rows(&self) -> Value {
        let row = |row: &Sample| {
            let Sample {
                labels, mark, unit, ..
            } = row;
            let head = json!({ "labels": labels, "mark": mark, "unit": unit });
            joined(head, row.values.form())
        };
        self.rows.iter().map(row).collect()
    }

    /// The marks, sorted.
    pub fn marks(&self) -> Vec<String> {
        let mut names: Vec<String> = self.rows.iter().map(|row| row.mark.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns whether any row is in this unit.
    pub fn has(&self, unit: Unit) -> bool {
        self.rows.iter().any(|row| row.unit == unit)
    }

    /// Returns whether any row has these labels.
    pub fn have(&self, wanted: &Labels) -> bool {
        self.rows.iter().any(|row| has(&row.labels, wanted))
    }

    /// Returns the values of a label, in the order in which they first occur in rows with these
    /// labels.
    pub fn values_of(&self, label: &str, wanted: &Labels) -> Vec<String> {
        let groups = self.grouped(&[label.to_owned()], wanted);
        groups.into_iter().flat_map(|group| group.key).collect()
    }

    /// Rows that have the labels `wanted`, together where those called `keys` have the same values;
    /// rows without one of these are in no group. In the order in which they were measured.
    pub fn grouped(&self, keys: &[String], wanted: &Labels) -> Vec<Group<'_>> {
        let mut groups: Vec<Group<'_>> = Vec::new();
        let mut places: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| has(&row.labels, wanted)) {
            let key = keys.iter().map(|key| row.labels.get(key).cloned());
            let Some(key) = key.collect::<Option<Vec<String>>>() else {
                continue;
            };
            let place = *places.entry(key.clone()).or_insert_with(|| {
                let rows = Vec::new();
                groups.push(Group { key, rows });
                groups.len() - 1
            });
            groups[place].rows.push(row);
        }
        groups
    }

    /// All values of a mark, of all cases.
    pub fn summary(&self, mark: &str, unit: Unit) -> Option<Summary> {
        let all = self.grouped(&[], &Labels::new());
        all.first()?.values(mark, Some(unit))?.summary()
    }
}

/// Returns whether all that is wanted is there.
fn has(labels: &Labels, wanted: &Labels) -> bool {
    wanted
        .iter()
        .all(|(key, value)| labels.get(key) == Some(value))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Labels of words `key=value`.
    pub fn labels(words: &str) -> Labels {
        crate::measure::labels(words).unwrap()
    }

    fn two() -> Samples {
        let mut samples = Samples::default();
        for (case, values) in [
            ("task=A processors=1", [3, 5]),
            ("task=B processors=1", [7, 7]),
            ("task=A processors=4", [1, 9]),
        ] {
            let values = Values::All(Distribution::each(values.into_iter()).unwrap());
            samples.push(&labels(case), "wall", Unit::Nanoseconds, values);
        }
        samples.push(
            &labels("processors=4"),
            "busy",
            Unit::Share,
            Values::one(500),
        );
        samples
    }

    #[test]
    fn rows_are_grouped_by_labels_and_put_together() {
        let samples = two();
        let groups = samples.grouped(&["task".into()], &Labels::new());
        let keys: Vec<&str> = groups.iter().map(|group| group.key[0].as_str()).collect();
        assert_eq!(keys, ["A", "B"]);
        let wall = groups[0].values("wall", None).unwrap();
        assert_eq!(wall.statistic(Statistic::Maximum), Some(9));
        assert_eq!(wall.statistic(Statistic::Samples), Some(4));
        let one = groups[0].values_where(&labels("processors=1"), "wall");
        assert_eq!(one.unwrap().1.statistic(Statistic::Mean), Some(4));
        assert!(
            groups[0].values("busy", None).is_none(),
            "has no label task"
        );
        assert_eq!(
            samples.values_of("processors", &labels("task=A")),
            ["1", "4"]
        );
    }
}
