//! The EtherCAT experiment: a controller in a real-time guest, under each scheduler, with its
//! neighbours.
//!
//! Owns: its cases, the machine's configuration of each, and the meaning of its consoles. Must
//! never know: the running of a machine.

mod case;
mod configuration;
mod devices;
mod form;
mod found;
mod samples;
mod study;

pub use case::{Case, Place, Run, Scheduler};
pub use configuration::{Common, DEVICES, text, words};
pub use devices::{Named, described};
pub use form::json;
pub use found::Told;
pub use samples::{Measured, samples};
pub use study::Cycles;
