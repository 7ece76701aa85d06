//! Consoles of the program with lines changed, lost or added: read, or refused
//! in one line with a mend.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;

use super::super::case::{Layout, tests::case};
use super::Figures;
use super::tests::console;
use crate::failure::{Failure, shown};

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_changed_console_is_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), "[@a-z_=0-9 \n-]{0,12}", 0..20_usize), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let case = case(Layout::Global);
        let mut letters: Vec<char> = console(&case, 1200).chars().collect();
        for (place, piece, gone) in changes {
            let place = place.index(letters.len());
            let gone = gone.min(letters.len() - place);
            letters.splice(place..place + gone, piece.chars());
            letters.push('\n');
        }
        if let Some(cut) = cut {
            letters.truncate(cut.index(letters.len()));
        }
        let text: String = letters.into_iter().collect();
        match Figures::read(&text, &case) {
            Ok(figures) => {
                prop_assert_eq!(figures.tasks.len(), case.tasks.len());
                prop_assert!(figures.overhead() <= 1_000_000);
                let _ = figures.jobs();
            }
            Err(error) => {
                prop_assert!(error.is::<Failure>());
                prop_assert_eq!(shown(&error).lines().count(), 2);
            }
        }
    }
}
