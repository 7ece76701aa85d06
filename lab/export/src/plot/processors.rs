//! A schedule as a Gantt chart with a lane for each processor: a bar for each time that a thread
//! runs there, in the thread's colour, and below them the legend of the colours.

use taktos_trace::Thread;

use super::canvas::{Anchor, Canvas};
use super::colour;
use super::gantt::{LANE, LEFT, TOP, WIDTH, Window, draw_axis, draw_bar, label_lane};
use crate::{Recording, Timeline};

/// Colour of idle processors, and of idle threads.
const IDLE: &str = "#d8d8d8";
/// Number of names next to each other below the lanes.
const COLUMNS: usize = 6;
/// How wide each of them is, and how high.
const NAME: (f64, f64) = (148.0, 20.0);

/// The part `from..to` of a recording as an SVG.
#[must_use]
pub fn gantt_of_processors(recording: &Recording, title: &str, from: u64, to: u64) -> String {
    let window = Window::of(from, to);
    let timeline = Timeline::of(recording).window(window.from, window.to);
    let of_all = |key: fn(&crate::Span) -> u16| {
        let mut keys: Vec<u16> = timeline.spans.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let processors = of_all(|span| span.processor.into());
    let threads = of_all(|span| span.thread.0);
    let names = threads.len().div_ceil(COLUMNS) as f64 * NAME.1;
    let bottom = TOP + processors.len() as f64 * LANE + 4.0;
    let mut canvas = Canvas::new(WIDTH, bottom + 56.0 + names, title);
    let style = "font-size=\"15\" font-weight=\"600\"";
    canvas.text((LEFT, 24.0), Anchor::Start, style, title);
    draw_axis(&mut canvas, &window, recording.unit, bottom);
    for (lane, processor) in processors.iter().enumerate() {
        label_lane(&mut canvas, lane, &format!("processor {processor}"));
    }
    for span in &timeline.spans {
        let number = u16::from(span.processor);
        let Some(lane) = processors.iter().position(|there| *there == number) else {
            continue;
        };
        draw_bar(
            &mut canvas,
            &window,
            lane,
            (span.begin, span.end),
            &format!("fill=\"{}\"", fill(recording, span.thread)),
            recording.thread_name(span.thread),
        );
    }
    for (place, thread) in threads.into_iter().enumerate() {
        let (x, y) = (
            LEFT + (place % COLUMNS) as f64 * NAME.0,
            bottom + 52.0 + (place / COLUMNS) as f64 * NAME.1,
        );
        let (name, style) = (
            recording.thread_name(Thread(thread)),
            format!("fill=\"{}\"", fill(recording, Thread(thread))),
        );
        canvas.bar((x, y), (10.0, 10.0), &style, name);
        canvas.text((x + 15.0, y + 9.0), Anchor::Start, "", name);
    }
    canvas.finish()
}

/// A thread's colour; those that only fill the time have none.
fn fill(recording: &Recording, thread: Thread) -> &'static str {
    match thread == Thread::IDLE || recording.thread_name(thread) == "idle" {
        true => IDLE,
        false => colour(usize::from(thread.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::tests::example;

    #[test]
    fn each_processor_has_a_lane_and_each_thread_a_colour() {
        let mut recording = example();
        recording.events[2].processor = 1; // the switch to `filter` at 40
        let svg = gantt_of_processors(&recording, "Two", 0, 100);
        assert_eq!(svg.matches(">processor 0<").count(), 1);
        assert_eq!(svg.matches(">processor 1<").count(), 1);
        assert_eq!(
            svg.matches("<title>sensor: 10 to 60, 50</title>").count(),
            1
        );
        assert_eq!(
            svg.matches("<title>filter: 40 to 100, 60</title>").count(),
            1
        );
        // Two bars and the legend; in one no thread runs, and it is in the legend, too.
        assert_eq!(svg.matches(&format!("fill=\"{}\"", colour(0))).count(), 3);
        assert_eq!(svg.matches(&format!("fill=\"{IDLE}\"")).count(), 2);
    }

    #[test]
    fn a_window_shows_what_runs_in_it() {
        let svg = gantt_of_processors(&example(), "Part", 0, 40);
        assert!(svg.contains("sensor") && !svg.contains("filter"));
        assert!(svg.contains(">processor 0<"));
    }
}
