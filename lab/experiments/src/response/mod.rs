//! Response times: what the programs on mechanisms and latency print, and how
//! their distributions are shown.
//!
//! Owns: samples with their histograms, percentiles, and tables of them. Must
//! never know: which mechanism is which.

mod distribution;
mod form;
mod sets;

pub use distribution::{Distribution, PERCENTILES, tells};
pub use form::{form, percentiles};
pub use sets::{Set, sets};

#[cfg(test)]
pub(crate) use sets::tests;
