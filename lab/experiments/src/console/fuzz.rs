//! Any console is read, or refused with a line's number.

use proptest::prelude::*;
use taktos_runner::failure::shown;

use super::lines;
use crate::fuzz::is_told;

/// A line of its own form, or nearly, or any letters.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "@[a-z]{0,5}( [a-z_]{0,4}={0,2}[0-9a-zé]{0,20}){0,4}",
        1 => "[ -~]{0,20}",
        1 => prop::collection::vec(any::<char>(), 0..30).prop_map(String::from_iter),
    ]
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn any_console_is_read_or_refused(all in prop::collection::vec(line(), 0..10)) {
        let console = all.join("\n");
        match lines(&console) {
            Ok(read) => {
                let ours = console.lines().filter(|line| line.starts_with('@')).count();
                prop_assert_eq!(read.len(), ours);
                for line in read {
                    // For each key, a line gives a number, or is refused in one line.
                    for key in ["a", "", "name"] {
                        prop_assert!(line.number(key).err().is_none_or(|error| is_told(&error)));
                    }
                }
            }
            Err(error) => {
                prop_assert!(is_told(&error), "{}", shown(&error));
                let number: usize = error.to_string().split(' ').nth(1).unwrap().parse().unwrap();
                prop_assert!(console.lines().nth(number - 1).unwrap().starts_with('@'));
            }
        }
    }
}
