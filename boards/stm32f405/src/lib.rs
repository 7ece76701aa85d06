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
mod common;
mod console;
#[path = "common/cortex_m/mod.rs"]
mod cortex_m;
mod register;
mod vectors;

#[cfg(feature = "counted")]
use clock::COUNTED;
use clock::start as begin;

pub use common::*;
pub use cortex_m::*;
pub use vectors::INTERRUPTS;

// Programs built elsewhere do not name it themselves.
#[doc(hidden)]
pub use taktos_kernel as kernel;
