//! The board ST B-L475E-IOT01A (STM32L475VG, Cortex-M4F), as it is and as QEMU models it (`-M b-l475e-iot01a`).
//!
//! A program is for this board where it names `taktos` with the feature `stm32l475-iot01`; what is here, it has as `taktos::board`.
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
