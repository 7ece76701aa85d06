//! The EtherCAT experiment: a controller in a real-time guest, under each scheduler, beside whom.
//!
//! Owns: its cases, how each is written as a machine, and what its consoles say. Must never know: how a machine is run.

mod case;
mod configuration;
mod devices;
mod form;
mod found;
mod samples;

pub use case::{Case, Place, Run, Scheduler};
pub use configuration::{Common, DEVICES, text, words};
pub use devices::{Named, described};
pub use form::json;
pub use found::Told;
pub use samples::{Measured, samples};
