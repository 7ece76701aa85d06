//! Owns: what the project's own programs ask of a board.
//! Must never know: what they do with it.

#[cfg(all(feature = "counted", not(feature = "smp")))]
mod counter;
#[cfg(feature = "smp")]
mod several;
mod suite;
// What the programs ask of a board is the same on all.
mod workloads;
