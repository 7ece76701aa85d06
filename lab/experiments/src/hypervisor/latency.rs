//! Wake-up latencies of one guest: their histogram, and the three numbers that
//! cyclictest prints.
//!
//! Owns: merging of runs, and cutting off to whole units. Must never know: where the
//! samples come from.

use anyhow::{Context, Result};
use taktos_runner::failure::Failure;

use crate::response::Distribution;

/// Nanoseconds of the unit in which figures are given: 1,000 instructions, of a
/// nanosecond each.
pub const UNIT: u64 = 1000;

/// How late a thread woke: each value that occurred, with how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Nanoseconds that one step of the values is.
    step: u64,
    values: Distribution,
}

impl Latency {
    /// Latencies in steps of so many nanoseconds; none where there is no sample, or
    /// the values do not ascend, or cannot be counted.
    pub fn of(step: u64, counts: Vec<(u64, u64)>) -> Option<Self> {
        let values = Distribution::of(counts)?;
        (step > 0 && values.max().checked_mul(step).is_some()).then_some(Self { step, values })
    }

    /// Those of several runs together.
    ///
    /// # Errors
    /// When there are none, or their values have different steps.
    pub fn merged(all: &[Self]) -> Result<Self> {
        let first = all.first().context("there are no runs to merge")?;
        if all.iter().any(|one| one.step != first.step) {
            return Err(Failure::error(
                "runs of one case have values of different steps",
                "run them anew: --fresh",
            ));
        }
        let mut values = Some(first.values.clone());
        for one in &all[1..] {
            values = values.and_then(|values| values.merged(&one.values));
        }
        let values = values.context("the runs hold more samples than can be counted")?;
        Ok(Self { values, ..*first })
    }

    /// How often the thread woke.
    pub const fn loops(&self) -> u64 {
        self.values.samples()
    }

    /// Each value in steps, with how often it occurred.
    pub fn counts(&self) -> &[(u64, u64)] {
        self.values.counts()
    }

    /// The least, in whole units.
    pub fn min(&self) -> u64 {
        self.values.min() * self.step / UNIT
    }

    /// The mean of samples of whole units, itself in whole units: both are cut off, as
    /// cyclictest does.
    pub fn avg(&self) -> u64 {
        let mean = self.sum_of_units() / u128::from(self.loops());
        u64::try_from(mean).unwrap_or(u64::MAX)
    }

    /// All samples together, each cut off to whole units.
    pub fn sum_of_units(&self) -> u128 {
        self.sum(|value| value * self.step / UNIT)
    }

    /// The greatest, in whole units.
    pub fn max(&self) -> u64 {
        self.values.max() * self.step / UNIT
    }

    /// The mean in thousandths of a unit, of samples as fine as they are.
    pub fn mean_thousandths(&self) -> u64 {
        let sum = self.sum(|value| value * self.step);
        u64::try_from(sum / u128::from(self.loops())).unwrap_or(u64::MAX)
    }

    /// The least value, in whole units, that at least the part `part` of `whole` of all
    /// samples does not exceed.
    pub fn quantile(&self, part: u64, whole: u64) -> u64 {
        self.values.quantile(part, whole) * self.step / UNIT
    }

    /// The histogram in whole units.
    pub fn histogram(&self) -> Vec<(u64, u64)> {
        let mut whole: Vec<(u64, u64)> = Vec::new();
        for (value, count) in self.counts() {
            let unit = value * self.step / UNIT;
            match whole.last_mut() {
                Some((last, sum)) if *last == unit => *sum += count,
                _ => whole.push((unit, *count)),
            }
        }
        whole
    }

    fn sum(&self, of: impl Fn(u64) -> u64) -> u128 {
        self.counts()
            .iter()
            .map(|(value, count)| u128::from(of(*value)) * u128::from(*count))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(counts: &[(u64, u64)]) -> Latency {
        Latency::of(1000, counts.to_vec()).unwrap()
    }

    #[test]
    fn runs_are_added_up() {
        let all = [micros(&[(4, 90), (12, 1)]), micros(&[(4, 8), (5, 1)])];
        let merged = Latency::merged(&all).unwrap();
        assert_eq!(merged.counts(), [(4, 98), (5, 1), (12, 1)]);
        assert_eq!((merged.min(), merged.avg(), merged.max()), (4, 4, 12));
        assert_eq!(merged.mean_thousandths(), 4090);
        assert_eq!(merged.loops(), 100);
    }

    #[test]
    fn the_mean_is_cut_off_as_cyclictest_cuts() {
        // Each sample is 4 whole units; their exact mean is nearly 5.
        let fine = Latency::of(1, vec![(4_000, 1), (4_999, 9)]).unwrap();
        assert_eq!((fine.min(), fine.avg(), fine.max()), (4, 4, 4));
        assert_eq!(fine.mean_thousandths(), 4_899);
        assert_eq!(fine.histogram(), [(4, 10)]);
        assert_eq!(fine.quantile(99, 100), 4);
        assert_eq!(micros(&[(4, 1), (5, 1)]).avg(), 4);
    }

    #[test]
    fn what_cannot_be_merged_is_refused() {
        assert!(Latency::merged(&[]).is_err());
        let mixed = [micros(&[(4, 1)]), Latency::of(1, vec![(4, 1)]).unwrap()];
        assert!(Latency::merged(&mixed).is_err());
        assert!(Latency::of(0, vec![(4, 1)]).is_none());
        assert!(Latency::of(1000, vec![(u64::MAX / 2, 1)]).is_none());
    }
}
