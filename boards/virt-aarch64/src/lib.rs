//! The board that QEMU calls `virt` (`-M virt,gic-version=3`), with one Armv8-A processor at EL1; with the feature `smp`, with four
//! (`-smp 4`).
//!
//! A program is for this board where it names `taktos` with the feature `virt-aarch64`, or `virt-aarch64-smp`; what is here, it has as
//! `taktos::board`. With the feature `virt-aarch64-guest` it is a guest of the project's hypervisor, where the same devices lie at the
//! same places; it runs on the bare board, too.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod common;
mod place;
#[cfg(feature = "guest")]
#[path = "common/power.rs"]
pub mod power;

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

/// A device that programs do not use, for partitions: the clock of the calendar.
#[cfg(feature = "workloads")]
const SPARE: usize = 0x0901_0000;
