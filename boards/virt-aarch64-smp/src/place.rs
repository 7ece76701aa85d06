//! Owns: the board as the machine sees it: where memory and devices are.

#[path = "common/aarch64.rs"]
mod aarch64;
#[path = "common/console/pl011.rs"]
pub(crate) mod console;

pub(crate) use aarch64::begin;
pub use aarch64::{Machine, arch};

use aarch64_rt::InitialPagetable;
use core::ops::Range;

/// The board, as the machine sees it.
pub struct Place;

/// What counts of the board's own rest on.
#[cfg(feature = "counted")]
pub(crate) const CONDITIONS: &str = "machine=qemu";
#[cfg(feature = "counted")]
pub(crate) const NAME: &str = "virt-aarch64-smp";

impl Place {
    /// The address of the console.
    pub(crate) const CONSOLE: usize = 0x0900_0000;
}

impl arch::Board for Place {
    const DISTRIBUTOR: usize = 0x0800_0000;
    const REDISTRIBUTORS: usize = 0x080A_0000;
    const MEMORY: Range<usize> = 0x4000_0000..0x4800_0000;
    const DEVICES: Range<usize> = 0x0800_0000..0x0A00_0000;
    const PROCESSORS: usize = 4;
}

aarch64_rt::initial_pagetable!(InitialPagetable(arch::first_map::<Place>()));
