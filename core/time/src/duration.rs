//! Owns: spans of time. Must never know: when they begin.

use core::fmt;

/// A span of time in nanoseconds, at most [`Duration::MAX`] (about 292 years).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest span: 2⁶³ − 1 ns.
    pub const MAX: Self = Self(u64::MAX >> 1);

    /// A span of `ns` nanoseconds; longer ones than [`Duration::MAX`] are cut to it.
    pub const fn from_nanos(ns: u64) -> Self {
        if ns > Self::MAX.0 {
            Self::MAX
        } else {
            Self(ns)
        }
    }

    /// A span of `us` microseconds, saturating.
    pub const fn from_micros(us: u64) -> Self {
        Self::from_nanos(us.saturating_mul(1_000))
    }

    /// A span of `ms` milliseconds, saturating.
    pub const fn from_millis(ms: u64) -> Self {
        Self::from_nanos(ms.saturating_mul(1_000_000))
    }

    /// A span of `s` seconds, saturating.
    pub const fn from_secs(s: u64) -> Self {
        Self::from_nanos(s.saturating_mul(1_000_000_000))
    }

    /// The span in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The span in whole microseconds, rounded down.
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }

    /// The sum, cut to [`Duration::MAX`].
    pub const fn saturating_add(self, other: Self) -> Self {
        Self::from_nanos(self.0.saturating_add(other.0))
    }

    /// The difference, or zero where `other` is longer.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns `count` times the span, cut to [`Duration::MAX`].
    pub const fn saturating_mul(self, count: u32) -> Self {
        Self::from_nanos(self.0.saturating_mul(count as u64))
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ns", self.0)
    }
}

/// Suffixes that turn a whole number into a [`Duration`]: `250.micros()`.
///
/// They take a reference: where a trait of another crate with the same names is in scope, too, as
/// drivers of chips have one for durations of their own, the word is that crate's, and no
/// ambiguity. There it is `Duration::from_micros(250)` for the kernel.
pub trait Span {
    /// Returns that number of nanoseconds.
    fn nanos(&self) -> Duration;
    /// Returns that number of microseconds.
    fn micros(&self) -> Duration;
    /// Returns that number of milliseconds.
    fn millis(&self) -> Duration;
    /// Returns that number of seconds.
    fn secs(&self) -> Duration;
}

impl Span for u32 {
    #[inline]
    fn nanos(&self) -> Duration {
        Duration::from_nanos((*self).into())
    }
    #[inline]
    fn micros(&self) -> Duration {
        Duration::from_micros((*self).into())
    }
    #[inline]
    fn millis(&self) -> Duration {
        Duration::from_millis((*self).into())
    }
    #[inline]
    fn secs(&self) -> Duration {
        Duration::from_secs((*self).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_agree() {
        assert_eq!(1u32.secs(), 1_000u32.millis());
        assert_eq!(1u32.millis(), 1_000u32.micros());
        assert_eq!(1u32.micros(), 1_000u32.nanos());
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Duration::from_secs(u64::MAX), Duration::MAX);
        assert_eq!(Duration::MAX.saturating_add(1u32.nanos()), Duration::MAX);
        assert_eq!(1u32.nanos().saturating_sub(2u32.nanos()), Duration::ZERO);
        assert_eq!(3u32.nanos().saturating_mul(5), 15u32.nanos());
        assert_eq!(Duration::MAX.saturating_mul(3), Duration::MAX);
    }
}
