//! Owns: points in time. Must never know: what advances them.

use crate::Duration;
use core::fmt;

/// A point in time: nanoseconds since the machine started, below 2⁶³.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

impl Instant {
    /// The start of the machine.
    pub const START: Self = Self(0);
    /// The last point in time: 2⁶³ − 1 ns after the start.
    pub const MAX: Self = Self(u64::MAX >> 1);

    /// The point `ns` nanoseconds after the start; later ones than [`Instant::MAX`] are cut to it.
    pub const fn from_nanos(ns: u64) -> Self {
        if ns > Self::MAX.0 {
            Self::MAX
        } else {
            Self(ns)
        }
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The point `span` later, cut to [`Instant::MAX`].
    pub const fn saturating_add(self, span: Duration) -> Self {
        Self::from_nanos(self.0 + span.as_nanos())
    }

    /// The span since `earlier`, or zero where `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {} ns", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_saturate() {
        assert_eq!(Instant::MAX.saturating_add(Duration::MAX), Instant::MAX);
        assert_eq!(Instant::START.since(Instant::MAX), Duration::ZERO);
    }

    #[test]
    fn a_span_leads_from_one_point_to_the_other() {
        let start = Instant::from_nanos(5);
        let end = start.saturating_add(Duration::from_nanos(7));
        assert_eq!(end.since(start), Duration::from_nanos(7));
    }
}
