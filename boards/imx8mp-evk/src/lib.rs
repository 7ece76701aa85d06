//! NXP's i.MX 8M Plus EVK, as it is and as QEMU models it (`-M imx8mp-evk`), with one of its four
//! Cortex-A53, at EL1; with the feature `smp`, with all.
//!
//! A program for this board names `taktos` with the feature `imx8mp-evk`, or `imx8mp-evk-smp`; this
//! crate is then its `taktos::board`.
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
// Programs built elsewhere do not name these themselves.
#[doc(hidden)]
pub use taktos_boards::{self as common, arch, entry};

/// A device that programs do not use, for partitions: UART1.
#[cfg(feature = "workloads")]
const SPARE: usize = 0x3086_0000;

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
