//! A partition of the hypervisor with one virtual processor, for the Taktos kernel as its guest.
//!
//! Owns: the memory map, the console, the words of the partition, the start and the end of a
//! program. Must never know: the work of the programs; the existence of a hypervisor.
//!
//! The images run unchanged on QEMU's bare board `virt` (`-M virt,gic-version=3`) at EL1: a
//! partition finds the same devices at the same places. They expect a device tree at the address in
//! x0 (on the bare board at the beginning of memory), of which they read `/chosen/bootargs` alone;
//! 8 MiB of memory from 0x4000_0000; a GICv3 at 0x0800_0000 with its redistributor at 0x080A_0000;
//! a PL011 at 0x0900_0000, that is written and never read from but for its flags; PSCI by HVC. Of
//! semihosting they know nothing.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

pub mod bootargs;
mod channel;
mod clock;
pub mod console;
mod suite;
mod system;

pub use system::{Board, Partition, start};
pub use taktos_boards::power;

/// A program's entry: `entry!(start(&MAIN, main))`.
#[macro_export]
macro_rules! entry {
    ($start:expr) => {
        aarch64_rt::entry!(entry, 8);
        fn entry(tree: u64, _: u64, _: u64, _: u64) -> ! {
            $crate::bootargs::keep(tree);
            $start
        }
    };
}
