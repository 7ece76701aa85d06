//! The board that QEMU calls `virt` (`-M virt,gic-version=3`), with one Armv8-A processor at EL1;
//! with the feature `smp`, with four (`-smp 4`).
//!
//! A program for this board names `taktos` with the feature `virt-aarch64`, or `virt-aarch64-smp`;
//! this crate is then its `taktos::board`. With the feature `virt-aarch64-guest` it is a guest of
//! the project's hypervisor, which has the same devices at the same places; it runs on the bare
//! board, too.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: the work of the programs.
#![no_std]
#![cfg(target_os = "none")]

mod place;

#[cfg(feature = "counted")]
use place::COUNTED;
use place::console;

pub use arch::INTERRUPTS;
pub use place::{Machine, Place};
#[cfg(feature = "guest")]
pub use taktos_boards::power;
// Programs built elsewhere do not name these themselves.
#[doc(hidden)]
pub use taktos_boards::{self as common, arch, entry};

/// A device that programs do not use, for partitions: the clock of the calendar.
#[cfg(feature = "workloads")]
const SPARE: usize = 0x0901_0000;

taktos_boards::board!(taktos_boards::begin::<Place>, console::write);
#[cfg(feature = "workloads")]
taktos_boards::programs!(SPARE);

/// Gives a program partitions: their threads run without privilege (`taktos_kernel::user`). Used
/// once, in a program that has them.
#[macro_export]
macro_rules! partitions {
    () => {
        $crate::common::partitions_of!($crate::Board, $crate::INTERRUPTS);
    };
}
