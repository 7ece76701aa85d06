//! Plots of any finite values, and of any recording: always a picture with numbers as coordinates.

mod common;

use common::{recording, words};
use proptest::prelude::*;
use taktos_export::plot::{
    Axis, Chart, Guide, Origin, Scale, Series, Shape, gantt, histogram, tail,
};

fn scale() -> impl Strategy<Value = Scale> {
    prop::sample::select(vec![Scale::Linear, Scale::Log, Scale::Steps])
}

/// Any finite number: counts, and the ends of the range.
fn value() -> impl Strategy<Value = f64> {
    let ends = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        1e300,
        1e-300,
        u64::MAX as f64,
        f64::EPSILON,
    ];
    prop_oneof![
        3 => (0..2_000_000_u64).prop_map(|count| count as f64),
        1 => any::<u64>().prop_map(|count| count as f64),
        2 => prop::sample::select(ends),
        1 => prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
    ]
}

fn series() -> impl Strategy<Value = Series> {
    let shape = prop::sample::select(vec![Shape::Line, Shape::Stairs, Shape::Bars]);
    let origin = prop::sample::select(vec![Origin::Ours, Origin::Theirs]);
    let points = prop::collection::vec((value(), value()), 0..12);
    (words(), points, origin, any::<usize>(), shape).prop_map(
        |(name, points, origin, colour, shape)| Series {
            name,
            points,
            origin,
            colour,
            shape,
        },
    )
}

fn guide() -> impl Strategy<Value = Guide> {
    prop_oneof![
        (value(), words()).prop_map(|(value, words)| Guide::Height(value, words)),
        (value(), words()).prop_map(|(value, words)| Guide::Place(value, words)),
    ]
}

fn chart() -> impl Strategy<Value = Chart> {
    let axis = || (words(), scale()).prop_map(|(label, scale)| Axis { label, scale });
    let series = prop::collection::vec(series(), 0..4);
    let guides = prop::collection::vec(guide(), 0..3);
    (words(), axis(), axis(), series, guides).prop_map(|(title, x, y, series, guides)| Chart {
        title,
        x,
        y,
        series,
        guides,
    })
}

/// The attributes that are coordinates or sizes.
const COORDINATES: [&str; 12] = [
    "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height", "points",
];

/// Every coordinate is a number on or near the picture, every element is closed, no word
/// is one, and nothing is in it that XML cannot hold.
fn is_picture(svg: &str) -> bool {
    let elements = svg.matches('<').count() - svg.matches("</").count();
    let closed = svg.matches("/>").count() + svg.matches("</").count();
    let held = svg
        .chars()
        .all(|c| c >= ' ' || matches!(c, '\t' | '\n' | '\r'));
    svg.starts_with("<svg ")
        && svg.ends_with("</svg>\n")
        && elements == closed
        && held
        && svg.split('<').skip(1).all(|element| {
            let element = element.split('>').next().unwrap_or_default();
            let mut attributes = element.split('"');
            std::iter::from_fn(|| Some((attributes.next()?, attributes.next()?)))
                .filter(|(name, _)| {
                    COORDINATES
                        .contains(&name.trim_end_matches('=').rsplit(' ').next().unwrap_or(""))
                })
                .flat_map(|(_, numbers)| numbers.split([' ', ',']))
                .filter(|number| !number.is_empty())
                .all(|number| {
                    number
                        .parse::<f64>()
                        .is_ok_and(|n| (-1e4..1e4).contains(&n))
                })
        })
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_chart_of_any_values_is_a_picture(chart in chart()) {
        let svg = chart.to_svg();
        prop_assert!(is_picture(&svg), "{}", svg);
        prop_assert!(svg.len() < 1 << 20);
    }

    #[test]
    fn distributions_of_any_samples_are_pictures(
        name in words(),
        samples in prop::collection::vec(prop_oneof![0..50_u64, any::<u64>()], 0..60),
    ) {
        let sets = [(name.as_str(), samples.as_slice()), ("other", &[])];
        for chart in [histogram(&name, "cycles", &sets), tail(&name, "cycles", &sets)] {
            let svg = chart.to_svg();
            prop_assert!(is_picture(&svg), "{}", svg);
        }
    }

    #[test]
    fn any_window_of_any_recording_is_a_picture(
        recording in recording(),
        title in words(),
        (from, to) in prop_oneof![
            any::<(u64, u64)>(),
            (0..2000_u64, 0..2000_u64),
            Just((u64::MAX, u64::MAX)),
            Just((0, u64::MAX)),
        ],
    ) {
        let svg = gantt(&recording, &title, from, to);
        prop_assert!(is_picture(&svg), "{}", svg);
    }
}
