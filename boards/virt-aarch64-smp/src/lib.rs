//! The board that QEMU calls `virt` (`-M virt,gic-version=3 -smp 4`), with four Armv8-A processors at EL1.
//!
//! A program is for this board where it names `taktos` with the feature `virt-aarch64-smp`; what is here, it has as `taktos::board`.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

#[cfg(feature = "workloads")]
mod bench;
mod console;
#[cfg(feature = "workloads")]
mod experiment;
#[cfg(feature = "workloads")]
mod faults;
#[cfg(feature = "workloads")]
mod stage;
#[cfg(feature = "workloads")]
mod storm;
#[cfg(feature = "workloads")]
mod suite;
mod system;
mod virt;

// What the programs ask of a board is the same on all.
#[cfg(feature = "workloads")]
mod workloads;

pub use system::{Board, PROCESSORS, interrupt, start, start_with};
pub use taktos_arch_aarch64::INTERRUPTS;
pub use virt::Virt;

// Programs built elsewhere do not name the start-up code themselves.
#[doc(hidden)]
pub use aarch64_rt;

/// A program's entry: `entry!(start(&MAIN, main))`.
#[macro_export]
macro_rules! entry {
    ($start:expr) => {
        $crate::aarch64_rt::entry!(entry, 4);
        fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
            $start
        }
    };
}
