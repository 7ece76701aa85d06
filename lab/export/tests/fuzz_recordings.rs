//! Recordings: written and read back, cut, changed, and no recordings at all.

mod common;

use common::recording;
use proptest::prelude::*;
use taktos_export::plot::gantt;
use taktos_export::{Recording, RecordingError, TimeUnit, Timeline, perfetto};

/// A recording that was read can be shown in every form.
fn show(recording: &Recording) {
    let table = Timeline::of(recording).table(recording);
    assert!(table.to_csv().starts_with("processor,thread,"));
    assert!(!perfetto::to_bytes(recording, "board").is_empty());
    assert!(gantt(recording, "title", 0, recording.end).ends_with("</svg>\n"));
}

#[test]
fn more_threads_than_a_record_can_name_are_refused() {
    let mut recording = Recording::new(TimeUnit::Cycles);
    recording.threads = vec![String::new(); usize::from(u16::MAX) + 2];
    assert!(!perfetto::to_bytes(&recording, "board").is_empty());
    let read = Recording::from_bytes(&recording.to_bytes());
    assert_eq!(read, Err(RecordingError::Field("threads")));
}

#[test]
fn a_name_that_is_too_long_is_cut_between_letters() {
    let mut recording = Recording::new(TimeUnit::Cycles);
    recording.threads = vec![format!("a{}", "é".repeat(40_000))];
    let read = Recording::from_bytes(&recording.to_bytes()).unwrap();
    assert_eq!(read.threads[0].len(), usize::from(u16::MAX));
    recording.threads[0].remove(0);
    let read = Recording::from_bytes(&recording.to_bytes()).unwrap();
    assert_eq!(read.threads[0].len(), usize::from(u16::MAX) - 1);
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_recording_is_read_back(recording in recording(), most in 0..50_usize) {
        let read = Recording::from_bytes(&recording.to_bytes());
        prop_assert_eq!(read.as_ref(), Ok(&recording));
        show(&recording);
        let first = recording.first(most);
        prop_assert_eq!(Recording::from_bytes(&first.to_bytes()), Ok(first));
    }

    #[test]
    fn intervals_lie_in_the_window(recording in recording(), from: u64, length in 0..5000_u64) {
        let to = from.saturating_add(length);
        for span in Timeline::of(&recording).window(from, to).spans {
            prop_assert!(from <= span.begin && span.begin < span.end && span.end <= to);
        }
    }

    #[test]
    fn a_shorter_file_is_refused(recording in recording(), cut: prop::sample::Index) {
        let bytes = recording.to_bytes();
        let shorter = &bytes[..cut.index(bytes.len())];
        prop_assert!(Recording::from_bytes(shorter).is_err());
    }

    #[test]
    fn a_changed_file_is_shown_or_refused(
        recording in recording(),
        changes in prop::collection::vec(any::<(prop::sample::Index, u8)>(), 1..6),
    ) {
        let mut bytes = recording.to_bytes();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(read) = Recording::from_bytes(&bytes) {
            show(&read);
        }
    }

    #[test]
    fn bytes_of_no_recording_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Recording::from_bytes(&bytes).is_err());
        if let Ok(read) = Recording::from_bytes(&[b"TAKTOS-2", bytes.as_slice()].concat()) {
            show(&read);
        }
    }
}
