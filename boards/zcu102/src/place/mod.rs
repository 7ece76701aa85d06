//! Owns: the board as the machine sees it: the addresses of memory and devices (UG1085, chapter
//! 10).

pub(crate) mod console;

use core::ops::Range;
use taktos_boards::{MachineOf, arch, rt};

/// The board, as the machine sees it.
pub struct Place;

/// The machine.
pub type Machine = MachineOf<Place>;

/// Conditions of the board's own counts: the processor's rate, 0 if it is not known; other
/// conditions; and the function that switches its caches.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (0, "clock=as-firmware-left", None);

impl Place {
    /// The address of the console.
    pub(crate) const CONSOLE: usize = 0xFF00_0000;
}

impl arch::Board for Place {
    const DISTRIBUTOR: usize = 0xF901_0000;
    const PROCESSOR_INTERFACE: usize = 0xF902_0000;
    const MEMORY: Range<usize> = 0x0020_0000..0x0800_0000;
    const DEVICES: Range<usize> = 0xF900_0000..0x1_0000_0000;
    const PROCESSORS: usize = if cfg!(feature = "smp") { 4 } else { 1 };
    const OTHERS: arch::Others = arch::Others::ByFirmware;
}

arch::enter!();
rt::initial_pagetable!(rt::InitialPagetable(arch::first_map::<Place>()));
