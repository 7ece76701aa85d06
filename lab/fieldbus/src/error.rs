//! An error in an ESI file.
//!
//! Owns: the error and its line. Must never know: how the file is read.

use thiserror::Error;

/// An error in an ESI file: its place, its cause, and the hint.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {cause}\nhint: {hint}")]
pub struct EsiError {
    /// The line, from 1 on.
    pub line: u32,
    /// Cause of the error.
    pub cause: String,
    /// Hint for a fix.
    pub hint: String,
}
