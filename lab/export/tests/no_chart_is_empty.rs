//! Whatever is drawn can be seen: every datum has a mark of at least a pixel inside the picture,
//! for every kind of chart.

mod common;
#[path = "common/visible.rs"]
mod visible;

use common::recording;
use proptest::prelude::*;
use taktos_export::Timeline;
use taktos_export::plot::{
    Axis, Chart, Origin, Scale, Series, Shape, gantt, gantt_of_processors, histogram, tail,
};
use visible::visible;

/// Samples as they come, and those that once gave a blank chart: one, all equal, none but zero, of
/// one size, far apart.
fn samples() -> impl Strategy<Value = Vec<u64>> {
    prop_oneof![
        prop::collection::vec(prop_oneof![0..50_u64, any::<u64>()], 1..60),
        (any::<u64>(), 1..2000_usize).prop_map(|(value, times)| vec![value; times]),
        (0..2000_u64, 1..2000_usize).prop_map(|(value, times)| vec![value; times]),
        (1..1002_usize).prop_map(|times| vec![0; times]),
        Just(vec![0, 1, u64::MAX]),
        (500..2000_usize).prop_map(|times| [vec![7; times], vec![9; times / 100 + 1]].concat()),
    ]
}

/// Value of a figure: a count, a share, a time.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        (0..2_000_000_u64).prop_map(|count| count as f64),
        any::<u64>().prop_map(|count| count as f64),
        1e-12..1.0_f64,
    ]
}

fn chart() -> impl Strategy<Value = Chart> {
    let scale = || prop::sample::select(vec![Scale::Linear, Scale::Log, Scale::Steps]);
    let axis = move || {
        scale().prop_map(|scale| Axis {
            label: "a".into(),
            scale,
        })
    };
    let points = prop::collection::vec((value(), value()), 1..12);
    let shape = prop::sample::select(vec![Shape::Line, Shape::Bars]);
    let series = (points, shape).prop_map(|(points, shape)| Series {
        name: "s".into(),
        points,
        origin: Origin::Ours,
        colour: 0,
        shape,
    });
    let series = prop::collection::vec(series, 1..5);
    (axis(), axis(), series).prop_map(|(x, y, series)| Chart {
        title: "c".into(),
        x,
        y,
        series,
        guides: Vec::new(),
    })
}

/// A line through one place only is none: its dots are what is seen.
fn without_lines(svg: &str) -> String {
    let lines = svg.lines().filter(|line| !line.starts_with("<polyline "));
    lines.map(|line| format!("{line}\n")).collect()
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn every_point_is_a_dot_or_a_bar(chart in chart()) {
        let points: usize = chart.series.iter().map(|series| series.points.len()).sum();
        prop_assert_eq!(visible(&without_lines(&chart.to_svg())), Ok(points));
    }

    #[test]
    fn every_value_has_a_bar(sets in prop::collection::vec(samples(), 1..8)) {
        let sets: Vec<(&str, &[u64])> = sets.iter().map(|set| ("s", set.as_slice())).collect();
        for unit in ["ns (emulated)", "cycles (modelled)"] {
            let values = sets.iter().map(|(_, set)| {
                let mut set = set.to_vec();
                set.sort_unstable();
                set.dedup();
                set.len()
            });
            let svg = histogram("h", unit, &sets).to_svg();
            prop_assert_eq!(visible(&svg), Ok(values.sum()), "{}", svg);
        }
    }

    #[test]
    fn every_tail_has_a_line(sets in prop::collection::vec(samples(), 1..8)) {
        let sets: Vec<(&str, &[u64])> = sets.iter().map(|set| ("s", set.as_slice())).collect();
        for unit in ["ns (emulated)", "cycles (modelled)"] {
            let svg = tail("t", unit, &sets).to_svg();
            prop_assert_eq!(visible(&svg), Ok(sets.len()), "{}", svg);
        }
    }

    #[test]
    fn every_run_of_a_thread_has_a_bar(
        recording in recording(),
        (from, length) in (0..3000_u64, prop_oneof![1..3000_u64, Just(u64::MAX)]),
    ) {
        let to = from.saturating_add(length);
        let spans = Timeline::of(&recording).window(from, to).spans.len();
        let svg = gantt(&recording, "g", from, to);
        prop_assert!(visible(&svg).is_ok_and(|seen| seen >= spans), "{:?}\n{}", visible(&svg), svg);
        let svg = gantt_of_processors(&recording, "g", from, to);
        prop_assert!(visible(&svg).is_ok_and(|seen| seen >= spans), "{:?}\n{}", visible(&svg), svg);
    }
}
