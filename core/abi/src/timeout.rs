//! Owns: how long a call may wait. Must never know: the present time.

use taktos_time::{Duration, Instant};

/// How long a blocking call may wait. One 64-bit word, so that it travels in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Timeout(u64);

/// The meaning of a [`Timeout`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Not at all.
    Never,
    /// After this time, counted from now.
    After(Duration),
    /// Until that point in time.
    Until(Instant),
    /// As long as it takes.
    Forever,
}

const ABSOLUTE: u64 = 1 << 63;

impl Timeout {
    /// Do not wait: the call fails with [`Error::WouldBlock`](crate::Error::WouldBlock) instead.
    pub const NONE: Self = Self(0);
    /// Wait as long as it takes.
    pub const FOREVER: Self = Self(u64::MAX);

    /// Wait for `span` at most; a span of zero is [`Timeout::NONE`].
    pub const fn after(span: Duration) -> Self {
        Self(span.as_nanos())
    }

    /// Wait until `instant` at the latest. One that has passed makes the call fail with
    /// [`Error::Timeout`](crate::Error::Timeout) if it would have to wait.
    pub const fn until(instant: Instant) -> Self {
        if instant.as_nanos() == Instant::MAX.as_nanos() {
            Self::FOREVER
        } else {
            Self(ABSOLUTE | instant.as_nanos())
        }
    }

    /// Whether this is [`Timeout::NONE`].
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether this is [`Timeout::FOREVER`].
    #[inline(always)]
    pub const fn is_forever(self) -> bool {
        self.0 == u64::MAX
    }

    /// Two words of something else, in the place of a time-out, for a decision that cannot wait.
    #[inline(always)]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The word itself.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Taken apart.
    pub const fn meaning(self) -> Meaning {
        match self.0 {
            0 => Meaning::Never,
            u64::MAX => Meaning::Forever,
            word if word & ABSOLUTE != 0 => Meaning::Until(Instant::from_nanos(word & !ABSOLUTE)),
            word => Meaning::After(Duration::from_nanos(word)),
        }
    }

    /// Returns the point in time at which the wait ends when it begins at `now`; none if it does
    /// not end. [`Timeout::NONE`] ends at once.
    pub const fn deadline(self, now: Instant) -> Option<Instant> {
        match self.meaning() {
            Meaning::Never => Some(now),
            Meaning::After(span) => Some(now.saturating_add(span)),
            Meaning::Until(instant) => Some(instant),
            Meaning::Forever => None,
        }
    }
}

impl From<Duration> for Timeout {
    fn from(span: Duration) -> Self {
        Self::after(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_keeps_its_meaning() {
        let span = Duration::from_nanos(5);
        let point = Instant::from_nanos(9);
        assert_eq!(Timeout::NONE.meaning(), Meaning::Never);
        assert_eq!(Timeout::after(span).meaning(), Meaning::After(span));
        assert_eq!(Timeout::until(point).meaning(), Meaning::Until(point));
        assert_eq!(Timeout::until(Instant::MAX), Timeout::FOREVER);
        assert_eq!(Timeout::FOREVER.deadline(point), None);
        assert_eq!(
            Timeout::after(span).deadline(point),
            Some(Instant::from_nanos(14))
        );
        assert_eq!(Timeout::until(point).deadline(Instant::START), Some(point));
    }
}
