//! Time-outs: each word has one meaning, and each meaning one word.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;
use taktos_abi::{Meaning, Timeout};
use taktos_time::{Duration, Instant};

/// Any word, those at the borders often.
fn word() -> impl Strategy<Value = u64> {
    let borders = vec![
        0,
        1,
        (1 << 63) - 1,
        1 << 63,
        (1 << 63) + 1,
        u64::MAX - 1,
        u64::MAX,
    ];
    prop_oneof![3 => any::<u64>(), 1 => prop::sample::select(borders)]
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_word_is_what_it_means(word in word()) {
        let timeout = Timeout::from_bits(word);
        let again = match timeout.meaning() {
            Meaning::Never => Timeout::NONE,
            Meaning::After(span) => Timeout::after(span),
            Meaning::Until(instant) => Timeout::until(instant),
            Meaning::Forever => Timeout::FOREVER,
        };
        prop_assert_eq!(again.bits(), word);
        prop_assert_eq!(timeout.is_none(), timeout.meaning() == Meaning::Never);
        prop_assert_eq!(timeout.is_forever(), timeout.meaning() == Meaning::Forever);
    }

    #[test]
    fn a_span_and_a_point_keep_their_meaning(word in word()) {
        let span = Duration::from_nanos(word);
        let meant = if word == 0 { Meaning::Never } else { Meaning::After(span) };
        prop_assert_eq!(Timeout::after(span).meaning(), meant);
        let point = Instant::from_nanos(word);
        let last = point == Instant::MAX;
        let meant = if last { Meaning::Forever } else { Meaning::Until(point) };
        prop_assert_eq!(Timeout::until(point).meaning(), meant);
    }

    #[test]
    fn a_relative_wait_never_ends_in_the_past(word in word(), now in word()) {
        let (timeout, now) = (Timeout::from_bits(word), Instant::from_nanos(now));
        let deadline = timeout.deadline(now);
        match timeout.meaning() {
            Meaning::Never => prop_assert_eq!(deadline, Some(now)),
            Meaning::After(_) => prop_assert!(deadline >= Some(now)),
            Meaning::Until(instant) => prop_assert_eq!(deadline, Some(instant)),
            Meaning::Forever => prop_assert_eq!(deadline, None),
        }
    }
}
