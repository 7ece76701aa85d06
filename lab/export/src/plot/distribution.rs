//! Distributions of samples: how often each value occurred, and how likely a
//! larger one is.

use super::chart::{Axis, Chart, Guide, Origin, Series, Shape};
use super::scale::Scale;

/// One named set of samples.
pub type Samples<'a> = (&'a str, &'a [u64]);

/// How often each value occurred, with a logarithmic count: rare values are
/// the interesting ones.
#[must_use]
pub fn histogram(title: &str, unit: &str, sets: &[Samples<'_>]) -> Chart {
    let series = sets.iter().enumerate().map(|(colour, (name, samples))| {
        let counts = counted(samples);
        let most = counts.last().map_or(0, |(value, _)| *value);
        Series {
            name: format!("{name}, max {most}"),
            points: counts
                .iter()
                .map(|(value, count)| (*value as f64, *count as f64))
                .collect(),
            origin: Origin::Ours,
            colour,
            shape: Shape::Bars,
        }
    });
    Chart {
        title: title.into(),
        x: Axis {
            label: unit.into(),
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

/// How likely a value larger than x is (the complement of the cumulative
/// distribution), both axes logarithmic. A line shows the least probability
/// that so many samples can tell from zero.
#[must_use]
pub fn tail(title: &str, unit: &str, sets: &[Samples<'_>]) -> Chart {
    let series = sets
        .iter()
        .enumerate()
        .map(|(colour, (name, samples))| Series {
            name: (*name).into(),
            points: exceeded(samples),
            origin: Origin::Ours,
            colour,
            shape: Shape::Stairs,
        });
    let most = sets
        .iter()
        .map(|(_, samples)| samples.len())
        .max()
        .unwrap_or(0)
        .max(1);
    Chart {
        title: title.into(),
        x: Axis {
            label: unit.into(),
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

/// The values that occurred, ascending, with how often.
fn counted(samples: &[u64]) -> Vec<(u64, usize)> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted
        .chunk_by(|left, right| left == right)
        .map(|run| (run[0], run.len()))
        .collect()
}

/// For each value, the share of samples at or above it; the last value keeps
/// the share of one sample, since a logarithm cannot show none.
fn exceeded(samples: &[u64]) -> Vec<(f64, f64)> {
    let mut above = samples.len();
    let mut points = Vec::new();
    for (value, count) in counted(samples) {
        points.push((value as f64, above as f64 / samples.len() as f64));
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
        assert_eq!(chart.series[0].name, "wake, max 7");
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
    fn no_samples_give_an_empty_chart() {
        assert!(
            tail("wake", "cycles", &[("wake", &[])])
                .to_svg()
                .contains("<svg")
        );
        assert!(histogram("wake", "cycles", &[]).to_svg().contains("<svg"));
    }
}
