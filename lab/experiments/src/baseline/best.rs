//! Rows of baselines that once took less.
//!
//! Owns: the lowest median that each row ever had, where the one checked in today is higher. A
//! baseline alone is renewed with each accepted change, so it does not show a row that grows by
//! little steps. Must never know: why a row grew.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use taktos_export::replace_file;

use super::Baselined;

/// How many rows are named one by one; the file has the others.
const NAMED: usize = 5;

/// The lowest medians, by row.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Best(BTreeMap<Row, u64>);

/// One count of one operation in one baseline.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Row {
    /// The name of the baseline's file, without its ending.
    baseline: String,
    /// The path to the operation in the file, its keys joined by slashes.
    operation: String,
    /// `instructions` or `cycles`.
    count: String,
}

/// A line of the file. Its fields are here once more, because the format knows no nested records.
#[derive(Serialize, Deserialize)]
struct Line {
    baseline: String,
    operation: String,
    count: String,
    best: u64,
}

impl Best {
    /// Reads them; there are none where there is no file.
    ///
    /// # Errors
    /// When the file cannot be read, or a line of it is none of these.
    pub fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let lines = csv::Reader::from_path(path)?.into_deserialize();
        let rows = lines
            .map(|line| line.map(Line::split))
            .collect::<Result<_, _>>();
        rows.map(Self).with_context(|| {
            format!(
                "{} has no best figures; restore it from the repository",
                path.display()
            )
        })
    }

    /// Writes them, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for (row, best) in &self.0 {
            writer.serialize(Line::join(row, *best))?;
        }
        replace_file(path, writer.into_inner()?).context("the best figures were not saved")
    }

    /// Takes in a baseline that replaces another one: a row that grew retains the lower median; a
    /// row at its lowest value, or one that is not measured any more, is dropped.
    ///
    /// # Errors
    /// When a baseline is no data.
    pub fn renew<T: Baselined>(&mut self, name: &str, before: Option<&T>, now: &T) -> Result<()> {
        let mut known = before.map_or(Ok(BTreeMap::new()), |before| medians(name, before))?;
        known.retain(|row, _| !self.0.contains_key(row));
        known.extend(self.0.iter().map(|(row, best)| (row.clone(), *best)));
        self.0.retain(|row, _| row.baseline != name);
        for (row, median) in medians(name, now)? {
            if let Some(best) = known.remove(&row).filter(|best| *best < median) {
                self.0.insert(row, best);
            }
        }
        Ok(())
    }

    /// The rows of a baseline that once took less, those that grew most first: a line each, and one
    /// for those that are not named.
    ///
    /// # Errors
    /// When the baseline is no data.
    pub fn dearer<T: Baselined>(&self, name: &str, now: &T) -> Result<Vec<String>> {
        let mut grown: Vec<(Row, u64, u64)> = (medians(name, now)?.into_iter())
            .filter_map(|(row, median)| Some((*self.0.get(&row)?, row, median)))
            .filter(|(best, _, median)| best < median)
            .map(|(best, row, median)| (row, best, median))
            .collect();
        let growth = |(_, best, median): &(Row, u64, u64)| (median - best) * 10_000 / best.max(&1);
        grown.sort_by_key(|row| std::cmp::Reverse(growth(row)));
        let mut lines: Vec<String> = grown.iter().take(NAMED).map(shown).collect();
        if let Some(more) = grown.len().checked_sub(NAMED + 1) {
            lines.push(format!("and {} more, in experiments/best.csv", more + 1));
        }
        Ok(lines)
    }
}

fn shown((row, best, median): &(Row, u64, u64)) -> String {
    let Row {
        operation, count, ..
    } = row;
    let operation = operation.strip_prefix("operations/").unwrap_or(operation);
    format!("{operation}: {median} {count}, {best} at best")
}

impl Line {
    fn split(self) -> (Row, u64) {
        let Self {
            baseline,
            operation,
            count,
            best,
        } = self;
        (
            Row {
                baseline,
                operation,
                count,
            },
            best,
        )
    }

    fn join(row: &Row, best: u64) -> Self {
        let Row {
            baseline,
            operation,
            count,
        } = row.clone();
        Self {
            baseline,
            operation,
            count,
            best,
        }
    }
}

/// The medians of a baseline, whatever its form.
fn medians<T: Serialize>(baseline: &str, figures: &T) -> Result<BTreeMap<Row, u64>> {
    let mut rows = BTreeMap::new();
    collect(baseline, "", &serde_json::to_value(figures)?, &mut rows);
    Ok(rows)
}

fn collect(baseline: &str, operation: &str, value: &Value, rows: &mut BTreeMap<Row, u64>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        match (key.as_str(), value["median"].as_u64()) {
            ("instructions" | "cycles", Some(median)) => {
                let (baseline, operation, count) = (baseline.into(), operation.into(), key.clone());
                rows.insert(
                    Row {
                        baseline,
                        operation,
                        count,
                    },
                    median,
                );
            }
            _ if operation.is_empty() => collect(baseline, key, value, rows),
            _ => collect(baseline, &format!("{operation}/{key}"), value, rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{Baseline, Baselines, Counts};
    use super::*;
    use crate::measure::Summary;
    use crate::several_bench::Figures;

    fn baseline(medians: &[(&str, u64)]) -> Baseline {
        let counts = |median| Counts {
            instructions: Summary {
                min: 1,
                median,
                max: 90,
                samples: 9,
            },
            cycles: None,
        };
        Baseline {
            board: "b".into(),
            operations: medians
                .iter()
                .map(|(name, median)| ((*name).into(), counts(*median)))
                .collect(),
        }
    }

    fn renewed(medians: [u64; 4]) -> Best {
        let mut best = Best::default();
        let mut before = None;
        for median in medians {
            let now = baseline(&[("yield", median)]);
            best.renew("b", before.as_ref(), &now).unwrap();
            before = Some(now);
        }
        best
    }

    #[test]
    fn a_row_that_grows_by_little_steps_keeps_its_best() {
        let best = renewed([50, 36, 37, 38]);
        let said = best.dearer("b", &baseline(&[("yield", 38)])).unwrap();
        assert_eq!(said, ["yield: 38 instructions, 36 at best"]);
    }

    #[test]
    fn a_row_that_is_as_low_as_ever_is_not_kept() {
        assert_eq!(renewed([36, 37, 38, 36]), Best::default());
        assert_eq!(renewed([36, 37, 38, 35]), Best::default());
    }

    #[test]
    fn what_is_measured_no_more_is_dropped_and_other_baselines_stay() {
        let mut best = renewed([36, 37, 37, 37]);
        best.renew(
            "other",
            Some(&baseline(&[("give", 9)])),
            &baseline(&[("give", 10)]),
        )
        .unwrap();
        best.renew(
            "b",
            Some(&baseline(&[("yield", 37)])),
            &baseline(&[("wake", 5)]),
        )
        .unwrap();
        assert!(
            best.dearer("b", &baseline(&[("yield", 37)]))
                .unwrap()
                .is_empty()
        );
        assert_eq!(
            best.dearer("other", &baseline(&[("give", 10)]))
                .unwrap()
                .len(),
            1
        );
    }

    #[test]
    fn the_rows_that_grew_most_are_named_first_and_the_rest_is_counted() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let at = |step: u64| {
            let rows: Vec<_> = names
                .iter()
                .zip(1..)
                .map(|(name, n)| (*name, 100 + step * n))
                .collect();
            baseline(&rows)
        };
        let mut best = Best::default();
        best.renew("b", Some(&at(0)), &at(1)).unwrap();
        let said = best.dearer("b", &at(1)).unwrap();
        assert_eq!(said.len(), NAMED + 1);
        assert_eq!(said[0], "g: 107 instructions, 100 at best");
        assert_eq!(said[NAMED], "and 2 more, in experiments/best.csv");
    }

    #[test]
    fn the_file_gives_back_what_was_saved() {
        let path = std::env::temp_dir().join(format!("taktos-best-{}.csv", std::process::id()));
        let best = renewed([36, 37, 38, 39]);
        best.save(&path).unwrap();
        assert_eq!(Best::read(&path).unwrap(), best);
        fs::write(&path, "baseline,operation\nb,yield\n").unwrap();
        let error = format!("{:#}", Best::read(&path).unwrap_err());
        assert!(error.contains("has no best figures"), "{error}");
        fs::remove_file(&path).unwrap();
        assert_eq!(Best::read(&path).unwrap(), Best::default());
    }

    #[test]
    fn each_checked_in_best_is_lower_than_the_figure_of_today() {
        let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        let best = Best::read(&experiments.join("best.csv")).unwrap();
        assert!(!best.0.is_empty(), "no file was read");
        let table = Baselines::read(&experiments.join("baseline.csv")).unwrap();
        let mut today = BTreeMap::new();
        for name in table.names() {
            let of_one = table.figures::<Baseline>(name);
            today.extend(match of_one {
                Ok(one) => medians(name, &one).unwrap(),
                Err(_) => medians(name, &table.figures::<Figures>(name).unwrap()).unwrap(),
            });
        }
        for (row, best) in &best.0 {
            let now = today.get(row);
            let now = now.unwrap_or_else(|| panic!("{row:?} is in no baseline"));
            assert!(best < now, "{row:?}: {best} at best, {now} today");
        }
    }
}
