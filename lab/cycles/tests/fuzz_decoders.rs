//! The decoders: every halfword, and words at random.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;
use taktos_cycles::model::{cortex_a8, cortex_a53, cortex_m4, u54};
use taktos_cycles::timing::{Flags, Operand, Timing};
use taktos_cycles::{Edge, Mark, a32, a64, rv64, t32};

/// Checks the conditions that the timing of every known instruction must meet.
fn sane(timing: &Timing) -> bool {
    let operands = timing.sources.iter().chain(&timing.results);
    let known = operands
        .map(|operand| operand.register)
        .all(|register| usize::from(register) < Operand::COUNT);
    let returns = timing.flags.contains(Flags::RETURN);
    timing.cost >= 1 && known && (!returns || timing.flags.contains(Flags::TRANSFER))
}

fn t32_is_sane(first: u16, second: u16) -> bool {
    let class = t32::classify(first, second);
    class == t32::classify(first, second)
        && class.is_none_or(|class| sane(&cortex_m4::timing(class)))
}

fn a32_is_sane(word: u32) -> bool {
    let (found, condition) = (a32::classify(word), a32::condition(word));
    let timing = |found| cortex_a8::timing(&found, condition);
    found == a32::classify(word) && condition < 15 && found.is_none_or(|found| sane(&timing(found)))
}

fn a64_is_sane(word: u32) -> bool {
    let found = a64::classify(word);
    found == a64::classify(word) && found.is_none_or(|found| sane(&cortex_a53::timing(&found)))
}

/// Checks that the decoder reads only the own halfword of a short instruction.
fn rv64_is_sane(word: u32) -> bool {
    let found = rv64::classify(word);
    let short = rv64::size(word as u16) == 2;
    let alone = !short || found == rv64::classify(word & 0xffff);
    alone
        && found == rv64::classify(word)
        && found.is_none_or(|found| found.sources.0 & 1 == 0 && sane(&u54::timing(&found)))
}

#[test]
fn every_first_halfword_of_t32() {
    for first in 0..=u16::MAX {
        let narrow = t32::size(first) == 2;
        assert!(narrow || t32::size(first) == 4, "{first:04x}");
        for second in [0, 0x0aff, 0x0bff, 0x0f00, 0x8000, 0xf000, 0xffff] {
            assert!(t32_is_sane(first, second), "{first:04x} {second:04x}");
            let alone = t32::classify(first, 0);
            assert!(
                !narrow || t32::classify(first, second) == alone,
                "{first:04x}"
            );
        }
    }
}

#[test]
fn every_upper_halfword_of_a32() {
    for upper in 0..=0xffff_u32 {
        for lower in [0, 0x0010, 0x0090, 0x0a10, 0x0aff, 0x0bff, 0xf000, 0xffff] {
            let word = upper << 16 | lower;
            assert!(a32_is_sane(word), "{word:08x}");
        }
    }
}

#[test]
fn every_upper_halfword_of_a64() {
    for upper in 0..=0xffff_u32 {
        for lower in [
            0, 0x001f, 0x03e0, 0x0400, 0x0800, 0x7c00, 0x8000, 0xfc1f, 0xffff,
        ] {
            let word = upper << 16 | lower;
            assert!(a64_is_sane(word), "{word:08x}");
        }
    }
}

#[test]
fn every_halfword_of_rv64() {
    for lower in 0..=0xffff_u32 {
        for upper in [
            0, 0x0001, 0x0010, 0x0200, 0x1020, 0x4000, 0x8000, 0xc000, 0xffff,
        ] {
            let word = upper << 16 | lower;
            assert!(rv64_is_sane(word), "{word:08x}");
        }
    }
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn any_words_of_t32(words in prop::collection::vec(any::<u32>(), 500)) {
        for word in words {
            let (first, second) = ((word >> 16) as u16, word as u16);
            // Most halfwords are narrow: make each wide as well.
            prop_assert!(t32_is_sane(first, second), "{:08x}", word);
            let wide = first | 0xe800;
            prop_assert!(t32_is_sane(wide, second), "{:04x} {:04x}", wide, second);
        }
    }

    #[test]
    fn any_words_of_a32(words in prop::collection::vec(any::<u32>(), 500)) {
        for word in words {
            prop_assert!(a32_is_sane(word), "{:08x}", word);
        }
    }

    #[test]
    fn any_words_of_a64(words in prop::collection::vec(any::<u32>(), 500)) {
        for word in words {
            prop_assert!(a64_is_sane(word), "{:08x}", word);
        }
    }

    #[test]
    fn any_words_of_rv64(words in prop::collection::vec(any::<u32>(), 500)) {
        for word in words {
            // Long ones too, which are a quarter otherwise.
            for word in [word, word | 3] {
                prop_assert!(rv64_is_sane(word), "{:08x}", word);
            }
        }
    }

    #[test]
    fn a_mark_is_read_back(name in "[a-z0-9-]{1,20}", begin: bool, number in prop::option::of(0..99_u32)) {
        let (word, edge) = if begin { ("begin", Edge::Begin) } else { ("end", Edge::End) };
        let number = number.map_or(String::new(), |number| format!(".{number}"));
        let mark = |edge| Some(Mark { edge, name: name.clone() });
        prop_assert_eq!(Mark::parse(&format!("taktos.mark.{name}.{word}{number}")), mark(edge));
        prop_assert_eq!(Mark::parse(&format!("taktos.point.{name}{number}")), mark(Edge::Point));
    }

    #[test]
    fn a_mark_has_a_valid_name(
        symbol in r"(taktos\.(mark|point)\.)?[a-zA-Z0-9.é -]{0,12}(\.(begin|end|middle))?(\.[0-9a]{0,2})?",
    ) {
        if let Some(mark) = Mark::parse(&symbol) {
            let valid = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            prop_assert!(!mark.name.is_empty() && mark.name.bytes().all(valid));
            prop_assert!(symbol.starts_with("taktos."));
        }
    }
}
