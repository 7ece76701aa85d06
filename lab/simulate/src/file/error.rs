//! Owns: an error in a file: its place, its cause and its hint.
//! Must never know: the forms of files.

use std::fmt;

/// Error in a file. Shown as `FILE:LINE: CAUSE`; the hint is separate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FileError {
    /// The file, as the user names it.
    pub file: String,
    /// The line, from 1; none when the file as a whole is meant.
    pub line: Option<usize>,
    /// Cause, in one line.
    pub cause: String,
    /// Hint, in one line.
    pub hint: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.cause),
            None => write!(f, "{}: {}", self.file, self.cause),
        }
    }
}

/// A text and what it is called, to find lines in.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name of the source.
    pub file: &'a str,
    /// The text.
    pub text: &'a str,
}

impl Source<'_> {
    /// The number of the line that holds the byte, from 1.
    #[must_use]
    pub fn line_of(&self, byte: usize) -> usize {
        let bytes = self.text.as_bytes().iter().take(byte);
        1 + bytes.filter(|byte| **byte == b'\n').count()
    }

    /// An error at the byte.
    #[must_use]
    pub fn error(&self, byte: usize, cause: impl AsRef<str>, hint: impl AsRef<str>) -> FileError {
        self.error_in_line(Some(self.line_of(byte)), cause, hint)
    }

    /// An error in the line, or in the file as a whole.
    #[must_use]
    pub fn error_in_line(
        &self,
        line: Option<usize>,
        cause: impl AsRef<str>,
        hint: impl AsRef<str>,
    ) -> FileError {
        FileError {
            file: self.file.to_owned(),
            line,
            cause: one_line(cause.as_ref()),
            hint: one_line(hint.as_ref()),
        }
    }
}

/// The words with line feeds and other controls written out.
fn one_line(words: &str) -> String {
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
