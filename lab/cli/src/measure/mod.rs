//! From what the clock recorded to rounds of samples and their statistics.
//!
//! Must never know what an experiment asks or how a figure looks.

mod observation;
mod schedule;
mod statistics;

pub use observation::{Labels, Observation, Round, labels, observe};
pub use schedule::{handover, record_schedule, record_schedule_of_several};
pub use statistics::Summary;
