//! Owns: the machine's counter as a clock: ticks into instants, and back.
//! Must never know: the register that counts, and the caller.
//!
//! # Invariants
//! - Nothing wraps: an instant beyond the last one is the last instant.
//! - A later tick is a later instant, up to the last one: whether a timer is due is the same
//!   question in both.
//! - [`Rate::tick_of`] is never early: at that tick the instant has come.

use taktos_time::Instant;

const SECOND: u64 = 1_000_000_000;

/// The counter's rate, as factors in fixed point: no division when time is read.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Nanoseconds a tick, times 2³².
    nanos: u64,
    /// Ticks a nanosecond by that same figure, times 2⁶³, rounded up.
    ticks: u64,
}

impl Rate {
    /// A rate before it is known: time does not pass.
    pub const UNKNOWN: Self = Self { nanos: 0, ticks: 0 };

    /// Returns the rate of a counter with `hertz` ticks a second: 1 to 10⁹, which is the fastest
    /// that the architecture has.
    pub const fn of(hertz: u64) -> Option<Self> {
        if hertz == 0 || hertz > SECOND {
            return None;
        }
        let nanos = (SECOND << 32) / hertz;
        let ticks = inverse(nanos);
        Some(Self { nanos, ticks })
    }

    /// When the counter shows `ticks`: it began with the machine.
    #[inline(always)]
    pub const fn instant(&self, ticks: u64) -> Instant {
        let nanos = ticks as u128 * self.nanos as u128;
        match nanos >> 95 {
            0 => Instant::from_nanos((nanos >> 32) as u64),
            _ => Instant::MAX,
        }
    }

    /// Returns the first tick that is not before `at`, if a tick is 1, 2, 4, ... nanoseconds. Else
    /// returns that or up to two after it.
    #[inline(always)]
    pub const fn tick_of(&self, at: Instant) -> u64 {
        const ROUND_UP: u128 = (1 << 63) - 1;
        ((at.as_nanos() as u128 * self.ticks as u128 + ROUND_UP) >> 63) as u64
    }
}

/// Returns 2⁹⁵ / `nanos`, rounded up: a long division, a bit at a time after the first 63. `nanos`
/// is 2³² to 2⁶³.
const fn inverse(nanos: u64) -> u64 {
    let (mut quotient, mut rest) = ((1 << 63) / nanos, (1 << 63) % nanos);
    let mut bit = 0;
    while bit < 32 {
        let fits = rest << 1 >= nanos;
        quotient = quotient << 1 | fits as u64;
        rest = (rest << 1) - if fits { nanos } else { 0 };
        bit += 1;
    }
    quotient + (rest != 0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    const LAST: u128 = Instant::MAX.as_nanos() as u128;

    /// 0, 1, all ones, and each power of two with its neighbours.
    fn edges() -> Vec<u64> {
        let powers =
            (0..64).flat_map(|bit| [-1, 0, 1].map(|by| (1u64 << bit).wrapping_add_signed(by)));
        powers.chain([u64::MAX, u64::MAX - 1]).collect()
    }

    fn edge() -> impl Strategy<Value = u64> {
        prop_oneof![prop::sample::select(edges()), any::<u64>()]
    }

    /// The rates of boards, the ends of what is allowed, and any.
    fn hertz() -> impl Strategy<Value = u64> {
        let known = [
            1,
            2,
            3,
            999_999_999,
            SECOND,
            62_500_000,
            24_000_000,
            19_200_000,
            54_000_000,
            100_000_000,
        ];
        prop_oneof![prop::sample::select(known.to_vec()), 1..=SECOND]
    }

    /// Both directions, by long arithmetic that has room for everything.
    fn check(hertz: u64, ticks: u64, at: u64) {
        let rate = Rate::of(hertz).expect("a rate");
        let nanos = u128::from((SECOND << 32) / hertz);
        let instant = (u128::from(ticks) * nanos) >> 32;
        let found = rate.instant(ticks);
        assert_eq!(
            u128::from(found.as_nanos()),
            instant.min(LAST),
            "{ticks} ticks at {hertz} Hz"
        );
        // The next tick is a later instant.
        if let Some(next) = ticks.checked_add(1)
            && found < Instant::MAX
        {
            assert!(rate.instant(next) > found, "{next} ticks at {hertz} Hz");
        }
        let at = Instant::from_nanos(at);
        let first = (u128::from(at.as_nanos()) << 32).div_ceil(nanos);
        let tick = rate.tick_of(at);
        let late = u128::from(tick) - first;
        assert!(
            rate.instant(tick) >= at,
            "{at:?} at {hertz} Hz is tick {tick}"
        );
        let whole = nanos.is_power_of_two();
        assert!(
            late <= if whole { 0 } else { 2 },
            "{at:?} at {hertz} Hz: {late} late"
        );
    }

    #[test]
    fn edges_are_told_as_long_arithmetic_tells_them() {
        for hertz in [1, 2, 3, 62_500_000, 24_000_000, 999_999_999, SECOND] {
            for edge in edges() {
                check(hertz, edge, edge);
            }
        }
    }

    #[test]
    fn a_far_tick_is_the_last_instant() {
        // 2⁶⁰ ticks of 16 ns are 2⁶⁴ ns: not zero.
        let rate = Rate::of(62_500_000).expect("a rate");
        assert_eq!(rate.instant(1 << 60), Instant::MAX);
        assert_eq!(rate.instant(u64::MAX), Instant::MAX);
        assert_eq!(rate.instant((1 << 59) - 1).as_nanos(), (1 << 63) - 16);
    }

    #[test]
    fn a_counter_that_stands_or_is_too_fast_has_no_rate() {
        assert!(Rate::of(0).is_none());
        assert!(Rate::of(SECOND + 1).is_none());
    }

    proptest! {
        #[test]
        fn conversions_are_those_of_long_arithmetic(hertz in hertz(), ticks in edge(), at in edge()) {
            check(hertz, ticks, at);
        }
    }
}
