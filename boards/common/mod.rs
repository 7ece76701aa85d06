//! What the boards share: the board as a system of the kernel, and what the project's own programs ask of it.
//!
//! Owns: that.
//! Must never know: which board. A board's crate takes this as a module, by path, and has at its root `Machine`, its machine; `arch`, the
//! crate of that; `begin`, what comes before the kernel; the module `console`; and, with the feature `counted`, `COUNTED`. With its feature
//! `smp` it has several processors.

#[cfg(not(cortex_m))]
pub mod interrupt;
#[cfg(not(cortex_m))]
mod partitions;
#[cfg(feature = "workloads")]
mod programs;
#[cfg_attr(feature = "smp", path = "system/several.rs")]
#[cfg_attr(not(feature = "smp"), path = "system/one.rs")]
mod system;

#[cfg(feature = "smp")]
pub use system::{Board, PROCESSORS, start, start_with};
#[cfg(not(feature = "smp"))]
pub use system::{Board, start, start_endless};

/// The offsets that the linker's script tells tools.
const _: () = {
    use taktos_kernel::{INFO_OFFSET, URGENCY_OFFSET, WAIT_OFFSET};
    match size_of::<usize>() {
        8 => assert!(INFO_OFFSET == 128 && URGENCY_OFFSET == 40 && WAIT_OFFSET == 48),
        _ => assert!(INFO_OFFSET == 68 && URGENCY_OFFSET == 20 && WAIT_OFFSET == 24),
    }
};
