//! Boards with an STM32F405 (Cortex-M4F) and a crystal of 8 MHz: the Olimex STM32-H405, as it is and as QEMU models it
//! (`-M olimex-stm32-h405`), and others.
//!
//! A program is for this board where it names `taktos` with the feature `stm32f405`; what is here, it has as `taktos::board`.
//!
//! Owns: the memory map, the processor's clock, the interrupt table, the console, the start and the end of a program.
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
mod register;
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
