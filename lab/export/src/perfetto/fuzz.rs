//! Any recording as a trace, decoded again.
//! One seed for all: the same cases in each run, and more by `PROPTEST_CASES`.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use taktos_trace::{Event, Kind, Thread};

use super::*;
use crate::{TimeUnit, jobs};

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x7461_6b74_6f73),
        ..ProptestConfig::default()
    }
}

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
        marks: names,
        events,
    }
}

/// What the packets hold: names of threads and marks, switches of each processor, marks.
#[derive(Default)]
struct Seen {
    threads: Vec<String>,
    tracks: Vec<String>,
    switches: Vec<(u32, u64, i32, i32)>,
    marks: Vec<(u64, u64)>,
    jobs: usize,
    wakes: usize,
}

/// Whether the track is one of the marks, whose index is 32 bits wide.
fn is_mark(track: Option<u64>) -> bool {
    track.is_some_and(|uuid| uuid - FIRST_MARK_TRACK <= u64::from(u32::MAX))
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
                let mark = is_mark(track.uuid);
                seen.tracks.extend(track.name.filter(|_| mark));
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
            perfetto::Data::TrackEvent(event) if !is_mark(event.track_uuid) => seen.jobs += 1,
            perfetto::Data::TrackEvent(event) => {
                seen.marks
                    .push((packet.timestamp.unwrap(), event.track_uuid.unwrap()));
            }
        }
    }
    seen
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_event_is_in_the_trace(
        names in prop::collection::vec(any::<String>(), 0..6),
        raw in prop::collection::vec(any::<Raw>(), 0..60),
        board: String,
    ) {
        let recording = recording(names, &raw);
        let seen = seen(&to_bytes(&recording, &board));
        prop_assert_eq!(&seen.threads, &recording.threads);
        let occurs = |mark: u32| {
            let named = |event: &&Event| event.kind.is_named() && event.argument == mark;
            recording.events.iter().any(|event| named(&event))
        };
        let tracks = recording.marks.iter().zip(0..).filter(|(_, mark)| occurs(*mark));
        let tracks: Vec<&String> = tracks.map(|(name, _)| name).collect();
        prop_assert_eq!(seen.tracks.iter().collect::<Vec<_>>(), tracks, "no track is empty");
        let wakes = recording.events.iter().filter(|event| event.kind == Kind::Wake);
        prop_assert_eq!(seen.wakes, wakes.count());
        let marks = recording.events.iter().filter(|event| event.kind.is_named());
        let expected: Vec<_> = marks
            .map(|event| (event.at, FIRST_MARK_TRACK + u64::from(event.argument)))
            .collect();
        prop_assert_eq!(seen.marks, expected);
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
