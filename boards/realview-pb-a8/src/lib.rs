//! The board Arm RealView Platform Baseboard for Cortex-A8, as QEMU models it (`-M
//! realview-pb-a8`).
//!
//! A program for this board names `taktos` with the feature `realview-pb-a8`; this crate is then
//! its `taktos::board`.
//!
//! Owns: the memory map, the clock, the console, the start and the end of a program.
//! Must never know: the work of the programs.
//!
//! No device of this board raises fast interrupts (FIQ). A program that has a source of its own
//! defines their handler, `_asm_fiq_handler`, in assembly; the kernel never masks them, and the
//! handler must not call it.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod clock;
mod console;
mod place;

#[cfg(feature = "counted")]
use clock::COUNTED;
use taktos_kernel::Upcall;

pub use arch::INTERRUPTS;
pub use place::{Machine, Place};

// Programs built elsewhere do not name these themselves.
#[doc(hidden)]
pub use taktos_boards::{self as common, arch, entry};

taktos_arch_armv7_a::exceptions!(Place, Upcall<Board>);

/// A device that programs do not use, for partitions: the clock of the calendar.
#[cfg(feature = "workloads")]
const SPARE: usize = 0x1001_7000;

/// Prepares the machine, before the kernel starts.
fn begin() {
    clock::start::<Upcall<Board>>();
}

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
