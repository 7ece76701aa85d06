//! Owns: the source of time, which is the processor's own timer; it counts cycles of 32 MHz.
//! Devices are clocked with 25 MHz (AN547, DAI 0547).

use crate::console;
use taktos_arch_cortex_m::start_system_timer;

pub(crate) use taktos_arch_cortex_m::SystemTimer as BoardClock;

const HERTZ: u32 = 32_000_000;
/// The rate of the devices.
pub(crate) const DEVICES_HERTZ: u32 = 25_000_000;

/// Conditions of the board's own counts: the processor's rate, 0 if it is not known; other
/// conditions; and the function that switches its caches.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (32_000_000, "clock=32MHz", None);

/// Starts the console and time.
pub(crate) fn start() {
    console::start(DEVICES_HERTZ);
    start_system_timer(HERTZ);
}
