//! Owns: how long ticks of a timer are, exactly, in arithmetic of 32 bits.
//! Must never know: a timer's registers, what time is wanted for.

/// A point in time: nanoseconds, and a rest in the rate's parts of a nanosecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Moment {
    pub nanos: u64,
    rest: u32,
}

impl Moment {
    pub const START: Self = Self { nanos: 0, rest: 0 };
}

/// The length of a tick as a fraction of nanoseconds in lowest terms.
///
/// A rate is simple if the ticks of a long period can be converted in 32 bits. The others take 64
/// bits, and the feature `any-rate`: boards that know their rate have a simple one, and no code for
/// others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    numerator: u32,
    denominator: u32,
    longest: u32,
    is_simple: bool,
}

/// Whether there is code for rates that are not simple.
const ANY: bool = cfg!(any(test, feature = "any-rate"));
/// Ticks by which a period may be longer than intended: those that pass while the counter is moved.
const SLACK: u32 = 64;
/// The least ticks of the longest period of a simple rate: at 168 MHz 6 ms.
const SIMPLE: u32 = 1 << 20;
/// Rates of processors, in hertz: from that of a watch's crystal to a nanosecond a tick.
pub const RATES: core::ops::RangeInclusive<u32> = 32_768..=1_000_000_000;

impl Rate {
    /// Returns the rate of a timer of `hertz`; its counter counts `most` ticks at most before it
    /// begins again.
    ///
    /// # Panics
    /// If the rate is none of [`RATES`]. Without the feature `any-rate` also if a tick is no simple
    /// fraction of nanoseconds: the rate in hertz has too few factors in common with 10⁹.
    pub const fn new(hertz: u32, most: u32) -> Self {
        assert!(
            *RATES.start() <= hertz && hertz <= *RATES.end(),
            "the processor's rate is from 32,768 Hz to 1 GHz"
        );
        let divisor = greatest_common_divisor(1_000_000_000, hertz);
        let (numerator, denominator) = (1_000_000_000 / divisor, hertz / divisor);
        let exact = (u32::MAX - denominator) / numerator;
        let exact = exact.saturating_sub(SLACK);
        let is_simple = exact >= SIMPLE;
        assert!(
            is_simple || ANY,
            "no simple rate of a timer: see the feature `any-rate` of taktos-arch-cortex-m"
        );
        Self {
            numerator,
            denominator,
            longest: if is_simple && exact < most {
                exact
            } else {
                most
            },
            is_simple,
        }
    }

    const fn is_simple(self) -> bool {
        !ANY || self.is_simple
    }

    /// The most ticks that can be converted at once.
    pub const fn longest(self) -> u32 {
        self.longest
    }

    /// Returns the moment `ticks` ticks after `moment`, at most [`Rate::longest`] and a few.
    pub fn after(self, moment: Moment, ticks: u32) -> Moment {
        if !self.is_simple() {
            let parts = u64::from(ticks) * u64::from(self.numerator) + u64::from(moment.rest);
            let (nanos, rest) = divided(parts, self.denominator);
            return Moment {
                nanos: moment.nanos + nanos,
                rest,
            };
        }
        let parts = ticks * self.numerator + moment.rest;
        let (nanos, rest) = quotient(parts, self.denominator);
        Moment {
            nanos: moment.nanos + u64::from(nanos),
            rest,
        }
    }

    /// How many ticks after `moment` the first is that is not before `nanos`; none where that is
    /// more than [`Rate::longest`].
    pub fn until(self, nanos: u64, moment: Moment) -> Option<u32> {
        let span = nanos.saturating_sub(moment.nanos);
        if !self.is_simple() {
            let parts = span.checked_mul(self.denominator.into())?;
            let parts = parts.saturating_sub(moment.rest.into());
            let (ticks, rest) = divided(parts, self.numerator);
            let ticks = u32::try_from(ticks + u64::from(rest > 0)).ok()?;
            return Some(ticks).filter(|ticks| *ticks <= self.longest);
        }
        let parts = u32::try_from(span)
            .ok()?
            .checked_mul(self.denominator)?
            .saturating_sub(moment.rest);
        let (ticks, rest) = quotient(parts, self.numerator);
        Some(ticks + u32::from(rest > 0)).filter(|ticks| *ticks <= self.longest)
    }

    /// The whole ticks of a span; at least one, at most [`Rate::longest`].
    pub fn ticks(self, nanos: u64) -> u32 {
        if !self.is_simple() {
            let parts = nanos.saturating_mul(self.denominator.into());
            let ticks = u32::try_from(divided(parts, self.numerator).0);
            return ticks.unwrap_or(self.longest).clamp(1, self.longest);
        }
        let span = u32::try_from(nanos).ok();
        let parts = span.and_then(|span| span.checked_mul(self.denominator));
        parts.map_or(self.longest, |parts| {
            quotient(parts, self.numerator).0.clamp(1, self.longest)
        })
    }
}

const fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns the quotient and the rest of a division by what is not 0: without a panic, which would
/// be the only one of a small image. Stays here for 0, as no other way has as few instructions.
#[inline(always)]
fn quotient(parts: u32, by: u32) -> (u32, u32) {
    if by == 0 {
        loop {
            core::hint::spin_loop();
        }
    }
    (parts / by, parts % by)
}

/// Returns the quotient and the rest of a division by what is not 0, by four divisions of 32 bits.
/// The compiler's division of 64 bits has four times as much code.
///
/// Bound: fixed.
#[inline(never)]
pub(super) fn divided(parts: u64, by: u32) -> (u64, u32) {
    let high = (parts >> 32) as u32;
    let (upper, rest) = quotient(high, by);
    // The highest bit of the divisor is set, so its upper half determines a digit, but for two.
    let shift = by.leading_zeros();
    let divisor = by << shift;
    let rest = (u64::from(rest) << 32 | u64::from(parts as u32)) << shift;
    let low = rest as u32;
    let (first, rest) = digit((rest >> 32) as u32, low >> 16, divisor);
    let (second, rest) = digit(rest, low & 0xFFFF, divisor);
    let lower = first << 16 | second;
    (u64::from(upper) << 32 | u64::from(lower), rest >> shift)
}

/// Returns a digit of 16 bits of a quotient and the rest: of `high`, which is less than the
/// divisor, and the next 16 bits.
#[inline(never)]
fn digit(high: u32, next: u32, divisor: u32) -> (u32, u32) {
    let (upper, lower) = (divisor >> 16, divisor & 0xFFFF);
    let mut digit = quotient(high, upper).0.min(0xFFFF);
    let mut rest = high - digit * upper;
    for _ in 0..2 {
        if rest <= 0xFFFF && digit * lower > (rest << 16 | next) {
            digit -= 1;
            rest += upper;
        }
    }
    let all = high << 16 | next;
    (digit, all.wrapping_sub(digit.wrapping_mul(divisor)))
}
