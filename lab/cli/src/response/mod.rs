//! Response times: what the programs on mechanisms and latency print, and how
//! their distributions are shown.
//!
//! Owns: samples with their histograms, percentiles, and tables of them. Must
//! never know: which mechanism is which.

mod distribution;
mod sets;
mod tables;

pub use distribution::{Distribution, PERCENTILES};
pub use sets::{Set, sets};
pub use tables::{Form, form, histogram, percentiles, tail};

#[cfg(test)]
pub(crate) use sets::tests;
