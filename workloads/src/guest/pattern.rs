//! Owns: memory that nothing may change, and how a change is detected.
//! Must never know: the cause of a change.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// 64 KiB.
const WORDS: usize = 8192;
/// The FNV-1a hash of 64 bits, by words (Fowler, Noll, Vo; IETF draft-eastlake-fnv).
const BASIS: u64 = 0xCBF2_9CE4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01B3;
/// A multiplier with products that look random (Steele and Vigna 2021).
const SPREAD: u64 = 0xD134_2543_DE82_EF95;

/// Memory with known contents.
pub struct Pattern([AtomicU64; WORDS]);

impl Pattern {
    /// Nothing in it yet.
    pub const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; WORDS])
    }

    /// Fills it; says the hash that it must keep.
    pub fn fill(&self) -> u64 {
        for (number, word) in (1u64..).zip(&self.0) {
            word.store(number.wrapping_mul(SPREAD), Relaxed);
        }
        self.hash()
    }

    /// The hash of what it holds now.
    pub fn hash(&self) -> u64 {
        self.0.iter().fold(BASIS, |hash, word| {
            (hash ^ word.load(Relaxed)).wrapping_mul(PRIME)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_is_told() {
        let pattern = Pattern::new();
        let filled = pattern.fill();
        assert_eq!(pattern.hash(), filled);
        for place in [0, 77, WORDS - 1] {
            for bit in [0, 31, 63] {
                let was = pattern.0[place].fetch_xor(1 << bit, Relaxed);
                assert_ne!(pattern.hash(), filled, "{place} {bit}");
                pattern.0[place].store(was, Relaxed);
            }
        }
        assert_eq!(pattern.hash(), filled);
    }
}
