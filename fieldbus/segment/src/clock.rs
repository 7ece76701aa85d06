//! A device's clock: an oscillator that is off, and the time control loop that keeps the system
//! time with the reference clock (datasheet, section I, "Distributed Clocks"; registers 0x0910 to
//! 0x0935).
//!
//! Owns: local time, its correction, the loop. Must never know: the sender of the reference time,
//! nor the actions at any time.
//!
//! The datasheet gives the loop's quantities, not its gains. Kept as it says: the speed counter.
//! With its difference D and start S, one nanosecond is added each S - D + 2 cycles of 10 ns and
//! taken each S + D + 2, so that a clock runs D / (5 (S + D + 2) (S - D + 2)) faster (register
//! 0x0932);
//! |D| is at most S - 0x7F, so a clock that is too far off is never caught. Chosen here:
//! a proportional-integral loop that has the same damping at every interval of the reference time.

use crate::bytes::number;
use crate::memory::Memory;
use crate::registers::{
    DIFFERENCE_FILTER, SPEED_COUNTER_DIFFERENCE, SPEED_COUNTER_FILTER, SPEED_COUNTER_START,
    SYSTEM_TIME_DELAY, SYSTEM_TIME_DIFFERENCE, SYSTEM_TIME_OFFSET,
};

/// An oscillator as it is: how far off, and what it shows at the instant 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oscillator {
    /// How much faster than true, in parts per billion.
    pub drift_ppb: i32,
    /// Reading at the instant 0, in nanoseconds.
    pub start_ns: u64,
}

/// The mean difference, and the speed counter's difference, have this many bits after the point.
const MEAN_FRACTION: u32 = 32;
const COUNTER_FRACTION: u32 = 8;
/// Paces are fractions of this power of two: no oscillator is so far off that its pace would not
/// fit.
const PACE: u32 = 60;
/// Differences count for no more than this in one step, ns.
const LARGEST_STEP: i64 = 100_000;
/// Proportional part: 1/16 of the difference, and never nothing.
const PROPORTIONAL: i64 = 16;
/// Integral part: a difference of x ns over an interval of t ns changes the rate by x / (256 t):
/// with the proportional part the damping is 1/2. As a difference of the speed counter at its
/// default start: 1 unit is 11.9 parts per billion.
const INTEGRAL: i64 = (1_000_000_000 / 256 * 10 / 119) << COUNTER_FRACTION;

pub(crate) struct Clock {
    now: u64,
    /// The reading, and its instant, since which the clock runs at one pace; and the fraction of a
    /// nanosecond beyond the reading.
    shown: u64,
    since: u64,
    fraction: i64,
    /// How much faster than true it goes: the oscillator, and the loop.
    drift: i64,
    rate: i64,
    /// The speed counter's difference, with `COUNTER_FRACTION` bits.
    counter: i64,
    /// The mean difference, with `MEAN_FRACTION` bits.
    mean: i64,
    last_reference: u64,
}

impl Clock {
    pub(crate) const fn new(oscillator: Oscillator) -> Self {
        Self {
            now: 0,
            shown: oscillator.start_ns,
            since: 0,
            fraction: 0,
            drift: drift(oscillator.drift_ppb),
            rate: 0,
            counter: 0,
            mean: 0,
            last_reference: 0,
        }
    }

    /// Registers as they are after power-on.
    pub(crate) fn power_on(&mut self, memory: &mut Memory) {
        memory.put(SPEED_COUNTER_START, &0x1000_u16.to_le_bytes());
        memory.set(DIFFERENCE_FILTER, 4);
        memory.set(SPEED_COUNTER_FILTER, 12);
        self.restart(memory);
    }

    /// Sets the oscillator's deviation from now on, in parts per billion.
    pub(crate) fn set_drift(&mut self, drift_ppb: i32) {
        self.anchor();
        self.drift = drift(drift_ppb);
    }

    /// The instant `to` has come; an earlier one changes nothing.
    pub(crate) fn advance(&mut self, to: u64) {
        self.now = self.now.max(to);
    }

    /// The instant up to which time has passed here.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Local time: the oscillator with the loop's correction.
    pub(crate) fn local(&self) -> u64 {
        self.local_after(0)
    }

    /// Local time `later` ns after now.
    pub(crate) fn local_after(&self, later: u64) -> u64 {
        let span = self.now - self.since + later;
        let ahead = (self.ahead(span) >> PACE) as i64;
        self.shown.wrapping_add(span).wrapping_add_signed(ahead)
    }

    /// System time: local time with the offset that the MainDevice gave (register 0x0920).
    pub(crate) fn system(&self, memory: &Memory) -> u64 {
        self.local().wrapping_add(memory.quad(SYSTEM_TIME_OFFSET))
    }

    /// The reference time has come, in 4 or 8 bytes: answers how far the system time is off, and
    /// moves it.
    pub(crate) fn reference(&mut self, received: &[u8], memory: &mut Memory) -> i64 {
        let delay = u64::from(memory.long(SYSTEM_TIME_DELAY));
        let expected = number(received).wrapping_add(delay);
        let off = self.system(memory).wrapping_sub(expected);
        let difference = if received.len() < 8 {
            i64::from(off as u32 as i32)
        } else {
            off as i64
        };
        self.control(difference, memory);
        self.note(difference, memory);
        difference
    }

    /// Restarts the filters: 0x0930 was written.
    pub(crate) fn restart(&mut self, memory: &mut Memory) {
        self.anchor();
        self.rate = 0;
        self.counter = 0;
        self.mean = 0;
        self.last_reference = self.now;
        memory.put(SYSTEM_TIME_DIFFERENCE, &[0; 4]);
        memory.put(SPEED_COUNTER_DIFFERENCE, &[0; 2]);
    }

    /// Returns how far the clock goes ahead of true time in `span` ns, as a fraction.
    fn ahead(&self, span: u64) -> i128 {
        i128::from(span as i64) * i128::from(self.drift + self.rate) + i128::from(self.fraction)
    }

    /// Takes the current reading as the one from which the clock continues at another pace.
    fn anchor(&mut self) {
        let ahead = self.ahead(self.now - self.since);
        self.shown = self.local();
        self.fraction = (ahead & ((1 << PACE) - 1)) as i64;
        self.since = self.now;
    }

    fn control(&mut self, difference: i64, memory: &Memory) {
        let start = i64::from(memory.word(SPEED_COUNTER_START));
        let limit = (start - 0x7F).max(0) << COUNTER_FRACTION;
        let step = difference.clamp(-LARGEST_STEP, LARGEST_STEP);
        let interval = (self.now - self.last_reference).clamp(1, 1 << 40) as i64;
        self.last_reference = self.now;
        self.anchor();
        let correction = step / PROPORTIONAL + step.signum();
        self.shown = self.shown.wrapping_add_signed(-correction);
        // A difference that is far larger than drift can have made is one of phase: it says nothing
        // of the rate.
        let of_rate = step.clamp(-(interval >> 10) - 8, (interval >> 10) + 8);
        self.counter = (self.counter - of_rate * INTEGRAL / interval).clamp(-limit, limit);
        self.rate = rate(start, self.counter);
    }

    /// Registers 0x092C and 0x0932.
    fn note(&mut self, difference: i64, memory: &mut Memory) {
        let depth = u32::from(memory.byte(DIFFERENCE_FILTER) & 0x0F);
        let bounded = difference.clamp(-0x3FFF_FFFF, 0x3FFF_FFFF) << MEAN_FRACTION;
        self.mean += (bounded - self.mean) >> depth;
        let mean = (self.mean + (1 << (MEAN_FRACTION - 1))) >> MEAN_FRACTION;
        let sign = u32::from(mean < 0) << 31;
        let register = mean.unsigned_abs() as u32 | sign;
        memory.put(SYSTEM_TIME_DIFFERENCE, &register.to_le_bytes());
        let counter = (self.counter >> COUNTER_FRACTION) as i16;
        memory.put(SPEED_COUNTER_DIFFERENCE, &counter.to_le_bytes());
    }
}

/// Parts per billion as a pace.
const fn drift(ppb: i32) -> i64 {
    (((ppb as i128) << PACE) / 1_000_000_000) as i64
}

/// The pace of a speed counter's difference: of 2^38 first, which is finer than the loop needs, and
/// fits.
fn rate(start: i64, counter: i64) -> i64 {
    const FIRST: u32 = 38;
    let whole = (start + 2) << COUNTER_FRACTION;
    // The product has twice the counter's fraction, less 8 bits.
    let product = 5 * ((whole + counter) >> 4) * ((whole - counter) >> 4);
    if product == 0 {
        return 0;
    }
    ((counter << (FIRST + COUNTER_FRACTION - 8)) / product) << (PACE - FIRST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new()
    }

    /// Lets a clock follow a true reference and answers the last difference, and the largest of the
    /// second half.
    fn follow(drift_ppb: i32, interval: u64, steps: u64) -> (i64, i64) {
        let mut memory = memory();
        let mut clock = Clock::new(Oscillator {
            drift_ppb,
            start_ns: 5_000,
        });
        clock.power_on(&mut memory);
        memory.put(SYSTEM_TIME_OFFSET, &(-5_000_i64).to_le_bytes());
        let (mut last, mut largest) = (0, 0);
        for step in 1..=steps {
            clock.advance(step * interval);
            last = clock.reference(&(step * interval).to_le_bytes(), &mut memory);
            if step > steps / 2 {
                largest = largest.max(last.abs());
            }
        }
        (last, largest)
    }

    #[test]
    fn a_clock_that_is_off_is_caught_at_every_cycle() {
        for drift in [3_000, -8_000, -20_000, 40_000, 100_000] {
            for interval in [20_000, 125_000, 1_000_000, 4_000_000] {
                let (_, largest) = follow(drift, interval, 2_000);
                assert!(
                    largest <= 2,
                    "{drift} ppb at {interval} ns: off by {largest} ns"
                );
            }
        }
    }

    #[test]
    fn a_clock_beyond_the_counters_reach_is_not() {
        let (last, _) = follow(2_000_000, 1_000_000, 2_000);
        assert!(last > 1_000, "off by {last} ns");
    }

    #[test]
    fn the_rate_is_the_datasheets() {
        // D / (5 (S + D + 2) (S - D + 2)), S = 4096.
        for counter in [1_i64, 100, 2_300, -2_300, 3_969] {
            let exact =
                counter as f64 / (5.0 * (4_098 + counter) as f64 * (4_098 - counter) as f64);
            let got = rate(4_096, counter << COUNTER_FRACTION) as f64 / (1_u64 << PACE) as f64;
            assert!(
                (got - exact).abs() < 1e-9,
                "D {counter}: {got} against {exact}"
            );
        }
    }

    #[test]
    fn the_register_tells_sign_and_size() {
        let mut memory = memory();
        let mut clock = Clock::new(Oscillator {
            drift_ppb: 0,
            start_ns: 0,
        });
        clock.power_on(&mut memory);
        memory.set(DIFFERENCE_FILTER, 0);
        clock.advance(1_000);
        assert_eq!(clock.reference(&1_400_u64.to_le_bytes(), &mut memory), -400);
        assert_eq!(memory.long(SYSTEM_TIME_DIFFERENCE), 1 << 31 | 400);
        assert_eq!(clock.local(), 1_000 + 400 / 16 + 1);
        clock.restart(&mut memory);
        assert_eq!(memory.long(SYSTEM_TIME_DIFFERENCE), 0);
    }

    #[test]
    fn four_bytes_of_reference_are_compared_with_four() {
        let mut memory = memory();
        let mut clock = Clock::new(Oscillator {
            drift_ppb: 0,
            start_ns: 0x5_0000_0000,
        });
        clock.power_on(&mut memory);
        clock.advance(10);
        assert_eq!(clock.reference(&7_u32.to_le_bytes(), &mut memory), 3);
    }

    #[test]
    fn the_drift_can_change_and_time_does_not_jump() {
        let mut clock = Clock::new(Oscillator {
            drift_ppb: 100_000,
            start_ns: 7,
        });
        clock.advance(1_000_000_000);
        assert!(clock.local().abs_diff(1_000_100_007) <= 1);
        clock.set_drift(-100_000);
        assert!(clock.local().abs_diff(1_000_100_007) <= 1);
        clock.advance(2_000_000_000);
        assert!(clock.local().abs_diff(2_000_000_007) <= 1);
    }
}
