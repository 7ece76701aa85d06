//! Why a run gave no record: one line for the cause, and the hint where there is one.

use std::path::PathBuf;
use std::time::Duration;

/// A run that gave no record.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The emulator is not installed.
    #[error("{program} is not installed")]
    EmulatorMissing {
        /// The emulator's program.
        program: String,
    },
    /// The emulator is older than the plugin interface that the clock uses.
    #[error("{program} is version {found}, but the clock needs 10.0 or newer")]
    EmulatorVersion {
        /// The emulator's program.
        program: String,
        /// Version that the emulator reports.
        found: String,
    },
    /// No tree holds the clock's sources.
    #[error("the clock's sources are not found: this is not inside a Taktos tree")]
    Tree,
    /// The clock's sources cannot be read.
    #[error("the clock's sources cannot be read: {}: {cause}", path.display())]
    ClockMissing {
        /// Where they should be.
        path: PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
    /// There is no C compiler for the clock.
    #[error("there is no C compiler (cc) to build the clock with")]
    CompilerMissing,
    /// The clock's sources do not compile.
    #[error("the clock does not compile: {0}")]
    Clock(String),
    /// The image cannot be read.
    #[error("{}: cannot be read ({cause}); build the image first", path.display())]
    Image {
        /// The image.
        path: PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
    /// The image has no timing table.
    #[error("{}: {cause}", path.display())]
    Table {
        /// The image.
        path: PathBuf,
        /// Why not.
        cause: taktos_cycles::Error,
    },
    /// The image's symbols make no plan for the clock.
    #[error("the image cannot be watched: {0}")]
    Plan(String),
    /// A setting of processors that cannot be.
    #[error("{0}; choose another setting")]
    Setting(String),
    /// A file or process of the run itself failed.
    #[error("{what}: {cause}")]
    Io {
        /// The action that failed.
        what: String,
        /// Why it failed.
        cause: std::io::Error,
    },
    /// The emulator ended before the image ran.
    #[error("the emulator did not run the image: {0}")]
    Refused(String),
    /// The image ran longer than it was allowed to.
    #[error(
        "the image was stopped after {instructions} instructions, the limit of this run; \
             last line of its console: {last_line:?}"
    )]
    Limit {
        /// Instructions that it executed.
        instructions: u64,
        /// The last line that it wrote.
        last_line: String,
    },
    /// The emulator hung, or the image waits for something that never comes.
    #[error("nothing ended the image within {} s of real time; last line of its console: {last_line:?}",
            time.as_secs())]
    Hung {
        /// The time that it was given.
        time: Duration,
        /// The last line that the image wrote.
        last_line: String,
    },
    /// An instruction was executed that the timing table does not know.
    #[error(
        "an instruction at {address:#010x} was executed that the timing table does not know; \
             the counts of this run are void"
    )]
    UnknownInstruction {
        /// Where.
        address: u64,
    },
    /// Control went where the timing table says that it cannot.
    #[error(
        "control went from {from:#010x} to {to:#010x}, which the timing table cannot explain; \
             the counts of this run are void"
    )]
    UnexplainedTransfer {
        /// The instruction before.
        from: u64,
        /// The instruction after.
        to: u64,
    },
    /// The clock's file is not whole.
    #[error("the clock's record is not whole ({0}); the emulator was ended from outside")]
    Damaged(&'static str),
}
