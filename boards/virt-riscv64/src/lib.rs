//! The board that QEMU calls `virt` for RISC-V (`-M virt -bios none`), with one 64-bit processor in
//! supervisor mode; with the feature `smp`, with four (`-M virt,aclint=on -bios none -smp 4`).
//!
//! A program for this board names `taktos` with the feature `virt-riscv64`, or `virt-riscv64-smp`;
//! this crate is then its `taktos::board`.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: the work of the programs.
#![no_std]
#![cfg(target_os = "none")]

mod place;

#[cfg(feature = "counted")]
use place::COUNTED;
use place::{begin, console};

pub use arch::INTERRUPTS;
pub use place::{Machine, Place};
// Programs built elsewhere do not name these themselves.
#[doc(hidden)]
pub use taktos_boards::{self as common, arch, entry};

/// A device that programs do not use, for partitions: the last of the places for virtual devices.
/// No device is there, and its first word says so.
#[cfg(feature = "workloads")]
const SPARE: usize = 0x1000_8000;

taktos_boards::board!(begin, console::write);
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
