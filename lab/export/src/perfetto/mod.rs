//! A recording as a Perfetto trace, to be opened in its viewer.
//!
//! The board is one process, each kernel thread one thread of it. Switches are
//! scheduler events, so the viewer shows who has each processor and how each
//! thread stood; marked intervals lie on a track of their own for each name,
//! and so do the times that a lock is held. Where there are jobs, each task has
//! a track with a slice a job, and the misses have one; see [`jobs`].
//! Nobody is the viewer's own idle thread, so that its load of the processors is right.
//! No packet names a clock: the viewer then takes the times as they are. They are
//! nanoseconds; where a recording counts something else, one unit of it is shown as one,
//! and the process says so.

mod jobs;
mod messages;
mod schedule;

use std::collections::BTreeSet;

use messages as perfetto;
use prost::Message;
use taktos_trace::{Event, Kind, Thread};

use crate::Recording;

/// The process that stands for the board.
const PROCESS: i32 = 1;
/// Thread `i` of the recording has this identifier plus `i`; the process's own
/// identifier and zero, which the viewer reads as idle, are kept clear of.
const FIRST_THREAD: i32 = 10;
/// The packet sequence: there is one writer.
const SEQUENCE: u32 = 1;
/// Says that no earlier packet of the sequence is needed to read this one.
const SEQUENCE_BEGINS: u32 = 1;
/// The tracks of marks have this identifier plus the mark's index.
const FIRST_MARK_TRACK: u64 = 1000;

/// The recording as the bytes of a `.pftrace` file.
#[must_use]
pub fn to_bytes(recording: &Recording, board: &str) -> Vec<u8> {
    let mut packets = vec![process_tree(recording, board)];
    packets.extend(mark_tracks(recording));
    packets.extend(schedule::packets(recording));
    let marks = recording.events.iter();
    packets.extend(marks.filter_map(|event| mark_packet(recording, event)));
    packets.extend(jobs::packets(recording));
    perfetto::Trace { packet: packets }.encode_to_vec()
}

fn packet(timestamp: Option<u64>, data: perfetto::Data) -> perfetto::TracePacket {
    perfetto::TracePacket {
        timestamp,
        sequence: Some(SEQUENCE),
        sequence_flags: None,
        data: Some(data),
    }
}

fn identifier(thread: Thread) -> i32 {
    if thread == Thread::IDLE {
        0
    } else {
        FIRST_THREAD + i32::from(thread.0)
    }
}

fn process_tree(recording: &Recording, board: &str) -> perfetto::TracePacket {
    let threads = recording.threads.iter().zip(0..Thread::IDLE.0);
    let tree = perfetto::ProcessTree {
        processes: vec![perfetto::Process {
            pid: Some(PROCESS),
            ppid: Some(0),
            cmdline: vec![
                format!("taktos on {board}"),
                format!("time: {}", recording.unit.meaning()),
            ],
        }],
        threads: threads
            .map(|(name, index)| perfetto::Thread {
                tid: Some(identifier(Thread(index))),
                name: Some(name.clone()),
                tgid: Some(PROCESS),
            })
            .collect(),
    };
    let mut packet = packet(Some(0), perfetto::Data::ProcessTree(tree));
    packet.sequence_flags = Some(SEQUENCE_BEGINS);
    packet
}

/// The tracks of the marks that occur: a recording may be the first part of a longer one.
fn mark_tracks(recording: &Recording) -> impl Iterator<Item = perfetto::TracePacket> {
    let named = recording
        .events
        .iter()
        .filter(|event| event.kind.is_named());
    let occur: BTreeSet<u32> = named.map(|event| event.argument).collect();
    recording
        .marks
        .iter()
        .zip(0..)
        .filter(move |(_, mark)| occur.contains(mark))
        .map(|(name, mark)| {
            let track = FIRST_MARK_TRACK + u64::from(mark);
            let track = perfetto::TrackDescriptor {
                uuid: Some(track),
                name: Some(name.clone()),
                ..perfetto::TrackDescriptor::default()
            };
            packet(None, perfetto::Data::TrackDescriptor(track))
        })
}

fn mark_packet(recording: &Recording, event: &Event) -> Option<perfetto::TracePacket> {
    let mark = || recording.marks.get(event.argument as usize).cloned();
    let holder = || Some(recording.thread_name(event.thread).to_owned());
    let (kind, name) = match event.kind {
        Kind::Begin => (perfetto::EventType::SliceBegin, mark()),
        Kind::Lock => (perfetto::EventType::SliceBegin, holder()),
        Kind::End | Kind::Unlock => (perfetto::EventType::SliceEnd, None),
        Kind::Point => (perfetto::EventType::Instant, mark()),
        _ => return None,
    };
    let track_event = perfetto::TrackEvent {
        kind: Some(kind as i32),
        track_uuid: Some(FIRST_MARK_TRACK + u64::from(event.argument)),
        name,
        ..perfetto::TrackEvent::default()
    };
    Some(packet(
        Some(event.at),
        perfetto::Data::TrackEvent(track_event),
    ))
}

#[cfg(test)]
mod fuzz;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::tests::example;

    fn decoded() -> Vec<perfetto::TracePacket> {
        let bytes = to_bytes(&example(), "mps2-an386");
        perfetto::Trace::decode(bytes.as_slice()).unwrap().packet
    }

    #[test]
    fn the_bytes_are_golden() {
        // Written by hand from the published field numbers.
        let mut recording = Recording::new(crate::TimeUnit::Cycles);
        recording.threads.push("a".into());
        let expected = [
            &[0x0a, 88][..],                         // Trace.packet
            &[0x12, 80],                             // .process_tree
            &[0x0a, 69, 0x08, 1, 0x10, 0, 0x1a, 11], // .processes: pid, ppid, cmdline
            b"taktos on b",
            &[0x1a, 50],
            b"time: counted in cycles, sleep left out (modelled)",
            &[0x12, 7, 0x08, 10, 0x12, 1, b'a', 0x18, 1], // .threads: tid, name, tgid
            &[0x40, 0, 0x50, 1, 0x68, 1],                 // .timestamp, sequence and its flags
        ];
        assert_eq!(to_bytes(&recording, "b"), expected.concat());
    }

    #[test]
    fn every_switch_is_there_and_the_last_thread_ends() {
        let packets = decoded();
        let bundles: Vec<_> = packets
            .iter()
            .filter_map(|packet| match &packet.data {
                Some(perfetto::Data::FtraceEvents(bundle)) => Some(bundle),
                _ => None,
            })
            .collect();
        assert_eq!(bundles.len(), 1);
        let seen: Vec<_> = bundles[0]
            .event
            .iter()
            .map(|event| {
                let switch = event.sched_switch.as_ref().unwrap();
                (
                    event.timestamp.unwrap(),
                    switch.prev_pid.unwrap(),
                    switch.next_pid.unwrap(),
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                (10, 0, 10),
                (40, 10, 11),
                (60, 11, 0),
                (80, 0, 10),
                (100, 10, 0)
            ]
        );
    }

    #[test]
    fn marked_intervals_open_and_close_on_one_track() {
        let events: Vec<_> = decoded()
            .into_iter()
            .filter_map(|packet| match packet.data {
                Some(perfetto::Data::TrackEvent(event)) => Some((packet.timestamp, event)),
                _ => None,
            })
            .collect();
        assert_eq!(events.len(), 2);
        assert_eq!(events[0].0, Some(25));
        assert_eq!(events[0].1.name.as_deref(), Some("direct-send"));
        assert_eq!(events[0].1.kind, Some(1));
        assert_eq!(events[1].0, Some(45));
        assert_eq!(events[1].1.kind, Some(2));
        assert_eq!(events[0].1.track_uuid, events[1].1.track_uuid);
    }

    #[test]
    fn no_packet_names_a_clock() {
        // Field 58 as a number: tag (58 << 3) = 464, as a varint d0 03.
        let bytes = to_bytes(&example(), "mps2-an386");
        assert!(!bytes.windows(2).any(|pair| pair == [0xd0, 0x03]));
    }
}
