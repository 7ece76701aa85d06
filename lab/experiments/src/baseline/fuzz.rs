//! Baselines: written and read back, changed, and text that is none.

use proptest::prelude::*;
use taktos_random::texts::{changed, changes, text};

use super::*;
use crate::fuzz::names_a_line;

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

fn read(text: &str) -> Result<Baseline> {
    parse(text, Path::new("mine.json"))
}

/// A baseline, or an error in one line that names a line of the text, and the mend.
fn is_read_or_refused(text: &str) -> bool {
    let error = read(text).err();
    error.is_none_or(|error| names_a_line(&error, "mine.json", text, 0))
}

/// Pieces that baselines are made of.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "", "9", "-", ".5e999", "\"", "{", "}", ",", "\n", "[", "null", "é",
    ];
    prop::sample::select(pieces.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_baseline_is_read_back(baseline in baseline()) {
        let read = read(&to_json(&baseline)).unwrap();
        prop_assert_eq!(&read, &baseline);
    }

    #[test]
    fn what_differs_is_named(old in baseline(), new in baseline()) {
        prop_assert_eq!(old.changes(&new).unwrap().is_empty(), old == new);
        prop_assert!(old.changes(&old).unwrap().is_empty());
    }

    #[test]
    fn a_changed_file_is_read_or_refused(baseline in baseline(), changes in changes(piece())) {
        let text = changed(&to_json(&baseline), ' ', &changes);
        prop_assert!(is_read_or_refused(&text), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in text(), depth in 0..2000_usize) {
        prop_assert!(is_read_or_refused(&text));
        prop_assert!(is_read_or_refused(&"[".repeat(depth)));
    }
}
