//! Partitioned machines: their images built or fetched, and the machine run.
//!
//! Owns: where images come from, the emulator's process and the console between it and a person.
//! Must never know: the contents of a configuration; the places in memory.

mod console;
mod images;
mod machine;
mod vcpus;

pub use console::{Ending, restarts};
pub use images::{GUESTS, guest, hypervisor, linux, sources};
pub use machine::{Ended, Limit, run};
pub use vcpus::Vcpus;
