//! Owns: the parameters of a unit, with their defaults and ranges.
//! Must never know: a queue.

use crate::vcpu::kit::check;
use crate::vcpu::{Error, in_range};
use taktos_time::Duration;

/// The parameters of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameters {
    /// A slice in every period, and extra time if it wants it.
    Periodic {
        /// 10 µs to 10 s.
        period: Duration,
        /// Its guaranteed time in a period: 5 µs to the period, or none at all.
        slice: Duration,
        /// Kept and shown, without effect (spec 05, section 4).
        latency: Duration,
        /// Whether it shares the time that no other unit is guaranteed.
        extratime: bool,
    },
    /// A share, by weight, of what units with periods leave of its processor; the
    /// slice is worked out for a period of 100 ms.
    Weighted {
        /// 1 to 65 535.
        weight: u32,
        /// Whether it takes part in extra time too.
        extratime: bool,
    },
    /// Extra time only, by weight.
    BestEffort {
        /// 1 to 65 535.
        weight: u32,
    },
}

impl Parameters {
    /// The default: extra time only, with weight 1, counted in periods of 100 ms.
    pub const DEFAULT: Self = Self::BestEffort { weight: 1 };
    /// The period of units that have none of their own.
    pub const WEIGHT_PERIOD: Duration = Duration::from_millis(100);
    /// The part of that period that weighted units leave.
    pub const WEIGHT_SAFETY: Duration = Duration::from_millis(5);
    /// A piece of extra time.
    pub const QUANTUM: Duration = Duration::from_micros(500);
    /// The ends of the range of periods.
    pub const PERIODS: (Duration, Duration) = (Duration::from_micros(10), Duration::from_secs(10));
    /// The least slice.
    pub const MINIMUM_SLICE: Duration = Duration::from_micros(5);
    /// The greatest weight.
    pub const MAXIMUM_WEIGHT: u32 = 65_535;

    /// `slice` in every `period`, without extra time.
    pub const fn new(slice: Duration, period: Duration) -> Self {
        Self::Periodic {
            period,
            slice,
            latency: Duration::ZERO,
            extratime: false,
        }
    }

    /// Returns the parameters with extra time.
    #[must_use]
    pub const fn with_extratime(self) -> Self {
        match self {
            Self::Periodic {
                period,
                slice,
                latency,
                ..
            } => Self::Periodic {
                period,
                slice,
                latency,
                extratime: true,
            },
            Self::Weighted { weight, .. } => Self::Weighted {
                weight,
                extratime: true,
            },
            best_effort => best_effort,
        }
    }

    /// Refuses what is out of range with [`Error::OutOfRange`].
    pub const fn check(&self) -> Result<(), Error> {
        match *self {
            Self::Periodic { period, slice, .. } => check_times(period, slice),
            Self::Weighted { weight, .. } | Self::BestEffort { weight } => {
                let most = Self::MAXIMUM_WEIGHT as u64;
                in_range("the weight", weight as u64, 1, most, "")
            }
        }
    }

    pub(super) const fn has_extratime(&self) -> bool {
        match *self {
            Self::Periodic { extratime, .. } | Self::Weighted { extratime, .. } => extratime,
            Self::BestEffort { .. } => true,
        }
    }
}

const fn check_times(period: Duration, slice: Duration) -> Result<(), Error> {
    let (least, most) = Parameters::PERIODS;
    let (least, most) = (least.as_nanos(), most.as_nanos());
    let (period, slice) = (period.as_nanos(), slice.as_nanos());
    check!(in_range("the period", period, least, most, "ns"));
    if slice == 0 {
        return Ok(());
    }
    let least = Parameters::MINIMUM_SLICE.as_nanos();
    in_range("the slice", slice, least, period, "ns")
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos_time::Span;

    #[test]
    fn ranges_are_those_of_the_table() {
        let new = |slice, period| Parameters::new(slice, period).check();
        assert_eq!(Parameters::DEFAULT.check(), Ok(()));
        assert_eq!(new(5.micros(), 10.micros()), Ok(()));
        assert_eq!(new(0.nanos(), 10.secs()), Ok(()));
        assert_eq!(new(10.secs(), 10.secs()), Ok(()));
        assert!(new(4_999.nanos(), 10.micros()).is_err());
        assert!(new(5.micros(), 9_999.nanos()).is_err());
        assert!(new(5.micros(), 10_001.millis()).is_err());
        assert!(new(20_001.nanos(), 20.micros()).is_err());
        let weight = |weight| Parameters::BestEffort { weight }.check();
        assert!(weight(0).is_err() && weight(65_536).is_err());
        assert_eq!(weight(65_535), Ok(()));
    }
}
