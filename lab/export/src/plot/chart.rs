//! A chart: series of points between two axes.

use super::canvas::{Anchor, Canvas};
use super::colour;
use super::scale::{Fitted, Scale, label};

/// How wide a chart is at least.
const WIDTH: f64 = 860.0;
/// How wide a letter is at most, about: of a name in the legend, and of the title.
const LETTER: f64 = 7.4;
const TITLE_LETTER: f64 = 9.4;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 640.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 362.0;
const LEGEND: f64 = RIGHT + 24.0;
const LEGEND_STEP: f64 = 20.0;
/// How wide a bar is, how wide those of one value are together, and how small a bar may be to be
/// seen.
const BAR: f64 = 4.0;
const BARS: f64 = 12.0;
const LEAST: f64 = 1.0;

/// One axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Quantity on the axis, with the unit and the evidence.
    pub label: String,
    /// How it is divided.
    pub scale: Scale,
}

/// Source of the figures of a series: figures of others are drawn dashed and hollow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Measured by this run.
    Ours,
    /// Published by others.
    Theirs,
}

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// By straight lines, with a dot at each.
    Line,
    /// By stairs down: a value holds from the point before, or the axis, up to its own point; after
    /// the last there is none.
    Stairs,
    /// Not at all: a bar from the axis to each.
    Bars,
}

/// Points of one kind.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// The points (x, y), in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
    /// Source of the points.
    pub origin: Origin,
    /// Which colour of the palette: a series of theirs shares that of ours.
    pub colour: usize,
    /// How they are joined.
    pub shape: Shape,
}

/// A straight line across the chart.
#[derive(Clone, Debug)]
pub enum Guide {
    /// At a height: a goal.
    Height(f64, String),
    /// At a place along: a bound.
    Place(f64, String),
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Title of the chart.
    pub title: String,
    /// The axis along.
    pub x: Axis,
    /// The axis up.
    pub y: Axis,
    /// The series, in the order of the legend.
    pub series: Vec<Series>,
    /// The lines across.
    pub guides: Vec<Guide>,
}

/// The axes fitted to their values.
struct Frame {
    x: Fitted,
    y: Fitted,
}

impl Frame {
    fn along(&self, value: f64) -> Option<f64> {
        Some(LEFT + self.x.place(value)? * (RIGHT - LEFT))
    }

    fn up(&self, value: f64) -> Option<f64> {
        Some(BOTTOM - self.y.place(value)? * (BOTTOM - TOP))
    }

    fn point(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.along(x)?, self.up(y)?))
    }
}

impl Chart {
    /// The chart as an SVG.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let frame = self.frame();
        let mut canvas = Canvas::new(self.width(), HEIGHT, &self.title);
        canvas.text(
            (LEFT, 24.0),
            Anchor::Start,
            "font-size=\"15\" font-weight=\"600\"",
            &self.title,
        );
        self.draw_axes(&mut canvas, &frame);
        for guide in &self.guides {
            draw_guide(&mut canvas, &frame, guide);
        }
        self.draw_bars(&mut canvas, &frame);
        for series in &self.series {
            self.draw_series(&mut canvas, &frame, series);
        }
        self.draw_legend(&mut canvas);
        canvas.finish()
    }

    /// As wide as the longest name of the legend needs, and the title.
    fn width(&self) -> f64 {
        let letters = |words: &str| words.chars().count() as f64;
        let names = self.series.iter().map(|series| letters(&series.name));
        let legend = LEGEND + 34.0 + names.fold(0.0, f64::max) * LETTER;
        let title = LEFT + letters(&self.title) * TITLE_LETTER;
        WIDTH.max(legend).max(title).ceil()
    }

    fn frame(&self) -> Frame {
        let points = || self.series.iter().flat_map(|series| series.points.iter());
        let places = self.guides.iter().filter_map(|guide| match guide {
            Guide::Place(value, _) => Some(*value),
            Guide::Height(..) => None,
        });
        let heights = self.guides.iter().filter_map(|guide| match guide {
            Guide::Height(value, _) => Some(*value),
            Guide::Place(..) => None,
        });
        let has = |shape: Shape| self.series.iter().any(|series| series.shape == shape);
        let (stairs, bars) = (has(Shape::Stairs), has(Shape::Bars));
        let along = points().map(|point| point.0).chain(places);
        let up = points().map(|point| point.1).chain(heights);
        Frame {
            x: self.x.scale.fit(along, stairs),
            y: self.y.scale.fit(up, stairs || bars),
        }
    }

    fn draw_axes(&self, canvas: &mut Canvas, frame: &Frame) {
        for (value, label) in frame.y.ticks() {
            let Some(y) = frame.up(value) else { continue };
            canvas.line((LEFT, y), (RIGHT, y), "stroke=\"#e2e2e2\"");
            canvas.text((LEFT - 8.0, y + 4.0), Anchor::End, "fill=\"#555\"", &label);
        }
        for (value, label) in frame.x.ticks() {
            let Some(x) = frame.along(value) else {
                continue;
            };
            canvas.line((x, BOTTOM), (x, BOTTOM + 5.0), "stroke=\"#888\"");
            canvas.text((x, BOTTOM + 19.0), Anchor::Middle, "fill=\"#555\"", &label);
        }
        canvas.line((LEFT, BOTTOM), (RIGHT, BOTTOM), "stroke=\"#888\"");
        canvas.line((LEFT, TOP), (LEFT, BOTTOM), "stroke=\"#888\"");
        let middle = f64::midpoint(LEFT, RIGHT);
        canvas.text((middle, BOTTOM + 44.0), Anchor::Middle, "", &self.x.label);
        let height = f64::midpoint(TOP, BOTTOM);
        let turned = format!("transform=\"rotate(-90 18 {height:.1})\"");
        canvas.text((18.0, height), Anchor::Middle, &turned, &self.y.label);
    }

    fn draw_series(&self, canvas: &mut Canvas, frame: &Frame, series: &Series) {
        let style = stroke(series);
        let shown: Vec<_> = series
            .points
            .iter()
            .filter_map(|value| Some((*value, frame.point(*value)?)))
            .collect();
        let placed: Vec<(f64, f64)> = shown.iter().map(|(_, place)| *place).collect();
        match series.shape {
            // They are drawn before all else: see `draw_bars`.
            Shape::Bars => {}
            Shape::Stairs if placed.is_empty() => {}
            Shape::Stairs => canvas.polyline(&stairs(&placed), &style),
            Shape::Line => {
                canvas.polyline(&placed, &style);
                for (value, place) in &shown {
                    canvas.dot(*place, &dot(series), &self.tip(series, *value));
                }
            }
        }
    }

    /// Draws the bars of all series, the highest first, and those of one value next to each other:
    /// none hides another.
    fn draw_bars(&self, canvas: &mut Canvas, frame: &Frame) {
        let with_bars = || {
            self.series
                .iter()
                .filter(|series| series.shape == Shape::Bars)
        };
        let all = with_bars().count().max(1) as f64;
        let width = (BARS / all).clamp(LEAST, BAR);
        let mut bars = Vec::new();
        for (place, series) in with_bars().enumerate() {
            let aside = (place as f64 - all / 2.0) * width;
            for value in &series.points {
                let Some((x, y)) = frame.point(*value) else {
                    continue;
                };
                let corner = (
                    (x + aside).clamp(LEFT, RIGHT - width),
                    y.min(BOTTOM - LEAST),
                );
                bars.push((corner, series, *value));
            }
        }
        bars.sort_by(|left, right| left.0.1.total_cmp(&right.0.1));
        for (corner, series, value) in bars {
            let fill = format!("fill=\"{}\"", colour(series.colour));
            let size = (width, BOTTOM - corner.1);
            canvas.bar(corner, size, &fill, &self.tip(series, value));
        }
    }

    fn tip(&self, series: &Series, (x, y): (f64, f64)) -> String {
        format!(
            "{}: {} at {} {}",
            series.name,
            label(y),
            label(x),
            self.x.label
        )
    }

    fn draw_legend(&self, canvas: &mut Canvas) {
        for (index, series) in self.series.iter().enumerate() {
            let y = TOP + 8.0 + index as f64 * LEGEND_STEP;
            let (from, to) = ((LEGEND, y), (LEGEND + 26.0, y));
            canvas.line(from, to, &stroke(series));
            if series.shape == Shape::Line {
                canvas.dot((LEGEND + 13.0, y), &dot(series), &series.name);
            }
            canvas.text((LEGEND + 34.0, y + 4.0), Anchor::Start, "", &series.name);
        }
    }
}

fn draw_guide(canvas: &mut Canvas, frame: &Frame, guide: &Guide) {
    let style = "stroke=\"#b00020\" stroke-dasharray=\"2 3\"";
    match guide {
        Guide::Height(value, words) => {
            let Some(y) = frame.up(*value) else { return };
            canvas.line((LEFT, y), (RIGHT, y), style);
            canvas.text(
                (RIGHT - 4.0, y - 5.0),
                Anchor::End,
                "fill=\"#b00020\"",
                words,
            );
        }
        Guide::Place(value, words) => {
            let Some(x) = frame.along(*value) else { return };
            canvas.line((x, TOP), (x, BOTTOM), style);
            canvas.text(
                (x - 4.0, TOP + 12.0),
                Anchor::End,
                "fill=\"#b00020\"",
                words,
            );
        }
    }
}

fn stroke(series: &Series) -> String {
    let dash = match series.origin {
        Origin::Ours => "",
        Origin::Theirs => " stroke-dasharray=\"6 4\"",
    };
    format!(
        "stroke=\"{}\" stroke-width=\"2\"{dash}",
        colour(series.colour)
    )
}

fn dot(series: &Series) -> String {
    let colour = colour(series.colour);
    match series.origin {
        Origin::Ours => format!("fill=\"{colour}\""),
        Origin::Theirs => format!("fill=\"#fff\" stroke=\"{colour}\" stroke-width=\"1.5\""),
    }
}

/// The corners of the stairs down through the points, from the axis up to the axis along.
fn stairs(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners = Vec::new();
    let mut from = LEFT;
    for &(x, y) in points {
        corners.extend([(from, y), (x, y)]);
        from = x;
    }
    corners.push((from, BOTTOM));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(scale: Scale) -> Chart {
        Chart {
            title: "Send & receive".into(),
            x: Axis {
                label: "threads".into(),
                scale: Scale::Steps,
            },
            y: Axis {
                label: "cycles (modelled)".into(),
                scale,
            },
            series: vec![Series {
                name: "direct".into(),
                points: vec![(0.0, 80.0), (1000.0, 80.0)],
                origin: Origin::Ours,
                colour: 0,
                shape: Shape::Line,
            }],
            guides: vec![Guide::Height(90.0, "goal".into())],
        }
    }

    #[test]
    fn a_flat_series_is_a_flat_line() {
        let svg = example(Scale::Log).to_svg();
        let line = svg
            .lines()
            .find(|line| line.starts_with("<polyline"))
            .unwrap();
        let points = line.split('"').nth(1).unwrap();
        let heights: Vec<&str> = points
            .split(' ')
            .map(|point| point.split(',').nth(1).unwrap())
            .collect();
        assert_eq!(heights.len(), 2);
        assert_eq!(heights[0], heights[1]);
    }

    #[test]
    fn a_single_value_shows() {
        for (scale, point) in [
            (Scale::Linear, 0.0),
            (Scale::Log, 0.0),
            (Scale::Log, 1000.0),
        ] {
            let mut chart = example(scale);
            chart.series[0].points = vec![(point, 80.0)];
            // One in the chart, one in the legend.
            assert_eq!(chart.to_svg().matches("<circle").count(), 2, "{point}");
        }
    }

    #[test]
    fn a_point_without_a_place_is_left_out_and_zero_has_one() {
        let mut chart = example(Scale::Log);
        chart.series[0].points.push((500.0, -1.0));
        // Two dots in the chart, one in the legend.
        assert_eq!(chart.to_svg().matches("<circle").count(), 3);
        chart.series[0].points.push((500.0, 0.0));
        assert_eq!(chart.to_svg().matches("<circle").count(), 4);
    }

    #[test]
    fn stairs_go_down_from_the_axis_to_the_axis() {
        assert_eq!(
            stairs(&[(100.0, 50.0), (120.0, 70.0)]),
            [
                (LEFT, 50.0),
                (100.0, 50.0),
                (100.0, 70.0),
                (120.0, 70.0),
                (120.0, BOTTOM)
            ]
        );
    }

    #[test]
    fn the_same_chart_gives_the_same_bytes() {
        assert_eq!(
            example(Scale::Linear).to_svg(),
            example(Scale::Linear).to_svg()
        );
    }
}
