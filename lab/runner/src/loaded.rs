//! Executables that an image loads, such as the programs of its partitions: the image holds them as
//! bytes without names, so a person names them.
//!
//! Owns: the check that the image holds the named files, and the message if none is named.
//! Must never know: the work of the clock.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use object::{Object, ObjectSegment, SegmentFlags};
use taktos_emulator::Error;

use crate::failure::{Failure, one_line};

/// The right to execute a segment (System V ABI, `PF_X`).
const EXECUTED: u32 = 1;
/// How the build script of a loader calls what it has built (`taktos_build::load`).
const ENDING: &str = "elf";

/// Refuses an executable that is not what the image loads: the image must hold its code.
///
/// # Errors
/// Names the first that it does not hold, or that is none.
pub fn check(image: &Path, loaded: &[PathBuf]) -> Result<()> {
    if loaded.is_empty() {
        return Ok(());
    }
    let held = read(image)?;
    for path in loaded {
        let shown = one_line(&path.to_string_lossy());
        let bytes = read(path)?;
        let code = code(&bytes).map_err(|cause| {
            Failure::error(
                format!("{shown}: no executable: {cause}"),
                "behind --with name the ELF file of a program that the image loads",
            )
        })?;
        if code.is_empty() || code.iter().any(|code| !holds(&held, code)) {
            return Err(Failure::error(
                format!(
                    "{shown} is not what {} loads: the image does not hold its code",
                    one_line(&image.to_string_lossy())
                ),
                "name the executable that was built with the image",
            ));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| path.display().to_string())
}

/// The bytes of an executable that are executed.
fn code(elf: &[u8]) -> Result<Vec<&[u8]>, object::Error> {
    let file = object::File::parse(elf)?;
    let is_executed =
        |flags| matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags.0 & EXECUTED != 0);
    let segments = file.segments();
    let executed = segments.filter(|segment| is_executed(segment.flags()));
    executed.map(|segment| segment.data()).collect()
}

fn holds(image: &[u8], code: &[u8]) -> bool {
    image.windows(code.len()).any(|bytes| bytes == code)
}

/// An error of the image's run, which says what to name where the image executed what is not its
/// own.
pub fn explained(image: &Path, error: anyhow::Error) -> anyhow::Error {
    if !matches!(
        error.downcast_ref(),
        Some(Error::UnknownInstruction { .. } | Error::UnexplainedTransfer { .. })
    ) {
        return error;
    }
    let beside: Vec<String> = beside(image)
        .iter()
        .map(|path| one_line(&path.to_string_lossy()))
        .collect();
    let such = match beside.as_slice() {
        [] => String::new(),
        found => format!(", such as {}", found.join(", ")),
    };
    Failure::error(
        format!("{error:#}"),
        format!(
            "if the image loads a program there, name that one's executable: --with FILE{such}"
        ),
    )
}

/// Returns the executables next to the image that it may load, in the order of their names.
fn beside(image: &Path) -> Vec<PathBuf> {
    let entries = image.parent().and_then(|folder| folder.read_dir().ok());
    let paths = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path != image && path.extension().is_some_and(|ending| ending == ENDING))
        .filter(|path| check(image, std::slice::from_ref(path)).is_ok())
        .collect();
    found.sort();
    found
}
