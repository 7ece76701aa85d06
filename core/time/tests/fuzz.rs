//! Spans and points against arithmetic in twice the width.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;
use taktos_time::{Duration, Instant};

const MOST: u128 = (1 << 63) - 1;

/// The number of nanoseconds that a wider result is cut to.
fn cut(wide: u128) -> u64 {
    u64::try_from(wide.min(MOST)).unwrap()
}

/// Any number, those at the borders often.
fn number() -> impl Strategy<Value = u64> {
    let borders = vec![0, 1, (1 << 63) - 1, 1 << 63, u64::MAX];
    prop_oneof![3 => any::<u64>(), 1 => prop::sample::select(borders), 2 => 0..1_u64 << 40]
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn units_are_cut_to_the_longest_span(number in number()) {
        let wide = u128::from(number);
        prop_assert_eq!(Duration::from_nanos(number).as_nanos(), cut(wide));
        prop_assert_eq!(Duration::from_micros(number).as_nanos(), cut(wide * 1_000));
        prop_assert_eq!(Duration::from_millis(number).as_nanos(), cut(wide * 1_000_000));
        prop_assert_eq!(Duration::from_secs(number).as_nanos(), cut(wide * 1_000_000_000));
        let span = Duration::from_nanos(number);
        prop_assert_eq!(span.as_micros(), span.as_nanos() / 1_000);
    }

    #[test]
    fn sums_and_differences_are_cut(left in number(), right in number()) {
        let (a, b) = (Duration::from_nanos(left), Duration::from_nanos(right));
        let wide = |span: Duration| u128::from(span.as_nanos());
        prop_assert_eq!(a.saturating_add(b).as_nanos(), cut(wide(a) + wide(b)));
        prop_assert_eq!(a.saturating_sub(b).as_nanos(), cut(wide(a).saturating_sub(wide(b))));
        let (from, to) = (Instant::from_nanos(left), Instant::from_nanos(right));
        prop_assert_eq!(from.saturating_add(b).as_nanos(), cut(wide(a) + wide(b)));
        prop_assert_eq!(from.since(to).as_nanos(), cut(wide(a).saturating_sub(wide(b))));
        prop_assert!(from.since(to) == Duration::ZERO || to.since(from) == Duration::ZERO);
    }
}
