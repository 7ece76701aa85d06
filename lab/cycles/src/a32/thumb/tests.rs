//! T32 against A32, by an assembler's encodings of the same words; and against the decoder for
//! the other profile, over all of the short encodings and many of the long ones.

use super::*;

/// Lines of: T32's halfwords, A32's word, the instruction. Made with LLVM's assembler.
const SAME: &str = include_str!("same.lst");

#[test]
fn what_is_written_the_same_is_the_same() {
    for line in SAME.lines() {
        let number = |columns| u32::from_str_radix(&line[columns], 16).unwrap();
        let first = number(0..4) as u16;
        let second = match t32::size(first) {
            4 => number(5..9) as u16,
            _ => 0,
        };
        let expected = super::super::classify(number(10..18));
        assert!(expected.is_some(), "{line}");
        assert_eq!(classify(first, second, false), expected, "{line}");
    }
}

#[test]
fn in_a_block_short_arithmetic_leaves_the_flags_alone() {
    let flags = |first, in_block| classify(first, 0, in_block).unwrap().sets_flags;
    for first in [
        0x2105, 0x3107, 0x18d1, 0x1ed1, 0x00d1, 0x4011, 0x4351, 0x4251,
    ] {
        assert!(flags(first, false) && !flags(first, true), "{first:04x}");
    }
    // Comparisons are what they are for.
    assert!(flags(0x2a05, true) && flags(0x4211, true) && flags(0x4291, true));
}

#[test]
fn what_a32_lacks_is_known() {
    let cbz = classify(0xb101, 0, false).unwrap();
    assert_eq!(
        (cbz.class, cbz.flow, cbz.early),
        (Class::Branch, Flow::Branch, Registers::one(1))
    );
    let it = classify(0xbf08, 0, false).unwrap();
    assert_eq!((it.class, it.flow), (Class::Hint, Flow::Next));
    for (second, shifted) in [(0xf001, false), (0xf011, true)] {
        let table = classify(0xe8d2, second, false).unwrap();
        assert_eq!(
            table.class,
            Class::Single {
                store: false,
                shifted
            }
        );
        assert_eq!(table.flow, Flow::Branch);
        assert_eq!(table.early, Registers(1 << 1 | 1 << 2));
    }
    let orn = classify(0xea62, 0x0103, false).unwrap(); // orn r1,r2,r3
    assert_eq!(
        (orn.class, orn.plain, orn.results),
        (Class::Data, Registers(0b1100), Registers(2))
    );
    let pair = classify(0xe9d2, 0x1702, false).unwrap(); // ldrd r1,r7,[r2,#8]
    assert_eq!(pair.results, Registers(1 << 1 | 1 << 7));
}

/// Returns whether a class of the one decoder and one of the other can be the same instruction's.
fn agree((first, second): (u16, u16), other: t32::Class, ours: Option<&Instruction>) -> bool {
    use t32::Class as Other;
    let Some(ours) = ours else {
        return match other {
            // This core has no divider and no fused multiplication; the other profile has status
            // registers of its own.
            Other::Divide | Other::System => true,
            // Armv8-M's accesses that order others.
            Other::Exclusive { .. } | Other::Single { .. } if first & 0xffe0 == 0xe8c0 => {
                second & 0x80 != 0
            }
            Other::FloatAccumulate => matches!(first >> 4 & 0xb, 0b1001 | 0b1010),
            // Forms of an offset that neither profile defines: the other decoder lets them pass.
            Other::Single { .. } => second & 0xd00 == 0x800 || second & 0xfc0 != 0,
            _ => false,
        };
    };
    match (other, ours.class) {
        (Other::Single { store, .. }, Class::Single { store: same, .. })
        | (Other::Double { store }, Class::Double { store: same })
        | (Other::Multiple { store, .. }, Class::Multiple { store: same })
        | (Other::Exclusive { store }, Class::Exclusive { store: same })
        | (Other::FloatSingle { store, .. }, Class::FloatSingle { store: same })
        | (Other::FloatMultiple { store, .. }, Class::FloatMultiple { store: same, .. }) => {
            store == same
        }
        (Other::Single { store, .. }, Class::Preload) => !store,
        (Other::TableBranch, Class::Single { store, .. }) => !store && ours.flow == Flow::Branch,
        (Other::Data(flow), Class::Move | Class::Data | Class::Saturate | Class::Hint) => {
            // A result in the PC is unpredictable where A32 has a jump.
            (flow == Flow::Next) == (ours.flow == Flow::Next) || ours.results.0 >> 15 == 1
        }
        (Other::Multiply(_), Class::MultiplyHalf | Class::MultiplyWord | Class::MultiplyLong) => {
            true
        }
        (Other::It { .. }, Class::Hint) | (Other::Branch(_), Class::Branch) => true,
        (Other::System, Class::Status | Class::Barrier | Class::InstructionBarrier) => true,
        (Other::Exception, Class::Exception) => true,
        (Other::FloatPair | Other::FloatData, Class::FloatToCore | Class::CoreToFloat) => true,
        (
            Other::FloatData | Other::FloatAccumulate | Other::FloatDivide,
            Class::FloatArithmetic(_),
        ) => true,
        _ => false,
    }
}

#[test]
fn both_profiles_sort_alike() {
    for first in (0..=u16::MAX).filter(|first| t32::size(*first) == 2) {
        let ours = classify(first, 0, false);
        match t32::classify(first, 0) {
            Some(other) => assert!(
                agree((first, 0), other, ours.as_ref()),
                "{first:04x}: {other:?} {ours:?}"
            ),
            None => assert_eq!(ours, None, "{first:04x}"),
        }
    }
    let seed = fresh_seed();
    let (mut state, mut known) = (seed | 1, 0);
    for _ in 0..2_000_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (first, second) = (state as u16 | 0xe800, (state >> 16) as u16);
        let Some(other) = t32::classify(first, second) else {
            continue;
        };
        known += 1;
        let ours = classify(first, second, false);
        assert!(
            agree((first, second), other, ours.as_ref()),
            "seed {seed}: {first:04x} {second:04x}: {other:?} {ours:?}"
        );
    }
    assert!(known > 100_000, "seed {seed}: {known}");
}

/// Returns another seed each time; it is printed if something fails.
fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}
