//! Owns: the board as the machine sees it: where memory and devices are (SiFive FU540-C000 manual, version 1p4, chapter 5).

#[path = "common/console/sifive.rs"]
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
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (0, "clock=as-reset-left", None);

impl Place {
    /// The address of the console, the first serial line.
    pub(crate) const CONSOLE: usize = 0x1001_0000;
}

impl arch::Board for Place {
    const HERTZ: u64 = 1_000_000;
    const MEMORY: Range<usize> = 0x8000_0000..0x8800_0000;
    const DEVICES: Range<usize> = 0x1000_0000..0x1020_0000;
    const CONTROLLER: Option<arch::Controller> = Some(arch::Controller {
        address: 0x0C00_0000,
        // The monitor core has one context, each processor behind it one for machine mode and one for supervisor mode.
        context: 2,
    });
    const PROCESSORS: usize = if cfg!(feature = "smp") { 4 } else { 1 };
    // The word of hart 1.
    const CALLS: usize = 0x0200_0004;
}
