//! Owns: the board as the machine sees it: the addresses of memory and devices.

use core::ops::Range;
use taktos_boards::{MachineOf, arch, rt};

/// The board, as the machine sees it.
pub struct Place;

/// The machine.
pub type Machine = MachineOf<Place>;

/// Conditions of the board's own counts: the processor's rate, 0 if it is not known; other
/// conditions; and the function that switches its caches.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (0, "machine=qemu", None);

impl Place {
    /// The address of the console.
    pub(crate) const CONSOLE: usize = 0x0900_0000;
}

impl arch::Board for Place {
    const DISTRIBUTOR: usize = 0x0800_0000;
    const REDISTRIBUTORS: usize = 0x080A_0000;
    const MEMORY: Range<usize> = 0x4000_0000..0x4800_0000;
    const DEVICES: Range<usize> = 0x0800_0000..0x0A00_0000;
    const PROCESSORS: usize = if cfg!(feature = "smp") { 4 } else { 1 };
}

rt::initial_pagetable!(rt::InitialPagetable(arch::first_map::<Place>()));

/// The console, the PL011.
pub(crate) mod console {
    /// Writes `text`, and waits while the device takes no other byte.
    pub(crate) fn write(text: &str) {
        taktos_boards::console::pl011::write(super::Place::CONSOLE, text);
    }
}
