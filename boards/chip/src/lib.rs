//! Any chip with a Cortex-M0, M0+, M3, M4, M7, M33 or M55. The program says its memory map
//! (`memory.x`, next to its `Cargo.toml`) and sets its clock. The processor's own timer is the only
//! one. The table of interrupts is a plain one, or with the feature `pac` that of the chip's crate
//! (PAC), of which drivers are made (HAL).
//!
//! A program for a chip names `taktos` with the feature `chip`; this crate is then its
//! `taktos::board`.
//!
//! Owns: the start, the table of interrupts, the console and the end of a program.
//! Must never know: a chip.
#![no_std]
#![cfg(target_os = "none")]

#[cfg(all(feature = "workloads", target_has_atomic = "32"))]
mod attacks;
mod clock;
mod console;
mod end;
#[cfg(feature = "workloads")]
mod machine;
mod plans;
#[cfg(feature = "workloads")]
pub mod port;

#[cfg(feature = "counted")]
use machine::COUNTED;

#[cfg(all(
    feature = "console-input",
    not(any(feature = "semihosting", feature = "own-console"))
))]
pub use console::read_console;

// Programs built elsewhere do not name these themselves.
#[doc(hidden)]
pub use taktos_boards::{self as common, arch, entry};

/// Makes the program's threads, then starts the console and time.
fn begin() {
    plans::settle();
    clock::start();
}

/// The machine.
pub type Machine = taktos_boards::MachineOf<clock::BoardClock>;

taktos_boards::board!(begin, console::write, end::exit);
taktos_boards::arch::exceptions!(SystemTimer, taktos_kernel::Upcall<Board>);
/// The most interrupts of a Cortex-M3, M4 and M7 (their manuals), and of Armv6-M, which does not
/// exchange words; some with an M33 or M55 have more.
const MOST: u32 = if cfg!(target_has_atomic = "32") {
    240
} else {
    32
};
/// The number of interrupts in the table: the chip's, if the program says it.
const NUMBER: u32 = match option_env!("TAKTOS_INTERRUPTS") {
    None => MOST,
    Some(number) => match u32::from_str_radix(number, 10) {
        Ok(number @ 1..=480) => number,
        _ => panic!("TAKTOS_INTERRUPTS is the chip's number of interrupts, 1 to 480"),
    },
};
#[cfg(not(feature = "workloads"))]
taktos_boards::interrupts!(NUMBER);
// Of the project's own machines two are for programs.
#[cfg(feature = "workloads")]
taktos_boards::interrupts!(NUMBER, spare = 13, urgent = 8);
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
