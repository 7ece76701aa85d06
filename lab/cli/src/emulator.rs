//! The emulator: found, with the mend where it is not.

use anyhow::Result;
use taktos_emulator::{Emulator, Error};

use crate::failure::Failure;

/// What installs everything that is missing.
pub const SET_UP: &str = "./taktos doctor names what is missing, and ./taktos installs it";

/// Finds the emulator and builds the clock.
///
/// # Errors
/// When it is missing, of another version, or the clock does not build.
pub fn find() -> Result<Emulator> {
    Emulator::find().map_err(|error| match error {
        Error::EmulatorMissing | Error::EmulatorVersion { .. } | Error::CompilerMissing => {
            Failure::error(error.to_string(), SET_UP)
        }
        other => anyhow::Error::new(other),
    })
}
