//! The text that `cyclictest -q -h` prints, for the scripts that read it.
//!
//! The lines are those of rt-tests 2.x: one `T:` line a thread, the histogram
//! with a column a thread, then totals, least, mean and greatest. Numbers that are not ours to
//! know (a process number, the machine's load) are 0.

use std::fmt::Write;

use super::Question;
use crate::response::{Distribution, Set};

/// The most lines of a histogram; values above are counted as overflow.
const MOST_LINES: u64 = 10_000;
/// The priority in the output: the most urgent one of Linux.
const PRIORITY: u32 = 99;

/// The text. Times are in whole microseconds, or with `nanos` in nanoseconds, as `cyclictest -N`
/// has them.
pub fn text(question: &Question, sets: &[Set], nanos: bool) -> String {
    let unit = if nanos { 1 } else { 1000 };
    let mut out =
        String::from("# taktos latency, emulated: one instruction takes one nanosecond\n");
    for (number, set) in sets.iter().enumerate() {
        let times = &set.times;
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "T:{number:2} (    0) P:{PRIORITY:2} I:{} C:{:7} Min:{:7} Act:{:5} Avg:{:5} Max:{:8}",
            question.interval_us,
            times.samples(),
            times.min() / unit,
            times.quantile(50, 100) / unit,
            times.mean() / unit,
            times.max() / unit,
        );
    }
    out.push_str("# Histogram\n");
    let top = sets
        .iter()
        .map(|set| set.times.max() / unit)
        .max()
        .unwrap_or(0)
        .min(MOST_LINES - 1);
    let columns: Vec<Vec<u64>> = sets
        .iter()
        .map(|set| buckets(&set.times, unit, top))
        .collect();
    for line in 0..=top {
        let counts = columns.iter().map(|column| column[line as usize]);
        let _ = writeln!(out, "{line:06} {}", joined(counts, 6));
    }
    let of = |what: fn(&Distribution) -> u64| sets.iter().map(move |set| what(&set.times));
    let _ = writeln!(out, "# Total: {}", joined(of(Distribution::samples), 9));
    for (name, what) in [
        ("Min", Distribution::min as fn(&Distribution) -> u64),
        ("Avg", Distribution::mean),
        ("Max", Distribution::max),
    ] {
        let _ = writeln!(
            out,
            "# {name} Latencies: {}",
            joined(of(what).map(|time| time / unit), 5)
        );
    }
    let inside = columns.iter().map(|column| column.iter().sum::<u64>());
    let overflows = of(Distribution::samples)
        .zip(inside)
        .map(|(all, inside)| all - inside);
    let _ = writeln!(out, "# Histogram Overflows: {}", joined(overflows, 5));
    out.push_str("# Histogram Overflow at cycle number:\n");
    for number in 0..sets.len() {
        let _ = writeln!(out, "# Thread {number}:");
    }
    out
}

/// Returns how many samples each unit of time has, from 0 to `top`.
fn buckets(times: &Distribution, unit: u64, top: u64) -> Vec<u64> {
    let mut buckets = vec![0; top as usize + 1];
    for (value, count) in times.counts() {
        if let Some(bucket) = usize::try_from(value / unit)
            .ok()
            .and_then(|place| buckets.get_mut(place))
        {
            *bucket += count;
        }
    }
    buckets
}

fn joined(numbers: impl Iterator<Item = u64>, width: usize) -> String {
    let words: Vec<String> = numbers.map(|number| format!("{number:0width$}")).collect();
    words.join(if width == 6 { "\t" } else { " " })
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn the_text_is_that_of_cyclictest() {
        let (question, sets) = example();
        let expected = "\
# taktos latency, emulated: one instruction takes one nanosecond
T: 0 (    0) P:99 I:1000 C:  10000 Min:      0 Act:    0 Avg:    0 Max:       1
T: 1 (    0) P:99 I:1000 C:  10000 Min:      0 Act:    0 Avg:    0 Max:       0
# Histogram
000000 009998\t010000
000001 000002\t000000
# Total: 000010000 000010000
# Min Latencies: 00000 00000
# Avg Latencies: 00000 00000
# Max Latencies: 00001 00000
# Histogram Overflows: 00000 00000
# Histogram Overflow at cycle number:
# Thread 0:
# Thread 1:
";
        assert_eq!(text(&question, &sets, false), expected);
    }

    #[test]
    fn nanoseconds_fill_the_histogram() {
        let (question, sets) = example();
        let text = text(&question, &sets, true);
        assert!(
            text.contains("\n000899 000000\t000000\n000900 009998\t010000\n")
                && text.contains("\n001500 000002\t000000\n# Total"),
            "{text}"
        );
        assert!(text.contains("Max Latencies: 01500 00900"), "{text}");
    }

    #[test]
    fn what_lies_above_the_histogram_is_counted() {
        let (question, mut sets) = example();
        sets[0].times = Distribution::of(vec![(5, 3), (20_000, 4)]).unwrap();
        let text = text(&question, &sets, true);
        assert!(
            text.contains("# Histogram Overflows: 00004 00000"),
            "{text}"
        );
        assert!(text.contains("# Total: 000000007 000010000"), "{text}");
    }
}
