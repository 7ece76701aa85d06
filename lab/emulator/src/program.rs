//! The emulator as a program on this machine: found, of the right version, with its clock.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Board, Error, clock};

/// Version of the plugin interface that the clock declares, and of the emulator that made the
/// checked-in counts.
const VERSION: (u32, u32) = (10, 0);

/// The emulator of a board, ready to run images on it.
#[derive(Debug, Clone)]
pub struct Emulator {
    pub(crate) board: Board,
    pub(crate) program: PathBuf,
    pub(crate) clock: PathBuf,
    version: String,
}

impl Emulator {
    /// Finds the board's emulator, checks its version, and builds the clock if that is
    /// missing or older than its source.
    ///
    /// # Errors
    /// [`Error::EmulatorMissing`], [`Error::EmulatorVersion`], [`Error::Tree`],
    /// [`Error::ClockMissing`], [`Error::CompilerMissing`] or [`Error::Clock`].
    pub fn find(board: impl Into<Board>) -> Result<Self, Error> {
        let board = board.into();
        Self::at(board, PathBuf::from(board.program()))
    }

    /// Finds the board's emulator as [`Emulator::find`] does, with a program of another name or
    /// place.
    ///
    /// # Errors
    /// As [`Emulator::find`].
    pub fn at(board: Board, program: PathBuf) -> Result<Self, Error> {
        let version = checked_version(&program)?;
        Ok(Self {
            board,
            program,
            clock: clock::ready()?,
            version,
        })
    }

    /// Returns the board on which it runs images.
    #[must_use]
    pub const fn board(&self) -> Board {
        self.board
    }

    /// The clock's name, which carries a digest of its source.
    #[must_use]
    pub fn clock(&self) -> String {
        let name = self.clock.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The emulator's version, such as `10.0.2`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// Returns a remark on an emulator of this version, if it is newer than the one that made the
/// checked-in counts.
#[must_use]
pub fn remark(version: &str) -> Option<String> {
    let (major, minor) = VERSION;
    (numbers(version)? > VERSION).then(|| {
        format!(
            "QEMU {version} is newer than {major}.{minor}, with which the checked-in counts were made: some may differ"
        )
    })
}

/// The version of an emulator that is new enough.
pub(crate) fn checked_version(program: &Path) -> Result<String, Error> {
    let found = version(program)?;
    match numbers(&found) {
        Some(numbers) if numbers >= VERSION => Ok(found),
        _ => Err(Error::EmulatorVersion {
            program: program.display().to_string(),
            found,
        }),
    }
}

/// The error that there is no such program.
pub(crate) fn missing(program: &Path) -> Error {
    Error::EmulatorMissing {
        program: program.display().to_string(),
    }
}

fn version(program: &Path) -> Result<String, Error> {
    let output = Command::new(program)
        .arg("--version")
        .output()
        .map_err(|_| missing(program))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let word = text
        .split("version ")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    Ok(word.unwrap_or("unknown").to_owned())
}

/// The first two numbers of a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    let mut number = || {
        parts
            .next()?
            .split(|letter: char| !letter.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    };
    Some((number()?, number()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_versions_are_remarked_upon() {
        for same in ["10.0.2", "10.0"] {
            assert_eq!(remark(same), None, "{same}");
        }
        for newer in ["10.1.0", "10.2.50", "11.0-rc1", "100.0"] {
            let said = remark(newer).unwrap();
            assert!(said.contains(newer) && said.contains("10.0,"), "{said}");
        }
    }

    #[test]
    fn older_versions_and_none_are_refused() {
        for older in ["9.2.4", "7.2.15", "1.0", "unknown", "10", ""] {
            assert!(
                numbers(older).is_none_or(|numbers| numbers < VERSION),
                "{older}"
            );
        }
    }

    #[test]
    fn a_missing_emulator_is_named() {
        let error = Emulator::at(Board::MPS2_AN386, PathBuf::from("no-such-emulator")).unwrap_err();
        assert_eq!(error.to_string(), "no-such-emulator is not installed");
    }
}
