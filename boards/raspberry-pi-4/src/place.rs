//! Owns: the board as the machine sees it: where memory and devices are (BCM2711 ARM Peripherals, chapters 1 and 6).

#[path = "common/aarch64.rs"]
mod aarch64;
#[path = "common/console/pl011.rs"]
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
    pub(crate) const CONSOLE: usize = 0xFE20_1000;
}

impl arch::Board for Place {
    const DISTRIBUTOR: usize = 0xFF84_1000;
    const PROCESSOR_INTERFACE: usize = 0xFF84_2000;
    const MEMORY: Range<usize> = 0x0020_0000..0x0800_0000;
    const DEVICES: Range<usize> = 0xFE00_0000..0x1_0000_0000;
    const PROCESSORS: usize = if cfg!(feature = "smp") { 4 } else { 1 };
    // The firmware's stub, armstub8.S: `spin_cpu0` and those behind it.
    const OTHERS: arch::Others = arch::Others::ByTable(0xD8);
}

arch::enter!();
aarch64_rt::initial_pagetable!(InitialPagetable(arch::first_map::<Place>()));
