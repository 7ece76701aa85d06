//! The watchdog of process data: outputs must come again within its time (datasheet, section I,
//! "Watchdogs"; registers 0x0400, 0x0420, 0x0440, 0x0442).
//!
//! Owns: the time of its expiry. Must never know: the device's reaction.

use crate::memory::Memory;
use crate::registers::{
    WATCHDOG_COUNTER, WATCHDOG_DIVIDER, WATCHDOG_PROCESS_DATA, WATCHDOG_STATUS,
};

/// The controller's basic clock, 25 MHz, in nanoseconds.
const TICK_NS: u64 = 40;

pub(crate) struct Watchdog {
    /// The instant of the last trigger, while it runs.
    triggered: Option<u64>,
}

impl Watchdog {
    pub(crate) const fn new() -> Self {
        Self { triggered: None }
    }

    /// 100 us a unit, and 1,000 of them: the values after power-on.
    pub(crate) fn power_on(&mut self, memory: &mut Memory) {
        memory.put(WATCHDOG_DIVIDER, &2498_u16.to_le_bytes());
        memory.put(WATCHDOG_PROCESS_DATA, &1000_u16.to_le_bytes());
        memory.set(WATCHDOG_STATUS, 1);
        self.triggered = None;
    }

    /// Starts it at `now`, or restarts it.
    pub(crate) fn trigger(&mut self, now: u64, memory: &mut Memory) {
        self.triggered = Some(now);
        memory.set(WATCHDOG_STATUS, 1);
    }

    /// It does not run.
    pub(crate) fn stop(&mut self) {
        self.triggered = None;
    }

    pub(crate) fn runs(&self) -> bool {
        self.triggered.is_some()
    }

    /// Returns when it expires, if it runs and has a time.
    pub(crate) fn expires(&self, memory: &Memory) -> Option<u64> {
        let unit = (u64::from(memory.word(WATCHDOG_DIVIDER)) + 2) * TICK_NS;
        let time = unit * u64::from(memory.word(WATCHDOG_PROCESS_DATA));
        self.triggered
            .filter(|_| time != 0)
            .map(|since| since.saturating_add(time))
    }

    /// It has expired.
    pub(crate) fn expire(&mut self, memory: &mut Memory) {
        self.triggered = None;
        memory.set(WATCHDOG_STATUS, 0);
        let count = memory.byte(WATCHDOG_COUNTER);
        memory.set(WATCHDOG_COUNTER, count.saturating_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_expires_after_100_ms_by_default() {
        let (mut watchdog, mut memory) = (Watchdog::new(), Memory::new());
        watchdog.power_on(&mut memory);
        assert_eq!(watchdog.expires(&memory), None);
        watchdog.trigger(5, &mut memory);
        assert_eq!(watchdog.expires(&memory), Some(100_000_005));
        watchdog.expire(&mut memory);
        assert_eq!(memory.byte(WATCHDOG_STATUS), 0);
        assert_eq!(memory.byte(WATCHDOG_COUNTER), 1);
        memory.put(WATCHDOG_PROCESS_DATA, &[0, 0]);
        watchdog.trigger(5, &mut memory);
        assert_eq!(watchdog.expires(&memory), None);
    }
}
