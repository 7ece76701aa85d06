//! Arrows between threads: from the thread that wakes another to the first turn of that one, and
//! from the thread that unlocks a lock to the thread that has it at once.
//!
//! Each end is an instant on its thread's track. An arrow has both ends: if the recording ends
//! before the woken thread runs, there is no arrow. Wake-ups by time and interrupts have no arrow.

use std::collections::BTreeMap;

use taktos_trace::{Awaited, Event, Kind, Thread, Waking};

use super::messages as perfetto;
use super::{packet, thread_track};
use crate::Recording;

/// One end of an arrow.
#[derive(Clone, Copy)]
struct End {
    at: u64,
    thread: Thread,
}

/// The instants of all arrows.
pub(super) fn packets(recording: &Recording) -> Vec<perfetto::TracePacket> {
    let mut flows = Flows {
        recording,
        woken: BTreeMap::new(),
        released: BTreeMap::new(),
        packets: Vec::new(),
        arrows: 0,
    };
    for event in &recording.events {
        flows.add(event);
    }
    flows.packets
}

struct Flows<'a> {
    recording: &'a Recording,
    /// The threads that were woken and have not run since: the waking end, and the cause of the
    /// wait.
    woken: BTreeMap<Thread, (End, Awaited)>,
    /// The last thread that unlocked each lock.
    released: BTreeMap<u32, End>,
    packets: Vec<perfetto::TracePacket>,
    arrows: u64,
}

impl Flows<'_> {
    fn add(&mut self, event: &Event) {
        let here = End {
            at: event.at,
            thread: event.thread,
        };
        match event.kind {
            Kind::Wake => self.wake(here, Waking::from_argument(event.argument)),
            Kind::Switch => {
                if let Some((from, awaited)) = self.woken.remove(&event.thread) {
                    self.arrow(from, here, awaited);
                }
            }
            Kind::Unlock => {
                self.released.insert(event.argument, here);
            }
            Kind::Lock => {
                // A thread that takes a lock later did not wait for this release.
                let from = self.released.remove(&event.argument);
                let handed = |from: &End| from.at == here.at && from.thread != here.thread;
                if let Some(from) = from.filter(handed) {
                    self.arrow(from, here, Awaited::Lock);
                }
            }
            _ => {}
        }
    }

    fn wake(&mut self, here: End, waking: Waking) {
        self.woken.remove(&here.thread);
        let Waking {
            awaited: Some(awaited),
            by: Some(by),
        } = waking
        else {
            return;
        };
        if awaited != Awaited::Time && by != here.thread {
            let from = End { thread: by, ..here };
            self.woken.insert(here.thread, (from, awaited));
        }
    }

    fn arrow(&mut self, from: End, to: End, awaited: Awaited) {
        self.arrows += 1;
        let (gives, takes) = words(awaited);
        let name = |words, thread| format!("{words} {}", self.recording.thread_name(thread));
        let source = perfetto::TrackEvent {
            name: Some(name(gives, to.thread)),
            flow_ids: vec![self.arrows],
            ..instant(from)
        };
        let sink = perfetto::TrackEvent {
            name: Some(name(takes, from.thread)),
            terminating_flow_ids: vec![self.arrows],
            ..instant(to)
        };
        for (end, event) in [(from, source), (to, sink)] {
            self.packets
                .push(packet(Some(end.at), perfetto::Data::TrackEvent(event)));
        }
    }
}

fn instant(end: End) -> perfetto::TrackEvent {
    perfetto::TrackEvent {
        kind: Some(perfetto::EventType::Instant as i32),
        track_uuid: Some(thread_track(end.thread)),
        categories: vec!["flow".into()],
        ..perfetto::TrackEvent::default()
    }
}

/// Returns the names of the arrow's ends: the action of the first thread, and its result for the
/// second one.
const fn words(awaited: Awaited) -> (&'static str, &'static str) {
    match awaited {
        Awaited::Message => ("send to", "receive from"),
        Awaited::Receiver => ("receive from", "sent to"),
        Awaited::Reply => ("reply to", "reply of"),
        Awaited::Lock => ("release for", "lock after"),
        Awaited::Object => ("give to", "take from"),
        Awaited::Notification => ("notify", "notified by"),
        Awaited::End => ("end for", "join"),
        Awaited::Start => ("start", "started by"),
        Awaited::Resume => ("resume", "resumed by"),
        Awaited::Time => ("wake", "woken by"),
    }
}
