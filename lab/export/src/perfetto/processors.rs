//! The names of the processors, and the number of instructions that each has executed.
//! Must never know: the threads that run on them.

use std::collections::BTreeMap;

use taktos_trace::{Event, Kind};

use super::messages as perfetto;
use super::packet;
use crate::Recording;

/// The track of the instructions of processor `n` is this plus `n`.
pub(super) const FIRST_COUNTER_TRACK: u64 = 1 << 37;

/// Returns the names of the processors, and the counters of those that report their executed
/// instructions.
pub(super) fn packets(recording: &Recording) -> Vec<perfetto::TracePacket> {
    let mut packets: Vec<_> = names(recording).into_iter().collect();
    let mut executed: BTreeMap<u8, i64> = BTreeMap::new();
    let counted = recording.events.iter();
    for event in counted.filter(|event| event.kind == Kind::Executed) {
        let total = executed.entry(event.processor).or_insert_with(|| {
            packets.push(track(recording, event.processor));
            0
        });
        *total = total.saturating_add(event.argument.into());
        packets.push(value(event, *total));
    }
    packets
}

/// A processor's name for people, with its number.
fn name(recording: &Recording, processor: u8) -> String {
    match recording.processors.get(usize::from(processor)) {
        Some(name) => format!("{name}, cpu {processor}"),
        None => format!("cpu {processor}"),
    }
}

fn names(recording: &Recording) -> Option<perfetto::TracePacket> {
    let processors = recording.processors.iter().zip(0..=u8::MAX);
    let cpus = processors.map(|(_, processor)| perfetto::Cpu {
        processor: Some(name(recording, processor)),
    });
    let cpus: Vec<_> = cpus.collect();
    let info = perfetto::CpuInfo { cpus };
    (!info.cpus.is_empty()).then(|| packet(Some(0), perfetto::Data::CpuInfo(info)))
}

fn track(recording: &Recording, processor: u8) -> perfetto::TracePacket {
    let descriptor = perfetto::TrackDescriptor {
        uuid: Some(FIRST_COUNTER_TRACK + u64::from(processor)),
        name: Some(format!("instructions of {}", name(recording, processor))),
        counter: Some(perfetto::CounterDescriptor {
            unit: Some(perfetto::Unit::Count as i32),
        }),
        ..perfetto::TrackDescriptor::default()
    };
    packet(None, perfetto::Data::TrackDescriptor(descriptor))
}

fn value(event: &Event, total: i64) -> perfetto::TracePacket {
    let counted = perfetto::TrackEvent {
        kind: Some(perfetto::EventType::Counter as i32),
        track_uuid: Some(FIRST_COUNTER_TRACK + u64::from(event.processor)),
        counter_value: Some(total),
        ..perfetto::TrackEvent::default()
    };
    packet(Some(event.at), perfetto::Data::TrackEvent(counted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeUnit;
    use taktos_trace::Thread;

    #[test]
    fn counters_add_up_by_processor() {
        let mut recording = Recording::new(TimeUnit::ClockNanoseconds);
        recording.processors = vec!["RV64".into()];
        let executed = |at, processor, argument| Event {
            at,
            argument,
            thread: Thread::IDLE,
            processor,
            kind: Kind::Executed,
        };
        recording.events = vec![
            executed(5, 0, 5),
            executed(6, 1, u32::MAX),
            executed(9, 0, 2),
            executed(9, 1, 1),
        ];
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for packet in packets(&recording) {
            match packet.data {
                Some(perfetto::Data::TrackDescriptor(track)) => names.extend(track.name),
                Some(perfetto::Data::TrackEvent(event)) => {
                    let processor = event.track_uuid.unwrap() - FIRST_COUNTER_TRACK;
                    values.push((packet.timestamp.unwrap(), processor, event.counter_value));
                }
                Some(perfetto::Data::CpuInfo(info)) => {
                    assert_eq!(info.cpus[0].processor.as_deref(), Some("RV64, cpu 0"));
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(
            names,
            ["instructions of RV64, cpu 0", "instructions of cpu 1"]
        );
        let expected = [
            (5, 0, Some(5)),
            (6, 1, Some(i64::from(u32::MAX))),
            (9, 0, Some(7)),
            (9, 1, Some(1 << 32)),
        ];
        assert_eq!(values, expected);
    }
}
