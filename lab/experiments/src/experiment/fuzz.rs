//! Experiment files: those that are shipped, changed; and text that is none.

use std::path::Path;

use proptest::prelude::*;
use taktos_random::texts::{changed, changes, text};

use super::load::parse;
use crate::fuzz::names_a_line;

const SHIPPED: [&str; 3] = [
    include_str!("../../../../experiments/bench.toml"),
    include_str!("../../../../experiments/ipc.toml"),
    include_str!("../../../../experiments/switch.toml"),
];

/// An experiment, or an error in one line that names a line of the text, and the hint.
fn is_read_or_refused(text: &str) -> bool {
    let read = parse(text, Path::new("mine.toml"));
    read.err()
        .is_none_or(|error| names_a_line(&error, "mine.toml", text, 1))
}

/// Pieces that experiment files are made of, whole and broken.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "title = 'a'\n",
        "question = 'b'\n",
        "board = 'mps2-an386'\n",
        "program = 'ipc'\n",
        "[[figure]]\n",
        "[figure]\n",
        "[figure.published]\n",
        "kind = 'summary'\n",
        "kind = 'curve'\n",
        "kind = 'parts'\n",
        "kind = 'goals'\n",
        "unit = 'cycles'\n",
        "marks = ['a', 'b']\n",
        "switches = -1\n",
        "switches = 99999999999999999999\n",
        "round = { a = '1' }\n",
        "x-scale = 'log'\n",
        "parts = { é = 'ü' }\n",
        "= 1\n",
        "'é' = [\n",
        "\"\"\"",
        "'",
        "#",
        "\r\n",
        "\u{feff}",
        "\0",
        "日本 = 1\n",
        "\"\\u12\"",
        "a.b.c = 1\n",
        "'unknown field `x`' = 1\n",
        "\"a\\nb\" = 1\n",
        "'\u{2028}' = 1\n",
        "kind = \"\"\"a\nb\"\"\"\n",
    ];
    prop_oneof![
        6 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => text(),
    ]
}

#[test]
fn what_is_shipped_is_read() {
    for text in SHIPPED {
        assert!(
            !parse(text, Path::new("mine.toml"))
                .unwrap()
                .figures
                .is_empty()
        );
    }
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn any_text_is_read_or_refused(text in text()) {
        prop_assert!(is_read_or_refused(&text));
    }

    #[test]
    fn any_pieces_are_read_or_refused(pieces in prop::collection::vec(piece(), 0..14)) {
        let text = pieces.concat();
        prop_assert!(is_read_or_refused(&text), "{:?}", parse(&text, Path::new("mine.toml")));
    }

    #[test]
    fn a_changed_experiment_is_read_or_refused(
        shipped in prop::sample::select(SHIPPED.to_vec()),
        changes in changes(piece()),
    ) {
        let text = changed(shipped, '\n', &changes);
        prop_assert!(is_read_or_refused(&text), "{:?}", parse(&text, Path::new("mine.toml")));
    }
}
