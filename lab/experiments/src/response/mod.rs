//! Response times: what the programs on mechanisms and latency print, and how
//! their distributions are shown.
//!
//! Owns: samples with their histograms, percentiles, and tables of them. Must never know: the
//! mechanisms.

mod distribution;
mod sets;

pub use distribution::{Distribution, PERCENTILES, tells};
pub use sets::{Set, sets};

#[cfg(test)]
pub(crate) use sets::tests;
