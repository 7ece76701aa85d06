//! Tables of any words and counts: as text, CSV and HTML.

mod common;

use common::words;
use proptest::prelude::*;
use taktos_export::report::{Report, Section};
use taktos_export::table::{Cell, Column, Table, thousands};
use taktos_export::{Basis, Evidence};

fn cell() -> impl Strategy<Value = Cell> {
    prop_oneof![
        Just(Cell::Blank),
        words().prop_map(Cell::Text),
        any::<u64>().prop_map(Cell::Count),
        (any::<bool>(), words()).prop_map(|(met, words)| Cell::Verdict { met, words }),
    ]
}

fn column() -> impl Strategy<Value = Column> {
    let basis = prop_oneof![
        Just(Basis::Label),
        Just(Basis::Ours(Evidence::Modelled)),
        words().prop_map(Basis::Theirs),
    ];
    (words(), basis).prop_map(|(name, basis)| Column { name, basis })
}

fn table() -> impl Strategy<Value = Table> {
    (1..5_usize).prop_flat_map(|width| {
        let columns = prop::collection::vec(column(), width);
        let rows = prop::collection::vec(prop::collection::vec(cell(), width), 0..6);
        let notes = prop::collection::vec(words(), 0..3);
        (words(), columns, rows, notes).prop_map(|(title, columns, rows, notes)| {
            let mut table = Table::new(title, columns);
            rows.into_iter().for_each(|row| table.push(row));
            table.notes = notes;
            table
        })
    })
}

/// Returns the contents of a CSV field of the cell.
fn plain(cell: &Cell) -> String {
    match cell {
        Cell::Blank => String::new(),
        Cell::Count(count) => count.to_string(),
        Cell::Text(words) | Cell::Verdict { words, .. } => words.clone(),
    }
}

/// The report of a table and of words everywhere else.
fn report(table: Table, words: &str) -> String {
    let words = || words.to_owned();
    let section = Section {
        heading: words(),
        prose: vec![words()],
        tables: vec![table],
        plots: Vec::new(),
    };
    let report = Report {
        title: words(),
        question: words(),
        answer: vec![words()],
        setup: vec![(words(), words())],
        evidence: vec![Evidence::Modelled],
        sections: vec![section],
    };
    report.to_html()
}

/// Returns the table with letters for all words: the rest of its HTML is the template's.
fn lettered(mut table: Table) -> Table {
    let letter = |words: &mut String| {
        if !words.is_empty() {
            *words = "a".into();
        }
    };
    for column in &mut table.columns {
        letter(&mut column.name);
        if let Basis::Theirs(words) = &mut column.basis {
            letter(words);
        }
    }
    for cell in table.rows.iter_mut().flatten() {
        if let Cell::Text(words) | Cell::Verdict { words, .. } = cell {
            letter(words);
        }
    }
    table.notes.iter_mut().for_each(letter);
    table.title = "b".into();
    table
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn csv_is_read_back(table in table()) {
        let text = table.to_csv();
        // Readers take this first letter for the mark of the encoding.
        prop_assume!(!text.starts_with('\u{feff}'));
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let records: Vec<Vec<String>> = reader.deserialize().map(Result::unwrap).collect();
        prop_assert_eq!(records.len(), 1 + table.rows.len());
        prop_assert_eq!(records[0].len(), table.columns.len());
        for (record, row) in records[1..].iter().zip(&table.rows) {
            prop_assert_eq!(record, &row.iter().map(plain).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_word_becomes_an_element(table in table(), words in words()) {
        let html = report(table.clone(), &words);
        // As many elements as with harmless words; the heading is unlike the table's title.
        let mut table = table;
        let repeated = table.title == words;
        table.title.clear();
        let harmless = report(lettered(table), "a");
        let elements = |html: &str| html.matches('<').count();
        prop_assert_eq!(elements(&html) + if repeated { 2 } else { 0 }, elements(&harmless));
    }

    #[test]
    fn text_holds_every_row(table in table()) {
        let text = table.to_text();
        prop_assert!(text.starts_with(&table.title));
        prop_assert!(text.lines().count() > table.rows.len());
        prop_assert_eq!(&text, &table.clone().to_text());
    }

    #[test]
    fn a_file_stem_is_a_plain_name(title in words()) {
        let stem = Table::new(title, Vec::new()).file_stem();
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        prop_assert!(stem.bytes().all(plain));
    }

    #[test]
    fn thousands_are_the_digits_and_commas(count: u64) {
        prop_assert_eq!(thousands(count).replace(',', ""), count.to_string());
    }
}
