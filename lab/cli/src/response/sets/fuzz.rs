//! Consoles of the programs with letters changed, lost or added: read, or
//! refused in one line with a mend.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;

use super::sets;
use super::tests::{console, printed};
use crate::failure::{Failure, shown};

fn counts() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let counts =
        prop::collection::btree_map(any::<u32>().prop_map(u64::from), 1_u64..1 << 40, 1..20);
    counts.prop_map(|counts| counts.into_iter().collect())
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn what_is_printed_is_read(all in prop::collection::vec(counts(), 1..5)) {
        let shown: Vec<String> = all.iter().map(|counts| printed("queue", (1, 2), counts)).collect();
        let read = sets(&console("latency", &shown), "latency").unwrap();
        let read: Vec<_> = read.iter().map(|set| set.times.counts().to_vec()).collect();
        prop_assert_eq!(read, all);
    }

    #[test]
    fn a_changed_console_is_read_or_refused(
        counts in counts(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), "[@a-z_=0-9 \n-]{0,12}", 0..20_usize), 1..4),
    ) {
        let mut letters: Vec<char> = console("latency", &[printed("latency", (0, 0), &counts)]).chars().collect();
        for (place, piece, gone) in changes {
            let place = place.index(letters.len());
            let gone = gone.min(letters.len() - place);
            letters.splice(place..place + gone, piece.chars());
            letters.push('\n');
        }
        let text: String = letters.into_iter().collect();
        match sets(&text, "latency") {
            Ok(read) => prop_assert!(read.iter().all(|set| set.times.samples() > 0)),
            Err(error) => {
                prop_assert!(error.is::<Failure>());
                prop_assert_eq!(shown(&error).lines().count(), 2);
            }
        }
    }
}
