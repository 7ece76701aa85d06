//! The board that QEMU calls `virt` (`-M virt,gic-version=3 -smp 4`), with four Armv8-A processors at EL1.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod bench;
mod console;
mod experiment;
mod faults;
mod stage;
mod storm;
mod suite;
mod system;
mod virt;

pub use system::{Board, PROCESSORS, interrupt, start, start_with};
pub use virt::Virt;

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
