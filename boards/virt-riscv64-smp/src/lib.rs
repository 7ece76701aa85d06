//! The board that QEMU calls `virt` for RISC-V (`-M virt,aclint=on -bios none -smp 4`), with four 64-bit processors in
//! supervisor mode.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
