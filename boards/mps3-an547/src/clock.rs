//! Owns: that time is the processor's own timer, which counts cycles of 32 MHz; devices are clocked with 25 MHz (AN547, DAI 0547).

use crate::console;
use taktos_arch_cortex_m::start_system_timer;

pub(crate) use taktos_arch_cortex_m::SystemTimer as BoardClock;

const HERTZ: u32 = 32_000_000;
/// The rate of the devices.
pub(crate) const DEVICES_HERTZ: u32 = 25_000_000;

/// What counts of the board's own rest on: the processor's rate, 0 where it is not known; what else; and how its caches are switched.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (32_000_000, "clock=32MHz", None);

/// Starts the console and time.
pub(crate) fn start() {
    console::start(DEVICES_HERTZ);
    start_system_timer(HERTZ);
}
