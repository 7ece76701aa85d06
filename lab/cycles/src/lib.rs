//! The cost of each instruction of an image on a modelled processor.
//!
//! Owns: the sorting of instructions into classes, the cycle models, and the timing table that the
//! clock (the emulator's plugin) counts by. Must never know: an emulator; it never runs an image.
//!
//! Every count made with these models is a *modelled* cycle: a published table applied
//! to executed instructions, with no caches and no waiting for memory. An instruction
//! that a model does not know is an error, never one cycle.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use taktos_cycles::{Cpu, PhaseRules, Table};
//!
//! let elf = std::fs::read("kernel.elf")?;
//! let table = Table::for_image(&elf, Cpu::CortexM4, &PhaseRules::default())?;
//! table.write(&mut std::fs::File::create("kernel.timing")?)?;
//! # Ok(())
//! # }
//! ```

pub mod a32;
pub mod a64;
mod code;
pub mod firmware;
mod image;
mod lines;
pub mod marks;
pub mod model;
pub mod phase;
pub mod pipeline;
pub mod rv64;
pub mod t32;
pub mod table;
pub mod timing;

pub use lines::{Lines, Source};
pub use marks::{Edge, Mark};
pub use phase::{PhaseRules, Rule};
pub use table::Table;

/// A processor with a cycle model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cpu {
    /// Cortex-M0, executing the T32 of Armv6-M.
    CortexM0,
    /// Cortex-M0+, executing the T32 of Armv6-M.
    CortexM0Plus,
    /// Cortex-M3, executing T32.
    CortexM3,
    /// Cortex-M4 with single-precision floating point, executing T32.
    CortexM4,
    /// Cortex-A8, executing A32.
    CortexA8,
    /// Cortex-A53, executing A64.
    CortexA53,
    /// SiFive U54, executing RV64GC.
    U54,
}

impl Cpu {
    /// Whether it is of the microcontroller profile: it begins by a table of vectors, and executes
    /// T32 alone.
    #[must_use]
    pub const fn is_microcontroller(self) -> bool {
        match self {
            Self::CortexM0 | Self::CortexM0Plus | Self::CortexM3 | Self::CortexM4 => true,
            Self::CortexA8 | Self::CortexA53 | Self::U54 => false,
        }
    }
}

/// Why an image has no timing table.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes are not an ELF file that can be read.
    #[error("not a readable ELF image: {0}")]
    Elf(#[from] object::Error),
    /// The line tables cannot be read.
    #[error("the image's line tables cannot be read: {0}")]
    Lines(#[from] gimli::Error),
    /// The image is for another kind of processor.
    #[error("the image is not for the {0:?}; build it for the board")]
    Processor(Cpu),
    /// The image's code is outside of the table's addresses.
    #[error("the image has code at {0:#x}; a timing table reaches only the first 4 GiB")]
    TooFar(u64),
    /// An executable that the image loads has code where there is some already.
    #[error("there is other code at {0:#010x}; a timing table knows one at an address")]
    Twice(u32),
    /// The image has no code for the processor.
    #[error("the image holds no code")]
    NoCode,
    /// The image holds instructions that the model does not know.
    #[error("the model of the {cpu:?} does not know {}", list(.unknown))]
    Unknown {
        /// The processor.
        cpu: Cpu,
        /// Every such instruction, by address.
        unknown: Vec<UnknownInstruction>,
    },
    /// More kinds of marks or phases than the table can hold.
    #[error("too many {what}: at most {most}")]
    TooMany {
        /// Marks or phases.
        what: &'static str,
        /// The table's limit.
        most: usize,
    },
}

/// An instruction that a model does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownInstruction {
    /// Where it is.
    pub address: u32,
    /// Its halfwords (T32) or its word, as written in the manuals.
    pub bytes: String,
    /// The symbol it belongs to; empty when there is none.
    pub symbol: String,
}

fn list(unknown: &[UnknownInstruction]) -> String {
    let mut text: Vec<String> = unknown
        .iter()
        .map(|u| format!("{} at {:#010x} in {}", u.bytes, u.address, u.symbol))
        .collect();
    let more = text.len().saturating_sub(8);
    text.truncate(8);
    if more > 0 {
        text.push(format!("{more} more"));
    }
    text.join(", ")
}
