//! Marked intervals and points, and the times that locks are held: a track for each name, and for
//! each processor where an interval is passed on several.
//!
//! An interval lasts from a beginning to the first end after it; an end without a beginning is
//! passed over, and so is a beginning that comes again before the end: the last one counts.

use std::collections::{BTreeMap, BTreeSet};

use taktos_trace::{Event, Kind};

use super::messages as perfetto;
use super::packet;
use crate::Recording;

/// The track of mark `m` on processor `p` is this plus `m` plus `p` times [`MARKS`].
pub(super) const FIRST_MARK_TRACK: u64 = 1 << 60;
const MARKS: u64 = 1 << 32;

const fn track_of(event: &Event) -> u64 {
    FIRST_MARK_TRACK + event.processor as u64 * MARKS + event.argument as u64
}

/// Returns the tracks of the marks that occur, and their contents.
pub(super) fn packets(recording: &Recording) -> Vec<perfetto::TracePacket> {
    let (mut open, mut told) = (BTreeSet::new(), Vec::new());
    let mut tracks = BTreeMap::new();
    let named = recording.events.iter();
    for event in named.filter(|event| event.kind.is_named()) {
        let track = track_of(event);
        let kinds: &[_] = match event.kind {
            Kind::Point => &[perfetto::EventType::Instant],
            Kind::Begin | Kind::Lock if open.insert(track) => &[perfetto::EventType::SliceBegin],
            Kind::Begin | Kind::Lock => &[
                perfetto::EventType::SliceEnd,
                perfetto::EventType::SliceBegin,
            ],
            _ if open.remove(&track) => &[perfetto::EventType::SliceEnd],
            _ => continue,
        };
        tracks.insert(track, event);
        told.extend(kinds.iter().map(|kind| happened(recording, event, *kind)));
    }
    let processors = |mark| {
        tracks
            .values()
            .filter(|event| event.argument == mark)
            .count()
    };
    let mut packets: Vec<_> = tracks
        .iter()
        .filter_map(|(track, event)| {
            let name = recording.marks.get(event.argument as usize)?;
            let several = processors(event.argument) > 1;
            let name = match several {
                true => format!("{name}, cpu {}", event.processor),
                false => name.clone(),
            };
            Some(descriptor(*track, name))
        })
        .collect();
    packets.extend(told);
    packets
}

fn descriptor(track: u64, name: String) -> perfetto::TracePacket {
    let descriptor = perfetto::TrackDescriptor {
        uuid: Some(track),
        name: Some(name),
        ..perfetto::TrackDescriptor::default()
    };
    packet(None, perfetto::Data::TrackDescriptor(descriptor))
}

fn happened(
    recording: &Recording,
    event: &Event,
    kind: perfetto::EventType,
) -> perfetto::TracePacket {
    let name = match (kind, event.kind) {
        (perfetto::EventType::SliceEnd, _) => None,
        (_, Kind::Lock) => Some(recording.thread_name(event.thread).to_owned()),
        _ => recording.marks.get(event.argument as usize).cloned(),
    };
    let happened = perfetto::TrackEvent {
        kind: Some(kind as i32),
        track_uuid: Some(track_of(event)),
        name,
        ..perfetto::TrackEvent::default()
    };
    packet(Some(event.at), perfetto::Data::TrackEvent(happened))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeUnit;
    use taktos_trace::Thread;

    #[test]
    fn an_interval_lasts_from_the_last_beginning_to_the_first_end_on_its_processor() {
        let mut recording = Recording::new(TimeUnit::ClockNanoseconds);
        recording.marks = vec!["give".into()];
        let event = |at, kind, processor| Event {
            at,
            argument: 0,
            thread: Thread::IDLE,
            processor,
            kind,
        };
        recording.events = vec![
            event(1, Kind::End, 0),
            event(2, Kind::Begin, 0),
            event(3, Kind::Begin, 1),
            event(4, Kind::Begin, 0),
            event(5, Kind::End, 0),
            event(6, Kind::End, 0),
            event(7, Kind::End, 1),
        ];
        let (mut names, mut slices) = (Vec::new(), Vec::new());
        for packet in packets(&recording) {
            match packet.data {
                Some(perfetto::Data::TrackDescriptor(track)) => names.extend(track.name),
                Some(perfetto::Data::TrackEvent(event)) => {
                    let processor = (event.track_uuid.unwrap() - FIRST_MARK_TRACK) / MARKS;
                    slices.push((packet.timestamp.unwrap(), processor, event.kind.unwrap()));
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(names, ["give, cpu 0", "give, cpu 1"]);
        let (begin, end) = (1, 2);
        let expected = [
            (2, 0, begin),
            (3, 1, begin),
            (4, 0, end),
            (4, 0, begin),
            (5, 0, end),
            (7, 1, end),
        ];
        assert_eq!(slices, expected);
    }
}
