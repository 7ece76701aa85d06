//! The jobs of a recording: a slice each on its task's track, from the release
//! until it is complete, with its figures; instants for releases, deadlines and
//! migrations; and one track for all misses.
//!
//! A late job may overlap the next one. Slices of one track nest, so overlapping slices are on a
//! further track of the task.

use taktos_trace::{Event, Kind, Thread};

use super::messages as perfetto;
use super::{packet, thread_track};
use crate::jobs::{Job, jobs};
use crate::recording::Recording;

/// The track of all misses.
const MISSES: u64 = 1 << 36;

/// The packets of all jobs; none where the recording has none.
pub(super) fn packets(recording: &Recording) -> Vec<perfetto::TracePacket> {
    let jobs = jobs(recording);
    let mut packets = Vec::new();
    for of_task in jobs.chunk_by(|left, right| left.thread == right.thread) {
        packets.extend(task(recording, of_task));
    }
    if !jobs.is_empty() {
        let events = recording.events.iter();
        if events.clone().any(|event| event.kind == Kind::Miss) {
            packets.push(track(MISSES, "misses", None));
        }
        packets.extend(events.filter_map(|event| instant(recording, event)));
    }
    packets
}

/// The track of a task's jobs: the first one is its thread's own.
const fn task_track(thread: Thread, lane: u64) -> u64 {
    thread_track(thread) + lane
}

/// The tracks and slices of one task.
fn task(recording: &Recording, jobs: &[Job]) -> Vec<perfetto::TracePacket> {
    let thread = jobs[0].thread;
    let name = recording.thread_name(thread);
    let mut packets = Vec::new();
    let mut free_from: Vec<u64> = vec![0];
    for job in jobs {
        let free = free_from.iter().position(|from| *from <= job.release);
        let lane = free.unwrap_or_else(|| {
            free_from.push(0);
            let uuid = task_track(thread, free_from.len() as u64 - 1);
            packets.push(track(uuid, name, Some(thread_track(thread))));
            free_from.len() - 1
        });
        free_from[lane] = job.complete.unwrap_or(u64::MAX).max(job.release);
        packets.extend(slice(name, job, task_track(thread, lane as u64)));
    }
    packets
}

/// A track of its own, or below another one.
fn track(uuid: u64, name: &str, below: Option<u64>) -> perfetto::TracePacket {
    let descriptor = perfetto::TrackDescriptor {
        uuid: Some(uuid),
        name: Some(name.to_owned()),
        parent_uuid: below,
        ..perfetto::TrackDescriptor::default()
    };
    packet(None, perfetto::Data::TrackDescriptor(descriptor))
}

/// A job from its release on; one that is not complete stays open.
fn slice(name: &str, job: &Job, track: u64) -> Vec<perfetto::TracePacket> {
    let begin = perfetto::TrackEvent {
        kind: Some(perfetto::EventType::SliceBegin as i32),
        track_uuid: Some(track),
        categories: vec!["job".into()],
        name: Some(format!("{name} #{}", job.number)),
        annotations: figures(job),
        ..perfetto::TrackEvent::default()
    };
    let mut packets = vec![packet(Some(job.release), perfetto::Data::TrackEvent(begin))];
    if let Some(complete) = job.complete {
        let end = perfetto::TrackEvent {
            kind: Some(perfetto::EventType::SliceEnd as i32),
            track_uuid: Some(track),
            ..perfetto::TrackEvent::default()
        };
        packets.push(packet(
            Some(complete.max(job.release)),
            perfetto::Data::TrackEvent(end),
        ));
    }
    packets
}

/// Returns the known figures of a job: executed time C, relative deadline D, response time R.
fn figures(job: &Job) -> Vec<perfetto::DebugAnnotation> {
    let deadline = job.deadline.map(|at| at.saturating_sub(job.release));
    let known = [
        ("C", Some(job.executed)),
        ("D", deadline),
        ("R", job.response()),
        ("preemptions", Some(job.preemptions)),
        ("migrations", Some(job.migrations)),
    ];
    let annotation =
        |(name, value): (&str, Option<u64>)| value.map(|value| annotation(name, value));
    known.into_iter().filter_map(annotation).collect()
}

fn annotation(name: &str, value: u64) -> perfetto::DebugAnnotation {
    perfetto::DebugAnnotation {
        value: Some(value),
        name: Some(name.to_owned()),
    }
}

/// Returns the instant of an event of a job.
fn instant(recording: &Recording, event: &Event) -> Option<perfetto::TracePacket> {
    let own = task_track(event.thread, 0);
    let number = || vec![annotation("job", u64::from(event.argument))];
    let (track, name, category, annotations) = match event.kind {
        Kind::Release => (own, "▲ release".into(), "release", number()),
        Kind::Deadline => (own, "▼ deadline".into(), "deadline", number()),
        Kind::Miss => {
            let task = recording.thread_name(event.thread);
            (
                MISSES,
                format!("{task} #{}", event.argument),
                "deadline",
                number(),
            )
        }
        Kind::Migrate => {
            let from = annotation("from", u64::from(event.argument));
            let to = annotation("to", u64::from(event.processor));
            (own, "migration".into(), "migration", vec![from, to])
        }
        _ => return None,
    };
    let happened = perfetto::TrackEvent {
        kind: Some(perfetto::EventType::Instant as i32),
        track_uuid: Some(track),
        categories: vec![category.to_owned()],
        name: Some(name),
        annotations,
        ..perfetto::TrackEvent::default()
    };
    Some(packet(Some(event.at), perfetto::Data::TrackEvent(happened)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::example;

    /// Track, time, kind and name of each event.
    fn events() -> Vec<(u64, u64, i32, String)> {
        let packets = packets(&example()).into_iter();
        let event = |packet: perfetto::TracePacket| match packet.data {
            Some(perfetto::Data::TrackEvent(event)) => Some((
                event.track_uuid.unwrap(),
                packet.timestamp.unwrap(),
                event.kind.unwrap(),
                event.name.unwrap_or_default(),
            )),
            _ => None,
        };
        packets.filter_map(event).collect()
    }

    #[test]
    fn a_late_job_and_the_next_one_are_on_two_tracks() {
        let slices: Vec<_> = events().into_iter().filter(|event| event.2 != 3).collect();
        let (first, second) = (task_track(Thread(0), 0), task_track(Thread(0), 1));
        let other = task_track(Thread(1), 0);
        let expected = [
            (first, 0, 1, "a #0"),
            (first, 12, 2, ""),
            (second, 10, 1, "a #1"),
            (second, 15, 2, ""),
            (other, 2, 1, "b #0"),
            (other, 6, 2, ""),
        ];
        let expected = expected.map(|(track, at, kind, name)| (track, at, kind, name.to_owned()));
        assert_eq!(slices, expected);
    }

    #[test]
    fn releases_deadlines_misses_and_migrations_are_instants() {
        let instants: Vec<_> = events().into_iter().filter(|event| event.2 == 3).collect();
        let count = |name: &str| instants.iter().filter(|event| event.3 == name).count();
        assert_eq!((count("▲ release"), count("▼ deadline")), (3, 2));
        assert_eq!(count("migration"), 1);
        assert!(instants.contains(&(MISSES, 10, 3, "a #0".into())));
    }

    #[test]
    fn the_figures_of_a_job_go_with_its_slice() {
        let job = jobs(&example())[0];
        let figures: Vec<_> = figures(&job)
            .into_iter()
            .map(|figure| (figure.name.unwrap(), figure.value.unwrap()))
            .collect();
        let expected = [
            ("C", 11),
            ("D", 10),
            ("R", 12),
            ("preemptions", 1),
            ("migrations", 1),
        ];
        assert_eq!(
            figures,
            expected.map(|(name, value)| (name.to_owned(), value))
        );
    }
}
