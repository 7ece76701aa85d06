//! Baselines: the counts that are checked in, and what changed since.
//!
//! Owns: reading and writing them, and those of boards with one processor. Must never know: the way
//! of counting.

mod all;
mod best;

use std::collections::BTreeMap;

use anyhow::Result;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use all::Baselines;
pub use best::Best;
use taktos_runner::workspace::Workspace;

use crate::figure::Operation;
use crate::measure::Summary;

/// The file of all baselines that are checked in.
pub const FILE: &str = "experiments/baseline.csv";

/// Reads the checked-in figures of this name.
///
/// # Errors
/// If there are none.
pub fn checked_in<T: Baselined>(workspace: &Workspace, name: &str) -> Result<T> {
    Baselines::checked_in(workspace)?.of(name)
}

/// Figures that are checked in.
pub trait Baselined: Serialize + DeserializeOwned {
    /// The changes from this baseline to a newer one.
    ///
    /// # Errors
    /// If they cannot be determined, because one of the two is no data.
    fn changes(&self, newer: &Self) -> Result<Changes>;

    /// Returns how many rows there are.
    fn rows(&self) -> usize;

    /// Returns the message if none of them changed.
    fn unchanged(&self) -> String;

    /// Returns the message if this many changed.
    fn changed(count: usize) -> String;
}

/// Changes from a baseline to newer figures: a line each.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Instructions, rows and times, and cycles that moved by more than [`MOST_PERCENT`] while the
    /// instructions of their row did not: a check fails by them.
    pub gated: Vec<String>,
    /// Modelled cycles that moved by less: they follow the layout of the code.
    pub reported: Vec<String>,
}

/// The most by which the median of modelled cycles may move while the instructions do not.
pub const MOST_PERCENT: u64 = 3;
/// Cycles by which each row may move if the code is located elsewhere.
const MOST_CYCLES: u64 = 2;

/// Returns whether the median of a row's cycles moved so far that more than the layout of the code
/// must have changed.
pub fn cycles_moved(before: u64, now: u64) -> bool {
    let moved = now.abs_diff(before);
    moved > MOST_CYCLES && moved * 100 > before * MOST_PERCENT
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
    /// At most one line of each kind an operation.
    fn changes(&self, newer: &Self) -> Result<Changes> {
        let mut changes = Changes::default();
        if self.board != newer.board {
            changes.gated.push(format!(
                "the board is {}, the baseline is of {}",
                newer.board, self.board
            ));
        }
        for (name, before) in &self.operations {
            match newer.operations.get(name) {
                None => changes.gated.push(format!("{name}: is measured no more")),
                Some(now) => before.changes(now, name, &mut changes),
            }
        }
        let added = newer
            .operations
            .keys()
            .filter(|name| !self.operations.contains_key(*name));
        let added = added.map(|name| format!("{name}: is not in the baseline"));
        changes.gated.extend(added);
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
    fn changes(&self, now: &Self, name: &str, changes: &mut Changes) {
        let mut gated = differences("instructions", &self.instructions, &now.instructions);
        let stays = gated.is_empty();
        match (&self.cycles, &now.cycles) {
            (Some(before), Some(after)) => {
                let differ = differences("cycles", before, after);
                match stays && cycles_moved(before.median, after.median) {
                    true => gated.extend(differ),
                    false => changes.reported.extend(line(name, &differ)),
                }
            }
            (None, Some(_)) => gated.push("cycles are not in the baseline".into()),
            (Some(_), None) => gated.push("cycles are counted no more".into()),
            (None, None) => {}
        }
        changes.gated.extend(line(name, &gated));
    }
}

fn line(name: &str, differences: &[String]) -> Option<String> {
    (!differences.is_empty()).then(|| format!("{name}: {}", differences.join(", ")))
}

/// The numbers that differ.
fn differences(what: &str, before: &Summary, now: &Summary) -> Vec<String> {
    let numbers = [
        ("min", before.min, now.min),
        ("median", before.median, now.median),
        ("max", before.max, now.max),
        ("samples", before.samples, now.samples),
    ];
    let differing = numbers.into_iter().filter(|(_, before, now)| before != now);
    let difference = |(number, before, now): (&str, u64, u64)| {
        let sign = if now > before { '+' } else { '-' };
        format!(
            "{what} {number} {before} -> {now} ({sign}{})",
            now.abs_diff(before)
        )
    };
    differing.map(difference).collect()
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

    fn changes(before: &Baseline, now: &Baseline) -> Changes {
        before.changes(now).unwrap()
    }

    #[test]
    fn no_change_says_nothing() {
        let same = baseline(&[("yield", 20)]);
        assert_eq!(changes(&same, &same), Changes::default());
    }

    #[test]
    fn a_change_names_the_operation_and_the_difference() {
        let found = changes(&baseline(&[("yield", 20)]), &baseline(&[("yield", 21)]));
        assert_eq!(found.gated.len(), 1);
        let said = &found.gated[0];
        assert!(
            said.starts_with("yield: instructions min 20 -> 21 (+1), "),
            "{said}"
        );
        let said = &found.reported[0];
        assert!(said.contains("cycles min 40 -> 42 (+2)"), "{said}");
    }

    #[test]
    fn cycles_alone_fail_only_when_they_move_far() {
        let with_cycles = |cycles| {
            let mut found = baseline(&[("yield", 100)]);
            let counts = found.operations.get_mut("yield").unwrap();
            counts.cycles = Some(Summary {
                median: cycles,
                ..counts.cycles.unwrap()
            });
            found
        };
        let at = |cycles| changes(&with_cycles(200), &with_cycles(cycles));
        for little in [199, 202, 206, 194] {
            assert_eq!(
                (at(little).gated.len(), at(little).reported.len()),
                (0, 1),
                "{little}"
            );
        }
        for far in [207, 193] {
            assert_eq!(
                (at(far).gated.len(), at(far).reported.len()),
                (1, 0),
                "{far}"
            );
        }
        let small = changes(&with_cycles(20), &with_cycles(22));
        assert_eq!((small.gated.len(), small.reported.len()), (0, 1));
    }

    #[test]
    fn cycles_that_came_or_went_are_named() {
        let (with, mut without) = (baseline(&[("yield", 20)]), baseline(&[("yield", 20)]));
        without.operations.get_mut("yield").unwrap().cycles = None;
        let came = changes(&without, &with).gated;
        assert_eq!(came, ["yield: cycles are not in the baseline"]);
        let went = changes(&with, &without).gated;
        assert_eq!(went, ["yield: cycles are counted no more"]);
        assert_eq!(changes(&without, &without), Changes::default());
    }

    #[test]
    fn what_came_and_what_went_is_named() {
        let found = changes(&baseline(&[("give", 1)]), &baseline(&[("take", 1)])).gated;
        assert_eq!(
            found,
            ["give: is measured no more", "take: is not in the baseline"]
        );
    }

    #[test]
    fn what_is_saved_is_read_back() {
        let name = format!("taktos-baseline-{}.csv", std::process::id());
        let path = std::env::temp_dir().join(name);
        let saved = baseline(&[("yield", 20)]);
        let mut table = Baselines::default();
        table.set(&saved.board, &saved).unwrap();
        table.save(&path).unwrap();
        let read = Baselines::read(&path).unwrap();
        assert_eq!(read.figures::<Baseline>(&saved.board).unwrap(), Some(saved));
        assert_eq!(read.figures::<Baseline>("another").unwrap(), None);
        std::fs::remove_file(&path).unwrap();
    }
}
