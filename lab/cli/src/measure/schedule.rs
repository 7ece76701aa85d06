//! The recording of who ran when, out of the clock's record.

use std::collections::BTreeMap;

use taktos_emulator::{Edge, Record, several};
use taktos_export::{Recording, TimeUnit};
use taktos_trace::{Event, Kind, Thread};

/// The names given to what has none yet, in the order of first mention.
#[derive(Default)]
struct Names<'a> {
    known: BTreeMap<(u64, &'a str), usize>,
    list: Vec<String>,
}

impl<'a> Names<'a> {
    /// The index of a name; `tag` tells apart what bears the same name.
    fn index(&mut self, tag: u64, name: &'a str) -> usize {
        *self.known.entry((tag, name)).or_insert_with(|| {
            self.list.push(name.to_owned());
            self.list.len() - 1
        })
    }
}

/// The schedule and the marks of a run, in the order of their time.
pub fn record_schedule(record: &Record) -> Recording {
    let mut recording = Recording::new(TimeUnit::Instructions);
    let (mut threads, mut marks) = (Names::default(), Names::default());
    let mut switches = record.switches.iter().peekable();
    let mut passings = record.marks.iter().peekable();
    let mut running = Thread::IDLE;
    loop {
        let next_switch = switches.peek().map(|switch| switch.total.instructions);
        let next_mark = passings.peek().map(|passing| passing.total.instructions);
        let (at, kind, argument) = match (next_switch, next_mark) {
            (None, None) => break,
            (Some(at), mark) if mark.is_none_or(|mark| at <= mark) => {
                let Some(switch) = switches.next() else { break };
                running = match switch.thread {
                    0 => Thread::IDLE,
                    block => thread(threads.index(block, &switch.name)),
                };
                (at, Kind::Switch, 0)
            }
            _ => {
                let Some(passing) = passings.next() else {
                    break;
                };
                let index = marks.index(0, &passing.mark.name);
                (passing.total.instructions, kind(passing.mark.edge), index)
            }
        };
        let argument = u32::try_from(argument).unwrap_or(u32::MAX);
        recording.events.push(Event {
            at,
            argument,
            thread: running,
            processor: 0,
            kind,
        });
    }
    recording.end = record.total.instructions;
    recording.threads = threads.list;
    recording.marks = marks.list;
    recording
}

/// The schedule and the marks of a run on several processors, in the order of the common clock: where two
/// processors ran apart by less than a quantum, not always in that of cause and effect.
pub fn record_schedule_of_several(record: &several::Record) -> Recording {
    let mut recording = Recording::new(TimeUnit::ClockNanoseconds);
    let (mut threads, mut marks) = (Names::default(), Names::default());
    // Each processor's events are in order; a stable sort keeps that.
    let mut switches: Vec<&several::Switch> = record.switches.iter().collect();
    let mut passings: Vec<&several::Passing> = record.marks.iter().collect();
    switches.sort_by_key(|switch| switch.at);
    passings.sort_by_key(|passing| passing.total.at);
    let mut running = vec![Thread::IDLE; record.processors.len()];
    let (mut switches, mut passings) = (
        switches.into_iter().peekable(),
        passings.into_iter().peekable(),
    );
    loop {
        let (next, mark) = (
            switches.peek().map(|switch| switch.at),
            passings.peek().map(|passing| passing.total.at),
        );
        let switch_first = next.is_some_and(|at| mark.is_none_or(|mark| at <= mark));
        let (at, processor, kind, argument) = if switch_first && let Some(switch) = switches.next()
        {
            if let Some(running) = running.get_mut(switch.processor) {
                *running = match switch.thread {
                    0 => Thread::IDLE,
                    block => thread(threads.index(block, &switch.name)),
                };
            }
            (switch.at, switch.processor, Kind::Switch, 0)
        } else if let Some(passing) = passings.next() {
            let index = marks.index(0, &passing.mark.name);
            (
                passing.total.at,
                passing.processor,
                kind(passing.mark.edge),
                index,
            )
        } else {
            break;
        };
        recording.events.push(Event {
            at,
            argument: u32::try_from(argument).unwrap_or(u32::MAX),
            thread: running.get(processor).copied().unwrap_or(Thread::IDLE),
            processor: u8::try_from(processor).unwrap_or(u8::MAX),
            kind,
        });
    }
    recording.end = record.end();
    recording.threads = threads.list;
    recording.marks = marks.list;
    recording
}

/// A thread by its index; more threads than a record can tell apart share the
/// last number below the idle one.
fn thread(index: usize) -> Thread {
    Thread(
        u16::try_from(index)
            .unwrap_or(u16::MAX)
            .min(Thread::IDLE.0 - 1),
    )
}

const fn kind(edge: Edge) -> Kind {
    match edge {
        Edge::Begin => Kind::Begin,
        Edge::End => Kind::End,
        Edge::Point => Kind::Point,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::observation::tests::record as marked;
    use std::sync::Arc;
    use taktos_emulator::{Count, Mark, Switch};

    fn record() -> Record {
        let mut record = marked("", &[("give", Edge::Begin, 20), ("give", Edge::End, 45)]);
        let switch = |thread, name: &str, at| Switch {
            thread,
            name: name.into(),
            total: Count {
                instructions: at,
                cycles: at,
            },
        };
        record.switches = vec![
            switch(0x100, "worker", 5),
            switch(0x200, "worker", 30),
            switch(0x100, "worker", 60),
            switch(0, "0x00000000", 70),
        ];
        record.total.instructions = 80;
        record
    }

    #[test]
    fn switches_and_marks_are_merged_by_their_time() {
        let recording = record_schedule(&record());
        let seen: Vec<_> = recording
            .events
            .iter()
            .map(|event| (event.at, event.kind, event.thread.0))
            .collect();
        assert_eq!(
            seen,
            [
                (5, Kind::Switch, 0),
                (20, Kind::Begin, 0),
                (30, Kind::Switch, 1),
                (45, Kind::End, 1),
                (60, Kind::Switch, 0),
                (70, Kind::Switch, Thread::IDLE.0),
            ]
        );
        assert_eq!(recording.end, 80);
        // Two threads of one name are two threads.
        assert_eq!(recording.threads, ["worker", "worker"]);
    }

    #[test]
    fn processors_are_merged_by_the_common_clock() {
        let switch = |processor, thread, name: &str, at| several::Switch {
            processor,
            thread,
            name: name.into(),
            at,
            total: Count::default(),
        };
        let mark = Arc::new(Mark {
            edge: Edge::Begin,
            name: "give".into(),
        });
        let total = |at| several::Total {
            at,
            ..several::Total::default()
        };
        let record = several::Record {
            console: String::new(),
            exit_status: 0,
            marks: vec![several::Passing {
                processor: 1,
                mark,
                asleep: 0,
                total: total(40),
            }],
            // Processor 0 had its turn first, and ran ahead.
            switches: vec![
                switch(0, 0x100, "left", 10),
                switch(0, 0x200, "right", 90),
                switch(1, 0x100, "left", 30),
                switch(1, 0, "none", 95),
            ],
            processors: vec![total(100), total(97)],
            phase_names: Vec::new(),
            modelled: false,
            quantum: 100,
        };
        let recording = record_schedule_of_several(&record);
        let seen: Vec<_> = recording
            .events
            .iter()
            .map(|e| (e.at, e.processor, e.kind, e.thread.0))
            .collect();
        assert_eq!(
            seen,
            [
                (10, 0, Kind::Switch, 0),
                (30, 1, Kind::Switch, 0),
                (40, 1, Kind::Begin, 0),
                (90, 0, Kind::Switch, 1),
                (95, 1, Kind::Switch, Thread::IDLE.0),
            ]
        );
        assert_eq!((recording.end, recording.marks.len()), (100, 1));
        assert_eq!(Recording::from_bytes(&recording.to_bytes()), Ok(recording));
    }
}
