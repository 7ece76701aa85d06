//! Random texts for all that reads what others wrote: it is read, or refused in one line with a mend.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.
//!
//! Must never know: what is read.

use proptest::prelude::*;
use proptest::sample::Index;

use crate::failure::{Failure, shown};

/// Any letters, line feeds and other controls among them.
pub fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..60).prop_map(String::from_iter)
}

/// Changes of a text: where each is, what comes there, and how many letters go.
pub fn changes(
    piece: impl Strategy<Value = String>,
) -> impl Strategy<Value = Vec<(Index, String, usize)>> {
    prop::collection::vec((any::<Index>(), piece, 0..40_usize), 1..4)
}

/// The text with these changes, and with `end` behind it for each.
pub fn changed(text: &str, end: char, changes: &[(Index, String, usize)]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for (place, piece, gone) in changes {
        let place = place.index(letters.len());
        let gone = (*gone).min(letters.len() - place);
        letters.splice(place..place + gone, piece.chars());
        letters.push(end);
    }
    letters.into_iter().collect()
}

/// Whether the error is told in one line, and its mend in another.
pub fn is_told(error: &anyhow::Error) -> bool {
    error.is::<Failure>() && shown(error).lines().count() == 2
}

/// Whether it names a line of the text, too, which is the file's; `least` is the first that there can be.
pub fn names_a_line(error: &anyhow::Error, file: &str, text: &str, least: usize) -> bool {
    let cause = error.to_string();
    let place = cause.strip_prefix(file);
    let line = place.and_then(|rest| rest.split(':').nth(1)?.parse().ok());
    // An error at the very end is on the line after the last line feed.
    let lines = text.matches('\n').count() + 1;
    is_told(error) && line.is_some_and(|line: usize| (least..=lines).contains(&line))
}
