//! Consoles of the program with lines changed, lost or added: read, or refused
//! in one line with a hint.

use proptest::prelude::*;
use taktos_random::texts::{changed, changes};

use super::super::case::{Layout, tests::case};
use super::Figures;
use super::tests::console;
use crate::fuzz::is_told;

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_changed_console_is_read_or_refused(
        changes in changes("[@a-z_=0-9 \n-]{0,12}"),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let case = case(Layout::Global);
        let text = changed(&console(&case, 1200), '\n', &changes);
        let all = text.chars().count();
        let left = cut.map_or(all, |cut| cut.index(all));
        let text: String = text.chars().take(left).collect();
        match Figures::read(&text, &case) {
            Ok(figures) => {
                prop_assert_eq!(figures.tasks.len(), case.tasks.len());
                prop_assert!(figures.overhead() <= 1_000_000);
                let _ = figures.jobs();
            }
            Err(error) => prop_assert!(is_told(&error)),
        }
    }
}
