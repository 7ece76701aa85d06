//! The hypervisor: partitions and their virtual processors on the processors of one machine.
//!
//! Owns: what partitions are, when their VCPUs run, what happens at each exit; the virtual
//! interrupt controller, consoles and channels.
//! Must never know: instructions and registers of the machine: [`hardware::Hardware`] is the
//! seam. It has no unsafe code.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod console;
pub mod hardware;
pub mod uart;
pub mod vgic;
