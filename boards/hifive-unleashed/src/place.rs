//! Owns: the board as the machine sees it: the addresses of memory and devices (SiFive FU540-C000
//! manual, version 1p4, chapter 5).

use core::ops::Range;
use taktos_boards::{MachineOf, arch};

/// The board, as the machine sees it.
pub struct Place;

/// The machine.
pub type Machine = MachineOf<Place>;

/// Conditions of the board's own counts: the processor's rate, 0 if it is not known; other
/// conditions; and the function that switches its caches.
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
        // The monitor core has one context. Each processor after it has one for machine mode and
        // one for supervisor mode.
        context: 2,
    });
    const PROCESSORS: usize = if cfg!(feature = "smp") { 4 } else { 1 };
    // The word of hart 1.
    const CALLS: usize = 0x0200_0004;
}

/// The console, the first serial line.
pub(crate) mod console {
    /// Writes `text`, and waits until the device has sent it.
    pub(crate) fn write(text: &str) {
        taktos_boards::console::sifive::write::<super::Machine>(super::Place::CONSOLE, text);
    }
}

/// Prepares the machine, before the kernel starts.
pub(crate) fn begin() {
    taktos_boards::console::sifive::start(Place::CONSOLE);
    taktos_boards::begin();
}
