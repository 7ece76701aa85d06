//! The board Arm RealView Platform Baseboard for Cortex-A8, as QEMU models it (`-M realview-pb-a8`).
//!
//! A program is for this board where it names `taktos` with the feature `realview-pb-a8`; what is here, it has as `taktos::board`.
//!
//! Owns: the memory map, the clock, the console, the start and the end of a program.
//! Must never know: what the programs do.
//!
//! No device of this board raises fast interrupts (FIQ). A program that has a source of its own defines their
//! handler, `_asm_fiq_handler`, in assembly; the kernel never masks them, and the handler must not call it.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod clock;
mod console;
#[cfg(feature = "counted")]
mod counter;
pub mod interrupt;
#[cfg(feature = "workloads")]
mod suite;
mod system;

// What the programs ask of a board is the same on all.
#[cfg(feature = "workloads")]
mod workloads;

// What files of all boards call these.
use system::RealView as Place;

pub use system::{Board, Machine, RealView, start, start_endless};
pub use taktos_arch_armv7_a::INTERRUPTS;

// Programs built elsewhere do not name the start-up code themselves.
#[doc(hidden)]
pub use aarch32_rt;

/// A program's entry: `entry!(start(&MAIN, main))`.
#[macro_export]
macro_rules! entry {
    ($start:expr) => {
        #[$crate::aarch32_rt::entry]
        fn entry() -> ! {
            $start
        }
    };
}
