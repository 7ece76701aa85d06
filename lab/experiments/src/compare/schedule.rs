//! The kernel's schedule, from the switches that the clock saw.

use std::collections::BTreeMap;

use taktos_emulator::Switch;
use taktos_export::{Recording, TimeUnit};
use taktos_trace::{Event, Kind, Thread};

use crate::measure::handover;
use crate::smp::Figures;

/// The schedule from the begin on, `lead` nanoseconds after which the first task is released: the
/// tasks are the first threads, others follow by their names. None where the program does not say
/// which thread is which task's, or none of them runs.
///
/// The kernel's clock starts later than the machine's, which gives the times of switches. So time
/// begins `lead` before the first task runs that waited for its release.
pub fn schedule(switches: &[Switch], figures: &Figures, lead: u64) -> Option<Recording> {
    let mut threads = BTreeMap::new();
    for (place, task) in figures.tasks.iter().enumerate() {
        threads.insert(task.thread?, place);
    }
    let waited =
        |switch: &&Switch| switch.at >= figures.begin && threads.contains_key(&switch.thread);
    let first_run = switches
        .iter()
        .filter(waited)
        .map(|switch| switch.at)
        .min()?;
    let begin = first_run.saturating_sub(lead);
    let mut recording = Recording::new(TimeUnit::ClockNanoseconds);
    recording.threads = figures.tasks.iter().map(|task| task.name.clone()).collect();
    // The switch to the thread that runs when the time begins, on each processor.
    let mut first: BTreeMap<usize, Event> = BTreeMap::new();
    for switch in switches {
        let place = *threads.entry(switch.thread).or_insert_with(|| {
            recording.threads.push(switch.name.clone());
            recording.threads.len() - 1
        });
        let event = Event {
            at: switch.at.saturating_sub(begin),
            argument: handover(switch.turn).to_argument(),
            thread: Thread(u16::try_from(place).unwrap_or(Thread::IDLE.0)),
            processor: u8::try_from(switch.processor).unwrap_or(u8::MAX),
            kind: Kind::Switch,
        };
        match switch.at.checked_sub(begin) {
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
    use taktos_emulator::{Count, Turn};

    fn switch(processor: usize, thread: u64, at: u64) -> Switch {
        Switch {
            processor,
            thread,
            name: format!("{thread:#x}"),
            at,
            total: Count::default(),
            turn: Turn::default(),
        }
    }

    #[test]
    fn time_begins_with_the_first_release() {
        let case = case(Layout::Global);
        let mut figures = Figures::read(&console(&case, 1000), &case).unwrap();
        let switches = [
            switch(0, 0x90, 10),
            switch(2, 2, 700),
            switch(2, 0x93, 800),
            switch(0, 0x91, 1_000),
            switch(1, 0x92, 500),
            switch(0, 3, 2_600),
            switch(1, 4, 2_700),
            switch(1, 5, u64::MAX),
        ];
        assert_eq!(schedule(&switches, &figures, 400), None);
        for (place, task) in figures.tasks.iter_mut().enumerate() {
            task.thread = Some(place as u64);
        }
        let recording = schedule(&switches, &figures, 400).unwrap();
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
        // Threads that ran before are placed at the begin; switches after the measurement are left
        // out.
        let expected = [
            (0, 0, "0x91"),
            (0, 1, "0x92"),
            (0, 2, "0x93"),
            (400, 0, "T4"),
            (500, 1, "T5"),
        ];
        assert_eq!(seen, expected);
        assert_eq!(
            (recording.end, recording.unit),
            (figures.span, TimeUnit::ClockNanoseconds)
        );
    }
}
