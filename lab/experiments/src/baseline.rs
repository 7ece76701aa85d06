//! Baselines: the counts that are checked in, and what changed since.
//!
//! Owns: how they are read and written, and those of boards with one processor. Must never know: how anything is counted.

mod best;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taktos_export::{replace_file, to_json};
use taktos_runner::failure::{Failure, one_line};

pub use best::Best;

use crate::figure::Operation;
use crate::measure::Summary;

/// Figures that are checked in.
pub trait Baselined: Serialize + DeserializeOwned {
    /// What changed from this baseline to a newer one: a line each.
    ///
    /// # Errors
    /// When it cannot be told, for one of them is no data.
    fn changes(&self, newer: &Self) -> Result<Vec<String>>;

    /// How many rows there are.
    fn rows(&self) -> usize;

    /// What is said where none of them changed.
    fn unchanged(&self) -> String;

    /// What is said where so much changed.
    fn changed(count: usize) -> String;

    /// Reads them.
    ///
    /// # Errors
    /// When there is no such file, or it is none of these baselines.
    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|cause| {
            Failure::error(
                format!("cannot read the baseline {}: {cause}", path.display()),
                "write one: taktos bench --board BOARD --save-baseline",
            )
        })?;
        parse(&text, path)
    }

    /// Writes them, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    fn save(&self, path: &Path) -> Result<()> {
        replace_file(path, to_json(self)).context("the baseline was not saved")
    }
}

fn parse<T: DeserializeOwned>(text: &str, path: &Path) -> Result<T> {
    serde_json::from_str(text).map_err(|cause| {
        let (path, line) = (path.display(), cause.line());
        Failure::error(
            format!(
                "{path}:{line}: no baseline: {}",
                one_line(&cause.to_string())
            ),
            "write it anew: taktos bench --board BOARD --save-baseline",
        )
    })
}

/// The counts of all operations on one board.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The board.
    pub board: String,
    /// The counts of each operation.
    pub operations: BTreeMap<String, Counts>,
}

/// The counts of one operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Executed instructions.
    pub instructions: Summary,
    /// Modelled cycles, where there is a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Summary>,
}

impl Baseline {
    /// The baseline that a run gives.
    pub fn of(board: &str, operations: &[Operation]) -> Self {
        let counts = operations.iter().map(|operation| {
            let Operation {
                name,
                instructions,
                cycles,
            } = operation;
            (
                name.clone(),
                Counts {
                    instructions: *instructions,
                    cycles: *cycles,
                },
            )
        });
        Self {
            board: board.into(),
            operations: counts.collect(),
        }
    }
}

impl Baselined for Baseline {
    /// One line an operation.
    fn changes(&self, newer: &Self) -> Result<Vec<String>> {
        let mut changes = Vec::new();
        if self.board != newer.board {
            changes.push(format!(
                "the board is {}, the baseline is of {}",
                newer.board, self.board
            ));
        }
        for (name, before) in &self.operations {
            match newer.operations.get(name) {
                None => changes.push(format!("{name}: is measured no more")),
                Some(now) => changes.extend(before.changes(now, name)),
            }
        }
        let added = newer
            .operations
            .keys()
            .filter(|name| !self.operations.contains_key(*name));
        changes.extend(added.map(|name| format!("{name}: is not in the baseline")));
        Ok(changes)
    }

    fn rows(&self) -> usize {
        self.operations.len()
    }

    fn unchanged(&self) -> String {
        format!("no count changed in {} operations", self.rows())
    }

    fn changed(count: usize) -> String {
        let plural = if count == 1 { "" } else { "s" };
        format!("the counts of {count} operation{plural} changed")
    }
}

impl Counts {
    fn changes(&self, now: &Self, name: &str) -> Option<String> {
        let (before, after) = (&self.instructions, &now.instructions);
        let mut pairs = vec![
            ("instructions min", before.min, after.min),
            ("instructions median", before.median, after.median),
            ("instructions max", before.max, after.max),
        ];
        if let (Some(before), Some(after)) = (&self.cycles, &now.cycles) {
            pairs.extend([
                ("cycles min", before.min, after.min),
                ("cycles median", before.median, after.median),
                ("cycles max", before.max, after.max),
            ]);
        }
        pairs.push(("samples", before.samples, after.samples));
        let difference = |(what, before, now): (&str, u64, u64)| {
            let sign = if now > before { '+' } else { '-' };
            format!("{what} {before} -> {now} ({sign}{})", now.abs_diff(before))
        };
        let differing = pairs.into_iter().filter(|(_, before, now)| before != now);
        let mut changed: Vec<String> = differing.map(difference).collect();
        match (self.cycles, now.cycles) {
            (None, Some(_)) => changed.push("cycles are not in the baseline".into()),
            (Some(_), None) => changed.push("cycles are counted no more".into()),
            _ => {}
        }
        (!changed.is_empty()).then(|| format!("{name}: {}", changed.join(", ")))
    }
}

#[cfg(test)]
mod fuzz;

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(operations: &[(&str, u64)]) -> Baseline {
        let operations: Vec<Operation> = operations
            .iter()
            .map(|(name, count)| {
                let summary = |count| Summary {
                    min: count,
                    median: count,
                    max: count,
                    samples: 9,
                };
                Operation {
                    name: (*name).into(),
                    instructions: summary(*count),
                    cycles: Some(summary(2 * count)),
                }
            })
            .collect();
        Baseline::of("mps2-an386", &operations)
    }

    #[test]
    fn no_change_says_nothing() {
        let same = baseline(&[("yield", 20)]);
        assert_eq!(same.changes(&same).unwrap(), [""; 0]);
    }

    #[test]
    fn a_change_names_the_operation_and_the_difference() {
        let changes = baseline(&[("yield", 20)]).changes(&baseline(&[("yield", 21)]));
        let changes = changes.unwrap();
        assert_eq!(changes.len(), 1);
        assert!(
            changes[0].starts_with("yield: instructions min 20 -> 21 (+1), "),
            "{changes:?}"
        );
        assert!(
            changes[0].contains("cycles min 40 -> 42 (+2)"),
            "{changes:?}"
        );
    }

    #[test]
    fn cycles_that_came_or_went_are_named() {
        let (with, mut without) = (baseline(&[("yield", 20)]), baseline(&[("yield", 20)]));
        without.operations.get_mut("yield").unwrap().cycles = None;
        assert_eq!(
            without.changes(&with).unwrap(),
            ["yield: cycles are not in the baseline"]
        );
        assert_eq!(
            with.changes(&without).unwrap(),
            ["yield: cycles are counted no more"]
        );
        assert!(without.changes(&without).unwrap().is_empty());
    }

    #[test]
    fn what_came_and_what_went_is_named() {
        let changes = baseline(&[("give", 1)]).changes(&baseline(&[("take", 1)]));
        assert_eq!(
            changes.unwrap(),
            ["give: is measured no more", "take: is not in the baseline"]
        );
    }

    #[test]
    fn what_is_saved_is_read_back() {
        let path =
            std::env::temp_dir().join(format!("taktos-baseline-{}.json", std::process::id()));
        let saved = baseline(&[("yield", 20)]);
        saved.save(&path).unwrap();
        assert_eq!(Baseline::read(&path).unwrap(), saved);
        std::fs::remove_file(&path).unwrap();
    }
}
