//! Files that are good, changed; and text that is none: read, or refused with a
//! line of the file. A file that is read is written and read back.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;

use super::tests::WHOLE;
use super::*;

const RT_APP: &str = include_str!("../import/tests/mutex.json");
const SIMSO: &str = include_str!("../import/tests/mixed.xml");

fn is_read_or_refused(text: &str, file: &str) {
    match parse(text, file) {
        Ok(set) => {
            let again = write(&set);
            let read =
                parse(&again, "again.toml").unwrap_or_else(|error| panic!("{error}\n{again}"));
            let expected = TaskSet {
                warnings: Vec::new(),
                workload: Workload {
                    name: set.title.clone(),
                    ..set.workload.clone()
                },
                ..set
            };
            assert_eq!(read, expected, "{again}");
        }
        Err(error) => {
            assert!(
                !error.cause.is_empty() && !error.hint.is_empty(),
                "{error:?}"
            );
            assert_eq!(
                format!("{error}{}", error.hint).lines().count(),
                1,
                "{error:?}"
            );
            let lines = text.matches('\n').count() + 1;
            assert!(
                error.line.is_none_or(|line| (1..=lines).contains(&line)),
                "{error:?}"
            );
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..60).prop_map(String::from_iter)
}

/// Pieces that task sets are made of, whole and broken.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "title = 'a'\n",
        "cpus = 2\n",
        "scheduler = 'edf'\n",
        "for = '1 s'\n",
        "[costs]\n",
        "switch = '1 us'\n",
        "migration = { 1 = '1 us' }\n",
        "[[task]]\n",
        "[task]\n",
        "name = 'a'\n",
        "name = 'b'\n",
        "name = ''\n",
        "period = '5 ms'\n",
        "period_ms = 5\n",
        "period_us = 1.5\n",
        "period_ns = 99999999999999999999\n",
        "separation = '1 ms..2 ms'\n",
        "separation = '1 ms | 2 ms'\n",
        "once = '1 ms'\n",
        "execution = '1 ms'\n",
        "execution = '1 ms..2 ms'\n",
        "execution_ms = 0\n",
        "body = ['run 1 ms']\n",
        "body = ['lock bus', 'run 1 ms', 'unlock bus']\n",
        "body = []\n",
        "affinity = '0-63'\n",
        "affinity = [0, 64]\n",
        "cluster = 'fast'\n",
        "[[cluster]]\n",
        "cpus = '0-1'\n",
        "[[lock]]\n",
        "name = 'bus'\n",
        "ceilings = { '' = 1 }\n",
        "[[server]]\n",
        "[[pool]]\n",
        "policy = 'rtds'\n",
        "policy = 'arinc653'\n",
        "frame = '1 ms'\n",
        "[[partition]]\n",
        "[[partition.task]]\n",
        "[[partition.vcpu]]\n",
        "vcpus = 2\n",
        "= 1\n",
        "'é' = [\n",
        "\"\"\"",
        "'",
        "{\n",
        "}\n",
        ",",
        "\"tasks\": ",
        "\"run\": 100,",
        "\"timer\": { \"ref\": \"a\", \"period\": 1000 },",
        "\"lock\": \"m\",",
        "-1",
        "<task name=\"a\" WCET=\"1\" period=\"2\"/>",
        "<simulation>",
        "</simulation>",
        "&amp;",
        "\u{feff}",
        "\0",
        "9",
        "0",
    ];
    prop_oneof![
        8 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => text(),
    ]
}

fn file() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a.toml", "a.json", "a.xml", "a"])
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn any_text_is_read_or_refused(text in text(), file in file()) {
        is_read_or_refused(&text, file);
        let _ = parse_costs(&text, file);
    }

    #[test]
    fn any_pieces_are_read_or_refused(
        pieces in prop::collection::vec(piece(), 0..16),
        file in file(),
    ) {
        let text = pieces.concat();
        is_read_or_refused(&text, file);
        let _ = parse_costs(&text, file);
    }

    #[test]
    fn a_changed_file_is_read_or_refused(
        (good, file) in prop::sample::select(vec![(WHOLE, "a.toml"), (RT_APP, "a.json"), (SIMSO, "a.xml")]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), piece(), 0..20_usize), 1..4),
    ) {
        let mut letters: Vec<char> = good.chars().collect();
        for (place, piece, gone) in changes {
            let place = place.index(letters.len());
            let gone = gone.min(letters.len() - place);
            letters.splice(place..place + gone, piece.trim_end().chars());
        }
        let text: String = letters.into_iter().collect();
        is_read_or_refused(&text, file);
    }

    #[test]
    fn a_time_that_is_read_is_shown_and_read_back(whole in 0..10_000_u64, fraction in 0..1_000_000_000_u64) {
        for unit in ["ns", "us", "ms", "s"] {
            let written = format!("{whole}.{fraction:09} {unit}");
            if let Ok(time) = text::duration(&written) {
                prop_assert_eq!(text::duration(&text::shown(time)), Ok(time));
            }
        }
    }

    #[test]
    fn any_words_are_a_set_of_processors_or_none(words in "[0-9,+ -]{0,12}") {
        if let Ok(set) = text::cpus(&words) {
            prop_assert_eq!(text::cpus(&text::shown_cpus(set)), Ok(set));
        }
    }
}
