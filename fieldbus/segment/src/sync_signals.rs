//! SYNC0 and SYNC1: the signals at which devices take outputs and sample inputs together
//! (datasheet, section I, "SyncSignal generation"; registers 0x0980 to 0x09A7).
//!
//! Owns: the time of the next signal. Must never know: the application's reaction to it.
//!
//! A start time that has passed when the unit is activated gives no signal, as in a controller.
//! SYNC1 comes once in as many cycles of SYNC0 as its cycle time is longer, and one, by the rest of
//! it after a SYNC0.

use crate::memory::Memory;
use crate::registers::{
    SYNC_ACTIVATION, SYNC_ACTIVATION_STATUS, SYNC_START_TIME, SYNC0_CYCLE, SYNC1_CYCLE, SYNC1_NEXT,
};

const CYCLIC: u8 = 1 << 0;
const SYNC0: u8 = 1 << 1;
const SYNC1: u8 = 1 << 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    Sync0,
    Sync1,
}

pub(crate) struct SyncSignals {
    /// System times of the next signals.
    next0: Option<u64>,
    next1: Option<u64>,
    /// Cycles; 0: once.
    cycle0: u64,
    cycle1: u64,
}

impl SyncSignals {
    pub(crate) const fn new() -> Self {
        Self {
            next0: None,
            next1: None,
            cycle0: 0,
            cycle1: 0,
        }
    }

    /// The activation was written at the system time `now`.
    pub(crate) fn activate(&mut self, now: u64, memory: &mut Memory) {
        let activation = memory.byte(SYNC_ACTIVATION);
        *self = Self::new();
        let start = memory.quad(SYNC_START_TIME);
        let is_on = activation & CYCLIC != 0 && start > now;
        memory.set(
            SYNC_ACTIVATION_STATUS,
            if is_on { activation >> 1 & 3 } else { 0 },
        );
        if !is_on {
            return;
        }
        self.cycle0 = u64::from(memory.long(SYNC0_CYCLE));
        let second = u64::from(memory.long(SYNC1_CYCLE));
        let (cycles, rest) = match self.cycle0 {
            0 => (0, second),
            cycle => (second / cycle + 1, second % cycle),
        };
        self.cycle1 = self.cycle0 * cycles;
        self.next0 = (activation & SYNC0 != 0).then_some(start);
        self.next1 = (activation & SYNC1 != 0).then_some(start + rest);
        self.show(memory);
    }

    pub(crate) fn is_active(&self) -> bool {
        self.next0.is_some() || self.next1.is_some()
    }

    /// The next signal that is not later than the system time `now`.
    pub(crate) fn due(&mut self, now: u64, memory: &mut Memory) -> Option<Signal> {
        let first = self.next0.unwrap_or(u64::MAX);
        let second = self.next1.unwrap_or(u64::MAX);
        let next = first.min(second);
        if next == u64::MAX || next > now {
            return None;
        }
        let signal = if first <= second {
            self.next0 = after(first, self.cycle0);
            Signal::Sync0
        } else {
            self.next1 = after(second, self.cycle1);
            Signal::Sync1
        };
        self.show(memory);
        Some(signal)
    }

    /// Writes the times of the next signals to the registers.
    fn show(&self, memory: &mut Memory) {
        if let Some(next) = self.next0 {
            memory.put(SYNC_START_TIME, &next.to_le_bytes());
        }
        if let Some(next) = self.next1 {
            memory.put(SYNC1_NEXT, &next.to_le_bytes());
        }
    }
}

fn after(signal: u64, cycle: u64) -> Option<u64> {
    (cycle != 0).then(|| signal.saturating_add(cycle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn active(activation: u8, start: u64, cycle0: u32, cycle1: u32) -> (SyncSignals, Memory) {
        let (mut signals, mut memory) = (SyncSignals::new(), Memory::new());
        memory.put(SYNC_START_TIME, &start.to_le_bytes());
        memory.put(SYNC0_CYCLE, &cycle0.to_le_bytes());
        memory.put(SYNC1_CYCLE, &cycle1.to_le_bytes());
        memory.set(SYNC_ACTIVATION, activation);
        signals.activate(50, &mut memory);
        (signals, memory)
    }

    /// The system times of the signals up to `end`.
    fn times(signals: &mut SyncSignals, memory: &mut Memory, end: u64) -> Vec<(u64, Signal)> {
        (0..=end)
            .flat_map(|now| {
                core::iter::from_fn(|| signals.due(now, memory).map(|signal| (now, signal)))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    #[test]
    fn sync0_begins_at_its_start_and_comes_each_cycle() {
        let (mut signals, mut memory) = active(3, 100, 40, 0);
        let seen = times(&mut signals, &mut memory, 190);
        assert_eq!(seen, [100, 140, 180].map(|time| (time, Signal::Sync0)));
        assert_eq!(memory.quad(SYNC_START_TIME), 220);
    }

    #[test]
    fn sync1_follows_each_sync0_by_its_shift() {
        let (mut signals, mut memory) = active(7, 100, 40, 15);
        let seen = times(&mut signals, &mut memory, 160);
        use Signal::{Sync0, Sync1};
        assert_eq!(
            seen,
            [(100, Sync0), (115, Sync1), (140, Sync0), (155, Sync1)]
        );
    }

    #[test]
    fn sync1_may_be_slower() {
        let (mut signals, mut memory) = active(7, 100, 40, 80 + 5);
        let seen = times(&mut signals, &mut memory, 300);
        let second: Vec<u64> = (seen.iter())
            .filter(|seen| seen.1 == Signal::Sync1)
            .map(|seen| seen.0)
            .collect();
        assert_eq!(second, [105, 225]);
    }

    #[test]
    fn without_a_cycle_there_is_one() {
        let (mut signals, mut memory) = active(3, 100, 0, 0);
        assert_eq!(times(&mut signals, &mut memory, 500).len(), 1);
        assert!(!signals.is_active());
    }

    #[test]
    fn a_start_that_has_passed_gives_none() {
        let (mut signals, mut memory) = active(3, 50, 40, 0);
        assert!(times(&mut signals, &mut memory, 500).is_empty());
        assert_eq!(memory.byte(SYNC_ACTIVATION_STATUS), 0);
        let (signals, _) = active(2, 100, 40, 0);
        assert!(!signals.is_active(), "not cyclic");
    }
}
