//! A schedule as a Gantt chart: a lane for each thread, a bar for each time
//! that it runs, and below a lane for each marked interval and each lock. In a
//! task's lane an arrow up is a release, an arrow down a deadline, red where the
//! job missed it.

use std::collections::BTreeMap;

use taktos_trace::{Event, Kind, Thread};

use super::canvas::{Anchor, Canvas};
use super::colour;
use super::scale::{Scale, label, time_unit};
use crate::table::thousands;
use crate::{Recording, TimeUnit, Timeline};

pub(super) const WIDTH: f64 = 1060.0;
pub(super) const LEFT: f64 = 150.0;
const RIGHT: f64 = 1040.0;
pub(super) const TOP: f64 = 44.0;
pub(super) const LANE: f64 = 24.0;
/// How wide a letter of a label is, about.
const LETTER: f64 = 7.0;
/// Width and height of a processor's name in the legend, and how many are next to each other.
const NAME: (f64, f64) = (108.0, 20.0);
const NAMES: usize = 8;
/// How narrow a bar may be to be seen.
const LEAST: f64 = 1.0;

/// Place of the window on the picture.
pub(super) struct Window {
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Window {
    /// From an instant to a later one, at least one after it.
    pub(super) fn of(from: u64, to: u64) -> Self {
        let to = to.max(from.saturating_add(1));
        Self { from, to }
    }

    fn along(&self, at: u64) -> f64 {
        let within = at.clamp(self.from, self.to) - self.from;
        LEFT + within as f64 / self.length() * (RIGHT - LEFT)
    }

    /// Returns how much it shows, at least one.
    fn length(&self) -> f64 {
        (self.to - self.from).max(1) as f64
    }
}

/// The part `from..to` of a recording as an SVG.
#[must_use]
pub fn gantt(recording: &Recording, title: &str, from: u64, to: u64) -> String {
    let window = Window::of(from, to);
    let timeline = Timeline::of(recording).window(window.from, window.to);
    let lanes = lanes(&timeline);
    let marks = marked(recording, &window);
    let processors = processors(&timeline);
    let names = if processors.len() > 1 {
        processors.len()
    } else {
        0
    };
    let legend = names.div_ceil(NAMES) as f64 * NAME.1;
    let height = TOP + (lanes.len() + marks.len()) as f64 * LANE + 60.0 + legend;
    let mut canvas = Canvas::new(WIDTH, height, title);
    canvas.text(
        (LEFT, 24.0),
        Anchor::Start,
        "font-size=\"15\" font-weight=\"600\"",
        title,
    );
    draw_axis(&mut canvas, &window, recording.unit, height - 56.0 - legend);
    draw_legend(&mut canvas, &processors[..names], height - legend + 2.0);
    for (lane, thread) in lanes.iter().enumerate() {
        label_lane(&mut canvas, lane, recording.thread_name(*thread));
    }
    for span in &timeline.spans {
        let Some(lane) = lanes.iter().position(|thread| *thread == span.thread) else {
            continue;
        };
        let idle = span.thread == Thread::IDLE;
        let fill = if idle {
            "#d8d8d8"
        } else {
            colour(usize::from(span.processor))
        };
        let name = recording.thread_name(span.thread);
        draw_bar(
            &mut canvas,
            &window,
            lane,
            (span.begin, span.end),
            &format!("fill=\"{fill}\""),
            name,
        );
    }
    for event in in_window(recording, &window) {
        let Some(lane) = lanes.iter().position(|thread| *thread == event.thread) else {
            continue;
        };
        draw_arrow(&mut canvas, &window, lane, event);
    }
    for (lane, (mark, intervals)) in (lanes.len()..).zip(&marks) {
        label_lane(&mut canvas, lane, mark);
        let style = format!("fill=\"none\" stroke=\"{}\"", colour(1));
        for interval in intervals {
            draw_bar(&mut canvas, &window, lane, *interval, &style, mark);
        }
    }
    canvas.finish()
}

/// The processors that run threads in the window, by number.
fn processors(timeline: &Timeline) -> Vec<u8> {
    let run = timeline
        .spans
        .iter()
        .filter(|span| span.thread != Thread::IDLE);
    let mut numbers: Vec<u8> = run.map(|span| span.processor).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Draws the legend of the colours of the processors.
fn draw_legend(canvas: &mut Canvas, processors: &[u8], y: f64) {
    for (place, processor) in processors.iter().enumerate() {
        let (column, row) = (place % NAMES, place / NAMES);
        let (x, y) = (LEFT + column as f64 * NAME.0, y + row as f64 * NAME.1);
        let style = format!("fill=\"{}\"", colour(usize::from(*processor)));
        let name = format!("processor {processor}");
        canvas.bar((x, y), (10.0, 10.0), &style, &name);
        canvas.text((x + 15.0, y + 9.0), Anchor::Start, "", &name);
    }
}

/// Returns the threads that run in the window: by index, the idle thread at the end.
fn lanes(timeline: &Timeline) -> Vec<Thread> {
    let mut lanes: Vec<Thread> = timeline.spans.iter().map(|span| span.thread).collect();
    lanes.sort_unstable();
    lanes.dedup();
    lanes
}

/// The marked intervals that begin in the window, by name.
fn marked<'a>(recording: &'a Recording, window: &Window) -> BTreeMap<&'a str, Vec<(u64, u64)>> {
    let mut open: BTreeMap<u32, u64> = BTreeMap::new();
    let mut found: BTreeMap<&str, Vec<(u64, u64)>> = BTreeMap::new();
    for event in recording.events.iter().filter(|event| event.at < window.to) {
        match event.kind {
            Kind::Begin | Kind::Lock => {
                open.insert(event.argument, event.at);
            }
            Kind::End | Kind::Unlock => {
                let Some(begin) = open.remove(&event.argument) else {
                    continue;
                };
                let Some(name) = recording.marks.get(event.argument as usize) else {
                    continue;
                };
                if begin >= window.from {
                    found.entry(name).or_default().push((begin, event.at));
                }
            }
            _ => {}
        }
    }
    // An interval that does not end in the window continues to its end.
    for (mark, begin) in open {
        let name = recording.marks.get(mark as usize);
        if let Some(name) = name.filter(|_| begin >= window.from) {
            found.entry(name).or_default().push((begin, window.to));
        }
    }
    found
}

/// The releases, deadlines and misses of the window.
fn in_window<'a>(
    recording: &'a Recording,
    window: &Window,
) -> impl Iterator<Item = &'a Event> + use<'a> {
    let (from, to) = (window.from, window.to);
    recording.events.iter().filter(move |event| {
        let arrow = matches!(event.kind, Kind::Release | Kind::Deadline | Kind::Miss);
        arrow && (from..=to).contains(&event.at)
    })
}

/// Draws the axis for times of this unit: nanoseconds are shown in the unit that suits the window.
pub(super) fn draw_axis(canvas: &mut Canvas, window: &Window, unit: TimeUnit, bottom: f64) {
    let (divisor, unit) = match unit {
        TimeUnit::Nanoseconds | TimeUnit::ClockNanoseconds => time_unit(window.to - window.from),
        _ => (1, unit.name()),
    };
    let length = window.length() / divisor as f64;
    for (value, label) in Scale::Linear.fit([length].into_iter(), true).ticks() {
        if value > length {
            break;
        }
        let x = LEFT + value / length * (RIGHT - LEFT);
        canvas.line((x, TOP - 4.0), (x, bottom + 5.0), "stroke=\"#e2e2e2\"");
        // The last one may be at the edge of the picture.
        let (x, anchor) = match x + label.len() as f64 * LETTER / 2.0 > WIDTH {
            true => (WIDTH - 2.0, Anchor::End),
            false => (x, Anchor::Middle),
        };
        canvas.text((x, bottom + 20.0), anchor, "fill=\"#555\"", &label);
    }
    let words = match window.from {
        0 => unit.to_owned(),
        from => format!("{unit}, from {} on", label(from as f64 / divisor as f64)),
    };
    let middle = f64::midpoint(LEFT, RIGHT);
    canvas.text((middle, bottom + 42.0), Anchor::Middle, "", &words);
}

pub(super) fn label_lane(canvas: &mut Canvas, lane: usize, name: &str) {
    let y = TOP + (lane as f64 + 0.5) * LANE + 4.0;
    canvas.text((LEFT - 10.0, y), Anchor::End, "", name);
    let rule = TOP + (lane as f64 + 1.0) * LANE;
    canvas.line((LEFT, rule), (RIGHT, rule), "stroke=\"#f0f0f0\"");
}

pub(super) fn draw_bar(
    canvas: &mut Canvas,
    window: &Window,
    lane: usize,
    (begin, end): (u64, u64),
    style: &str,
    name: &str,
) {
    let (x, until) = (window.along(begin), window.along(end));
    // A bar that is too short to be seen is drawn as wide as a line, inside the picture.
    let width = (until - x).max(LEAST);
    let corner = (x.min(RIGHT - width), TOP + lane as f64 * LANE + 4.0);
    let tip = format!(
        "{name}: {} to {}, {}",
        thousands(begin),
        thousands(end),
        thousands(end - begin)
    );
    canvas.bar(corner, (width, LANE - 8.0), style, &tip);
}

/// An arrow as high as the lane, with its head at its upper or lower end.
fn draw_arrow(canvas: &mut Canvas, window: &Window, lane: usize, event: &Event) {
    let x = window.along(event.at);
    let (top, bottom) = (
        TOP + lane as f64 * LANE + 1.0,
        TOP + (lane as f64 + 1.0) * LANE - 1.0,
    );
    let (tail, head) = match event.kind {
        Kind::Release => (bottom, top),
        _ => (top, bottom),
    };
    let barb = head + (tail - head) * 0.22;
    let colour = if event.kind == Kind::Miss {
        "#b00020"
    } else {
        "#222"
    };
    let path = [
        (x, tail),
        (x, head),
        (x - 2.5, barb),
        (x, head),
        (x + 2.5, barb),
    ];
    canvas.polyline(&path, &format!("stroke=\"{colour}\" stroke-width=\"1.2\""));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::tests::example;

    #[test]
    fn each_run_and_each_marked_interval_has_a_bar() {
        let svg = gantt(&example(), "All", 0, 100);
        assert_eq!(svg.matches("<title>sensor: ").count(), 2);
        assert_eq!(svg.matches("<title>filter: ").count(), 1);
        assert_eq!(svg.matches("<title>(idle): ").count(), 1);
        assert!(svg.contains("<title>direct-send: 25 to 45, 20</title>"));
    }

    #[test]
    fn releases_deadlines_and_misses_are_arrows() {
        let svg = gantt(&crate::jobs::tests::example(), "Jobs", 0, 20);
        assert_eq!(svg.matches("<polyline").count(), 6);
        assert_eq!(svg.matches("stroke=\"#b00020\"").count(), 1);
        assert!(svg.contains("<title>bus: 4 to 9, 5</title>"));
        // Releases point up, which is towards smaller heights; deadlines down.
        let arrows = svg.lines().filter(|line| line.starts_with("<polyline"));
        let up = |line: &str| {
            let points = line.split('"').nth(1).unwrap().split([',', ' ']);
            let numbers: Vec<f64> = points.map(|part| part.parse().unwrap()).collect();
            numbers[3] < numbers[1]
        };
        let directions: Vec<bool> = arrows.map(up).collect();
        assert_eq!(directions, [true, true, false, true, false, false]);
        let none = gantt(&crate::jobs::tests::example(), "Jobs", 16, 20);
        assert!(!none.contains("<polyline"));
    }

    #[test]
    fn a_window_shows_its_threads_only() {
        let svg = gantt(&example(), "Part", 0, 40);
        assert!(svg.contains("sensor") && !svg.contains("filter"));
    }
}
