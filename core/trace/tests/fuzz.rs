//! Records, there and back; bytes that are none.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;
use taktos_trace::{Event, Kind, RECORD_BYTES, Thread, UnknownKind};

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(Kind::ALL.to_vec())
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn every_event_is_read_back(at: u64, argument: u32, thread: u16, processor: u8, kind in kind()) {
        let thread = Thread(thread);
        let event = Event { at, argument, thread, processor, kind };
        prop_assert_eq!(Event::from_bytes(&event.to_bytes()), Ok(event));
    }

    #[test]
    fn bytes_are_the_event_that_they_say_or_none(bytes: [u8; RECORD_BYTES]) {
        match Event::from_bytes(&bytes) {
            Ok(event) => prop_assert_eq!(event.to_bytes(), bytes),
            Err(UnknownKind(kind)) => prop_assert!(kind == bytes[15] && !(1..=12).contains(&kind)),
        }
    }
}
