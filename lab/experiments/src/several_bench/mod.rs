//! Measurements on boards with four processors: from the clock's records to figures.
//!
//! Owns: [`Figures`], their tables, their comparison with a baseline. Must never know: the building
//! or running of an image.

mod across;
mod goals;
mod locks;
mod pairs;
mod same;
mod tables;

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use taktos_emulator::Record;
use taktos_export::{Evidence, joined, sorted, to_json};
use taktos_runner::several::{Board, QUANTA};

use crate::baseline::{Baselined, Changes, cycles_moved};
use crate::measure::{Summary, rounds};

pub use goals::Goals;
pub use tables::{markdown, tables};

/// The layouts, as the program knows them, and the quanta that each is run with: where all is on
/// one processor, one says all.
pub const LAYOUTS: [(&str, &[u32]); 11] = [
    ("partitioned", &QUANTA),
    ("cluster", &QUANTA),
    ("edf", &QUANTA),
    ("affinity", &QUANTA),
    ("deadlines", FINEST),
    ("servers", FINEST),
    ("bound", FINEST),
    ("simple", FINEST),
    ("weak", FINEST),
    ("one", FINEST),
    ("two", FINEST),
];
const FINEST: &[u32] = QUANTA.split_at(1).0;
/// The layout of the operations that have no suffix to their name.
const PARTITIONED: &str = "partitioned";
/// Nanoseconds of a millisecond.
const MILLISECOND: u64 = 1_000_000;

/// The counts: instructions, and cycles if there is a model of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// Executed instructions.
    pub instructions: Summary,
    /// Modelled cycles.
    pub cycles: Option<Summary>,
}

/// An operation that reaches from one processor to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reach {
    /// Count of the sender until it calls another processor; none if it calls none.
    pub to_call: Option<Counted>,
    /// Count of the sender until the operation returns to it.
    pub to_return: Option<Counted>,
    /// Count of the receiver from the first instruction of its interrupt to the end of the
    /// operation.
    pub from_interrupt: Option<Counted>,
    /// From the begin to the end, in nanoseconds of the common clock, for each quantum.
    #[serde(default)]
    pub nanoseconds: BTreeMap<u32, Times>,
}

/// Statistics of times on two processors: the time of one may be earlier than the other's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// The least.
    pub min: i64,
    /// The middle one; of an even number, the lower of the two.
    pub median: i64,
    /// The greatest.
    pub max: i64,
    /// How many there are.
    pub samples: u64,
}

/// A lock for which a number of processors contend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contended {
    /// From the call of lock to its return, in nanoseconds: the mean, rounded down.
    pub mean: u64,
    /// The longest.
    pub max: u64,
    /// How many sections all contenders together passed through in a millisecond, rounded down.
    pub sections: u64,
}

/// The cost of one kind of lock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockCost {
    /// Lock and unlock together, without a contender.
    pub alone: Option<Counted>,
    /// For each quantum, for each number of contenders.
    #[serde(default)]
    pub contended: BTreeMap<u32, BTreeMap<usize, Contended>>,
}

/// Pairs of threads at once, each of which goes there and back by two semaphores, in an instance
/// and on a processor of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairs {
    /// How many round trips in a millisecond the pair on each processor made, rounded down.
    pub each: BTreeMap<usize, u64>,
    /// Round trips in a millisecond of all pairs together.
    pub total: u64,
    /// A round trip, in nanoseconds of the common clock: the mean, rounded down.
    pub mean: u64,
    /// The longest.
    pub max: u64,
}

/// Operations by name.
pub type Operations = BTreeMap<String, Counted>;

/// Everything that `taktos bench` says of a board with four processors. It is the baseline, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// The board.
    pub board: String,
    /// The operations with both threads on one processor, in an instance that has one.
    #[serde(default)]
    pub same: Operations,
    /// Operations as in `same`, in other instances, or next to others: by the layout, and the
    /// events in it before.
    #[serde(default)]
    pub instances: BTreeMap<String, Operations>,
    /// Those that reach from one processor to another.
    #[serde(default)]
    pub across: BTreeMap<String, Reach>,
    /// The kinds of locks.
    #[serde(default)]
    pub locks: BTreeMap<String, LockCost>,
    /// Pairs that share nothing but the kernel: `pairs-3-turns-100` are three at once, of which
    /// each makes 100 turns of a loop before it gives; for each quantum.
    #[serde(default)]
    pub pairs: BTreeMap<String, BTreeMap<u32, Pairs>>,
}

impl Figures {
    /// The figures of the runs: of each of the [`LAYOUTS`], the one with the finest quantum first,
    /// for figures that have no column for each are its.
    ///
    /// # Errors
    /// When the program and the laboratory disagree on what was measured.
    pub fn of(board: &str, runs: &[Record]) -> Result<Self> {
        let mut figures = Self {
            board: board.into(),
            same: Operations::new(),
            instances: BTreeMap::new(),
            across: BTreeMap::new(),
            locks: BTreeMap::new(),
            pairs: BTreeMap::new(),
        };
        for record in runs {
            let rounds = rounds(record)?;
            same::add(&mut figures, record, &rounds);
            across::add(&mut figures.across, record, &rounds);
            locks::add(&mut figures.locks, record, &rounds)?;
            pairs::add(&mut figures.pairs, record, &rounds)?;
        }
        Ok(figures)
    }

    /// Returns the figures for programs, with the class of each kind of figure.
    ///
    /// # Errors
    /// As [`Goals::judged`].
    pub fn json(&self, goals: &Goals) -> Result<String> {
        let head = json!({
            "processors": Board::PROCESSORS,
            "quanta": QUANTA,
            "evidence": {
                "instructions": Evidence::Emulated,
                "cycles": Evidence::Modelled,
                "nanoseconds": Evidence::Emulated,
            },
            "goals": goals.judged(self)?,
        });
        Ok(to_json(&sorted(joined(head, serde_json::to_value(self)?))))
    }

    /// Every single figure by its place: `same yield instructions median`.
    fn places(&self) -> Result<BTreeMap<String, String>> {
        let mut places = BTreeMap::new();
        flatten(&serde_json::to_value(self)?, "", &mut places);
        Ok(places)
    }
}

/// Returns whether the figure at `place`, before and now, is one of modelled cycles, and moved by
/// no more than they do if code is located elsewhere, or with the instructions of its row.
fn follows_layout(place: &str, figures: [&BTreeMap<String, String>; 2]) -> bool {
    let Some((row, number)) = place.rsplit_once(" cycles ") else {
        return false;
    };
    let [before, now] = figures;
    let at = |unit: &str, number: &str| {
        let place = format!("{row} {unit} {number}");
        [before, now].map(|figures| figures.get(&place)?.parse::<u64>().ok())
    };
    let numbers = ["min", "median", "max", "samples"];
    let stays = |number: &&str| {
        let [before, now] = at("instructions", number);
        before == now
    };
    match (number, at("cycles", number)) {
        ("median", [Some(before), Some(now)]) if numbers.iter().all(stays) => {
            !cycles_moved(before, now)
        }
        _ => true,
    }
}

impl Baselined for Figures {
    /// A line for each figure.
    fn changes(&self, newer: &Self) -> Result<Changes> {
        let (before, now) = (self.places()?, newer.places()?);
        let mut changes = Changes::default();
        for (place, old) in &before {
            match now.get(place) {
                None => changes.gated.push(format!("{place}: is measured no more")),
                Some(new) if new != old => {
                    let line = format!("{place}: {old} -> {new}");
                    match follows_layout(place, [&before, &now]) {
                        true => changes.reported.push(line),
                        false => changes.gated.push(line),
                    }
                }
                Some(_) => {}
            }
        }
        let added = now.keys().filter(|place| !before.contains_key(*place));
        let added = added.map(|place| format!("{place}: is not in the baseline"));
        changes.gated.extend(added);
        Ok(changes)
    }

    fn rows(&self) -> usize {
        let instances: usize = self.instances.values().map(Operations::len).sum();
        let several = self.across.len() + self.locks.len() + self.pairs.len();
        self.same.len() + instances + several
    }

    fn unchanged(&self) -> String {
        format!("no figure changed in {} rows", self.rows())
    }

    fn changed(count: usize) -> String {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} figure{plural} changed")
    }
}

/// Every value by its place.
fn flatten(value: &Value, place: &str, out: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                flatten(value, format!("{place} {key}").trim_start(), out);
            }
        }
        Value::Null => {}
        other => {
            out.insert(place.into(), other.to_string());
        }
    }
}

impl Times {
    /// Of these values; none of none.
    fn of(values: impl Iterator<Item = i64>) -> Option<Self> {
        let mut values: Vec<i64> = values.collect();
        values.sort_unstable();
        Some(Self {
            min: *values.first()?,
            median: values[(values.len() - 1) / 2],
            max: *values.last()?,
            samples: values.len() as u64,
        })
    }
}

impl Counted {
    /// Of these counts; none of none. Without a model, cycles are not said.
    fn of(counts: &[taktos_emulator::Count], modelled: bool) -> Option<Self> {
        let cycles = || Summary::of(counts.iter().map(|count| count.cycles));
        Some(Self {
            instructions: Summary::of(counts.iter().map(|count| count.instructions))?,
            cycles: if modelled { cycles() } else { None },
        })
    }
}

#[cfg(test)]
mod tests;
