//! Owns: the build scripts of boards of one architecture: targets, linker arguments, and the linker
//! scripts that these boards share.
//! Must never know: a board.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::Board;

/// Entry of images that begin above EL1, for boards with a `memory.x` that includes it.
const ENTER: (&str, &str) = ("enter.x", include_str!("../scripts/enter.x"));
/// Default handlers.
const DEVICE: (&str, &str) = ("device.x", include_str!("../scripts/device.x"));
/// Script of a board, with its memory map.
const MEMORY: &str = "memory.x";

/// Place of the table of threads with statics that are all zeros until the start.
const PLANS: (&str, &str) = ("plans.x", include_str!("../scripts/plans.x"));

/// Number of interrupts that a processor can have (Armv7-M manual, B3.4); the board selects those
/// that are in the table.
const INTERRUPTS: u32 = 496;
/// Set with the feature by which another crate has the table of interrupts; that crate has a script
/// of the name [`DEVICE`], too.
const TABLE_ELSEWHERE: &str = "CARGO_FEATURE_PAC";

/// Architecture of a Cortex-M.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CortexM {
    /// Armv7E-M: Cortex-M4 and Cortex-M7.
    Armv7E,
    /// Armv8-M with the main extension: Cortex-M33 and Cortex-M55.
    Armv8,
    /// Any of these, Armv7-M (Cortex-M3) and Armv6-M (Cortex-M0 and M0+). The memory map is the
    /// program's.
    Any,
}

impl CortexM {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Any => &["-Tlink.x", "-Tplans.x", "--nmagic"],
            _ => &["-Tlink.x", "--nmagic"],
        }
    }

    fn targets(self) -> &'static [&'static str] {
        match self {
            Self::Armv7E => &["thumbv7em-none-eabi", "thumbv7em-none-eabihf"],
            Self::Armv8 => &["thumbv8m.main-none-eabi", "thumbv8m.main-none-eabihf"],
            Self::Any => &[
                "thumbv6m-none-eabi",
                "thumbv7m-none-eabi",
                "thumbv7em-none-eabi",
                "thumbv7em-none-eabihf",
                "thumbv8m.main-none-eabi",
                "thumbv8m.main-none-eabihf",
            ],
        }
    }
}

/// Describes a board of AArch64 that runs at EL1. The crate has `memory.x`, and `probe.x` if it has
/// the program `probe`.
///
/// # Panics
/// If a file cannot be read or written.
pub fn aarch64() {
    let board = Board {
        // The board's own comes first: an entry that it names is taken.
        arguments: &["-Tmemory.x", "-Timage.ld"],
        targets: &["aarch64-unknown-none-softfloat"],
        scripts: &[MEMORY, "probe.x"],
        apart: Some(("probe", "-Tprobe.x")),
    };
    if let Some(out) = board.describe() {
        write(&out, ENTER.0, ENTER.1);
    }
}

/// Describes a board of RISC-V with 64 bits. The crate has `memory.x`.
///
/// # Panics
/// If a file cannot be read or written.
pub fn riscv64() {
    let board = Board {
        arguments: &["-Tmemory.x", "-Tlink.x"],
        targets: &["riscv64imac-unknown-none-elf"],
        scripts: &[MEMORY],
        apart: None,
    };
    board.describe();
}

/// Describes a board with a Cortex-M. The crate has `memory.x`, but for [`CortexM::Any`].
///
/// # Panics
/// If a file cannot be read or written.
pub fn cortex_m(architecture: CortexM) {
    let board = Board {
        arguments: architecture.arguments(),
        targets: architecture.targets(),
        scripts: &[MEMORY],
        apart: None,
    };
    let is_table_here = std::env::var_os(TABLE_ELSEWHERE).is_none();
    let Some(out) = board.describe() else {
        return;
    };
    write(&out, PLANS.0, PLANS.1);
    if is_table_here {
        write_symbols(&out);
    }
}

/// Writes the symbols of interrupts without handlers into the folder in which the linker looks.
fn write_symbols(out: &Path) {
    let (device, mut symbols) = (DEVICE.0, DEVICE.1.to_owned());
    for number in 0..INTERRUPTS {
        writeln!(
            symbols,
            "PROVIDE(taktos_interrupt_{number} = DefaultHandler);"
        )
        .expect("a string grows");
    }
    write(out, device, &symbols);
}

fn write(out: &Path, script: &str, text: &str) {
    fs::write(out.join(script), text).expect("the output directory can be written");
}
