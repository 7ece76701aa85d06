//! The programs that experiments and boards run on the kernel.
//!
//! Owns: the kernel's test-suites, and the workloads of the experiments.
//! Must never know: a board; the kernel's inside.
#![no_std]

mod mark;

pub mod bench;
pub mod ipc;
pub mod several;
pub mod smallest;
#[cfg(target_has_atomic = "64")]
pub mod storm;
pub mod suite;
pub mod switch;
