//! The rounds of a run: a line `@round key=value ...` on the console for each passing of the point
//! mark `round`, which begins it: the first line belongs to the first passing, and so on.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use taktos_emulator::{Edge, Passing, Record, intervals};

/// The point mark that begins a round, and the line's first word.
pub(super) const ROUND: &str = "round";

/// Labels of a round: `threads=10` is `("threads", "10")`.
pub type Labels = BTreeMap<String, String>;

/// The samples of an interval: each of its begins with its end.
pub type Passages<'a> = Vec<(&'a Passing, &'a Passing)>;

/// The rounds of a run; the first of them, without labels, is what came before any.
pub type Rounds<'a> = Vec<Part<'a>>;

/// One round of a record: what it was run with, and what was passed in it, in the order in which it
/// was executed.
pub struct Part<'a> {
    /// Labels of the round.
    pub labels: Labels,
    /// When it began, in nanoseconds of the virtual clock.
    pub begins: u64,
    /// Its marks.
    pub passings: &'a [Passing],
}

impl<'a> Part<'a> {
    /// A label's value; nothing where the round has none of this name.
    pub fn label(&self, key: &str) -> &str {
        self.labels.get(key).map_or("", String::as_str)
    }

    /// Returns the samples of each interval that begin and end on one processor, in the order of
    /// their ends.
    pub fn intervals(&self) -> BTreeMap<&'a str, Passages<'a>> {
        intervals(self.passings)
    }
}

/// The rounds of a run.
///
/// # Errors
/// When the lines and the passings that begin rounds do not go together, or a line of a round is
/// malformed: the program and the laboratory disagree.
pub fn rounds(record: &Record) -> Result<Rounds<'_>> {
    let words = record.facts().filter(|(key, _)| *key == ROUND);
    let labels: Vec<Labels> = words
        .map(|(_, words)| labels(words))
        .collect::<Result<_>>()?;
    let is_begin = |p: &Passing| p.mark.edge == Edge::Point && p.mark.name == ROUND;
    let begins = record.points(ROUND).map(|passing| passing.total.at);
    let begins: Vec<u64> = [0].into_iter().chain(begins).collect();
    let begun = begins.len() - 1;
    if begun != labels.len() {
        bail!(
            "the program printed {} @round lines but began {begun} rounds; \
             each line goes with one passing of taktos.point.{ROUND}",
            labels.len()
        );
    }
    let labels = [Labels::new()].into_iter().chain(labels);
    let parts = record.marks.split(is_begin).zip(begins);
    let round = |(labels, (passings, begins))| Part {
        labels,
        begins,
        passings,
    };
    Ok(labels.zip(parts).map(round).collect())
}

/// These labels.
pub fn labelled<const N: usize>(labels: [(&str, String); N]) -> Labels {
    let owned = labels.map(|(name, value)| (name.to_owned(), value));
    owned.into()
}

/// Returns the labels of a round, from the words after `@round`.
///
/// # Errors
/// Where a word is no `key=value`.
pub fn labels(words: &str) -> Result<Labels> {
    let mut labels = Labels::new();
    for word in words.split_whitespace() {
        let Some((key, value)) = word.split_once('=') else {
            bail!("the program printed the round `{words}`, in which `{word}` is no key=value");
        };
        labels.insert(key.into(), value.into());
    }
    Ok(labels)
}
