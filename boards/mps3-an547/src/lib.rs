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
mod common;
mod console;
#[path = "common/cortex_m/mod.rs"]
mod cortex_m;
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
