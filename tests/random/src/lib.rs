//! The beginning of random tests: a seed that is new in each run, and printed, so that a failure
//! can be reproduced.
//!
//! Owns: where seeds come from. Must never know: what is random.

pub mod texts;

use std::hash::{BuildHasher, RandomState};

use proptest::test_runner::{Config, RngSeed};

/// Environment variable with the seed of a run to reproduce.
pub const VARIABLE: &str = "TAKTOS_SEED";

/// That of the environment's [`VARIABLE`], or a new one. It is printed, which a test-runner shows
/// where the test fails.
///
/// # Panics
/// Where the variable is no number: another run than the wanted one would be no answer.
pub fn seed() -> u64 {
    let seed = match std::env::var(VARIABLE) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{VARIABLE}={text} is no number below 2^64")),
        Err(_) => RandomState::new().hash_one(0),
    };
    println!("{VARIABLE}={seed}");
    seed
}

/// Properties of values at random: cases that come from [`seed`], as many as `PROPTEST_CASES` says.
/// No file is written: a failure that was found becomes a test of its own.
pub fn config() -> Config {
    Config {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed()),
        ..Config::default()
    }
}
