//! From what the clock recorded to rounds of samples and their statistics.
//!
//! Must never know: the question of an experiment, or the form of a figure.

mod observation;
mod round;
mod schedule;
mod statistics;

pub use observation::{Observation, Round, counts, observe};
pub use round::{Labels, Part, Passages, Rounds, labelled, labels, rounds};
pub use schedule::{handover, record_schedule};
pub use statistics::Summary;

#[cfg(test)]
pub(crate) use observation::tests;
