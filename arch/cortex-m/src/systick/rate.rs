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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    numerator: u32,
    denominator: u32,
    longest: u32,
}

/// Ticks by which a period may be longer than intended: those that pass while the counter is moved.
const SLACK: u32 = 64;

impl Rate {
    /// Returns the rate of a timer of `hertz`; its counter counts `most` ticks at most before it
    /// begins again.
    ///
    /// # Panics
    /// Where a tick is no simple fraction of nanoseconds: the rate in hertz has too few factors in
    /// common with 10⁹.
    pub const fn new(hertz: u32, most: u32) -> Self {
        let divisor = greatest_common_divisor(1_000_000_000, hertz);
        let (numerator, denominator) = (1_000_000_000 / divisor, hertz / divisor);
        let exact = (u32::MAX - denominator) / numerator;
        let exact = exact.saturating_sub(SLACK);
        let longest = if exact < most { exact } else { most };
        assert!(longest >= 1 << 12, "no simple rate of a timer");
        Self {
            numerator,
            denominator,
            longest,
        }
    }

    /// The most ticks that can be converted at once.
    pub const fn longest(self) -> u32 {
        self.longest
    }

    /// Returns the moment `ticks` ticks after `moment`, at most [`Rate::longest`] and a few.
    pub fn after(self, moment: Moment, ticks: u32) -> Moment {
        let parts = ticks * self.numerator + moment.rest;
        Moment {
            nanos: moment.nanos + u64::from(parts / self.denominator),
            rest: parts % self.denominator,
        }
    }

    /// How many ticks after `moment` the first is that is not before `nanos`; none where that is
    /// more than [`Rate::longest`].
    pub fn until(self, nanos: u64, moment: Moment) -> Option<u32> {
        let span = u32::try_from(nanos.saturating_sub(moment.nanos)).ok()?;
        let parts = span
            .checked_mul(self.denominator)?
            .saturating_sub(moment.rest);
        Some(parts.div_ceil(self.numerator)).filter(|ticks| *ticks <= self.longest)
    }

    /// The whole ticks of a span; at least one, at most [`Rate::longest`].
    pub fn ticks(self, nanos: u64) -> u32 {
        let span = u32::try_from(nanos).ok();
        let parts = span.and_then(|span| span.checked_mul(self.denominator));
        parts.map_or(self.longest, |parts| {
            (parts / self.numerator).clamp(1, self.longest)
        })
    }
}

const fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
