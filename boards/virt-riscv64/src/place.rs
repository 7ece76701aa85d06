//! Owns: the board as the machine sees it: where memory and devices are.

#[path = "common/console/ns16550.rs"]
pub(crate) mod console;
#[path = "common/riscv64.rs"]
mod riscv64;

pub(crate) use riscv64::begin;
pub use riscv64::{Machine, arch, rt};

use core::ops::Range;

/// The board, as the machine sees it.
pub struct Place;

/// What counts of the board's own rest on: the processor's rate, 0 where it is not known; what else; and how its caches are switched.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (0, "machine=qemu", None);

impl Place {
    /// The address of the console.
    pub(crate) const CONSOLE: usize = 0x1000_0000;
}

impl arch::Board for Place {
    const HERTZ: u64 = 10_000_000;
    const MEMORY: Range<usize> = 0x8000_0000..0x8800_0000;
    const DEVICES: Range<usize> = 0x1000_0000..0x1020_0000;
    const CONTROLLER: Option<arch::Controller> = Some(arch::Controller {
        address: 0x0C00_0000,
        // Each processor has one for machine mode, and one behind it for supervisor mode.
        context: 1,
    });
    const PROCESSORS: usize = if cfg!(feature = "smp") { 4 } else { 1 };
    const CALLS: usize = 0x02F0_0000;
}
