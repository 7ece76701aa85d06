//! Points and spans of time, in whole nanoseconds.
//!
//! Owns: [`Instant`], [`Duration`] and the suffixes that make them (`10.millis()`).
//! Must never know: a clock, a timer, a tick rate.
#![no_std]
#![forbid(unsafe_code)]

mod duration;
mod instant;

pub use duration::{Duration, Span};
pub use instant::Instant;
