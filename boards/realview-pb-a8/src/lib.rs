//! The board Arm RealView Platform Baseboard for Cortex-A8, as QEMU models it (`-M realview-pb-a8`).
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
mod faults;
mod suite;
mod system;

pub use system::{Board, RealView, interrupt, start, start_endless};

/// A program's entry: `entry!(start(&MAIN, main))`.
#[macro_export]
macro_rules! entry {
    ($start:expr) => {
        #[aarch32_rt::entry]
        fn entry() -> ! {
            $start
        }
    };
}
