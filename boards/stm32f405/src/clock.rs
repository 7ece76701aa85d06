//! Owns: the processor's clock: 168 MHz from a crystal of 8 MHz, by the PLL. Time is the
//! processor's own timer. Registers: RM0090, reset and clock control (7.3), embedded flash (3.9).

use crate::console;
use taktos_arch_cortex_m::start_system_timer;
use taktos_boards::registers::Register;

pub(crate) use taktos_arch_cortex_m::SystemTimer as BoardClock;

/// Clock control, PLL configuration, clock configuration.
const CONTROL: Register = Register(0x4002_3800);
const PLL: Register = Register(0x4002_3804);
const CONFIGURATION: Register = Register(0x4002_3808);
/// The flash's access control: caches and prefetch on, five wait states, as many as 168 MHz need
/// (table 10).
const FLASH_ACCESS: Register = Register(0x4002_3C00);
const CACHES_FIVE_WAITS: u32 = 0x705;

const CRYSTAL_ON: u32 = 1 << 16;
const CRYSTAL_READY: u32 = 1 << 17;
const PLL_ON: u32 = 1 << 24;
const PLL_READY: u32 = 1 << 25;
/// From the crystal, an eighth of it, times 336, half of that; a seventh for the USB.
const TO_168_MHZ: u32 = 8 | 336 << 6 | 1 << 22 | 7 << 24;
/// The fast devices have half the processor's rate, the slow ones a quarter.
const DIVIDED: u32 = 0b100 << 13 | 0b101 << 10;
const DIVISORS: u32 = 0b111 << 13 | 0b111 << 10;
const SWITCH: u32 = 0b11;
const TO_PLL: u32 = 0b10;
const SWITCHED: u32 = 0b1100;
const IS_PLL: u32 = 0b1000;

const PLL_HZ: u32 = 168_000_000;
/// The internal oscillator, which runs after reset.
const OSCILLATOR_HZ: u32 = 16_000_000;

/// Conditions of the board's own counts: the processor's rate, 0 if it is not known; other
/// conditions; and the function that switches its caches.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (
    168_000_000,
    "clock=168MHz flash-waits=5 prefetch=with-caches",
    Some(set_caches),
);

/// Starts the processor's clock, the console and time.
pub(crate) fn start() {
    let hertz = if speed_up() {
        console::start(PLL_HZ / 2);
        PLL_HZ
    } else {
        let hertz = rate_after_reset();
        console::start(hertz);
        hertz
    };
    start_system_timer(hertz);
}

/// Raises the rate to 168 MHz. Returns whether it did: if the crystal or the PLL does not start,
/// all stays as after reset.
fn speed_up() -> bool {
    CONTROL.change(0, CRYSTAL_ON);
    if !CONTROL.becomes(CRYSTAL_READY, CRYSTAL_READY) {
        return false;
    }
    FLASH_ACCESS.write(CACHES_FIVE_WAITS);
    PLL.write(TO_168_MHZ);
    CONTROL.change(0, PLL_ON);
    if !CONTROL.becomes(PLL_READY, PLL_READY) {
        return false;
    }
    CONFIGURATION.change(DIVISORS | SWITCH, DIVIDED | TO_PLL);
    if CONFIGURATION.becomes(SWITCHED, IS_PLL) {
        return true;
    }
    CONFIGURATION.change(DIVISORS | SWITCH, 0);
    false
}

/// Returns the rate of a processor if its crystal does not start: the internal oscillator's.
/// However, an emulator has no crystal, and runs at any rate. The timer's calibration gives that
/// rate: the ticks of its reference, an eighth of the processor's rate (RM0090, figure 21), in 10
/// ms (Armv7-M manual, B3.3.6). On silicon it has the same value always, without information
/// (RM0090, 12.1.2).
fn rate_after_reset() -> u32 {
    const CALIBRATION: Register = Register(0xE000_E01C);
    const TICKS: u32 = 0x00FF_FFFF;
    const OF_SILICON: u32 = 18_750;
    const TEN_MILLISECONDS_A_SECOND: u32 = 100;
    match CALIBRATION.read() & TICKS {
        0 | OF_SILICON => OSCILLATOR_HZ,
        ticks => (ticks + 1) * TEN_MILLISECONDS_A_SECOND * 8,
    }
}

/// Switches the flash's caches and prefetch on or off. The caches are emptied while they are off.
#[cfg(feature = "counted")]
pub(crate) fn set_caches(on: bool) {
    /// Instructions and data, prefetch; the resets of both, which take effect while they are off.
    const ALL: u32 = 0x700;
    const RESETS: u32 = 0x1800;
    FLASH_ACCESS.change(ALL, 0);
    FLASH_ACCESS.change(0, RESETS);
    FLASH_ACCESS.change(RESETS, 0);
    if on {
        FLASH_ACCESS.change(0, ALL);
    }
}
