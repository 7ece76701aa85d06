//! AMD's ZCU102 (Zynq UltraScale+), as it is and as QEMU models it (`-M xlnx-zcu102`), with one of its four Cortex-A53, at EL1.
//!
//! A program is for this board where it names `taktos` with the feature `zcu102`; what is here, it has as `taktos::board`.
//!
//! Owns: the memory map, the console, the start and the end of a program.
//! Must never know: what the programs do.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod console;
#[cfg(feature = "counted")]
mod counter;
#[cfg(feature = "workloads")]
mod faults;
mod line;
mod place;
mod registers;
#[cfg(feature = "workloads")]
mod suite;
mod system;

// What the programs ask of a board is the same on all.
#[cfg(feature = "workloads")]
mod workloads;

use place::Zcu102 as Place;

pub use place::Zcu102;
pub use system::{Board, interrupt, start, start_endless};
pub use taktos_arch_aarch64::INTERRUPTS;

taktos_arch_aarch64::enter!();

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
