//! The switches of a recording as intervals of running threads.

use taktos_trace::{Kind, Thread};

use crate::Basis;
use crate::recording::Recording;
use crate::table::{Column, Table};

/// One thread runs on one processor without a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Running thread; [`Thread::IDLE`] if no thread runs.
    pub thread: Thread,
    /// Where.
    pub processor: u8,
    /// From when.
    pub begin: u64,
    /// Until when, not included.
    pub end: u64,
}

/// The intervals of a recording, in the order of their begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// The intervals.
    pub spans: Vec<Span>,
}

impl Timeline {
    /// Reads the intervals out of a recording. The last of each processor
    /// ends with the recording.
    #[must_use]
    pub fn of(recording: &Recording) -> Self {
        let mut running: [Option<usize>; 256] = [None; 256];
        let mut spans: Vec<Span> = Vec::new();
        for event in recording
            .events
            .iter()
            .filter(|event| event.kind == Kind::Switch)
        {
            let open = &mut running[usize::from(event.processor)];
            if let Some(before) = open.replace(spans.len()) {
                spans[before].end = event.at;
            }
            spans.push(Span {
                thread: event.thread,
                processor: event.processor,
                begin: event.at,
                end: recording.end.max(event.at),
            });
        }
        Self { spans }
    }

    /// The part of the timeline in `from..to`, cut at its edges.
    #[must_use]
    pub fn window(&self, from: u64, to: u64) -> Self {
        let cut = |span: &Span| Span {
            begin: span.begin.max(from),
            end: span.end.min(to),
            ..*span
        };
        let spans = self
            .spans
            .iter()
            .map(cut)
            .filter(|span| span.begin < span.end);
        Self {
            spans: spans.collect(),
        }
    }

    /// The intervals as a table: one row each.
    #[must_use]
    pub fn table(&self, recording: &Recording) -> Table {
        let basis = Basis::Ours(recording.unit.evidence());
        let unit = recording.unit.name();
        let mut table = Table::new(
            "Schedule",
            vec![
                Column::label("processor"),
                Column::label("thread"),
                Column::figures(format!("begin, {unit}"), basis.clone()),
                Column::figures(format!("end, {unit}"), basis.clone()),
                Column::figures(format!("length, {unit}"), basis),
            ],
        );
        for span in &self.spans {
            table.push(vec![
                u64::from(span.processor).into(),
                recording.thread_name(span.thread).into(),
                span.begin.into(),
                span.end.into(),
                (span.end - span.begin).into(),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::tests::example;

    fn shown(timeline: &Timeline) -> Vec<(u16, u64, u64)> {
        timeline
            .spans
            .iter()
            .map(|span| (span.thread.0, span.begin, span.end))
            .collect()
    }

    #[test]
    fn each_switch_ends_the_interval_before() {
        let timeline = Timeline::of(&example());
        let idle = Thread::IDLE.0;
        assert_eq!(
            shown(&timeline),
            [(0, 10, 40), (1, 40, 60), (idle, 60, 80), (0, 80, 100)]
        );
    }

    #[test]
    fn a_window_cuts_at_its_edges() {
        let timeline = Timeline::of(&example()).window(35, 60);
        assert_eq!(shown(&timeline), [(0, 35, 40), (1, 40, 60)]);
    }

    #[test]
    fn processors_do_not_end_each_other() {
        let mut recording = example();
        recording.events[2].processor = 1;
        let timeline = Timeline::of(&recording);
        assert_eq!(timeline.spans[0].end, 60);
        assert_eq!(timeline.spans[1].end, 100);
    }

    #[test]
    fn the_table_names_threads() {
        let recording = example();
        let csv = Timeline::of(&recording).table(&recording).to_csv();
        assert!(
            csv.contains("\n0,filter,40,60,20\n0,(idle),60,80,20\n"),
            "{csv}"
        );
    }
}
