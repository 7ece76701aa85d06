//! The cause of a failure, in one line, and the hint to fix it, in another.

use std::fmt;

/// An error that a person can fix.
#[derive(Debug)]
pub struct Failure {
    /// Cause of the failure.
    pub cause: String,
    /// Hint to fix it.
    pub hint: String,
}

impl Failure {
    /// The failure as the error type of the tool.
    pub fn error(cause: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Self {
            cause: cause.into(),
            hint: hint.into(),
        })
    }
}

impl From<taktos_simulate::file::FileError> for Failure {
    fn from(error: taktos_simulate::file::FileError) -> Self {
        Self {
            cause: error.to_string(),
            hint: error.hint,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.cause)
    }
}

impl std::error::Error for Failure {}

/// Words that came from outside, for a cause in one line: line feeds and other controls
/// are written out.
pub fn one_line(words: &str) -> String {
    let mut line = String::with_capacity(words.len());
    for letter in words.chars() {
        if letter.is_control() {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}

/// A completed run with a negative result: a count changed, a test failed.
#[derive(Debug)]
pub struct CheckFailed(
    /// Finding of the check.
    pub String,
);

impl fmt::Display for CheckFailed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for CheckFailed {}

/// The error as it is shown: the cause, then the hint where one is known.
pub fn shown(error: &anyhow::Error) -> String {
    let mut out = format!("error: {error:#}\n");
    if let Some(failure) = error.downcast_ref::<Failure>() {
        out.push_str(&format!("hint: {}\n", failure.hint));
    }
    out
}

/// The exit status that belongs to the error.
pub fn status(error: &anyhow::Error) -> u8 {
    if error.is::<CheckFailed>() { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_shows_cause_and_hint() {
        let error = Failure::error("no board", "name one");
        assert_eq!(shown(&error), "error: no board\nhint: name one\n");
        assert_eq!(status(&error), 2);
    }

    #[test]
    fn controls_are_written_out() {
        assert_eq!(one_line("é'\n\x1b"), "é'\\n\\u{1b}");
    }

    #[test]
    fn a_failed_check_is_told_apart() {
        assert_eq!(
            status(&anyhow::Error::new(CheckFailed("a count changed".into()))),
            1
        );
    }
}
