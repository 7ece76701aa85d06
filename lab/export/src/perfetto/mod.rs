//! A recording as a Perfetto trace, to be opened in its viewer.
//!
//! The board is one process, each kernel thread one thread of it. Switches are scheduler events, so
//! the viewer shows the thread on each processor and the state of each thread. Marked intervals are
//! on a track of their own for each name, and so are the times that a lock is held; see [`marks`].
//! If there are jobs, each task has a track with a slice a job, and the misses have one; see
//! [`jobs`]. Arrows lead from a thread to the one that it wakes; see [`flows`]. A counter of each
//! processor shows its executed instructions; see [`processors`]. Every track has something on it.
//! `Thread::IDLE` is the viewer's own idle thread, so that the viewer's load of the processors is
//! right. No packet names a clock: the viewer then takes the times as they are. They are
//! nanoseconds; if a recording counts something else, one unit of it is shown as one, and the
//! process says so.

mod flows;
mod jobs;
mod marks;
mod messages;
mod processors;
mod schedule;

use std::collections::BTreeSet;

use messages as perfetto;
use prost::Message;
use taktos_trace::Thread;

use crate::Recording;

/// The process that represents the board.
const PROCESS: i32 = 1;
/// Thread `i` of the recording has this identifier plus `i`; the process's own
/// identifier and zero, which the viewer reads as idle, are kept clear of.
const FIRST_THREAD: i32 = 10;
/// The packet sequence: there is one writer.
const SEQUENCE: u32 = 1;
/// Says that no earlier packet of the sequence is needed to read this one.
const SEQUENCE_BEGINS: u32 = 1;

/// The first track of thread `t`, which is the thread's own, is this plus `t` times [`LANES`].
const FIRST_THREAD_TRACK: u64 = 1 << 40;
/// How many tracks a thread may have.
const LANES: u64 = 1 << 20;

/// The recording as the bytes of a `.pftrace` file.
#[must_use]
pub fn to_bytes(recording: &Recording, board: &str) -> Vec<u8> {
    let mut packets = vec![process_tree(recording, board)];
    packets.extend(processors::packets(recording));
    packets.extend(schedule::packets(recording));
    packets.extend(marks::packets(recording));
    let (jobs, flows) = (jobs::packets(recording), flows::packets(recording));
    packets.extend(thread_tracks(recording, jobs.iter().chain(&flows)));
    packets.extend(jobs);
    packets.extend(flows);
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

/// The track of what a thread does itself.
const fn thread_track(thread: Thread) -> u64 {
    FIRST_THREAD_TRACK + thread.0 as u64 * LANES
}

/// Returns the tracks of the threads with events.
fn thread_tracks<'a>(
    recording: &Recording,
    told: impl Iterator<Item = &'a perfetto::TracePacket>,
) -> Vec<perfetto::TracePacket> {
    let used = told.filter_map(|packet| match &packet.data {
        Some(perfetto::Data::TrackEvent(event)) => event.track_uuid,
        _ => None,
    });
    let used: BTreeSet<u64> = used.collect();
    let threads = (0..=Thread::IDLE.0).map(Thread);
    let used = threads.filter(|thread| used.contains(&thread_track(*thread)));
    used.map(|thread| {
        let name = recording.thread_name(thread);
        let descriptor = perfetto::TrackDescriptor {
            uuid: Some(thread_track(thread)),
            name: Some(name.to_owned()),
            thread: Some(perfetto::ThreadDescriptor {
                pid: Some(PROCESS),
                tid: Some(identifier(thread)),
                thread_name: Some(name.to_owned()),
            }),
            ..perfetto::TrackDescriptor::default()
        };
        packet(None, perfetto::Data::TrackDescriptor(descriptor))
    })
    .collect()
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
