//! The board Arm RealView Platform Baseboard for Cortex-A8, as QEMU models it (`-M realview-pb-a8`).
//!
//! A program is for this board where it names `taktos` with the feature `realview-pb-a8`; what is here, it has as `taktos::board`.
//!
//! Owns: the memory map, the clock, the console, the start and the end of a program.
//! Must never know: what the programs do.
//!
//! No device of this board raises fast interrupts (FIQ). A program that has a source of its own defines their
//! handler, `_asm_fiq_handler`, in assembly; the kernel never masks them, and the handler must not call it.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "a board: registers, vectors and symbols")]

mod clock;
mod common;
#[path = "common/console/pl011.rs"]
mod console;
mod place;
#[path = "common/console/registers.rs"]
mod registers;

#[cfg(feature = "counted")]
use clock::COUNTED;
use taktos_kernel::Upcall;

pub use arch::INTERRUPTS;
pub use common::*;
pub use place::{Machine, Place};

// Programs built elsewhere do not name these themselves.
#[doc(hidden)]
pub use {aarch32_rt as rt, taktos_arch_armv7_a as arch, taktos_kernel as kernel};

taktos_arch_armv7_a::exceptions!(Place, Upcall<Board>);

/// A device that programs do not use, for partitions: the clock of the calendar.
#[cfg(feature = "workloads")]
const SPARE: usize = 0x1001_7000;

/// What comes before the kernel.
fn begin() {
    clock::start::<Upcall<Board>>();
}

/// A program's entry: `entry!(start(&MAIN, main))`.
#[macro_export]
macro_rules! entry {
    ($start:expr) => {
        #[$crate::rt::entry]
        fn entry() -> ! {
            $start
        }
    };
}
