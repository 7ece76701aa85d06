//! The rounds of a run on several processors: a line `@round key=value ...` on the console for each passing of the point
//! `round`, and the intervals in them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use taktos_emulator::Edge;
use taktos_emulator::several::{Passing, Record};

use crate::measure::{Labels, labels};

/// The point that begins a round, and the line's first word.
const ROUND: &str = "round";

/// A round: what it was run with, and what was passed in it, in the order in which it was executed.
pub(super) struct Round<'a> {
    pub labels: Labels,
    pub passings: &'a [Passing],
    /// Whether cycles were counted.
    pub modelled: bool,
}

impl<'a> Round<'a> {
    /// A label's value; nothing where the round has none of this name.
    pub fn label(&self, key: &str) -> &str {
        self.labels.get(key).map_or("", String::as_str)
    }

    /// The names of the intervals that begin in the round.
    pub fn names(&self) -> BTreeSet<&'a str> {
        let begins = self.passings.iter().filter(|p| p.mark.edge == Edge::Begin);
        begins.map(|passing| passing.mark.name.as_str()).collect()
    }

    /// The passages through the interval of this name that begin and end on one processor, in the order of their ends.
    pub fn intervals(&self, name: &str) -> Vec<(&'a Passing, &'a Passing)> {
        let mut open: BTreeMap<usize, &Passing> = BTreeMap::new();
        let mut closed = Vec::new();
        for passing in self.passings.iter().filter(|p| p.mark.name == name) {
            match passing.mark.edge {
                Edge::Begin => {
                    open.insert(passing.processor, passing);
                }
                Edge::End => {
                    let begin = open.remove(&passing.processor);
                    closed.extend(begin.map(|begin| (begin, passing)));
                }
                Edge::Point => {}
            }
        }
        closed
    }
}

/// The rounds of a run.
///
/// # Errors
/// When the lines and the passings that begin rounds do not go together, or a line is malformed.
pub(super) fn rounds(record: &Record) -> Result<Vec<Round<'_>>> {
    let words = record.console.lines().filter_map(|line| {
        let (key, words) = line.strip_prefix('@')?.split_once(' ')?;
        (key == ROUND).then_some(words)
    });
    let labels = words.map(labels).collect::<Result<Vec<_>>>()?;
    let is_begin = |p: &Passing| p.mark.edge == Edge::Point && p.mark.name == ROUND;
    let begun = record.marks.iter().filter(|p| is_begin(p)).count();
    if begun != labels.len() {
        let lines = labels.len();
        bail!("the program printed {lines} @round lines but began {begun} rounds");
    }
    // What comes before the first round belongs to none.
    let parts = record.marks.split(is_begin).skip(1);
    let rounds = labels.into_iter().zip(parts);
    Ok(rounds
        .map(|(labels, passings)| Round {
            labels,
            passings,
            modelled: record.modelled,
        })
        .collect())
}
