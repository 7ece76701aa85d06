//! A good file, changed; pieces of files; any text: read, or refused with a line of the file.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;

use super::Configuration;
use super::tests::WHOLE;

fn is_read_or_refused(text: &str) {
    let checked = Configuration::parse(text, "x.toml").and_then(|mut made| {
        let _ = made.shown();
        let strict = made.check();
        made.force = true;
        made.check().and(strict)
    });
    if let Err(error) = checked {
        let words = format!("{error}{}", error.hint);
        assert!(
            !error.cause.is_empty() && !error.hint.is_empty(),
            "{error:?}"
        );
        assert_eq!(words.lines().count(), 1, "{error:?}");
        let lines = text.matches('\n').count() + 1;
        assert!(
            error.line.is_none_or(|line| (1..=lines).contains(&line)),
            "{error:?}"
        );
    }
}

/// Pieces that configurations are made of, whole and broken.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "force = true\n",
        "[machine]\ncpus = 2\n",
        "memory = '64 MiB'\n",
        "memory = '18446744073709551615 GiB'\n",
        "[[pool]]\nname = 'p'\ncpus = 0\n",
        "[[pool]]\nname = 'q'\ncpus = '1'\n",
        "policy = 'rtds'\n",
        "policy = 'sedf'\n",
        "policy = 'null'\n",
        "policy = 'credit'\n",
        "policy = 'arinc653'\nframe = '10 ms'\n",
        "[[pool.window]]\npartition = 'a'\nruntime = '1 ms'\n",
        "slice = '1 ms'\n",
        "ratelimit = '1152921504606846976 ns'\n",
        "[[partition]]\nname = 'a'\nmemory = '2 MiB'\nimage = 'taktos:hello'\n",
        "[[partition]]\nname = 'b'\nmemory = '4 MiB'\nimage = 'x'\n",
        "pool = 'p'\n",
        "address = 0x4100_0000\n",
        "address = 281474976710655\n",
        "vcpus = 16\n",
        "[[partition.vcpu]]\n",
        "period = '1 ms'\nbudget = '1 ms'\n",
        "period = '1152921504606846976 ns'\nbudget = '10 us'\n",
        "hard-affinity = 0\n",
        "weight = 7\n",
        "wait = 'native'\n",
        "device-tree = { a = 1, b = { c = ['d', 'e'] } }\n",
        "[[partition.device]]\nname = 'd'\naddress = 0x0901_0000\n",
        "size = '281474976710655 B'\n",
        "[[channel]]\nname = 'c'\nbetween = ['a', 'b']\n",
        "kind = 'shared'\n",
        "\u{0}",
        "= \n",
    ])
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn any_text_is_survived(text in prop::collection::vec(any::<char>(), 0..60)) {
        is_read_or_refused(&String::from_iter(text));
    }

    #[test]
    fn pieces_are_survived(pieces in prop::collection::vec(piece(), 0..14)) {
        is_read_or_refused(&pieces.concat());
    }

    #[test]
    fn a_changed_file_is_survived(
        at in any::<prop::sample::Index>(), length in 0usize..12, new in prop::collection::vec(any::<char>(), 0..4),
    ) {
        let mut letters: Vec<char> = WHOLE.chars().collect();
        let from = at.index(letters.len());
        let to = letters.len().min(from + length);
        letters.splice(from..to, new);
        is_read_or_refused(&String::from_iter(letters));
    }

    #[test]
    fn a_changed_number_is_survived(at in any::<prop::sample::Index>(), number in any::<i64>()) {
        let numbers: Vec<(usize, &str)> = WHOLE.match_indices(|letter: char| letter.is_ascii_digit()).collect();
        let (at, _) = numbers[at.index(numbers.len())];
        is_read_or_refused(&format!("{}{number}{}", &WHOLE[..at], &WHOLE[at + 1..]));
    }
}
