//! Real-time guests under each scheduler of virtual processors, and on the bare machine.
//!
//! Owns: which machines are run ([`Case`], [`Plan`]), their configuration files, what is read
//! of their consoles, and the tables, words and data that are made of it. Must never know:
//! how a configuration becomes a machine, how Linux is fetched, how anybody schedules.

mod case;
mod configuration;
mod console;
mod draw;
mod form;
mod latency;
mod machine;
mod others;
mod plan;
mod scheduling;
mod store;
mod words;

pub use case::{Case, Guest, Place, Run};
pub use configuration::{Measure, Words, text};
pub use console::measured;
pub use draw::draw;
pub use form::json;
pub use latency::Latency;
pub use machine::{Call, Machine};
pub use others::Others;
pub use plan::{Extent, Plan};
pub use store::{Store, digest};

/// A case that was run: the latencies of all its runs.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What was run.
    pub case: Case,
    /// All its runs together.
    pub latency: Latency,
}
