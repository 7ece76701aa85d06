//! The kernel's schedule, from the switches that the clock saw.

use std::collections::BTreeMap;

use taktos_emulator::several::Switch;
use taktos_export::{Recording, TimeUnit};
use taktos_trace::{Event, Kind, Thread};

use crate::measure::handover;
use crate::smp::Figures;

/// The schedule from the first release on: the tasks are the first threads,
/// others follow by their names. None where the program does not say which
/// thread is which task's.
pub fn schedule(switches: &[Switch], figures: &Figures) -> Option<Recording> {
    let mut threads = BTreeMap::new();
    for (place, task) in figures.tasks.iter().enumerate() {
        threads.insert(task.thread?, place);
    }
    let mut recording = Recording::new(TimeUnit::ClockNanoseconds);
    recording.threads = figures.tasks.iter().map(|task| task.name.clone()).collect();
    // What runs when the time begins, on each processor.
    let mut first: BTreeMap<usize, Event> = BTreeMap::new();
    for switch in switches {
        let place = *threads.entry(switch.thread).or_insert_with(|| {
            recording.threads.push(switch.name.clone());
            recording.threads.len() - 1
        });
        let event = Event {
            at: switch.at.saturating_sub(figures.begin),
            argument: handover(switch.turn).to_argument(),
            thread: Thread(u16::try_from(place).unwrap_or(Thread::IDLE.0)),
            processor: u8::try_from(switch.processor).unwrap_or(u8::MAX),
            kind: Kind::Switch,
        };
        match switch.at.checked_sub(figures.begin) {
            None | Some(0) => {
                first.insert(switch.processor, event);
            }
            Some(at) if at <= figures.span => recording.events.push(event),
            Some(_) => {}
        }
    }
    recording.events.splice(0..0, first.into_values());
    recording.events.sort_by_key(|event| event.at);
    recording.end = figures.span;
    Some(recording)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smp::Layout;
    use crate::smp::tests::{case, console};
    use taktos_emulator::Turn;
    use taktos_emulator::several::Total;

    fn switch(processor: usize, thread: u64, at: u64) -> Switch {
        Switch {
            processor,
            thread,
            name: format!("{thread:#x}"),
            at,
            total: Total::default().count,
            turn: Turn::default(),
        }
    }

    #[test]
    fn time_begins_with_the_first_release() {
        let case = case(Layout::Global);
        let mut figures = Figures::read(&console(&case, 1000), &case).unwrap();
        let switches = [
            switch(0, 0x90, 10),
            switch(0, 0x91, 1_000),
            switch(1, 0x92, 500),
            switch(0, 3, 2_600),
            switch(1, 5, u64::MAX),
        ];
        assert_eq!(schedule(&switches, &figures), None);
        for (place, task) in figures.tasks.iter_mut().enumerate() {
            task.thread = Some(place as u64);
        }
        let recording = schedule(&switches, &figures).unwrap();
        let seen: Vec<_> = recording
            .events
            .iter()
            .map(|event| {
                (
                    event.at,
                    event.processor,
                    recording.thread_name(event.thread),
                )
            })
            .collect();
        // What ran before stands at the begin; what comes after the measurement is left out.
        assert_eq!(seen, [(0, 0, "0x91"), (0, 1, "0x92"), (600, 0, "T4")]);
        assert_eq!(
            (recording.end, recording.unit),
            (figures.span, TimeUnit::ClockNanoseconds)
        );
    }
}
