//! Owns: samples of a time, kept until all are taken, and how they are reported. Must never know:
//! what was measured.

use core::sync::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};
use taktos_kernel::fault::print;
use taktos_kernel::{Instant, System};

/// The most samples of a set.
pub const MOST: usize = 100_000;

/// A set of samples in nanoseconds. Those beyond ±2.147 s are kept as that. One thread adds them,
/// and reads them when all are in.
pub struct Samples {
    values: [AtomicI32; MOST],
    count: AtomicUsize,
}

/// Names of a set's percentiles, and how many of 100 000 samples are below each.
const PERCENTILES: [(&str, u64); 6] = [
    ("p50", 50_000),
    ("p90", 90_000),
    ("p99", 99_000),
    ("p99_9", 99_900),
    ("p99_99", 99_990),
    ("p99_999", 99_999),
];

/// All that a percentile is a part of.
const WHOLE: u64 = 100_000;

impl Samples {
    /// No sample.
    pub const fn new() -> Self {
        Self {
            values: [const { AtomicI32::new(0) }; MOST],
            count: AtomicUsize::new(0),
        }
    }

    /// Forgets all.
    pub fn clear(&self) {
        self.count.store(0, Relaxed);
    }

    /// Adds the time from `from` to `to`. One that does not fit is lost.
    pub fn add(&self, from: Instant, to: Instant) {
        let late = i64::try_from(to.since(from).as_nanos()).unwrap_or(i64::MAX);
        let early = i64::try_from(from.since(to).as_nanos()).unwrap_or(i64::MAX);
        self.add_ns(late - early);
    }

    fn add_ns(&self, ns: i64) {
        let at = self.count.load(Relaxed);
        if let Some(cell) = self.values.get(at) {
            let kept = ns.clamp(i32::MIN.into(), i32::MAX.into());
            cell.store(kept as i32, Relaxed);
            self.count.store(at + 1, Relaxed);
        }
    }

    fn all(&self) -> &[AtomicI32] {
        &self.values[..self.count.load(Relaxed).min(MOST)]
    }

    /// Prints the rest of the line of this set, after the text of `head`, and a line `@value` for
    /// each time, in ascending order. Takes as long as to sort them.
    pub fn tell<S: System>(&self, head: core::fmt::Arguments<'_>) {
        let all = self.all();
        sort(all);
        print::<S>(format_args!("@set {head} samples={}", all.len()));
        if !all.is_empty() {
            let sum: i64 = all.iter().map(|value| i64::from(value.load(Relaxed))).sum();
            let (min, max) = (nth(all, 0), nth(all, all.len() - 1));
            let mean = sum.div_euclid(all.len() as i64);
            print::<S>(format_args!(" min_ns={min} mean_ns={mean} max_ns={max}"));
            for (name, share) in PERCENTILES {
                let value = nth(all, rank(all.len(), share));
                print::<S>(format_args!(" {name}_ns={value}"));
            }
        }
        S::write("\n");
        runs(all, |value, times| {
            print::<S>(format_args!("@value ns={value} times={times}\n"));
        });
    }
}

impl Default for Samples {
    fn default() -> Self {
        Self::new()
    }
}

fn nth(values: &[AtomicI32], index: usize) -> i32 {
    values.get(index).map_or(0, |value| value.load(Relaxed))
}

/// Where in `count` sorted samples the percentile is that has `share` of [`WHOLE`] at or below it:
/// the nearest rank.
fn rank(count: usize, share: u64) -> usize {
    let at = (count as u64 * share).div_ceil(WHOLE);
    (at as usize).saturating_sub(1)
}

/// Calls `visit` with each value of sorted `values`, and how often it is there.
fn runs(values: &[AtomicI32], mut visit: impl FnMut(i32, usize)) {
    let mut rest = values;
    while let Some(first) = rest.first() {
        let value = first.load(Relaxed);
        let times = rest.partition_point(|other| other.load(Relaxed) == value);
        visit(value, times);
        rest = &rest[times..];
    }
}

/// Sorts, in place and without recursion, in about 2·n·log₂ n steps: Williams's heapsort (1964).
fn sort(values: &[AtomicI32]) {
    for root in (0..values.len() / 2).rev() {
        sift_down(values, root);
    }
    for end in (1..values.len()).rev() {
        exchange(values, 0, end);
        sift_down(&values[..end], 0);
    }
}

/// Moves the value at `root` down until none below it is larger.
fn sift_down(values: &[AtomicI32], mut root: usize) {
    loop {
        let (left, right) = (2 * root + 1, 2 * root + 2);
        if left >= values.len() {
            return;
        }
        let larger = if right < values.len() && nth(values, right) > nth(values, left) {
            right
        } else {
            left
        };
        if nth(values, larger) <= nth(values, root) {
            return;
        }
        exchange(values, root, larger);
        root = larger;
    }
}

fn exchange(values: &[AtomicI32], a: usize, b: usize) {
    let (first, second) = (nth(values, a), nth(values, b));
    values[a].store(second, Relaxed);
    values[b].store(first, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::boxed::Box;
    use std::vec::Vec;

    fn cells(values: &[i32]) -> Vec<AtomicI32> {
        values.iter().map(|value| AtomicI32::new(*value)).collect()
    }

    fn sorted(values: &[i32]) -> Vec<i32> {
        let cells = cells(values);
        sort(&cells);
        cells.iter().map(|cell| cell.load(Relaxed)).collect()
    }

    #[test]
    fn all_orders_are_sorted() {
        let mut state = 1u32;
        for length in 0..200 {
            let mut values: Vec<i32> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 27) as i32 - 16
                })
                .collect();
            let found = sorted(&values);
            values.sort_unstable();
            assert_eq!(found, values);
        }
    }

    #[test]
    fn runs_have_all_samples() {
        let cells = cells(&[-1, 2, 2, 2, 5]);
        let mut found = Vec::new();
        runs(&cells, |value, times| found.push((value, times)));
        assert_eq!(found, [(-1, 1), (2, 3), (5, 1)]);
    }

    #[test]
    fn the_nearest_rank_is_at_or_above_its_share() {
        assert_eq!(rank(100_000, 99_999), 99_998);
        assert_eq!(rank(100, 50_000), 49);
        assert_eq!(rank(100, 99_999), 99);
        assert_eq!(rank(1, 50_000), 0);
        assert_eq!(rank(3, 50_000), 1);
    }

    #[test]
    fn times_have_a_sign_and_an_end() {
        let samples: Box<Samples> = Box::default();
        let at = Instant::from_nanos;
        samples.add(at(10), at(15));
        samples.add(at(15), at(10));
        samples.add(at(0), at(1 << 40));
        let found: Vec<i32> = samples
            .all()
            .iter()
            .map(|cell| cell.load(Relaxed))
            .collect();
        assert_eq!(found, [5, -5, i32::MAX]);
        for _ in 0..MOST {
            samples.add(at(0), at(1));
        }
        assert_eq!(samples.all().len(), MOST);
        samples.clear();
        assert_eq!(samples.all().len(), 0);
    }
}
