//! Baselines: written and read back, changed, and text that is none.

use proptest::prelude::*;
use taktos_random::texts::{changed, changes, text};

use super::*;
use crate::fuzz::{is_told, names_a_line};
use std::path::Path;

fn summary() -> impl Strategy<Value = Summary> {
    any::<[u64; 4]>().prop_map(|[min, median, max, samples]| Summary {
        min,
        median,
        max,
        samples,
    })
}

/// A name that an operation may have.
fn name() -> impl Strategy<Value = String> {
    text().prop_map(|text| format!("n{}", text.replace('/', "-")))
}

fn baseline() -> impl Strategy<Value = Baseline> {
    let counts =
        (summary(), prop::option::of(summary())).prop_map(|(instructions, cycles)| Counts {
            instructions,
            cycles,
        });
    let operations = prop::collection::btree_map(name(), counts, 1..6);
    (name(), operations).prop_map(|(board, operations)| Baseline { board, operations })
}

fn table(baseline: &Baseline) -> Baselines {
    let mut table = Baselines::default();
    table.set(&baseline.board, baseline).unwrap();
    table
}

fn read(text: &str) -> Result<Baselines> {
    Baselines::parse(text, Path::new("mine.csv"))
}

/// Returns whether the text is a table with baselines that are each read, or refused in one line
/// and the hint; or an error in one line that names a line of the text, and the hint.
fn is_read_or_refused(text: &str) -> bool {
    match read(text) {
        Err(error) => names_a_line(&error, "mine.csv", text, 0),
        Ok(table) => table
            .names()
            .filter_map(|name| table.figures::<Baseline>(name).err())
            .all(|error| is_told(&error)),
    }
}

/// Pieces that tables are made of.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "", "9", "-", "9*9", "9/9/9*9", "\"", "9/9@9", "*", ",", "\n", "/", "é",
    ];
    prop::sample::select(pieces.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_baseline_is_read_back(baseline in baseline()) {
        let read = read(&table(&baseline).text().unwrap()).unwrap();
        prop_assert_eq!(read.figures(&baseline.board).unwrap(), Some(baseline));
    }

    #[test]
    fn what_differs_is_named(old in baseline(), new in baseline()) {
        let none = Changes::default();
        prop_assert_eq!(old.changes(&new).unwrap() == none, old == new);
        prop_assert_eq!(old.changes(&old).unwrap(), none);
    }

    #[test]
    fn a_changed_file_is_read_or_refused(baseline in baseline(), changes in changes(piece())) {
        let text = changed(&table(&baseline).text().unwrap(), ' ', &changes);
        prop_assert!(is_read_or_refused(&text), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in text()) {
        prop_assert!(is_read_or_refused(&text));
    }
}
