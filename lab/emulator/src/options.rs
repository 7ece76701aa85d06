//! Options of a run in addition to its image: its limits, its way of counting, its watches.

use std::path::{Path, PathBuf};
use std::time::Duration;

use taktos_cycles::PhaseRules;

use crate::Watch;
use crate::end::{self, Until};
use crate::scratch::Scratch;

/// How far a run may go, and how it is counted.
#[derive(Debug, Clone)]
pub struct Options {
    /// The most instructions; an image that needs more is stopped with an error.
    pub instructions: u64,
    /// The most real time: only a hung emulator, or an image that waits for ever, comes
    /// to this.
    pub real_time: Duration,
    /// How instructions are sorted into phases.
    pub phases: PhaseRules,
    /// Count with one call an instruction instead of one a block: slow, for checking the
    /// clock against itself.
    pub reference: bool,
    /// A word for the image, which finds it on its command line.
    pub argument: Option<String>,
    /// Ends the run by itself; its record up to then is the result.
    pub until: Option<Until>,
    /// Watches in addition to the symbols of the image.
    pub watch: Watch,
    /// Executables that the image loads: it executes their code, too.
    pub loaded: Vec<PathBuf>,
}

impl Default for Options {
    /// Twenty thousand million instructions, ten minutes, the kernel's phases.
    fn default() -> Self {
        Self {
            instructions: 20_000_000_000,
            real_time: Duration::from_secs(600),
            phases: PhaseRules::default(),
            reference: false,
            argument: None,
            until: None,
            watch: Watch::default(),
            loaded: Vec::new(),
        }
    }
}

impl Options {
    /// The most instructions: as many as come, where the run ends otherwise.
    pub(crate) fn most_instructions(&self) -> u64 {
        match self.until {
            // The clock for several processors reads a number with a sign.
            Some(_) => i64::MAX.unsigned_abs(),
            None => self.instructions,
        }
    }

    /// The clock's options for the ends that the image does not choose.
    pub(crate) fn ends(&self, scratch: &Scratch) -> String {
        let until = self.until.as_ref();
        until.map_or_else(String::new, |until| {
            until.options(self.real_time, &scratch.file(end::PROGRESS))
        })
    }
}

/// Returns the arguments for the command line that the image reads: a name for the image itself,
/// then its word.
pub(crate) fn command_line(options: &Options) -> Vec<String> {
    let word = options.argument.iter();
    word.flat_map(|word| {
        let word = word.replace(',', ",,");
        [
            "-semihosting-config".to_owned(),
            format!("arg=image,arg={word}"),
        ]
    })
    .collect()
}

/// A path inside an option of the emulator, where a comma is written twice.
pub(crate) fn argument(path: &Path) -> String {
    path.to_string_lossy().replace(',', ",,")
}
