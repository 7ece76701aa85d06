//! NXP's i.MX 8M Plus EVK, as it is and as QEMU models it (`-M imx8mp-evk`), with one of its four Cortex-A53, at EL1; with the feature
//! `smp`, with all.
//!
//! A program is for this board where it names `taktos` with the feature `imx8mp-evk`, or `imx8mp-evk-smp`; what is here, it has as `taktos::board`.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod common;
mod place;

#[cfg(feature = "counted")]
use place::COUNTED;
use place::{begin, console};

pub use arch::INTERRUPTS;
pub use common::*;
pub use place::{Machine, Place};

// Programs built elsewhere do not name these themselves.
#[doc(hidden)]
pub use {
    place::{arch, rt},
    taktos_kernel as kernel,
};

/// A device that programs do not use, for partitions: UART1.
#[cfg(feature = "workloads")]
const SPARE: usize = 0x3086_0000;
