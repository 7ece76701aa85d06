//! Consoles of the programs with letters changed, lost or added: read, or
//! refused in one line with a hint.

use proptest::prelude::*;
use taktos_random::texts::{changed, changes};

use super::sets;
use super::tests::{console, printed};
use crate::fuzz::is_told;

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
    fn a_changed_console_is_read_or_refused(counts in counts(), changes in changes("[@a-z_=0-9 \n-]{0,12}")) {
        let console = console("latency", &[printed("latency", (0, 0), &counts)]);
        match sets(&changed(&console, '\n', &changes), "latency") {
            Ok(read) => prop_assert!(read.iter().all(|set| set.times.samples() > 0)),
            Err(error) => prop_assert!(is_told(&error)),
        }
    }
}
