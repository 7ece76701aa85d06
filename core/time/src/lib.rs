//! Points and spans of time, in whole nanoseconds.
//!
//! A [`Duration`] is written with its unit, an [`Instant`] is counted from the start of the system;
//! both end at 2⁶³ - 1 nanoseconds, some 292 years, and stay there:
//!
//! ```
//! use taktos_time::{Duration, Instant, Span};
//!
//! let release = Instant::START.saturating_add(2.millis());
//! assert_eq!(release.as_nanos(), 2_000_000);
//! assert_eq!(release.since(Instant::START), Duration::from_micros(2_000));
//! assert_eq!(Instant::START.since(release), Duration::ZERO);
//! ```
//!
//! Owns: [`Instant`], [`Duration`] and the suffixes that make them (`10.millis()`).
//! Must never know: a clock, a timer, a tick rate.
#![no_std]
#![forbid(unsafe_code)]

mod duration;
mod instant;

pub use duration::{Duration, Span};
pub use instant::Instant;
