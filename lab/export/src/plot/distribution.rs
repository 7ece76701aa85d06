//! Distributions of samples: how often each value occurred, and how likely a
//! larger one is.

use super::chart::{Axis, Chart, Guide, Origin, Series, Shape};
use super::scale::{Scale, label, time_unit};

/// One named set of samples.
pub type Samples<'a> = (&'a str, &'a [u64]);

/// One named set of values, ascending, with how often each occurred.
pub type Counts<'a> = (&'a str, Vec<(u64, u64)>);

/// Draws how often each value occurred, with a logarithmic count: rare values are the interesting
/// ones.
#[must_use]
pub fn histogram(title: &str, unit: &str, sets: &[Samples<'_>]) -> Chart {
    counted_histogram(title, unit, &all_counted(sets))
}

/// Draws a histogram of values that are counted already.
#[must_use]
pub fn counted_histogram(title: &str, unit: &str, sets: &[Counts<'_>]) -> Chart {
    let unit = Shown::of(unit, sets);
    let series = sets.iter().enumerate().map(|(colour, (name, counts))| {
        let most = counts.last().map_or(0, |(value, _)| *value);
        Series {
            name: format!("{name}, max {} {}", label(unit.value(most)), unit.name),
            points: counts
                .iter()
                .map(|(value, count)| (unit.value(*value), *count as f64))
                .collect(),
            origin: Origin::Ours,
            colour,
            shape: Shape::Bars,
        }
    });
    Chart {
        title: title.into(),
        x: Axis {
            label: unit.words.clone(),
            scale: Scale::Linear,
        },
        y: Axis {
            label: "samples".into(),
            scale: Scale::Log,
        },
        series: series.collect(),
        guides: Vec::new(),
    }
}

/// Draws how likely a value larger than x is (the complement of the cumulative distribution), both
/// axes logarithmic. A line shows the least probability that this many samples can distinguish from
/// zero.
#[must_use]
pub fn tail(title: &str, unit: &str, sets: &[Samples<'_>]) -> Chart {
    counted_tail(title, unit, &all_counted(sets))
}

/// Draws the tail of values that are counted already.
#[must_use]
pub fn counted_tail(title: &str, unit: &str, sets: &[Counts<'_>]) -> Chart {
    let unit = Shown::of(unit, sets);
    let series = sets
        .iter()
        .enumerate()
        .map(|(colour, (name, counts))| Series {
            name: (*name).into(),
            points: exceeded(counts)
                .into_iter()
                .map(|(value, share)| (unit.value(value), share))
                .collect(),
            origin: Origin::Ours,
            colour,
            shape: Shape::Stairs,
        });
    let most = sets.iter().map(|(_, counts)| total(counts)).max();
    let most = most.unwrap_or(0).max(1);
    Chart {
        title: title.into(),
        x: Axis {
            label: unit.words.clone(),
            scale: Scale::Log,
        },
        y: Axis {
            label: "share of samples above x".into(),
            scale: Scale::Log,
        },
        series: series.collect(),
        guides: vec![Guide::Height(1.0 / most as f64, format!("1 in {most}"))],
    }
}

/// The unit that the values are shown in: nanoseconds become what suits the greatest of them.
struct Shown<'a> {
    divisor: u64,
    name: &'a str,
    /// Text on the axis: the measured quantity, the unit, the evidence.
    words: String,
}

impl<'a> Shown<'a> {
    fn of(words: &'a str, sets: &[Counts<'_>]) -> Self {
        if !words.split(' ').any(|word| word == "ns") {
            return Self {
                divisor: 1,
                name: words.split(" (").next().unwrap_or_default(),
                words: words.into(),
            };
        }
        let greatest = sets.iter().filter_map(|(_, counts)| counts.last());
        let most = greatest.map(|(value, _)| *value).max().unwrap_or(0);
        let (divisor, name) = time_unit(most);
        let other = |word: &'a str| if word == "ns" { name } else { word };
        Self {
            divisor,
            name,
            words: words.split(' ').map(other).collect::<Vec<_>>().join(" "),
        }
    }

    fn value(&self, value: u64) -> f64 {
        value as f64 / self.divisor as f64
    }
}

fn all_counted<'a>(sets: &[Samples<'a>]) -> Vec<Counts<'a>> {
    let counts = |(name, samples): &Samples<'a>| (*name, counted(samples));
    sets.iter().map(counts).collect()
}

fn total(counts: &[(u64, u64)]) -> u64 {
    counts.iter().map(|(_, count)| count).sum()
}

/// The values that occurred, ascending, with how often.
fn counted(samples: &[u64]) -> Vec<(u64, u64)> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted
        .chunk_by(|left, right| left == right)
        .map(|run| (run[0], run.len() as u64))
        .collect()
}

/// For each value, the share of samples at or above it: of those above any time from the value
/// before up to it.
fn exceeded(counts: &[(u64, u64)]) -> Vec<(u64, f64)> {
    let all = total(counts);
    let mut above = all;
    let mut points = Vec::new();
    for (value, count) in counts {
        points.push((*value, above as f64 / all as f64));
        above -= count;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_each_value() {
        let chart = histogram("wake", "cycles", &[("wake", &[7, 5, 7, 7])]);
        assert_eq!(chart.series[0].points, [(5.0, 1.0), (7.0, 3.0)]);
        assert_eq!(chart.series[0].name, "wake, max 7 cycles");
    }

    #[test]
    fn a_tail_falls_from_one() {
        let chart = tail("wake", "cycles", &[("wake", &[5, 7, 7, 9])]);
        assert_eq!(
            chart.series[0].points,
            [(5.0, 1.0), (7.0, 0.75), (9.0, 0.25)]
        );
    }

    #[test]
    fn nanoseconds_are_shown_in_the_unit_that_suits_them() {
        let chart = histogram(
            "T1",
            "time, ns (simulated)",
            &[("T1", &[5_000_000, 184_250_000])],
        );
        assert_eq!(chart.x.label, "time, ms (simulated)");
        assert_eq!(chart.series[0].name, "T1, max 184.25 ms");
        assert_eq!(chart.series[0].points[0], (5.0, 1.0));
        let chart = tail("T1", "ns", &[("T1", &[7])]);
        assert_eq!(
            (chart.x.label.as_str(), chart.series[0].points[0]),
            ("ns", (7.0, 1.0))
        );
    }

    #[test]
    fn no_samples_give_an_empty_chart() {
        assert!(
            tail("wake", "cycles", &[("wake", &[])])
                .to_svg()
                .contains("<svg")
        );
        assert!(histogram("wake", "cycles", &[]).to_svg().contains("<svg"));
    }
}
