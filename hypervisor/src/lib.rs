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

pub mod channel;
pub mod console;
pub mod hardware;
pub mod instruction;
mod machine;
mod memory;
pub mod rate;
pub mod syndrome;
mod table;
pub mod text;
mod timers;
pub mod uart;
pub mod vgic;

pub use machine::{Hypervisor, Refusal, Rest, Shared, Stopped};
pub use memory::Memory;

use taktos_schedule::Cpu;

/// The scheduling library's name of processor `index`, which is below 64.
const fn processor(index: usize) -> Cpu {
    match Cpu::new(index % Cpu::COUNT) {
        Some(cpu) => cpu,
        None => unreachable!(),
    }
}
