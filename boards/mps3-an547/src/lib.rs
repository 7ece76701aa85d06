//! Arm's board MPS3 with the image AN547 (Corstone SSE-300, Cortex-M55), as QEMU models it (`-M mps3-an547`).
//!
//! A program is for this board where it names `taktos` with the feature `mps3-an547`; what is here, it has as `taktos::board`.
//!
//! Owns: the memory map, the interrupt table, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

#[cfg(feature = "workloads")]
mod attacks;
mod clock;
mod console;
#[cfg(feature = "counted")]
mod counter;
#[cfg(feature = "workloads")]
mod faults;
mod partitions;
#[cfg(feature = "workloads")]
mod places;
#[cfg(feature = "workloads")]
pub mod suite;
mod system;
mod vectors;
// What the programs ask of a board is the same on all.
#[cfg(feature = "workloads")]
mod workloads;

pub use system::{Board, interrupt, start, start_endless, urgent_interrupt};
pub use vectors::INTERRUPTS;

// Programs built elsewhere do not name the start-up code themselves.
#[doc(hidden)]
pub use {cortex_m_rt, taktos_arch_cortex_m as arch, taktos_kernel as kernel};
