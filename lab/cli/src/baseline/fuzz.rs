//! Baselines: written and read back, changed, and text that is none.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;

use super::*;
use crate::failure::shown;

/// Any letters, line feeds and other controls among them.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..60).prop_map(String::from_iter)
}

fn summary() -> impl Strategy<Value = Summary> {
    any::<[u64; 4]>().prop_map(|[min, median, max, samples]| Summary {
        min,
        median,
        max,
        samples,
    })
}

fn baseline() -> impl Strategy<Value = Baseline> {
    let counts =
        (summary(), prop::option::of(summary())).prop_map(|(instructions, cycles)| Counts {
            instructions,
            cycles,
        });
    let operations = prop::collection::btree_map(text(), counts, 0..6);
    (text(), operations).prop_map(|(board, operations)| Baseline { board, operations })
}

/// A baseline, or an error in one line that names a line of the text, and the mend.
fn is_read_or_refused(text: &str) -> bool {
    let Err(error) = Baseline::parse(text, Path::new("mine.json")) else {
        return true;
    };
    let cause = error.to_string();
    let line = cause
        .strip_prefix("mine.json:")
        .and_then(|rest| rest.split(':').next()?.parse().ok());
    let lines = text.matches('\n').count() + 1;
    shown(&error).lines().count() == 2 && line.is_some_and(|line: usize| line <= lines)
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_baseline_is_read_back_and_has_no_changes(baseline in baseline()) {
        let read = Baseline::parse(&to_json(&baseline), Path::new("mine.json")).unwrap();
        prop_assert_eq!(&read, &baseline);
        prop_assert!(baseline.changes(&read).is_empty());
    }

    #[test]
    fn what_differs_is_named(old in baseline(), new in baseline()) {
        prop_assert_eq!(old.changes(&new).is_empty(), old == new);
    }

    #[test]
    fn a_changed_file_is_read_or_refused(
        baseline in baseline(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(vec!["", "9", "-", ".5e999", "\"", "{", "}", ",", "\n", "[", "null", "é"]), 0..12_usize), 1..4),
    ) {
        let mut letters: Vec<char> = to_json(&baseline).chars().collect();
        for (place, piece, gone) in changes {
            let place = place.index(letters.len());
            let gone = gone.min(letters.len() - place);
            letters.splice(place..place + gone, piece.chars());
            letters.push(' ');
        }
        let text: String = letters.into_iter().collect();
        prop_assert!(is_read_or_refused(&text), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in text(), depth in 0..2000_usize) {
        prop_assert!(is_read_or_refused(&text));
        prop_assert!(is_read_or_refused(&"[".repeat(depth)));
    }
}
