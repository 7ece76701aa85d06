//! Random texts for all that reads what others wrote, and texts that are nearly right.
//!
//! Must never know: what is read.

use proptest::prelude::*;
use proptest::sample::Index;

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

/// Returns the text with these changes, each followed by `end`.
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
