//! The board Arm MPS2+ with the Cortex-M4F image AN386, as QEMU models it (`-M mps2-an386`).
//!
//! Owns: the memory map, the clock, the interrupt table, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod clock;
pub mod suite;
mod system;
mod vectors;

pub use clock::DualTimer;
pub use system::{Board, interrupt, start, start_endless};
