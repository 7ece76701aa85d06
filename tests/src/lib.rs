//! Whole-system tests on the host machine.
//!
//! Owns: the host as a system ([`HostSystem`], and [`several`] for the one with several
//! processors); the naive model of the kernel and the random runs that compare the kernel with it;
//! the kernel as the target of scenario scripts ([`scenario`]); a machine at EL2 for the
//! hypervisor's core ([`machine_el2`]); partitions with budgets ([`parts`]).

pub mod experiment;
pub mod machine_el2;
pub mod model;
pub mod parts;
pub mod scenario;
pub mod several;
mod system;

pub use system::{AnyThread, HostSystem, Mutex, Semaphore, Thread, leak, run, spawn};
