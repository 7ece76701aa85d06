//! Builds the clock, the emulator's plugin, when it is missing or older than its source.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use crate::Error;

/// The compiler's flags. The plugin's calls are resolved in the emulator's process.
const FLAGS: [&str; 7] = [
    "-std=c11",
    "-O2",
    "-Wall",
    "-Wextra",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
];

/// The clock's sources: `lab/clock/src`, beside this crate.
pub(crate) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../clock/src")
}

/// Where it is built: `clock/` in cargo's target directory.
pub(crate) fn library() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
        PathBuf::from,
    );
    target.join("clock").join("libtaktos-clock.so")
}

/// Compiles `sources` to `library` unless that is newer than all of them.
pub(crate) fn build(sources: &Path, library: &Path) -> Result<(), Error> {
    let io = |cause| Error::Io {
        what: format!("{}", sources.display()),
        cause,
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(sources)
        .map_err(io)?
        .map(|entry| entry.map(|e| e.path()).map_err(io))
        .collect::<Result<_, _>>()?;
    files.sort();
    if newest(&files) < modified(library) {
        return Ok(());
    }
    let sources: Vec<_> = files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "c"))
        .collect();
    compile(&sources, library)
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|m| m.modified()).ok()
}

fn newest(files: &[PathBuf]) -> Option<SystemTime> {
    files.iter().filter_map(|f| modified(f)).max()
}

/// Several runs may find it missing at once.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// Into a file of its own first, so that no half-written library is ever loaded.
fn compile(sources: &[&PathBuf], library: &Path) -> Result<(), Error> {
    let io = |cause| Error::Io {
        what: format!("{}", library.display()),
        cause,
    };
    std::fs::create_dir_all(library.parent().unwrap_or(Path::new("."))).map_err(io)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let unfinished = library.with_extension(format!("{}-{number}", std::process::id()));
    let output = Command::new("cc")
        .args(FLAGS)
        .arg("-o")
        .arg(&unfinished)
        .args(sources)
        .output()
        .map_err(|_| Error::CompilerMissing)?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let line = text
            .lines()
            .find(|l| l.contains("error"))
            .unwrap_or("cc failed");
        return Err(Error::Clock(line.to_owned()));
    }
    std::fs::rename(&unfinished, library).map_err(io)
}
