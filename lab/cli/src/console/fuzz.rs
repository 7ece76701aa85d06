//! Any console is read, or refused with a line's number.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;

use super::lines;
use crate::failure::{Failure, shown};

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
                    // Whatever is asked of a line is answered, or refused in one line.
                    for key in ["a", "", "name"] {
                        if let Err(error) = line.number(key) {
                            prop_assert_eq!(shown(&error).lines().count(), 2);
                        }
                    }
                }
            }
            Err(error) => {
                prop_assert!(error.is::<Failure>());
                prop_assert_eq!(shown(&error).lines().count(), 2, "{}", shown(&error));
                let number: usize = error.to_string().split(' ').nth(1).unwrap().parse().unwrap();
                prop_assert!(console.lines().nth(number - 1).unwrap().starts_with('@'));
            }
        }
    }
}
