//! Boards with an STM32F405 (Cortex-M4F) and a crystal of 8 MHz: the Olimex STM32-H405, as it is
//! and as QEMU models it (`-M olimex-stm32-h405`), and others.
//!
//! A program for this board names `taktos` with the feature `stm32f405`; this crate is then its
//! `taktos::board`.
//!
//! Owns: the memory map, the processor's clock, the interrupt table, the console, the start and the
//! end of a program. Must never know: the work of the programs.
#![no_std]
#![cfg(target_os = "none")]

#[cfg(feature = "workloads")]
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
// Interrupts of the chip (RM0090, table 62). Spare: that of a cryptographic unit, which the chip
// lacks. Urgent: that of the basic timer 7.
taktos_boards::interrupts!(82, spare = 79, urgent = 55);
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
