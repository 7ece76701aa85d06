//! Owns: a program that inspects its own threads: what it must print on every board.
//! Must never know: how a program is written, built and run.

use anyhow::Result;

use super::{PROFILES, Place, Tally};

const PROGRAM: &str = include_str!("threads/main.rs");
/// The threads, the one created last first; what is known of an unpainted stack, whether painting
/// went well, what is used of a painted one, and whether as much was used as must have been.
const SAYS: &str = "worker:blocked main:executing idle:ready None Ok(()) Ok(()) Some(0) true true";

/// Puts the program in the place of that one which was written as `name`, and runs it.
pub(super) fn looked_at(place: &Place<'_>, name: &str) -> Result<Tally> {
    place.put(name, "src/main.rs", PROGRAM)?;
    place.run(name, PROFILES[0], SAYS)
}
