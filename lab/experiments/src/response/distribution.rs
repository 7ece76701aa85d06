//! Response times: every value that occurred, with how often.

use std::collections::BTreeMap;

/// Values in nanoseconds, ascending, each with how often it occurred; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    counts: Vec<(u64, u64)>,
    samples: u64,
}

/// The percentiles that are shown: their name, and the part and the whole of them.
pub const PERCENTILES: [(&str, u64, u64); 6] = [
    ("50", 50, 100),
    ("90", 90, 100),
    ("99", 99, 100),
    ("99.9", 999, 1_000),
    ("99.99", 9_999, 10_000),
    ("99.999", 99_999, 100_000),
];

/// Returns whether this many samples determine the part `part` of `whole`: at least one is beyond
/// it. If none is, that part would be the greatest value under another name.
#[must_use]
pub const fn tells(samples: u64, part: u64, whole: u64) -> bool {
    samples as u128 * whole.saturating_sub(part) as u128 >= whole as u128
}

impl Distribution {
    /// The distribution of ascending values with their counts; none where
    /// there is no value, they do not ascend, one occurred never, or all are
    /// more than can be counted.
    pub fn of(counts: Vec<(u64, u64)>) -> Option<Self> {
        let ascends = counts.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let occurred = counts.iter().all(|(_, count)| *count > 0);
        let mut samples = 0_u64;
        for (_, count) in &counts {
            samples = samples.checked_add(*count)?;
        }
        (samples > 0 && ascends && occurred).then_some(Self { counts, samples })
    }

    /// The distribution of values in any order; none of none.
    pub fn each(values: impl Iterator<Item = u64>) -> Option<Self> {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for value in values {
            *counts.entry(value).or_default() += 1;
        }
        Self::of(counts.into_iter().collect())
    }

    /// Both together; none where they are more than can be counted.
    pub fn merged(&self, other: &Self) -> Option<Self> {
        let mut counts: BTreeMap<u64, u64> = self.counts.iter().copied().collect();
        for (value, count) in &other.counts {
            let sum = counts.entry(*value).or_default();
            *sum = sum.checked_add(*count)?;
        }
        Self::of(counts.into_iter().collect())
    }

    /// All of these together; none of none, or if they are more than can be counted.
    pub fn together<'a>(mut all: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let first = all.next()?.clone();
        all.try_fold(first, |sum, one| sum.merged(one))
    }

    /// Returns the values in a unit of so many nanoseconds, each cut off to whole ones.
    pub fn whole(&self, unit: u64) -> Self {
        let mut counts: Vec<(u64, u64)> = Vec::new();
        for (value, count) in &self.counts {
            match counts.last_mut() {
                Some((last, sum)) if *last == value / unit => *sum += count,
                _ => counts.push((value / unit, *count)),
            }
        }
        Self { counts, ..*self }
    }

    /// The values and how often each occurred.
    pub fn counts(&self) -> &[(u64, u64)] {
        &self.counts
    }

    /// Returns how many samples there are.
    pub const fn samples(&self) -> u64 {
        self.samples
    }

    /// The least value.
    pub fn min(&self) -> u64 {
        self.counts.first().map_or(0, |(value, _)| *value)
    }

    /// The greatest.
    pub fn max(&self) -> u64 {
        self.counts.last().map_or(0, |(value, _)| *value)
    }

    /// All values together.
    pub fn sum(&self) -> u128 {
        let all = self.counts.iter();
        all.map(|(value, count)| u128::from(*value) * u128::from(*count))
            .fold(0, u128::saturating_add)
    }

    /// The mean, rounded to the nearest.
    pub fn mean(&self) -> u64 {
        let sum = self.sum();
        let samples = u128::from(self.samples);
        u64::try_from((sum + samples / 2) / samples).unwrap_or(u64::MAX)
    }

    /// The least value that at least the part `part` of `whole` of all samples
    /// does not exceed (the nearest rank).
    pub fn quantile(&self, part: u64, whole: u64) -> u64 {
        let rank = (u128::from(self.samples) * u128::from(part)).div_ceil(u128::from(whole.max(1)));
        let mut below = 0_u128;
        let reached = self.counts.iter().find(|(_, count)| {
            below += u128::from(*count);
            below >= rank
        });
        reached.map_or_else(|| self.max(), |(value, _)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hundred_thousand_samples_have_a_last_percentile() {
        let one = Distribution::of(vec![(5, 99_998), (7, 1), (90, 1)]).unwrap();
        let shown = PERCENTILES.map(|(_, part, whole)| one.quantile(part, whole));
        assert_eq!(shown, [5, 5, 5, 5, 5, 7]);
        assert_eq!(
            (one.min(), one.mean(), one.max(), one.samples()),
            (5, 5, 90, 100_000)
        );
    }

    #[test]
    fn values_are_cut_off_before_they_are_added_up() {
        // Each sample is 4 whole units; their exact mean is nearly 5.
        let fine = Distribution::of(vec![(4_000, 1), (4_999, 9)]).unwrap();
        assert_eq!(fine.whole(1000).counts(), [(4, 10)]);
        assert_eq!(fine.sum() / 10, 4_899);
        let more = Distribution::of(vec![(4_999, 1), (12_000, 1)]).unwrap();
        let all = Distribution::together([&fine, &more].into_iter()).unwrap();
        assert_eq!(all.counts(), [(4_000, 1), (4_999, 10), (12_000, 1)]);
        assert_eq!(Distribution::together(std::iter::empty()), None);
    }

    #[test]
    fn what_is_none_is_refused() {
        for counts in [
            vec![],
            vec![(1, 0)],
            vec![(2, 1), (1, 1)],
            vec![(1, 1), (1, 1)],
            vec![(1, u64::MAX), (2, 1)],
        ] {
            assert_eq!(Distribution::of(counts.clone()), None, "{counts:?}");
        }
    }

    proptest! {
        #![proptest_config(taktos_random::config())]

        #[test]
        fn quantiles_are_those_of_the_sorted_samples(mut samples in prop::collection::vec(0_u64..50, 1..200), part in 0_u64..=1000) {
            samples.sort_unstable();
            let counts = samples.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
            let one = Distribution::of(counts).unwrap();
            let rank = (samples.len() as u64 * part).div_ceil(1000).max(1);
            prop_assert_eq!(one.quantile(part, 1000), samples[rank as usize - 1]);
            prop_assert_eq!(one.max(), samples[samples.len() - 1]);
            prop_assert!(one.min() <= one.mean() && one.mean() <= one.max());
        }
    }
}
