//! The board that QEMU calls `virt` (`-M virt,gic-version=3`), with one Armv8-A processor at EL1.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod console;
mod faults;
mod suite;
mod system;

pub use system::{Board, Virt, interrupt, start, start_endless};

/// A program's entry: `entry!(start(&MAIN, main))`.
#[macro_export]
macro_rules! entry {
    ($start:expr) => {
        aarch64_rt::entry!(entry, 4);
        fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
            $start
        }
    };
}
