//! The thread on each processor, and the ready threads: scheduler events as a kernel's own tracing
//! gives them.
//!
//! The state of a thread that leaves a processor is recorded: it could have continued (R), waits
//! (S), or was suspended (T). A thread that becomes ready is waking. The idle thread is the thread
//! 0, by the name that the viewer knows it by.

use std::collections::BTreeMap;

use taktos_trace::{Event, Handover, Kind, Left, Thread};

use super::messages as perfetto;
use super::{identifier, packet};
use crate::Recording;

/// The states of a thread that leaves its processor, as the format numbers them.
const RUNNABLE: i64 = 0;
const SLEEPING: i64 = 1;
const STOPPED: i64 = 4;
/// The priority of what has none.
const NO_PRIORITY: i32 = 0;

/// One bundle of events a processor, in the order of time.
pub(super) fn packets(recording: &Recording) -> Vec<perfetto::TracePacket> {
    let mut schedule = Schedule {
        recording,
        running: BTreeMap::new(),
        priorities: first_priorities(recording),
        events: BTreeMap::new(),
    };
    for event in &recording.events {
        schedule.add(event);
    }
    schedule.finish()
}

/// The priority with which each thread runs first: it wakes before.
fn first_priorities(recording: &Recording) -> BTreeMap<Thread, i32> {
    let mut first = BTreeMap::new();
    let switches = recording
        .events
        .iter()
        .filter(|event| event.kind == Kind::Switch);
    for event in switches {
        if let Some(priority) = Handover::from_argument(event.argument).priority {
            first.entry(event.thread).or_insert(priority.into());
        }
    }
    first
}

struct Schedule<'a> {
    recording: &'a Recording,
    /// Thread on each processor.
    running: BTreeMap<u8, Thread>,
    /// The priority that each thread had last.
    priorities: BTreeMap<Thread, i32>,
    events: BTreeMap<u8, Vec<perfetto::FtraceEvent>>,
}

impl Schedule<'_> {
    fn add(&mut self, event: &Event) {
        let made = match event.kind {
            Kind::Switch => Some(self.switch(event)),
            Kind::Wake => Some(self.waking(event)),
            _ => None,
        };
        // A processor on which no thread ever runs has its place, too.
        self.events.entry(event.processor).or_default().extend(made);
    }

    /// The viewer draws a thread until its next switch: the last ones end with the recording.
    fn finish(mut self) -> Vec<perfetto::TracePacket> {
        let last: Vec<(u8, Thread)> = self.running.iter().map(|(at, who)| (*at, *who)).collect();
        for (processor, _) in last.into_iter().filter(|(_, who)| *who != Thread::IDLE) {
            self.add(&Event {
                at: self.recording.end,
                argument: Handover::default().to_argument(),
                thread: Thread::IDLE,
                processor,
                kind: Kind::Switch,
            });
        }
        let bundle = |(processor, event)| {
            let bundle = perfetto::FtraceEventBundle {
                cpu: Some(u32::from(processor)),
                event,
            };
            packet(None, perfetto::Data::FtraceEvents(bundle))
        };
        self.events.into_iter().map(bundle).collect()
    }

    fn name(&self, thread: Thread) -> String {
        match thread {
            Thread::IDLE => "swapper".into(),
            thread => self.recording.thread_name(thread).into(),
        }
    }

    fn priority(&self, thread: Thread) -> i32 {
        self.priorities.get(&thread).copied().unwrap_or(NO_PRIORITY)
    }

    fn switch(&mut self, event: &Event) -> perfetto::FtraceEvent {
        let from = self.running.insert(event.processor, event.thread);
        let from = from.unwrap_or(Thread::IDLE);
        let Handover { left, priority } = Handover::from_argument(event.argument);
        let before = self.priority(from);
        if let Some(priority) = priority {
            self.priorities.insert(event.thread, priority.into());
        }
        // If the way in which a thread left is unknown, it is recorded as ready to run again.
        let state = match left.filter(|_| from != Thread::IDLE) {
            None | Some(Left::Runnable) => RUNNABLE,
            Some(Left::Waiting) => SLEEPING,
            Some(Left::Suspended) => STOPPED,
        };
        perfetto::FtraceEvent {
            timestamp: Some(event.at),
            pid: Some(identifier(from).unsigned_abs()),
            sched_switch: Some(perfetto::SchedSwitch {
                prev_comm: Some(self.name(from)),
                prev_pid: Some(identifier(from)),
                prev_prio: Some(before),
                prev_state: Some(state),
                next_comm: Some(self.name(event.thread)),
                next_pid: Some(identifier(event.thread)),
                next_prio: Some(self.priority(event.thread)),
            }),
            sched_waking: None,
        }
    }

    fn waking(&self, event: &Event) -> perfetto::FtraceEvent {
        let by = self.running.get(&event.processor).copied();
        perfetto::FtraceEvent {
            timestamp: Some(event.at),
            pid: Some(identifier(by.unwrap_or(Thread::IDLE)).unsigned_abs()),
            sched_switch: None,
            sched_waking: Some(perfetto::SchedWaking {
                comm: Some(self.name(event.thread)),
                pid: Some(identifier(event.thread)),
                prio: Some(self.priority(event.thread)),
                success: Some(1),
                target_cpu: Some(event.processor.into()),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeUnit;

    #[test]
    fn states_priorities_and_wake_ups_are_told() {
        let event = |at, kind, thread, left, priority| Event {
            at,
            argument: Handover { left, priority }.to_argument(),
            thread,
            processor: 0,
            kind,
        };
        let (a, b, idle) = (Thread(0), Thread(1), Thread::IDLE);
        let mut recording = Recording::new(TimeUnit::ClockNanoseconds);
        recording.threads = vec!["a".into(), "b".into()];
        recording.events = vec![
            event(1, Kind::Switch, a, None, Some(5)),
            event(4, Kind::Switch, idle, Some(Left::Waiting), Some(32)),
            event(100, Kind::Wake, a, None, None),
            event(101, Kind::Switch, a, Some(Left::Runnable), Some(5)),
            event(110, Kind::Switch, b, Some(Left::Suspended), Some(9)),
            event(120, Kind::Switch, a, Some(Left::Runnable), Some(2)),
        ];
        recording.end = 130;
        let packets = packets(&recording);
        let Some(perfetto::Data::FtraceEvents(bundle)) = &packets[0].data else {
            panic!("{packets:?}");
        };
        let switches = bundle.event.iter().filter_map(|event| {
            let switch = event.sched_switch.as_ref()?;
            Some((
                event.timestamp?,
                (switch.prev_pid?, switch.prev_prio?, switch.prev_state?),
                (switch.next_pid?, switch.next_prio?),
            ))
        });
        let expected = [
            (1, (0, 32, 0), (10, 5)),
            (4, (10, 5, 1), (0, 32)),
            (101, (0, 32, 0), (10, 5)),
            (110, (10, 5, 4), (11, 9)),
            (120, (11, 9, 0), (10, 2)),
            (130, (10, 2, 0), (0, 32)),
        ];
        assert_eq!(switches.collect::<Vec<_>>(), expected);
        let waking = bundle.event[2].sched_waking.as_ref().unwrap();
        assert_eq!((waking.pid, waking.comm.as_deref()), (Some(10), Some("a")));
        assert_eq!(bundle.event[2].timestamp, Some(100));
    }
}
