//! How much of the time the kernel takes, along the period of the tasks: what
//! the paper left open.

use taktos_export::plot::{Axis, Chart, Origin, Scale, Series, Shape};
use taktos_export::table::{Column, Table};
use taktos_export::{Basis, Evidence};
use taktos_simulate::file::text;
use taktos_time::Duration;

use super::rows::Run;
use crate::figure::Drawn;
use crate::several::number::percent;

/// Below this share, in millionths, overhead is said to be small: one per cent.
const SMALL: u64 = 10_000;

/// The shares at one period, in millionths.
struct Point {
    period: u64,
    /// On one processor.
    one: u64,
    /// On four.
    four: u64,
}

/// One of a point's shares.
type Share = fn(&Point) -> u64;

/// The curve of runs in pairs, on one processor and on four, each pair with one period for all its tasks.
pub fn curve(runs: &[&Run]) -> Drawn {
    let points: Vec<Point> = runs
        .chunks_exact(2)
        .map(|pair| point(pair[0], pair[1]))
        .collect();
    let policy = runs.first().map_or("", |run| run.case.policy.name());
    let tasks = runs.first().map_or(0, |run| run.case.tasks.len());
    let title = format!("Overhead share along the period, {policy}");
    let mut table = Table::new(
        title.clone(),
        vec![
            Column::label("period"),
            ours("1 processor, %"),
            ours("4 processors, %"),
        ],
    );
    for point in &points {
        let period = text::shown(Duration::from_nanos(point.period));
        table.push(vec![
            period.into(),
            percent(point.one).into(),
            percent(point.four).into(),
        ]);
    }
    table.notes.push(format!(
        "{tasks} tasks, all of this period, each with the utilisation of the task in its place. Overhead: the part of \
         the busy time that was not the tasks' own work."
    ));
    Drawn {
        title: "Overhead along the period".into(),
        answer: sentences(&points),
        plots: vec![(table.file_stem(), chart(title, &points).to_svg())],
        tables: vec![table],
        evidence: vec![Evidence::Emulated],
        printed: true,
        ..Drawn::default()
    }
}

fn point(one: &Run, four: &Run) -> Point {
    Point {
        period: one.case.tasks.first().map_or(0, |task| task.period),
        one: one.figures.overhead(),
        four: four.figures.overhead(),
    }
}

fn ours(name: &str) -> Column {
    Column::figures(name, Basis::Ours(Evidence::Emulated))
}

fn sentences(points: &[Point]) -> Vec<String> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let shown = |period| text::shown(Duration::from_nanos(period));
    let mut all = vec![format!(
        "Overhead along the period: at {} it is {} % of the busy time on one processor and {} % on four; at {} {} % \
         and {} % (emulated).",
        shown(first.period),
        percent(first.one),
        percent(first.four),
        shown(last.period),
        percent(last.one),
        percent(last.four),
    )];
    for (which, share) in [
        ("one processor", (|point| point.one) as Share),
        ("four", |point| point.four),
    ] {
        // The first period from which on it stays small.
        let small = points
            .iter()
            .rev()
            .take_while(|point| share(point) < SMALL)
            .last();
        all.push(match small {
            Some(point) => format!(
                "It stays below 1 % on {which} from a period of {} on.",
                shown(point.period)
            ),
            None => format!(
                "It is 1 % or more on {which} even at {}.",
                shown(last.period)
            ),
        });
    }
    all
}

fn chart(title: String, points: &[Point]) -> Chart {
    let series = |(colour, name, share): (usize, &str, Share)| Series {
        name: name.into(),
        points: points
            .iter()
            .map(|point| (point.period as f64 / 1000.0, share(point) as f64 / 10_000.0))
            .collect(),
        origin: Origin::Ours,
        colour,
        shape: Shape::Line,
    };
    let lines: [(usize, &str, Share); 2] = [
        (0, "1 processor", |point| point.one),
        (1, "4 processors", |point| point.four),
    ];
    Chart {
        title,
        x: Axis {
            label: "period, us".into(),
            scale: Scale::Log,
        },
        y: Axis {
            label: "overhead share, % (emulated)".into(),
            scale: Scale::Log,
        },
        series: lines.map(series).to_vec(),
        guides: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::Layout;
    use super::super::rows::tests::run;
    use super::*;
    use taktos_simulate::Policy;

    fn runs(shares: &[(u64, u64, u64)]) -> Vec<Run> {
        let one = |period, layout, share| {
            let mut run = run(Policy::Edf, layout, 100, 1000);
            run.case.tasks[0].period = period;
            (run.figures.busy, run.figures.work) = (1_000_000, 1_000_000 - share);
            run
        };
        let both = |(period, alone, four): &(u64, u64, u64)| {
            [
                one(*period, Layout::One, *alone),
                one(*period, Layout::Global, *four),
            ]
        };
        shares.iter().flat_map(both).collect()
    }

    #[test]
    fn the_words_name_where_it_becomes_small() {
        let runs = runs(&[
            (100_000, 200_000, 9_000),
            (1_000_000, 9_999, 10_000),
            (10_000_000, 900, 9_000),
        ]);
        let drawn = curve(&runs.iter().collect::<Vec<_>>());
        assert!(drawn.answer[0].contains("at 100 us it is 20.0000 % of the busy time on one processor and 0.9000 % on four; at 10 ms 0.0900 % and 0.9000 %"), "{:?}", drawn.answer);
        assert_eq!(
            drawn.answer[1],
            "It stays below 1 % on one processor from a period of 1 ms on."
        );
        assert_eq!(
            drawn.answer[2],
            "It stays below 1 % on four from a period of 10 ms on."
        );
        assert!(drawn.plots[0].1.contains("<svg"));
    }

    #[test]
    fn what_never_becomes_small_is_said() {
        let runs = runs(&[(100_000, 20_000, 10_000)]);
        let drawn = curve(&runs.iter().collect::<Vec<_>>());
        assert_eq!(drawn.answer[2], "It is 1 % or more on four even at 100 us.");
        assert!(curve(&[]).answer.is_empty());
    }
}
