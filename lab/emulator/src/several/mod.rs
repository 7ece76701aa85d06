//! Several emulated processors with consistent clocks: run, measured from outside, searched for
//! races.
//!
//! Owns: how the time of several processors passes. Must never know: the function
//! of an image under measurement.
//!
//! # What the times mean
//! Every time is one of the *common clock*: each processor takes its own cycles of it, an
//! instruction or a modelled cycle each, and all processors pass through the same quanta. So two
//! times of one processor are exact to each other. Of two processors one may run ahead of the other
//! by up to a quantum; a span from one to the other is exact as far as the other slept when it was
//! called, because it wakes at its caller's time.

mod probe;
mod setting;

pub use crate::stream::{Event, Summary};
pub use probe::Probe;
pub use setting::{Setting, Time};

/// The most processors that the clock follows.
pub const MOST_PROCESSORS: usize = 8;
