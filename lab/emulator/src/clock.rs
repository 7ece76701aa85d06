//! Builds the clock, the emulator's plugin, when there is none of its source.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Error, tree};

/// The compiler's flags. The plugin's calls are resolved in the emulator's process.
const FLAGS: [&str; 7] = [
    "-std=gnu11",
    "-O2",
    "-Wall",
    "-Wextra",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
];

/// The clock of the tree's sources, in `clock/` of cargo's target directory.
pub(crate) fn ready() -> Result<PathBuf, Error> {
    let root = tree::root().ok_or(Error::Tree)?;
    build(
        &root.join("lab/clock/src"),
        &tree::target(&root).join("clock"),
    )
}

/// The clock of `sources`, compiled into `directory` unless it is there. Its name carries a digest
/// of what it is made of: checkouts that share a directory do not take each other's.
fn build(sources: &Path, directory: &Path) -> Result<PathBuf, Error> {
    let missing = |path: &Path| {
        let path = path.to_owned();
        |cause| Error::ClockMissing { path, cause }
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(sources)
        .map_err(missing(sources))?
        .map(|entry| entry.map(|e| e.path()).map_err(missing(sources)))
        .collect::<Result<_, _>>()?;
    files.sort();
    let mut digest = Digest::new();
    for flag in FLAGS {
        digest.add(flag.as_bytes());
    }
    for file in &files {
        digest.add(&std::fs::read(file).map_err(missing(file))?);
    }
    let library = directory.join(format!("libtaktos-clock-{:016x}.so", digest.0));
    if !library.exists() {
        let sources: Vec<_> = files
            .iter()
            .filter(|f| f.extension().is_some_and(|e| e == "c"))
            .collect();
        compile(&sources, &library)?;
    }
    Ok(library)
}

/// FNV-1a of 64 bits (Fowler, Noll, Vo): distinguishes versions of a source, no more.
struct Digest(u64);

impl Digest {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a part, and that it ends here.
    fn add(&mut self, part: &[u8]) {
        let length = part.len().to_le_bytes();
        for byte in part.iter().chain(&length) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
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
