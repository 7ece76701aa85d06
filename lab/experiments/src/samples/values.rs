//! The values of a mark in a case, and their statistics.
//!
//! Owns: statistics, and putting values together. Must never know: the counted quantity.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use taktos_export::joined;

use crate::measure::Summary;
use crate::response::{Distribution, PERCENTILES, tells};

/// Values: each of them, or what a program says of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Each, with how often it occurred.
    All(Distribution),
    /// Their number and sum, the least and the greatest.
    Known(Known),
}

/// Sum, number and bounds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// How many there are.
    pub samples: u64,
    /// The least.
    pub min: u64,
    /// All together.
    pub sum: u128,
    /// The greatest.
    pub max: u64,
}

/// Statistic of values: `minimum`, `median`, `mean`, `maximum`, `samples`, `sum`, or a percentile
/// such as `99.9 %`.
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
    /// The least value that this many thousandths of a per cent do not exceed; none if no sample is
    /// beyond it.
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
        Self::Known(Known {
            samples: 1,
            min: value,
            sum: value.into(),
            max: value,
        })
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
                let (one, other) = (one.known(), other.known());
                Some(Self::Known(Known {
                    samples: one.samples.checked_add(other.samples)?,
                    min: one.min.min(other.min),
                    sum: one.sum.checked_add(other.sum)?,
                    max: one.max.max(other.max),
                }))
            }
        }
    }

    /// Returns the values for programs; where they are known one by one, with percentiles, as far
    /// as the samples determine them, and with each value and how often it occurred.
    pub fn form(&self) -> Value {
        let Known {
            samples, min, max, ..
        } = self.known();
        let mean = self.statistic(Statistic::Mean);
        let form = json!({ "samples": samples, "min": min, "mean": mean, "max": max });
        let Self::All(values) = self else { return form };
        let percentile = |(name, part, whole)| {
            let told = tells(samples, part, whole);
            (name, told.then(|| values.quantile(part, whole)))
        };
        let percentiles: Value = PERCENTILES.into_iter().map(percentile).collect();
        let each = json!({ "percentiles": percentiles, "histogram": values.counts() });
        joined(form, each)
    }

    /// These values, no longer known one by one.
    #[must_use]
    pub fn summed_up(&self) -> Self {
        Self::Known(self.known())
    }

    /// Each value with how often it occurred; of what is only summed up, nothing.
    pub fn counts(&self) -> &[(u64, u64)] {
        match self {
            Self::All(values) => values.counts(),
            Self::Known(_) => &[],
        }
    }

    /// The number, the least, the sum and the greatest.
    fn known(&self) -> Known {
        match self {
            Self::All(values) => Known {
                samples: values.samples(),
                min: values.min(),
                sum: values.sum(),
                max: values.max(),
            },
            Self::Known(known) => *known,
        }
    }

    /// Returns a statistic; none if it needs values that are not known one by one, or is more than
    /// the samples determine.
    pub fn statistic(&self, statistic: Statistic) -> Option<u64> {
        match (statistic, self) {
            (Statistic::Minimum, values) => Some(values.known().min),
            (Statistic::Maximum, values) => Some(values.known().max),
            (Statistic::Samples, values) => Some(values.known().samples),
            (Statistic::Sum, values) => u64::try_from(values.known().sum).ok(),
            (Statistic::Mean, Self::All(values)) => Some(values.mean()),
            (Statistic::Mean, Self::Known(known)) => {
                u64::try_from(known.sum.checked_div(u128::from(known.samples))?).ok()
            }
            (Statistic::Median, Self::All(values)) => Some(values.quantile(1, 2)),
            (Statistic::Percentile(part), Self::All(values)) => {
                let told = tells(values.samples(), part, WHOLE) || part == WHOLE;
                told.then(|| values.quantile(part, WHOLE))
            }
            (Statistic::Median | Statistic::Percentile(_), Self::Known(_)) => None,
        }
    }

    /// Least, median, greatest; none where the values are not known one by one.
    pub fn summary(&self) -> Option<Summary> {
        let Known {
            samples, min, max, ..
        } = self.known();
        Some(Summary {
            min,
            median: self.statistic(Statistic::Median)?,
            max,
            samples,
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
        let known = |samples, min, sum, max| {
            Values::Known(Known {
                samples,
                min,
                sum,
                max,
            })
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
