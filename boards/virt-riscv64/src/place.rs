//! Owns: the board as the machine sees it: the addresses of memory and devices.

use core::ops::Range;
use taktos_boards::{MachineOf, arch};

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
    pub(crate) const CONSOLE: usize = 0x1000_0000;
}

impl arch::Board for Place {
    const HERTZ: u64 = 10_000_000;
    const MEMORY: Range<usize> = 0x8000_0000..0x8800_0000;
    const DEVICES: Range<usize> = 0x1000_0000..0x1020_0000;
    const CONTROLLER: Option<arch::Controller> = Some(arch::Controller {
        address: 0x0C00_0000,
        // Each processor has one for machine mode, followed by one for supervisor mode.
        context: 1,
    });
    const PROCESSORS: usize = if cfg!(feature = "smp") { 4 } else { 1 };
    const CALLS: usize = 0x02F0_0000;
}

/// The console, the 16550.
pub(crate) mod console {
    /// Writes `text`, and waits while the device takes no other byte.
    pub(crate) fn write(text: &str) {
        taktos_boards::console::ns16550::write(super::Place::CONSOLE, text);
    }
}

/// Prepares the machine, before the kernel starts.
pub(crate) fn begin() {
    taktos_boards::console::ns16550::start(Place::CONSOLE);
    taktos_boards::begin();
}
