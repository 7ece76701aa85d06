//! Real-time guests under each scheduler of virtual processors, and on the bare machine.
//!
//! Owns: the choice of machines ([`Case`], [`Plan`]), their configuration files, the readings of
//! their consoles, and the rows and data that are made of these. Must never know: the machine made
//! of a configuration, the source of Linux, the work of a scheduler.

mod case;
mod configuration;
mod console;
mod plan;
mod samples;
mod scheduling;
mod study;

pub use case::{Case, Guest, Place, Run};
pub use configuration::text;
pub(crate) use configuration::{BUSY, busy, policy, vcpu, written};
pub use console::measured;
pub use plan::{Extent, Plan};
pub use samples::samples;
pub use scheduling::{Policy, Server};
pub use study::Guests;

use crate::response::Distribution;

/// Nanoseconds of the unit in which figures are given: 1,000 instructions, of a nanosecond each.
pub(crate) const UNIT: u64 = 1000;

/// A case that was run: the latencies of all its runs.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Case that was run.
    pub case: Case,
    /// All its runs together, in nanoseconds.
    pub latency: Distribution,
}
