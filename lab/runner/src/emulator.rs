//! The emulator: found, with the hint where it is not.

use std::sync::Once;

use taktos_emulator::{Board, Emulator, Error, remark};

use crate::failure::Failure;

/// Hint to install all missing programs.
pub const SET_UP: &str = "./taktos doctor names what is missing, and ./taktos installs it";

/// Finds the emulator of a board and builds the clock.
///
/// # Errors
/// When it is missing, too old, or the clock does not build.
pub fn find(board: impl Into<Board>) -> anyhow::Result<Emulator> {
    let found = Emulator::find(board).map_err(failure)?;
    remarked(found.version());
    Ok(found)
}

/// An error of the emulator, with its hint.
pub fn failure(error: Error) -> anyhow::Error {
    match hint(&error) {
        Some(hint) => Failure::error(error.to_string(), hint),
        None => anyhow::Error::new(error),
    }
}

/// Returns the hint for an emulator that cannot be used.
pub fn hint(error: &Error) -> Option<&'static str> {
    match error {
        Error::EmulatorMissing { .. } | Error::EmulatorVersion { .. } => Some(SET_UP),
        Error::CompilerMissing => Some("apt-get install gcc libc6-dev"),
        Error::Tree => {
            Some("change to the directory that holds the script `taktos` and run ./taktos")
        }
        Error::ClockMissing { .. } => Some("bring the folder back: git checkout lab/clock"),
        Error::Clock(_) => Some("fix lab/clock, then ./taktos doctor"),
        _ => None,
    }
}

/// Says once what is remarkable about the emulator's version.
fn remarked(version: &str) {
    static ONCE: Once = Once::new();
    if let Some(words) = remark(version) {
        ONCE.call_once(|| eprintln!("warning: {words}"));
    }
}
