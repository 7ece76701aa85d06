//! The test of this board's port: what [`taktos_machine::Machine`] promises of several processors, without a kernel; see
//! `taktos_workloads::port::smp`. Ends with status 0, or with 1 and the name of what failed.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(unsafe_code, reason = "registers, vectors and symbols")
)]

// The board's own crate brings a kernel.
#[cfg(target_os = "none")]
#[path = "../place.rs"]
mod place;
#[cfg(target_os = "none")]
#[path = "../common/port.rs"]
mod port;

// By this name `entry!` finds it.
#[cfg(target_os = "none")]
extern crate aarch64_rt;

#[cfg(target_os = "none")]
use place::{Machine, Place, arch, begin, console};

#[cfg(not(target_os = "none"))]
taktos_workloads::program!();
