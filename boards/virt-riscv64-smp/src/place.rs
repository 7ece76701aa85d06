//! Owns: the board as the machine sees it: where memory and devices are.

#[path = "common/console/ns16550.rs"]
pub(crate) mod console;
#[path = "common/riscv64.rs"]
mod riscv64;

pub(crate) use riscv64::begin;
pub use riscv64::{Machine, arch};

use core::ops::Range;

/// The board, as the machine sees it.
pub struct Place;

/// What counts of the board's own rest on.
#[cfg(feature = "counted")]
pub(crate) const CONDITIONS: &str = "machine=qemu";
#[cfg(feature = "counted")]
pub(crate) const NAME: &str = "virt-riscv64-smp";

impl Place {
    /// The address of the console.
    pub(crate) const CONSOLE: usize = 0x1000_0000;
}

impl arch::Board for Place {
    const HERTZ: u64 = 10_000_000;
    const MEMORY: Range<usize> = 0x8000_0000..0x8800_0000;
    const DEVICES: Range<usize> = 0x1000_0000..0x1020_0000;
    const PROCESSORS: usize = 4;
    const CALLS: usize = 0x02F0_0000;
}
