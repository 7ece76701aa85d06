//! Whole-system tests on the host machine.
//!
//! Owns: the host as a system ([`HostSystem`], and [`several`] for the one with several processors); the naive model of the kernel and the random runs
//! that compare the kernel with it; the kernel as the target of scenario scripts ([`scenario`]).

pub mod experiment;
pub mod model;
pub mod scenario;
pub mod several;
mod system;

pub use system::{AnyThread, HostSystem, Mutex, Semaphore, Thread, leak, run, spawn};
