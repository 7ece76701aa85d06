//! Checks for readers of random texts: a text is read, or refused in one line with a hint.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` sets how many cases it has.
//!
//! Must never know: the form of the texts.

use taktos_runner::failure::{Failure, shown};

/// Returns whether the error is reported in one line, and its hint in another.
pub fn is_told(error: &anyhow::Error) -> bool {
    error.is::<Failure>() && shown(error).lines().count() == 2
}

/// Returns whether the error names a line of the text, too, which is the file's; `least` is the
/// first possible one.
pub fn names_a_line(error: &anyhow::Error, file: &str, text: &str, least: usize) -> bool {
    let cause = error.to_string();
    let place = cause.strip_prefix(file);
    let line = place.and_then(|rest| rest.split(':').nth(1)?.parse().ok());
    // An error at the very end is on the line after the last line feed.
    let lines = text.matches('\n').count() + 1;
    is_told(error) && line.is_some_and(|line: usize| (least..=lines).contains(&line))
}
