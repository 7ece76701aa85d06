//! Owns: how periods are distributed.
//! Must never know: utilisations.

use taktos_time::Duration;

use super::GenerateError;
use super::draws::Draws;

/// How periods are distributed. All are multiples of the granularity, but those
/// of `Automotive`, which are what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Periods {
    /// Evenly.
    Uniform,
    /// Their logarithms evenly: as many from 1 to 10 ms as from 10 to 100 ms
    /// (Emberson, Stafford, Davis: WATERS 2010).
    LogUniform,
    /// The shortest period times a power of two, all exponents equally likely:
    /// each period divides the longer ones.
    Harmonic,
    /// Products of powers of small primes, so that the hyperperiod is at most
    /// [`LIMIT`] times the granularity (Goossens, Macq: "Limitation of the
    /// hyper-period in real-time periodic task set generation", RTS 2001; the
    /// table of powers is our own).
    Limited,
    /// The shares that Kramer, Ziegenbein and Hamann found in engine control
    /// ("Real world automotive benchmarks for free", WATERS 2015), without the
    /// part that is synchronous with the crankshaft: 1 to 1000 ms.
    Automotive,
}

impl Periods {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Uniform,
        Self::LogUniform,
        Self::Harmonic,
        Self::Limited,
        Self::Automotive,
    ];

    /// The name that users write.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::LogUniform => "log-uniform",
            Self::Harmonic => "harmonic",
            Self::Limited => "limited",
            Self::Automotive => "automotive",
        }
    }
}

/// The powers that a `Limited` period is a product of, one of each row. A power that a row has
/// twice is drawn twice as often.
const POWERS: [&[u64]; 4] = [
    &[1, 2, 2, 4, 4, 8, 16],
    &[1, 1, 3, 3, 9],
    &[1, 1, 5, 5, 25],
    &[1, 1, 1, 7],
];

/// The longest hyperperiod of `Limited` periods, in granules: 25 200.
pub const LIMIT: u64 = 16 * 9 * 25 * 7;

/// Periods in milliseconds, and their shares in per cent of all runnables, of
/// which 15 are synchronous with the crankshaft.
const AUTOMOTIVE: [(u64, u64); 9] = [
    (1, 3),
    (2, 2),
    (5, 2),
    (10, 25),
    (20, 25),
    (50, 3),
    (100, 20),
    (200, 1),
    (1000, 4),
];

/// The range of periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodRange {
    /// The shortest, at least one granule.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
    /// Unit of which periods are multiples, at least 1 ns.
    pub granularity: Duration,
}

/// Draws periods of one distribution.
#[derive(Clone, Debug)]
pub(super) enum PeriodSource {
    /// Granules from and to, and the granularity.
    Uniform(u64, u64, u64),
    LogUniform(PeriodRange),
    /// The shortest, and the highest exponent.
    Harmonic(u64, u64),
    /// Periods and how often each comes, added up.
    Weighted(Vec<(u64, u64)>),
}

impl PeriodSource {
    /// # Errors
    /// If no period is in the range.
    pub(super) fn new(kind: Periods, range: PeriodRange) -> Result<Self, GenerateError> {
        let granule = range.granularity.as_nanos().max(1);
        let low = range.min.as_nanos().div_ceil(granule).max(1);
        let high = range.max.as_nanos() / granule;
        if low > high {
            return Err(GenerateError::NoPeriod);
        }
        Ok(match kind {
            Periods::Uniform => Self::Uniform(low, high, granule),
            Periods::LogUniform => Self::LogUniform(range),
            Periods::Harmonic => Self::Harmonic(low * granule, u64::from((high / low).ilog2())),
            Periods::Limited => weighted(
                products()
                    .into_iter()
                    .filter(|(granules, _)| (low..=high).contains(granules))
                    .map(|(granules, weight)| (granules * granule, weight)),
            )?,
            Periods::Automotive => {
                let range = range.min.as_nanos()..=range.max.as_nanos();
                let known = AUTOMOTIVE.map(|(millis, share)| (millis * 1_000_000, share));
                weighted(
                    known
                        .into_iter()
                        .filter(|(period, _)| range.contains(period)),
                )?
            }
        })
    }

    /// One period, in nanoseconds.
    pub(super) fn draw(&self, draws: &mut Draws) -> u64 {
        match self {
            Self::Uniform(low, high, granule) => draws.between(*low, *high) * granule,
            Self::LogUniform(range) => log_uniform(*range, draws.unit()),
            Self::Harmonic(base, highest) => base << draws.between(0, *highest),
            Self::Weighted(periods) => {
                let all = periods.last().map_or(1, |(_, sum)| *sum);
                let drawn = draws.between(1, all.max(1));
                let place = periods.partition_point(|(_, sum)| *sum < drawn);
                periods[place].0
            }
        }
    }
}

/// ⌊e^U / g⌋ · g with U even from ln min to ln (max + g).
fn log_uniform(range: PeriodRange, unit: f64) -> u64 {
    let granule = range.granularity.as_nanos().max(1);
    let low = libm::log(range.min.as_nanos().max(1) as f64);
    let high = libm::log((range.max.as_nanos() + granule) as f64);
    let drawn = libm::exp(low + unit * (high - low)) as u64 / granule;
    let (first, last) = (
        range.min.as_nanos().div_ceil(granule).max(1),
        range.max.as_nanos() / granule,
    );
    drawn.clamp(first, last) * granule
}

/// Every product of one power of each row, and in how many ways it comes.
fn products() -> Vec<(u64, u64)> {
    let mut found = std::collections::BTreeMap::from([(1, 1)]);
    for row in POWERS {
        let mut next = std::collections::BTreeMap::new();
        for (product, ways) in &found {
            for power in row {
                *next.entry(product * power).or_insert(0) += ways;
            }
        }
        found = next;
    }
    found.into_iter().collect()
}

fn weighted(periods: impl Iterator<Item = (u64, u64)>) -> Result<PeriodSource, GenerateError> {
    let mut all = 0;
    let added = periods.map(|(period, weight)| {
        all += weight;
        (period, all)
    });
    let periods: Vec<_> = added.collect();
    if periods.is_empty() {
        return Err(GenerateError::NoPeriod);
    }
    Ok(PeriodSource::Weighted(periods))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    const RANGE: PeriodRange = PeriodRange {
        min: Duration::from_millis(10),
        max: Duration::from_millis(1000),
        granularity: Duration::from_millis(1),
    };

    fn periods(kind: Periods, range: PeriodRange, count: usize) -> Vec<u64> {
        let source = PeriodSource::new(kind, range).unwrap();
        let mut draws = check::draws();
        (0..count).map(|_| source.draw(&mut draws)).collect()
    }

    #[test]
    fn periods_lie_in_the_range_and_on_the_grid() {
        for kind in Periods::ALL {
            for period in periods(kind, RANGE, 5_000) {
                assert!((10_000_000..=1_000_000_000).contains(&period), "{kind:?}");
                assert_eq!(period % 1_000_000, 0, "{kind:?}");
            }
        }
    }

    #[test]
    fn decades_have_as_many_periods_where_logarithms_are_even() {
        let drawn = periods(Periods::LogUniform, RANGE, 40_000);
        let below = drawn.iter().filter(|period| **period < 100_000_000).count();
        // Half, but for the granule at the end; five standard deviations are 500.
        assert!(below.abs_diff(20_000) < 550, "{below}");
        let drawn = periods(Periods::Uniform, RANGE, 40_000);
        let below = drawn.iter().filter(|period| **period < 505_000_000).count();
        assert!(below.abs_diff(19_980) < 500, "{below}");
    }

    #[test]
    fn harmonic_periods_divide_each_other() {
        let mut drawn = periods(Periods::Harmonic, RANGE, 1000);
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 7, "10 to 640 ms");
        assert!(drawn.windows(2).all(|pair| pair[1] % pair[0] == 0));
    }

    #[test]
    fn limited_periods_have_a_short_hyperperiod() {
        let drawn = periods(Periods::Limited, RANGE, 5000);
        assert!(
            drawn
                .iter()
                .all(|period| (LIMIT * 1_000_000).is_multiple_of(*period))
        );
        let kinds: std::collections::BTreeSet<_> = drawn.into_iter().collect();
        assert!(kinds.len() > 30, "{}", kinds.len());
        assert_eq!(
            products().iter().map(|(_, ways)| ways).sum::<u64>(),
            7 * 5 * 5 * 4
        );
    }

    #[test]
    fn automotive_periods_have_the_published_shares() {
        let range = PeriodRange {
            min: Duration::from_millis(1),
            ..RANGE
        };
        let drawn = periods(Periods::Automotive, range, 85_000);
        for (millis, share) in AUTOMOTIVE {
            let seen = drawn.iter().filter(|period| **period == millis * 1_000_000);
            // Five standard deviations of a binomial.
            let spread = 5.0 * (share as f64 * 1000.0).sqrt();
            assert!(
                (seen.count() as f64 - share as f64 * 1000.0).abs() < spread,
                "{millis}"
            );
        }
    }

    #[test]
    fn a_range_without_periods_is_refused() {
        let empty = PeriodRange {
            min: Duration::from_millis(3000),
            max: Duration::from_millis(4000),
            granularity: Duration::from_millis(1),
        };
        assert!(PeriodSource::new(Periods::Automotive, empty).is_err());
        let reversed = PeriodRange {
            min: RANGE.max,
            max: RANGE.min,
            ..RANGE
        };
        assert!(PeriodSource::new(Periods::Uniform, reversed).is_err());
        let coarse = PeriodRange {
            min: Duration::from_millis(11),
            max: Duration::from_millis(19),
            granularity: Duration::from_millis(10),
        };
        assert!(PeriodSource::new(Periods::Uniform, coarse).is_err());
    }
}
