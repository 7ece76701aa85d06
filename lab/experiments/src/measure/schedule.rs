//! The recording of a schedule, out of the clock's record.

use std::collections::BTreeMap;

use taktos_abi::layout::wait;
use taktos_emulator::{self as emulator, Edge, Mark, Record, Turn, Wake};
use taktos_export::{Recording, TimeUnit};
use taktos_trace::{Awaited, Event, Handover, Kind, Left, Thread, Waking};

/// The names given to what has none yet, in the order of first mention.
#[derive(Default)]
struct Names<'a> {
    known: BTreeMap<(u64, &'a str), usize>,
    list: Vec<String>,
}

impl<'a> Names<'a> {
    /// Returns the index of a name; `tag` distinguishes objects of the same name.
    fn index(&mut self, tag: u64, name: &'a str) -> usize {
        *self.known.entry((tag, name)).or_insert_with(|| {
            self.list.push(name.to_owned());
            self.list.len() - 1
        })
    }
}

/// Item of a recording: its instant, and its processor.
struct Item<'a> {
    at: u64,
    processor: usize,
    what: What<'a>,
}

enum What<'a> {
    Switch(u64, &'a str, Turn),
    Wake(&'a Wake),
    Mark(&'a Mark),
    /// How many instructions the processor has executed since its start.
    Executed(u64),
}

/// The schedule and the marks of a run, in the order of the common clock: where two processors ran
/// apart by less than a quantum, not always in that of cause and effect. `cpu` is what each of them
/// is called.
pub fn record_schedule(record: &Record, cpu: &str) -> Recording {
    let switches = record.switches.iter().map(|switch| Item {
        at: switch.at,
        processor: switch.processor,
        what: What::Switch(switch.thread, &switch.name, switch.turn),
    });
    let executed = |processor, at, total: emulator::Count| Item {
        at,
        processor,
        what: What::Executed(total.instructions),
    };
    let counts = record
        .switches
        .iter()
        .map(|switch| executed(switch.processor, switch.at, switch.total));
    let ends = record.processors.iter().enumerate();
    // A processor that sleeps when its time is over has executed nothing until then.
    let over = record.given.unwrap_or(0);
    let ends = ends.map(|(processor, total)| executed(processor, total.at.max(over), total.count));
    let marks = record.marks.iter().map(|passing| Item {
        at: passing.total.at,
        processor: passing.processor,
        what: What::Mark(&passing.mark),
    });
    let items = wakes(&record.wakes)
        .chain(counts)
        .chain(ends)
        .chain(switches)
        .chain(marks);
    let recording = recording(items.collect(), record.end());
    Recording {
        processors: vec![cpu.to_owned(); record.processors.len()],
        ..recording
    }
}

fn wakes<'a>(wakes: &'a [Wake]) -> impl Iterator<Item = Item<'a>> {
    wakes.iter().map(|wake| Item {
        at: wake.at,
        processor: wake.processor,
        what: What::Wake(wake),
    })
}

/// At one time a thread first becomes ready, then has the processor, then passes marks.
fn recording(mut items: Vec<Item<'_>>, end: u64) -> Recording {
    // The events of one processor are in order; a stable sort preserves that.
    items.sort_by_key(|item| item.at);
    let names = items.iter().filter_map(|item| match item.what {
        What::Switch(block, name, _) => Some((block, name)),
        _ => None,
    });
    let mut made = Made {
        named: names.collect(),
        ..Made::default()
    };
    for item in &items {
        made.add(item);
    }
    let mut recording = Recording::new(TimeUnit::ClockNanoseconds);
    recording.end = items.last().map_or(end, |last| end.max(last.at));
    recording.events = made.events;
    recording.threads = made.threads.list;
    recording.marks = made.marks.list;
    recording
}

/// The events that are made of items, and what is known on the way.
#[derive(Default)]
struct Made<'a> {
    /// The names of control blocks.
    named: BTreeMap<u64, &'a str>,
    threads: Names<'a>,
    marks: Names<'a>,
    running: BTreeMap<usize, Thread>,
    executed: BTreeMap<usize, u64>,
    events: Vec<Event>,
}

impl<'a> Made<'a> {
    fn add(&mut self, item: &Item<'a>) {
        let running = self.running.get(&item.processor).copied();
        let running = running.unwrap_or(Thread::IDLE);
        match item.what {
            What::Switch(block, name, turn) => {
                let thread = match block {
                    0 => Thread::IDLE,
                    _ if turn.is_idle => Thread::IDLE,
                    block => self.thread(block, name),
                };
                self.running.insert(item.processor, thread);
                self.push(item, Kind::Switch, thread, handover(turn).to_argument());
            }
            What::Wake(wake) => {
                let Some(name) = self.named.get(&wake.thread) else {
                    return;
                };
                let thread = self.thread(wake.thread, name);
                let waking = Waking {
                    awaited: Some(awaited(wake.waited)),
                    by: Some(running).filter(|by| *by != Thread::IDLE && !wake.by_handler),
                };
                self.push(item, Kind::Wake, thread, waking.to_argument());
            }
            What::Mark(mark) => {
                let index = u32::try_from(self.marks.index(0, &mark.name)).unwrap_or(u32::MAX);
                self.push(item, kind(mark.edge), running, index);
            }
            What::Executed(total) => {
                let before = self.executed.insert(item.processor, total).unwrap_or(0);
                let mut more = total.saturating_sub(before);
                while more > 0 {
                    let part = u32::try_from(more).unwrap_or(u32::MAX);
                    self.push(item, Kind::Executed, running, part);
                    more -= u64::from(part);
                }
            }
        }
    }

    /// Returns a thread by its control block; threads beyond those that a record can distinguish
    /// share the last number below the idle one.
    fn thread(&mut self, block: u64, name: &'a str) -> Thread {
        let index = u16::try_from(self.threads.index(block, name));
        Thread(index.unwrap_or(u16::MAX).min(Thread::IDLE.0 - 1))
    }

    fn push(&mut self, item: &Item<'_>, kind: Kind, thread: Thread, argument: u32) {
        self.events.push(Event {
            at: item.at,
            argument,
            thread,
            processor: u8::try_from(item.processor).unwrap_or(u8::MAX),
            kind,
        });
    }
}

/// Returns the cause for which a thread waited, by the last word that stated it.
const fn awaited(word: u64) -> Awaited {
    let word = word as usize;
    match (word, word & wait::KIND) {
        (0, _) => Awaited::Resume,
        (wait::SLEEP, _) => Awaited::Time,
        (wait::LOCK, _) => Awaited::Lock,
        (wait::NOTIFICATION | wait::COUNT, _) => Awaited::Notification,
        (wait::DORMANT | wait::NON_EXISTENT, _) => Awaited::Start,
        (_, wait::RECEIVE) => Awaited::Message,
        (_, wait::SEND | wait::CALL) => Awaited::Receiver,
        (_, wait::REPLY) => Awaited::Reply,
        (_, wait::JOIN) => Awaited::End,
        (_, wait::MUTEX) => Awaited::Lock,
        _ => Awaited::Object,
    }
}

/// Returns the information of a switch in addition to the running thread.
pub fn handover(turn: Turn) -> Handover {
    let left = |left| match left {
        emulator::Left::Runnable => Left::Runnable,
        emulator::Left::Waiting => Left::Waiting,
        emulator::Left::Suspended => Left::Suspended,
    };
    Handover {
        left: turn.left.map(left),
        priority: turn.priority.map(u16::from),
    }
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
    use crate::measure::observation::tests::{passed, record as marked, total};
    use taktos_emulator::Switch;

    fn switch(processor: usize, thread: u64, name: &str, at: u64, instructions: u64) -> Switch {
        Switch {
            processor,
            thread,
            name: name.into(),
            at,
            total: total(at, instructions).count,
            turn: Turn::default(),
        }
    }

    fn record() -> Record {
        let mut record = marked("", &[("give", Edge::Begin, 20), ("give", Edge::End, 45)]);
        record.switches = vec![
            switch(0, 0x100, "worker", 5, 5),
            switch(0, 0x200, "worker", 30, 30),
            switch(0, 0x100, "worker", 60, 60),
            switch(0, 0, "0x00000000", 70, 70),
        ];
        record.processors = vec![total(80, 70)];
        record
    }

    #[test]
    fn switches_and_marks_are_merged_by_their_time() {
        let recording = record_schedule(&record(), "Cortex-M4F");
        let seen: Vec<_> = recording
            .events
            .iter()
            .map(|event| (event.at, event.kind, event.thread.0))
            .collect();
        // Each switch follows the count of executed instructions up to then, with the thread that
        // executed them.
        assert_eq!(
            seen,
            [
                (5, Kind::Executed, Thread::IDLE.0),
                (5, Kind::Switch, 0),
                (20, Kind::Begin, 0),
                (30, Kind::Executed, 0),
                (30, Kind::Switch, 1),
                (45, Kind::End, 1),
                (60, Kind::Executed, 1),
                (60, Kind::Switch, 0),
                (70, Kind::Executed, 0),
                (70, Kind::Switch, Thread::IDLE.0),
            ]
        );
        assert_eq!(recording.end, 80);
        // Two threads of one name are two threads.
        assert_eq!(recording.threads, ["worker", "worker"]);
    }

    #[test]
    fn processors_are_merged_by_the_common_clock() {
        let mut record = passed("", &[(Edge::Begin, "give", 1, 40, 0)]);
        // Processor 0 had its turn first, and ran ahead.
        record.switches = vec![
            switch(0, 0x100, "left", 10, 0),
            switch(0, 0x200, "right", 90, 0),
            switch(1, 0x100, "left", 30, 0),
            switch(1, 0, "none", 95, 0),
        ];
        record.processors = vec![total(100, 0), total(97, 0)];
        let recording = record_schedule(&record, "RV64");
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
