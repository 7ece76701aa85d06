//! Arm's board MPS3 with the image AN547 (Corstone SSE-300, Cortex-M55), as QEMU models it (`-M
//! mps3-an547`).
//!
//! A program for this board names `taktos` with the feature `mps3-an547`; this crate is then its
//! `taktos::board`.
//!
//! Owns: the memory map, the interrupt table, the console, the start and the end of a program.
//! Must never know: the work of the programs.
#![no_std]
#![cfg(target_os = "none")]

#[cfg(feature = "workloads")]
#[expect(unsafe_code, reason = "instructions that the language lacks")]
mod attacks;
mod clock;
mod console;
#[cfg(feature = "workloads")]
pub mod port;

#[cfg(feature = "counted")]
use clock::COUNTED;
use clock::start as begin;

// Programs built elsewhere do not name these themselves.
#[doc(hidden)]
pub use taktos_boards::{self as common, arch, entry};

/// The machine.
pub type Machine = taktos_boards::MachineOf<clock::BoardClock>;

taktos_boards::board!(begin, console::write);
taktos_boards::arch::exceptions!(SystemTimer, taktos_kernel::Upcall<Board>);
// The subsystem's 32 interrupts and those of the board's devices. Spare: an interrupt that the
// subsystem reserves. Urgent: that of the subsystem's timer 0 (SSE-300, 101773).
taktos_boards::interrupts!(96, spare = 17, urgent = 3);
#[cfg(feature = "workloads")]
taktos_boards::programs!();

/// Gives a program partitions: their threads run without privilege (`taktos_kernel::user`). Used
/// once, in a program that has them.
#[macro_export]
macro_rules! partitions {
    () => {
        $crate::common::partitions_of!($crate::Board, $crate::INTERRUPTS);
    };
}
