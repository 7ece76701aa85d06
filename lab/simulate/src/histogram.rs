//! Owns: a histogram with narrow buckets everywhere, in constant memory.
//! Must never know: the meaning of the values.
//!
//! Values below 2⁷ have a bucket each. Above, each octave is cut into 2⁶
//! equal buckets, so a bucket is never wider than 1/64 of its lower end
//! (log-linear, the idea of HdrHistogram). Integers only; counts are exact.

/// log2 of the buckets in an octave.
const BITS: u32 = 6;
pub(crate) const OCTAVE: usize = 1 << BITS;
/// Two linear octaves, then one for each higher bit of a value.
const BUCKETS: usize = OCTAVE * (64 - BITS as usize + 1);

/// Counts of values, by log-linear buckets. It takes 512 bytes for each octave between the smallest
/// and the largest value: at most 30 kB.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// The lowest bucket in use.
    first: usize,
    /// From that one up to the highest bucket in use.
    counts: Vec<u64>,
    total: u64,
}

impl Histogram {
    /// Counts a value. O(1), but for the first time that a bucket is reached.
    #[inline]
    pub fn add(&mut self, value: u64) {
        let bucket = bucket_of(value);
        let place = bucket.wrapping_sub(self.first);
        match self.counts.get_mut(place) {
            Some(count) => *count += 1,
            None => *self.reach(bucket) += 1,
        }
        self.total += 1;
    }

    /// The count of a bucket that is not in use yet.
    #[cold]
    fn reach(&mut self, bucket: usize) -> &mut u64 {
        if self.counts.is_empty() {
            self.first = bucket;
        }
        if bucket < self.first {
            let more = self.first - bucket;
            self.counts.splice(0..0, core::iter::repeat_n(0, more));
            self.first = bucket;
        }
        let place = bucket - self.first;
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        &mut self.counts[place]
    }

    /// Takes in all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, more) in (other.first..).zip(&other.counts) {
            if *more > 0 {
                *self.reach(bucket) += more;
            }
        }
        self.total += other.total;
    }

    /// Takes in counts of buckets from `first` on.
    pub(crate) fn take_in(&mut self, first: usize, counts: &[u32]) {
        let used = |count: &u32| *count > 0;
        let Some((from, to)) = counts
            .iter()
            .position(used)
            .zip(counts.iter().rposition(used))
        else {
            return;
        };
        self.reach(first + from);
        self.reach(first + to);
        let here = &mut self.counts[first + from - self.first..];
        for (count, more) in here.iter_mut().zip(&counts[from..=to]) {
            *count += u64::from(*more);
            self.total += u64::from(*more);
        }
    }

    /// How many values there were.
    pub const fn count(&self) -> u64 {
        self.total
    }

    /// The value that `part` of `whole` values do not exceed (99 of 100: the
    /// 99th percentile), rounded up to its bucket's end: at most 1/64 too
    /// large, never too small. None without values.
    pub fn quantile(&self, part: u64, whole: u64) -> Option<u64> {
        let rank = (u128::from(self.total) * u128::from(part)).div_ceil(u128::from(whole.max(1)));
        let rank = u64::try_from(rank).ok()?.max(1);
        let mut seen = 0;
        for (bucket, count) in (self.first..).zip(&self.counts) {
            seen += count;
            if seen >= rank {
                return Some(last_of(bucket));
            }
        }
        None
    }

    /// The buckets with counts: first value, last value, count; lowest first.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let filled = (self.first..)
            .zip(&self.counts)
            .filter(|(_, count)| **count > 0);
        filled.map(|(bucket, count)| (first_of(bucket), last_of(bucket), *count))
    }
}

#[inline]
pub(crate) fn bucket_of(value: u64) -> usize {
    let octave = (63 - (value | (OCTAVE as u64)).leading_zeros()) - BITS;
    (octave as usize) * OCTAVE + (value >> octave) as usize
}

fn first_of(bucket: usize) -> u64 {
    if bucket < 2 * OCTAVE {
        return bucket as u64;
    }
    let octave = bucket / OCTAVE - 1;
    ((bucket - octave * OCTAVE) as u64) << octave
}

fn last_of(bucket: usize) -> u64 {
    if bucket + 1 >= BUCKETS {
        u64::MAX
    } else {
        first_of(bucket + 1) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bucket() {
        let edges = (0..64).flat_map(|bit| {
            let power = 1u64 << bit;
            [power - 1, power, power + 1, power + power / 3]
        });
        for value in edges.chain(0..5_000).chain([u64::MAX]) {
            let bucket = bucket_of(value);
            assert!(bucket < BUCKETS);
            let (first, last) = (first_of(bucket), last_of(bucket));
            assert!(
                first <= value && value <= last,
                "{value}: {first} to {last}"
            );
            assert!(last - first <= first / 64, "{value}: {first} to {last}");
        }
    }

    #[test]
    fn buckets_follow_each_other_without_gap() {
        for bucket in 1..BUCKETS {
            assert_eq!(last_of(bucket - 1) + 1, first_of(bucket));
            assert_eq!(bucket_of(first_of(bucket)), bucket);
        }
    }

    #[test]
    fn values_that_lie_together_take_little_memory_in_any_order() {
        let values = [20_000_000, 20_500_000, 19_000_000, 19_500_000];
        let mut histogram = Histogram::default();
        let mut merged = Histogram::default();
        for value in values {
            histogram.add(value);
            let mut one = Histogram::default();
            one.add(value);
            merged.merge(&one);
        }
        assert_eq!(histogram, merged);
        assert!(
            histogram.counts.len() <= OCTAVE,
            "{}",
            histogram.counts.len()
        );
        assert_eq!(histogram.buckets().count(), 4);
        assert!(histogram.buckets().is_sorted());
    }

    #[test]
    fn quantiles_are_at_most_a_bucket_too_large() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(1, 2), None);
        for value in 1..=1_000u64 {
            histogram.add(value * 1_000);
        }
        for part in [1, 10, 50, 90, 99, 100] {
            let exact = part * 10_000;
            let found = histogram.quantile(part, 100).unwrap();
            assert!(
                found >= exact && found <= exact + exact / 64,
                "{part} %: {found}"
            );
        }
    }

    #[test]
    fn merged_is_as_if_counted_together() {
        let (mut low, mut high, mut both) = <(Histogram, Histogram, Histogram)>::default();
        for value in [1, 5, 1 << 40] {
            low.add(value);
            both.add(value);
        }
        for value in [3, u64::MAX] {
            high.add(value);
            both.add(value);
        }
        low.merge(&high);
        assert_eq!(low, both);
        assert_eq!(both.buckets().map(|(_, _, count)| count).sum::<u64>(), 5);
    }
}
