//! What the boards with processors of 64 bits share: the board as a system of the kernel, and what the project's own programs ask of it.
//!
//! Owns: that.
//! Must never know: which board. A board's crate takes this as a module, by path, and has at its root `Machine`, its machine; `arch`, the
//! crate of that; `begin`, what comes before the kernel; and the module `console`. With its feature `smp` it has several processors.

pub mod interrupt;
#[cfg(feature = "workloads")]
mod programs;
#[cfg_attr(feature = "smp", path = "system/several.rs")]
#[cfg_attr(not(feature = "smp"), path = "system/one.rs")]
mod system;

#[cfg(feature = "smp")]
pub use system::{Board, PROCESSORS, start, start_with};
#[cfg(not(feature = "smp"))]
pub use system::{Board, start, start_endless};

/// The offsets that `memory.x` tells tools.
const _: () = assert!(taktos_kernel::INFO_OFFSET == 128);
const _: () = assert!(taktos_kernel::URGENCY_OFFSET == 40 && taktos_kernel::WAIT_OFFSET == 48);
