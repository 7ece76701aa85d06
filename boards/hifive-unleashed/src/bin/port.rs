//! The test of this board's port. Ends with status 0, or with 1 and the name of what failed.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    all(target_os = "none", feature = "smp"),
    expect(unsafe_code, reason = "registers, vectors and symbols")
)]

// With several processors it needs no kernel, which the board's own crate brings.
#[cfg(all(target_os = "none", feature = "smp"))]
#[path = "../place.rs"]
mod place;
#[cfg(all(target_os = "none", feature = "smp"))]
#[path = "../common/port.rs"]
mod port;

// By this name `entry!` finds it.
#[cfg(all(target_os = "none", feature = "smp"))]
extern crate riscv_rt;

#[cfg(all(target_os = "none", feature = "smp"))]
use place::{Machine, Place, arch, begin, console};

#[cfg(not(all(target_os = "none", feature = "smp")))]
taktos_workloads::program!(hifive_unleashed::port);
