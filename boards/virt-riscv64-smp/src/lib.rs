//! The board that QEMU calls `virt` for RISC-V (`-M virt,aclint=on -bios none -smp 4`), with four 64-bit processors in
//! supervisor mode.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod arguments;
mod bench;
mod console;
mod experiment;
mod stage;
mod storm;
mod suite;
mod system;
mod virt;

pub use arguments::each_argument;
pub use system::{Board, PROCESSORS, interrupt, start, start_with};
pub use virt::Virt;
