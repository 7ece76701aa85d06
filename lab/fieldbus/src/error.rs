//! What is wrong with an ESI file.
//!
//! Owns: the error and its line. Must never know how the file is read.

use thiserror::Error;

/// An error in an ESI file: where, what, and what mends it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {cause}\nhint: {hint}")]
pub struct EsiError {
    /// The line, from 1 on.
    pub line: u32,
    /// What is wrong there.
    pub cause: String,
    /// What to do about it.
    pub hint: String,
}
