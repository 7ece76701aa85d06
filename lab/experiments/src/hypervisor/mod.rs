//! Real-time guests under each scheduler of virtual processors, and on the bare machine.
//!
//! Owns: which machines are run ([`Case`], [`Plan`]), their configuration files, what is read
//! of their consoles, and the rows and data that are made of it. Must never know:
//! how a configuration becomes a machine, how Linux is fetched, how anybody schedules.

mod case;
mod configuration;
mod console;
mod form;
mod latency;
mod plan;
mod samples;
mod scheduling;

pub use case::{Case, Guest, Place, Run};
pub use configuration::{Measure, Words, text};
pub(crate) use configuration::{policy, vcpu};
pub use console::measured;
pub use form::json;
pub use latency::Latency;
pub use plan::{Extent, Plan};
pub use samples::samples;
pub use scheduling::{Policy, Server};

/// A case that was run: the latencies of all its runs.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What was run.
    pub case: Case,
    /// All its runs together.
    pub latency: Latency,
}
