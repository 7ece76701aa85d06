//! The scheduling library: pure decisions, compiled unchanged into the kernel,
//! the hypervisor and the simulator.
//!
//! Owns: the policies and the order of the threads that are ready.
//! Must never know: a clock, a register, a lock, where a thread's memory is.
#![no_std]
#![forbid(unsafe_code)]

// The unit tests share their world with the integration tests, which know the crate by its name.
#[cfg(test)]
extern crate self as taktos_schedule;
#[cfg(test)]
extern crate std;

mod cpu;
mod heap;
mod links;
mod priority;
mod ready;
pub mod smp;
mod tree;
pub mod vcpu;

pub use cpu::{Cpu, CpuSet, Cpus};
pub use heap::{Branch, Branches, Heap};
pub use links::{Links, Ring};
pub use priority::Priority;
pub use ready::ReadyQueue;
pub use tree::{Side, Tree, TreeLinks};
