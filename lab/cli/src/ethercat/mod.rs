//! The EtherCAT experiment: a controller in a real-time guest, under each scheduler, beside whom.
//!
//! Owns: its cases, how each is written as a machine, and what its consoles say. Must never know: how a machine is run.

mod case;
mod configuration;
mod form;
mod found;
mod samples;

pub use case::{Case, Place, Run, Scheduler};
pub use configuration::{Common, text, words};
pub use form::json;
pub use found::Told;
pub use samples::{Measured, samples};
