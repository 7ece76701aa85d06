//! Any console of a board is read, or refused in one line and its hint.

use proptest::prelude::*;
use taktos_runner::failure::shown;

use super::tests::{ended, session};
use super::{has_ended, read};
use crate::fuzz::is_told;

/// A line of a session, or nearly, or any letters.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => "@(rate cycles=[0-9]{1,20} ns=[0-9]{1,20}|loads count=[0-9]{1,20} cycles=[0-9]{1,9}|round caches=[a-z]{0,3})",
        2 => "@samples mark=(empty|yield) cycles=[0-9]{1,11}(x[0-9]{1,8})?(,[0-9x]{0,6}){0,3}",
        1 => "@(conditions|session|end)( [a-z]{1,8}=[a-z0-9]{0,12}){0,4}",
        1 => prop::collection::vec(any::<char>(), 0..30).prop_map(String::from_iter),
    ]
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn any_session_is_read_or_refused(lines in prop::collection::vec(line(), 0..12)) {
        // Ended as a board would, so that its contents are read.
        let console = ended(&format!("@session version=1 board=a counter=c hertz=0\n{}\n", lines.join("\n")));
        prop_assert!(has_ended(&console));
        match read(&console).and_then(|session| session.samples().map(|_| ())) {
            Ok(()) => (),
            Err(error) => prop_assert!(is_told(&error), "{}", shown(&error)),
        }
    }

    #[test]
    fn a_session_that_lost_or_changed_a_byte_is_refused(at in any::<prop::sample::Index>(), byte in prop::option::of(32..127u8)) {
        let whole = session();
        let mut bytes = whole.clone().into_bytes();
        // The last line's feed is none of it.
        let at = at.index(bytes.len() - 1);
        match byte {
            Some(byte) => bytes[at] = byte,
            None => drop(bytes.remove(at)),
        }
        let console = String::from_utf8(bytes).unwrap();
        match read(&console) {
            Ok(read) => prop_assert_eq!(read, super::read(&whole).unwrap()),
            Err(error) => prop_assert!(is_told(&error), "{}", shown(&error)),
        }
    }
}
