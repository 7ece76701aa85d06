//! Owns: the board as the machine sees it: where memory and devices are (IMX8MPRM, 2.1).

#[path = "common/aarch64.rs"]
mod aarch64;
#[path = "console.rs"]
pub(crate) mod console;

pub(crate) use aarch64::begin;
pub use aarch64::{Machine, arch, rt};

use aarch64_rt::InitialPagetable;
use core::ops::Range;

/// The board, as the machine sees it.
pub struct Place;

/// What counts of the board's own rest on: the processor's rate, 0 where it is not known; what else; and how its caches are switched.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (0, "clock=as-firmware-left", None);

impl Place {
    /// The address of the console.
    pub(crate) const CONSOLE: usize = 0x3089_0000;
}

impl arch::Board for Place {
    const DISTRIBUTOR: usize = 0x3880_0000;
    const REDISTRIBUTORS: usize = 0x3888_0000;
    const MEMORY: Range<usize> = 0x4000_0000..0x4800_0000;
    const DEVICES: Range<usize> = 0x3000_0000..0x3A00_0000;
    const PROCESSORS: usize = if cfg!(feature = "smp") { 4 } else { 1 };
    const OTHERS: arch::Others = arch::Others::ByFirmware;
}

arch::enter!();
aarch64_rt::initial_pagetable!(InitialPagetable(arch::first_map::<Place>()));
