//! Command lines of any words, and boards of any name.

use proptest::prelude::*;
use taktos_emulator::Board;
use taktos_random::texts::text;
use taktos_runner::board;
use taktos_runner::failure::shown;

use super::*;

/// Words that the tool knows, and some that it nearly does.
const KNOWN: &str = "run reproduce bench trace doctor sim generate --suite simulation --scheduler edf --cpus --clusters edf:0-1,2-3 \
    --full --fresh --for 10s --costs --trace --storm --scenario --tasks --utilisation 0.75 --deadlines 0.5..1 ipc switch all \
    --board --board= mps2-an386 realview-pb-a8 --format json csv --out --for --from --length -1 18446744073709551615 \
    18446744073709551616 --baseline --save-baseline --only --list -- -";

fn word() -> impl Strategy<Value = String> {
    let known = KNOWN.split(' ').chain(["", "mps2\nan386"]);
    prop_oneof![
        4 => prop::sample::select(known.collect::<Vec<_>>()).prop_map(str::to_owned),
        1 => text(),
    ]
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn any_words_are_a_command_or_an_error(words in prop::collection::vec(word(), 0..7)) {
        let words = std::iter::once("taktos".to_owned()).chain(words);
        if let Err(error) = Arguments::try_parse_from(words) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn a_board_is_known_or_the_known_ones_are_listed(name in word()) {
        match board::by_name(&name, "--board") {
            Ok(board) => prop_assert_eq!(board.name(), name),
            Err(error) => {
                let shown = shown(&error);
                for board in Board::ALL {
                    prop_assert!(board.name() != name && shown.contains(board.name()));
                }
                prop_assert_eq!(shown.lines().count(), 2, "{}", shown);
            }
        }
    }
}
