//! The programs that experiments and boards run on the kernel.
//!
//! A port is held to them: a board that has its own clock and console runs the suite (`suite`), and
//! knows what does not hold yet.
//!
//! Owns: the kernel's test-suites, and the workloads of the experiments.
//! Must never know: a board; the kernel's inside.
#![no_std]

#[cfg(test)]
extern crate std;

#[cfg(target_has_atomic = "32")]
mod chance;
mod mark;

pub mod bench;
pub mod command_line;
#[cfg(feature = "counted")]
pub mod counted;
// Exchanges of words of 64 bits are there on all machines with several processors, and of 32 bits
// on all with partitions.
#[cfg(target_has_atomic = "64")]
pub mod experiment;
pub mod faults;
#[cfg(target_has_atomic = "64")]
pub mod guest;
pub mod hello;
pub mod ipc;
#[cfg(target_has_atomic = "64")]
pub mod latency;
mod look_away;
#[cfg(target_has_atomic = "64")]
pub mod mechanisms;
#[cfg(target_has_atomic = "32")]
pub mod orders;
#[cfg(all(target_os = "none", target_has_atomic = "64"))]
pub mod port;
mod program;
#[cfg(target_has_atomic = "32")]
pub mod several;
#[cfg(target_has_atomic = "32")]
pub mod several_bench;
pub mod smallest;
#[cfg(target_has_atomic = "64")]
pub mod spacecraft;
pub mod spare;
#[cfg(target_has_atomic = "64")]
pub mod storm;
pub mod suite;
pub mod switch;
pub mod thread_metric;
#[cfg(target_has_atomic = "32")]
pub mod user_mode;
mod verdict;
