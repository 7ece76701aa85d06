//! The emulator as a program on this machine: found, of the right version, with its clock.

use std::path::PathBuf;
use std::process::Command;

use crate::{Error, clock};

/// The version whose plugin interface the clock declares for itself.
const VERSION: &str = "10.0";

/// The emulator, ready to run images.
#[derive(Debug, Clone)]
pub struct Emulator {
    pub(crate) program: PathBuf,
    pub(crate) clock: PathBuf,
    version: String,
}

impl Emulator {
    /// Finds `qemu-system-arm`, checks its version, and builds the clock if that is
    /// missing or older than its source.
    ///
    /// # Errors
    /// [`Error::EmulatorMissing`], [`Error::EmulatorVersion`], [`Error::CompilerMissing`]
    /// or [`Error::Clock`].
    pub fn find() -> Result<Self, Error> {
        Self::at(PathBuf::from("qemu-system-arm"))
    }

    /// The same with a program of another name or place.
    ///
    /// # Errors
    /// As [`Emulator::find`].
    pub fn at(program: PathBuf) -> Result<Self, Error> {
        let version = version(&program)?;
        if !is_supported(&version) {
            return Err(Error::EmulatorVersion { found: version });
        }
        let clock = clock::build(&clock::sources(), &clock::directory())?;
        Ok(Self {
            program,
            clock,
            version,
        })
    }

    /// The emulator's version, such as `10.0.2`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }
}

pub(crate) fn version(program: &PathBuf) -> Result<String, Error> {
    let output = Command::new(program)
        .arg("--version")
        .output()
        .map_err(|_| Error::EmulatorMissing)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let word = text
        .split("version ")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    Ok(word.unwrap_or("unknown").to_owned())
}

pub(crate) fn is_supported(version: &str) -> bool {
    version
        .strip_prefix(VERSION)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_minor_version_is_supported() {
        assert!(is_supported("10.0.2"));
        assert!(is_supported("10.0"));
        assert!(!is_supported("10.1.0"));
        assert!(!is_supported("7.2.1"));
        assert!(!is_supported("100.0"));
        assert!(!is_supported("10.01"));
    }

    #[test]
    fn a_missing_emulator_is_named() {
        let error = Emulator::at(PathBuf::from("no-such-emulator")).unwrap_err();
        assert!(matches!(error, Error::EmulatorMissing));
        assert!(error.to_string().contains("apt-get install"));
    }
}
