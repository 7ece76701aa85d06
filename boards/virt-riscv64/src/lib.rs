//! The board that QEMU calls `virt` for RISC-V (`-M virt -bios none`), with one 64-bit processor in supervisor mode.
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
        #[riscv_rt::entry]
        fn entry() -> ! {
            $start
        }
    };
}
