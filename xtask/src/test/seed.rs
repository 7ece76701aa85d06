//! Owns: the seed of what is at random in a step. Must never know: what is.

use std::hash::{BuildHasher, Hasher, RandomState};

use anyhow::{Context, Result};

/// Environment variable with the seed, so that a run can be reproduced.
pub(super) const VARIABLE: &str = "TAKTOS_SEED";

/// A seed that no run had before, or that of the environment's `TAKTOS_SEED`. Small enough to be
/// read and written by a person.
///
/// # Errors
/// When the variable is no number of 32 bits.
pub(super) fn fresh() -> Result<u32> {
    match std::env::var(VARIABLE) {
        Ok(text) => text
            .parse()
            .with_context(|| format!("{VARIABLE}={text} is no number below 2^32")),
        Err(_) => Ok(RandomState::new().build_hasher().finish() as u32),
    }
}

/// The seed of the part `number` of a step; none is 0.
pub(super) fn of(seed: u32, number: u32) -> u32 {
    // The multiplier of Lehmer's generator spreads neighbours; odd, so that different numbers stay
    // different.
    let mixed = seed ^ number.wrapping_mul(0x9E37_79B9);
    mixed.wrapping_mul(48_271).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_seeds_of_their_own() {
        for seed in [0, 1, 2, u32::MAX, fresh().unwrap()] {
            let mut all: Vec<u32> = (0..1000).map(|number| of(seed, number)).collect();
            assert!(!all.contains(&0), "the emulator's clock takes 0 for none");
            all.sort_unstable();
            all.dedup();
            assert!(all.len() >= 999, "of {seed}");
        }
    }
}
