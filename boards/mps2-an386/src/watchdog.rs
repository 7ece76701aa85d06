//! Owns: the board's watchdog as a port of the kernel's. Must never know: the parts of a program
//! that it is for.
//!
//! Registers: Arm Cortex-M System Design Kit TRM (DDI 0479), section 4.5; place: AN386, table 3-1.

use taktos_boards::registers::{Register, store};
use taktos_kernel::{Duration, Error, WatchdogPort};

const BASE: usize = 0x4000_8000;
const LOAD: Register = Register(BASE);
const CONTROL: Register = Register(BASE + 0x08);
const CLEAR: Register = Register(BASE + 0x0C);
const LOCK: usize = BASE + 0xC00;
/// Counts, with an interrupt at zero, and resets at the second zero.
const ON: u32 = 0b11;
/// The word that opens the other registers; any other one closes them.
const KEY: u32 = 0x1ACC_E551;
const NANOSECONDS_A_TICK: u64 = 40;

/// The board's watchdog (CMSDK): a port of `taktos::Watchdog`, with spans from 40 ns to 171 s.
///
/// If it is not fed for its span, the processor gets the exception `NonMaskableInt`, the default
/// handler of which never returns; after the same span again the chip is reset.
pub struct HardwareWatchdog;

impl HardwareWatchdog {
    /// Writes registers, which are closed before and after.
    fn opened(act: impl FnOnce()) {
        store(LOCK, KEY);
        act();
        store(LOCK, 0);
    }
}

impl WatchdogPort for HardwareWatchdog {
    fn start(&self, span: Duration) -> Result<(), Error> {
        let ticks = u32::try_from(span.as_nanos() / NANOSECONDS_A_TICK);
        let ticks = ticks.ok().filter(|ticks| *ticks != 0);
        let ticks = ticks.ok_or(Error::Parameter)?;
        Self::opened(|| {
            LOAD.write(ticks);
            CONTROL.write(ON);
        });
        Ok(())
    }

    fn feed(&self) {
        Self::opened(|| CLEAR.write(1));
    }
}
