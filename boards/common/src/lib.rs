//! Code that boards share: a board's crate calls the macros of this one at its root.
//!
//! - [`board!`] makes the board a system of the kernel: the type `Board`, its kernel, its start.
//! - [`entry!`] is the entry of a program, `partitions_of!` gives it partitions.
//! - `programs!` adds the parts of a board that the project's own programs need, and `port!` is the
//!   test of a port to several processors.
//! - [`console`] has serial lines, each by the address of its registers.
//!
//! Owns: the path from the start-up code to the kernel; devices that several boards have.
//! Must never know: a board. Features give the architecture, and one processor or several.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "registers, and functions of programs")]

pub mod console;
mod entry;
#[cfg(feature = "guest")]
pub mod power;
pub mod registers;
mod system;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
pub use aarch64::*;

#[cfg(feature = "armv7-a")]
mod armv7_a;
#[cfg(feature = "armv7-a")]
pub use armv7_a::*;

#[cfg(feature = "cortex-m")]
mod cortex_m;
#[cfg(feature = "cortex-m")]
pub use cortex_m::*;

#[cfg(target_arch = "riscv64")]
mod riscv64;
#[cfg(target_arch = "riscv64")]
pub use riscv64::*;

#[cfg(not(feature = "cortex-m"))]
pub mod interrupt;
#[cfg(all(feature = "smp", feature = "workloads"))]
mod port;
#[cfg(all(feature = "smp", feature = "workloads"))]
pub use port::end;
#[cfg(feature = "workloads")]
pub mod programs;

pub use system::*;
#[doc(hidden)]
pub use {taktos_kernel as kernel, taktos_machine as machine};

// The macros that boards call name it.
#[cfg(feature = "workloads")]
#[doc(hidden)]
pub use taktos_workloads as workloads;

/// Whether the feature `brief-reports` is on.
#[doc(hidden)]
pub const BRIEF_REPORTS: bool = cfg!(feature = "brief-reports");
