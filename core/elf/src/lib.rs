//! Reads executables of the format ELF, and checks that they can be loaded where they are to be:
//! into memory that threads may either execute or write.
//!
//! Owns: the requirements on an image, and the error for each that is not met.
//! Must never know: the owner of the memory; the way in which it is written.
//!
//! Nothing of an image is believed: each number is checked before it is used. The whole image is
//! checked before the first of its segments is had, so a loader that has a [`Program`] need not go
//! back.
//!
//! The layouts are those of the System V ABI (ELF header, program header), of either size, with the
//! least significant byte first.
#![no_std]
#![forbid(unsafe_code)]

mod error;
mod format;
mod program;

pub use error::Error;
pub use program::{Program, Segment};

/// For what processor an image is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// Whether addresses have 64 bits; else they have 32.
    pub is_64: bool,
    /// The number of the architecture (`e_machine`).
    pub machine: u16,
}

impl Target {
    /// Arm of 32 bits.
    pub const ARM: Self = Self {
        is_64: false,
        machine: 40,
    };
    /// Arm of 64 bits.
    pub const AARCH64: Self = Self {
        is_64: true,
        machine: 183,
    };
    /// RISC-V of 64 bits.
    pub const RISCV64: Self = Self {
        is_64: true,
        machine: 243,
    };
}

/// The access of the program's threads to memory, in addition to reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Write it.
    Write,
    /// Execute it.
    Execute,
}

/// Memory in which segments of an image may be located.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Its lowest address.
    pub base: u64,
    /// How many bytes it has.
    pub size: u64,
    /// The use that it is for.
    pub usage: Use,
}
