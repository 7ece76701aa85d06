//! Stretches in which the processors of an instance are all busy: the past on which the length of a
//! job depends.
//!
//! While a processor idles, every active job executes, and none waits for another. So the jobs for
//! which a job waited are in the stretch without idling before it. A job that executes through from
//! one such stretch to the next carries its delay into the next: the two are one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use taktos_export::{Recording, Timeline};

/// The stretches of a schedule, in order, in which no processor of an instance idles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlog(Vec<Range<u64>>);

/// One pass over the spans of an instance.
struct Pass {
    processors: usize,
    running: BTreeMap<u8, u16>,
    /// Threads that have executed without a pause since the last stretch ended.
    through: BTreeSet<u16>,
    since: Option<u64>,
    found: Vec<Range<u64>>,
}

impl Backlog {
    /// Of the processors of an instance up to an instant. The first `busy` threads of the recording
    /// work, all others are idle.
    pub fn of(recording: &Recording, busy: usize, cpus: &Range<usize>, until: u64) -> Self {
        let mut pass = Pass {
            processors: cpus.len(),
            running: BTreeMap::new(),
            through: BTreeSet::new(),
            since: None,
            found: Vec::new(),
        };
        for span in Timeline::of(recording).window(0, until).spans {
            if cpus.contains(&usize::from(span.processor)) {
                let thread = Some(span.thread.0).filter(|thread| usize::from(*thread) < busy);
                pass.switch(span.begin, span.processor, thread);
            }
        }
        pass.end(until);
        Self(pass.found)
    }

    /// Returns the begin of the first stretch without an idle processor that touches `from..to`,
    /// `from` at the latest; `from` if there is none.
    pub fn begin(&self, from: u64, to: u64) -> u64 {
        let touched = self
            .0
            .iter()
            .find(|full| full.end >= from && full.start < to);
        touched.map_or(from, |full| full.start.min(from))
    }
}

impl Pass {
    fn switch(&mut self, at: u64, processor: u8, thread: Option<u16>) {
        let before = match thread {
            Some(thread) => self.running.insert(processor, thread),
            None => self.running.remove(&processor),
        };
        if before != thread {
            before.map(|before| self.through.remove(&before));
        }
        match (self.since, self.running.len() == self.processors) {
            (Some(since), false) => {
                self.found.push(since..at);
                self.through = self.running.values().copied().collect();
                self.since = None;
            }
            (None, true) => {
                let joined = self.found.pop_if(|_| !self.through.is_empty());
                self.since = Some(joined.map_or(at, |last| last.start));
            }
            _ => {}
        }
    }

    fn end(&mut self, at: u64) {
        if let Some(since) = self.since {
            self.found.push(since..at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos_export::TimeUnit;
    use taktos_trace::{Event, Kind, Thread};

    const IDLE: u16 = u16::MAX;

    /// Of two processors: processor, thread, time.
    fn backlog(switches: &[(u8, u16, u64)]) -> Backlog {
        let event = |(processor, thread, at): &(u8, u16, u64)| Event {
            at: *at,
            argument: 0,
            thread: Thread(*thread),
            processor: *processor,
            kind: Kind::Switch,
        };
        let mut recording = Recording::new(TimeUnit::Nanoseconds);
        recording.events = switches.iter().map(event).collect();
        recording.end = 100;
        Backlog::of(&recording, 3, &(0..2), 90)
    }

    fn stretches(all: &[(u64, u64)]) -> Backlog {
        Backlog(all.iter().map(|(from, to)| *from..*to).collect())
    }

    #[test]
    fn stretches_without_idling_are_found() {
        let found = backlog(&[
            (0, 0, 5),
            (1, 1, 10),
            (0, 2, 15),
            (1, IDLE, 20),
            (0, IDLE, 25),
        ]);
        assert_eq!(found, stretches(&[(10, 20)]));
        assert_eq!(
            (
                found.begin(12, 30),
                found.begin(20, 21),
                found.begin(21, 40)
            ),
            (10, 10, 21)
        );
        // It begins while the job is there.
        assert_eq!(found.begin(5, 18), 5);
    }

    #[test]
    fn a_thread_that_executes_through_joins_two_stretches() {
        let begin = [(0, 0, 5), (1, 1, 10), (1, IDLE, 20)];
        let all = |more: &[(u8, u16, u64)]| backlog(&[&begin, more].concat());
        // 0 has executed since before the first.
        assert_eq!(all(&[(1, 2, 30), (0, IDLE, 40)]), stretches(&[(10, 40)]));
        // Another one has taken its place between them.
        assert_eq!(
            all(&[(0, 1, 25), (1, 2, 30)]),
            stretches(&[(10, 20), (30, 90)])
        );
    }
}
