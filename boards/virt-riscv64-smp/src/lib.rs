//! The board that QEMU calls `virt` for RISC-V (`-M virt,aclint=on -bios none -smp 4`), with four 64-bit processors in
//! supervisor mode.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod bench;
mod console;
mod faults;
mod suite;
mod system;
mod virt;

// What these ask of a board is the same on both architectures.
#[path = "../../virt-aarch64-smp/src/experiment.rs"]
mod experiment;
#[path = "../../virt-aarch64-smp/src/stage.rs"]
mod stage;
#[path = "../../virt-aarch64-smp/src/storm.rs"]
mod storm;

pub use system::{Board, PROCESSORS, interrupt, start, start_with};
pub use virt::Virt;

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
