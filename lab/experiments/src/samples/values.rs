//! The values of a mark in a case, and what stands for them.
//!
//! Owns: statistics, and putting values together. Must never know: what they count.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::measure::Summary;
use crate::response::{Distribution, tells};

/// Values: each of them, or what a program says of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Each, with how often it occurred.
    All(Distribution),
    /// Of so many values the least, the sum and the greatest.
    Known {
        /// How many there are.
        samples: u64,
        /// The least.
        min: u64,
        /// All together.
        sum: u128,
        /// The greatest.
        max: u64,
    },
}

/// What stands for values: `minimum`, `median`, `mean`, `maximum`, `samples`, `sum`, or a percentile such as `99.9 %`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The least, as the papers take it.
    Minimum,
    /// The middle one; of an even number, the lower of the two.
    Median,
    /// The mean, rounded to the nearest.
    Mean,
    /// The greatest.
    Maximum,
    /// How many there are.
    Samples,
    /// All together.
    Sum,
    /// The least value that so many thousandths of a per cent do not exceed; none where no sample lies beyond it.
    Percentile(u64),
}

/// The names of statistics.
const NAMES: [(&str, Statistic); 6] = [
    ("minimum", Statistic::Minimum),
    ("median", Statistic::Median),
    ("mean", Statistic::Mean),
    ("maximum", Statistic::Maximum),
    ("samples", Statistic::Samples),
    ("sum", Statistic::Sum),
];

/// The whole of a percentile: a hundred per cent in thousandths.
const WHOLE: u64 = 100_000;

impl Statistic {
    /// The statistic of that name.
    fn named(name: &str) -> Option<Self> {
        let known = NAMES.iter().find(|(known, _)| *known == name);
        known.map(|known| known.1).or_else(|| percentile(name))
    }

    /// Its name.
    pub fn name(self) -> String {
        let known = NAMES.iter().find(|(_, one)| *one == self);
        match (known, self) {
            (Some((name, _)), _) => (*name).to_owned(),
            (None, Self::Percentile(part)) => {
                let digits = format!("{}.{:03}", part / 1000, part % 1000);
                let digits = digits.trim_end_matches('0').trim_end_matches('.');
                format!("{digits} %")
            }
            (None, _) => String::new(),
        }
    }
}

/// `99.9 %`, in thousandths of a per cent.
fn percentile(name: &str) -> Option<Statistic> {
    let digits = name.strip_suffix('%')?.trim();
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if part.len() > 3 {
        return None;
    }
    let thousandths = format!("{whole}{part:0<3}").parse().ok()?;
    (thousandths > 0 && thousandths <= WHOLE).then_some(Statistic::Percentile(thousandths))
}

impl<'de> Deserialize<'de> for Statistic {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| {
            let known = NAMES.map(|(name, _)| name).join(", ");
            D::Error::custom(format!(
                "no statistic is called `{name}`: there are {known}, and percentiles such as `99.9 %`"
            ))
        })
    }
}

impl Values {
    /// One value.
    pub fn one(value: u64) -> Self {
        Self::Known {
            samples: 1,
            min: value,
            sum: value.into(),
            max: value,
        }
    }

    /// All of these together; none of none.
    pub fn together<'a>(all: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let mut together: Option<Self> = None;
        for values in all {
            together = Some(match together {
                None => values.clone(),
                Some(before) => before.and(values)?,
            });
        }
        together
    }

    fn and(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::All(one), Self::All(other)) => one.merged(other).map(Self::All),
            (one, other) => {
                let samples = one.samples().checked_add(other.samples())?;
                Some(Self::Known {
                    samples,
                    min: one.min().min(other.min()),
                    sum: one.sum().checked_add(other.sum())?,
                    max: one.max().max(other.max()),
                })
            }
        }
    }

    /// Each value with how often it occurred; of what is only summed up, nothing.
    pub fn counts(&self) -> &[(u64, u64)] {
        match self {
            Self::All(values) => values.counts(),
            Self::Known { .. } => &[],
        }
    }

    const fn samples(&self) -> u64 {
        match self {
            Self::All(values) => values.samples(),
            Self::Known { samples, .. } => *samples,
        }
    }

    fn min(&self) -> u64 {
        match self {
            Self::All(values) => values.min(),
            Self::Known { min, .. } => *min,
        }
    }

    fn max(&self) -> u64 {
        match self {
            Self::All(values) => values.max(),
            Self::Known { max, .. } => *max,
        }
    }

    fn sum(&self) -> u128 {
        match self {
            Self::All(values) => values.sum(),
            Self::Known { sum, .. } => *sum,
        }
    }

    /// A statistic; none where the values are not known one by one and it needs them, or it is more than can be said.
    pub fn statistic(&self, statistic: Statistic) -> Option<u64> {
        match (statistic, self) {
            (Statistic::Minimum, values) => Some(values.min()),
            (Statistic::Maximum, values) => Some(values.max()),
            (Statistic::Samples, values) => Some(values.samples()),
            (Statistic::Sum, values) => u64::try_from(values.sum()).ok(),
            (Statistic::Mean, Self::All(values)) => Some(values.mean()),
            (Statistic::Mean, Self::Known { samples, sum, .. }) => {
                u64::try_from(sum.checked_div(u128::from(*samples))?).ok()
            }
            (Statistic::Median, Self::All(values)) => Some(values.quantile(1, 2)),
            (Statistic::Percentile(part), Self::All(values)) => {
                let told = tells(values.samples(), part, WHOLE) || part == WHOLE;
                told.then(|| values.quantile(part, WHOLE))
            }
            (Statistic::Median | Statistic::Percentile(_), Self::Known { .. }) => None,
        }
    }

    /// Least, median, greatest; none where the values are not known one by one.
    pub fn summary(&self) -> Option<Summary> {
        Some(Summary {
            min: self.min(),
            median: self.statistic(Statistic::Median)?,
            max: self.max(),
            samples: self.samples(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_read_by_name_and_named() {
        for name in ["minimum", "median", "mean", "maximum", "samples", "sum"] {
            assert_eq!(Statistic::named(name).unwrap().name(), name);
        }
        for (name, part) in [("50 %", 50_000), ("99.9 %", 99_900), ("99.999 %", 99_999)] {
            let statistic = Statistic::named(name).unwrap();
            assert_eq!(statistic, Statistic::Percentile(part));
            assert_eq!(statistic.name(), name);
        }
        for name in ["", "%", "0 %", "101 %", "99.9999 %", "-1 %", "least"] {
            assert_eq!(Statistic::named(name), None, "{name}");
        }
    }

    #[test]
    fn a_percentile_that_no_sample_lies_beyond_is_none() {
        let values = |times| Values::All(Distribution::of(vec![(4, times), (9, 1)]).unwrap());
        let percentile = |values: &Values, name| values.statistic(Statistic::named(name)?);
        let thousand = values(999);
        assert_eq!(percentile(&thousand, "99.9 %"), Some(4));
        assert_eq!(percentile(&thousand, "99.99 %"), None);
        assert_eq!(percentile(&thousand, "100 %"), Some(9));
        assert_eq!(percentile(&values(998), "99.9 %"), None);
        assert_eq!(percentile(&values(9_999), "99.99 %"), Some(4));
    }

    #[test]
    fn what_is_summed_up_is_weighted_when_put_together() {
        let known = |samples, min, sum, max| Values::Known {
            samples,
            min,
            sum,
            max,
        };
        let both = [known(3, 1, 30, 20), known(1, 5, 50, 60)];
        let together = Values::together(both.iter()).unwrap();
        assert_eq!(together, known(4, 1, 80, 60));
        assert_eq!(together.statistic(Statistic::Mean), Some(20));
        assert_eq!(both[0].statistic(Statistic::Median), None);
        assert_eq!(both[0].statistic(Statistic::Sum), Some(30));
        assert_eq!(Values::together(std::iter::empty()), None);
        let huge = [known(u64::MAX, 1, 1, 1), known(1, 1, 1, 1)];
        assert_eq!(
            Values::together(huge.iter()),
            None,
            "more than can be counted"
        );
    }
}
