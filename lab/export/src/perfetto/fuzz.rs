//! Any recording as a trace, decoded again.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;
use taktos_trace::{Event, Kind, Thread};

use std::collections::BTreeMap;

use super::marks::FIRST_MARK_TRACK;
use super::*;
use crate::{TimeUnit, jobs};

type Raw = (u64, u8, u8, u16, u32);

fn recording(names: Vec<String>, raw: &[Raw]) -> Recording {
    let kinds = Kind::ALL;
    let event = |(at, kind, processor, thread, argument): &Raw| Event {
        at: *at,
        argument: *argument,
        thread: Thread(*thread),
        processor: *processor % 4,
        kind: kinds[usize::from(*kind) % kinds.len()],
    };
    let mut events: Vec<Event> = raw.iter().map(event).collect();
    events.sort_by_key(|event| event.at);
    Recording {
        unit: TimeUnit::Instructions,
        end: events.last().map_or(0, |event| event.at),
        threads: names.clone(),
        processors: names.clone(),
        marks: names,
        events,
    }
}

/// Contents of the packets: names of threads and marks, switches of each processor, marks.
#[derive(Default)]
struct Seen {
    threads: Vec<String>,
    switches: Vec<(u32, u64, i32, i32)>,
    begun: usize,
    points: usize,
    open: BTreeMap<u64, i64>,
    jobs: usize,
    wakes: usize,
    executed: u64,
    processors: Vec<String>,
    /// The arrows that begin, and those that end: number and time.
    begins: Vec<(u64, u64)>,
    ends: Vec<(u64, u64)>,
    described: BTreeSet<u64>,
    used: BTreeSet<u64>,
}

impl Seen {
    fn event(&mut self, at: u64, event: &perfetto::TrackEvent) {
        self.used.extend(event.track_uuid);
        let ends = |flows: &[u64]| flows.iter().map(|flow| (*flow, at)).collect::<Vec<_>>();
        let (begins, ending) = (ends(&event.flow_ids), ends(&event.terminating_flow_ids));
        if is_mark(event.track_uuid) {
            let open = self.open.entry(event.track_uuid.unwrap()).or_default();
            match event.kind.unwrap() {
                1 => (self.begun, *open) = (self.begun + 1, *open + 1),
                2 => *open -= 1,
                _ => self.points += 1,
            }
            assert!((0..=1).contains(open), "one interval of a track at a time");
        } else if event.counter_value.is_some() {
            self.executed += 1;
        } else if begins.is_empty() && ending.is_empty() {
            self.jobs += 1;
        }
        self.begins.extend(begins);
        self.ends.extend(ending);
    }
}

/// Returns whether the track is one of the marks.
fn is_mark(track: Option<u64>) -> bool {
    track.is_some_and(|uuid| uuid >= FIRST_MARK_TRACK)
}

fn seen(bytes: &[u8]) -> Seen {
    let mut seen = Seen::default();
    for packet in perfetto::Trace::decode(bytes).unwrap().packet {
        match packet.data.unwrap() {
            perfetto::Data::ProcessTree(tree) => {
                seen.threads
                    .extend(tree.threads.into_iter().filter_map(|thread| thread.name));
            }
            perfetto::Data::TrackDescriptor(track) => {
                seen.described.extend(track.uuid);
            }
            perfetto::Data::CpuInfo(info) => {
                let names = info.cpus.into_iter().filter_map(|cpu| cpu.processor);
                seen.processors.extend(names);
            }
            perfetto::Data::FtraceEvents(bundle) => {
                for event in bundle.event {
                    let Some(switch) = event.sched_switch else {
                        seen.wakes += usize::from(event.sched_waking.is_some());
                        continue;
                    };
                    let (from, to) = (switch.prev_pid.unwrap(), switch.next_pid.unwrap());
                    seen.switches
                        .push((bundle.cpu.unwrap(), event.timestamp.unwrap(), from, to));
                }
            }
            perfetto::Data::TrackEvent(event) => seen.event(packet.timestamp.unwrap(), &event),
        }
    }
    seen
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn every_event_is_in_the_trace(
        names in prop::collection::vec(any::<String>(), 0..6),
        raw in prop::collection::vec(any::<Raw>(), 0..60),
        board: String,
    ) {
        let recording = recording(names, &raw);
        let mut seen = seen(&to_bytes(&recording, &board));
        prop_assert_eq!(&seen.threads, &recording.threads);
        let wakes = recording.events.iter().filter(|event| event.kind == Kind::Wake);
        prop_assert_eq!(seen.wakes, wakes.count());
        let names = recording.marks.len() as u64;
        let index = |uuid: &u64| (*uuid - FIRST_MARK_TRACK) & u64::from(u32::MAX);
        seen.used.retain(|uuid| !is_mark(Some(*uuid)) || index(uuid) < names);
        prop_assert_eq!(&seen.described, &seen.used, "each track has its name and an event");
        let counts = recording.events.iter().filter(|event| event.kind == Kind::Executed);
        prop_assert_eq!(seen.executed, counts.count() as u64);
        prop_assert_eq!(seen.processors.len(), recording.processors.len());
        prop_assert_eq!(seen.begins.len(), seen.ends.len());
        for (begin, end) in seen.begins.iter().zip(&seen.ends) {
            prop_assert!(begin.0 == end.0 && begin.1 <= end.1, "an arrow has both ends");
        }
        let of = |kinds: &[Kind]| {
            let events = recording.events.iter();
            events.filter(|event| kinds.contains(&event.kind)).count()
        };
        prop_assert_eq!(seen.begun, of(&[Kind::Begin, Kind::Lock]));
        prop_assert_eq!(seen.points, of(&[Kind::Point]));
        let jobs = jobs(&recording);
        let kinds = [Kind::Release, Kind::Deadline, Kind::Miss, Kind::Migrate];
        let instants = recording.events.iter().filter(|event| kinds.contains(&event.kind));
        let complete = jobs.iter().filter(|job| job.complete.is_some());
        let expected = jobs.len() + complete.count() + instants.count();
        prop_assert_eq!(seen.jobs, if jobs.is_empty() { 0 } else { expected });
        for processor in 0..4 {
            let here = seen.switches.iter().filter(|switch| switch.0 == processor);
            let mut running = 0;
            for (_, _, from, to) in here {
                prop_assert_eq!(*from, running, "each leaves who came before");
                running = *to;
            }
            prop_assert_eq!(running, 0, "the last one ends");
        }
        let switches = recording.events.iter().filter(|event| event.kind == Kind::Switch);
        for event in switches {
            let came = (u32::from(event.processor), event.at, identifier(event.thread));
            prop_assert!(seen.switches.iter().any(|(cpu, at, _, to)| (*cpu, *at, *to) == came));
        }
    }
}
