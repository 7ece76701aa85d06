//! Owns: what the project's own programs ask of a board.
//! Must never know: what they do with it.

#[cfg(not(cortex_m))]
mod attacks;
#[cfg(all(feature = "counted", not(feature = "smp")))]
mod counter;
#[cfg(feature = "smp")]
mod several;
#[cfg(not(cortex_m))]
mod suite;
mod workloads;
