//! Owns: the processor's clock: 80 MHz from the internal oscillator, by the PLL. Time is the
//! processor's own timer. Registers: RM0351, reset and clock control (6.4), embedded flash (3.7).

use crate::console;
use taktos_arch_cortex_m::start_system_timer;
use taktos_boards::registers::Register;

pub(crate) use taktos_arch_cortex_m::SystemTimer as BoardClock;

/// Clock control, clock configuration, PLL configuration.
const CONTROL: Register = Register(0x4002_1000);
const CONFIGURATION: Register = Register(0x4002_1008);
const PLL: Register = Register(0x4002_100C);
/// The flash's access control: caches on, four wait states, as many as 80 MHz need (table 11).
const FLASH_ACCESS: Register = Register(0x4002_2000);
const CACHES_FOUR_WAITS: u32 = 0x704;

const OSCILLATOR_READY: u32 = 1 << 1;
const PLL_ON: u32 = 1 << 24;
const PLL_READY: u32 = 1 << 25;
/// From the oscillator, undivided, times 40, half of it.
const FROM_OSCILLATOR: u32 = 1;
const TIMES_40: u32 = 40 << 8;
const HALF: u32 = 1 << 24;
const SWITCH: u32 = 0b11;
const SWITCHED: u32 = 0b1100;

/// The oscillator after reset.
const OSCILLATOR_HZ: u32 = 4_000_000;

/// Conditions of the board's own counts: the processor's rate, 0 if it is not known; other
/// conditions; and the function that switches its caches.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (
    80_000_000,
    "clock=80MHz flash-waits=4 prefetch=off",
    Some(set_caches),
);

/// Starts the processor's clock, the console and time.
pub(crate) fn start() {
    let hertz = speed_up();
    console::start(hertz);
    start_system_timer(hertz);
}

/// Raises the rate to 80 MHz; if the PLL does not start, the oscillator stays. Returns the rate.
fn speed_up() -> u32 {
    if !CONTROL.becomes(OSCILLATOR_READY, OSCILLATOR_READY) {
        return OSCILLATOR_HZ;
    }
    FLASH_ACCESS.write(CACHES_FOUR_WAITS);
    PLL.write(FROM_OSCILLATOR | TIMES_40 | HALF);
    CONTROL.change(0, PLL_ON);
    if !CONTROL.becomes(PLL_READY, PLL_READY) {
        return OSCILLATOR_HZ;
    }
    CONFIGURATION.change(SWITCH, SWITCH);
    match CONFIGURATION.becomes(SWITCHED, SWITCHED) {
        true => OSCILLATOR_HZ * 40 / 2,
        false => OSCILLATOR_HZ,
    }
}

/// Switches the flash's caches on or off; those that were off are emptied before.
#[cfg(feature = "counted")]
pub(crate) fn set_caches(on: bool) {
    /// Instructions and data; the resets of both, which take effect while they are off.
    const ALL: u32 = 0x600;
    const RESETS: u32 = 0x1800;
    FLASH_ACCESS.change(ALL, 0);
    FLASH_ACCESS.change(0, RESETS);
    FLASH_ACCESS.change(RESETS, 0);
    if on {
        FLASH_ACCESS.change(0, ALL);
    }
}
