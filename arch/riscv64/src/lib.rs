//! RISC-V with 64 bits, in supervisor mode, as a machine.
//!
//! Owns: the switch of threads, traps, the timer, floating-point state, memory protection, faults,
//! and the few steps from machine mode to supervisor mode. Must never know: the kernel, a board's
//! devices.
//!
//! # Where a trap's stack is
//! `sscratch` holds the top of the handlers' stack while a thread runs, and zero while a handler
//! does. So it shows whether the caller is a handler, and a thread that has used up its stack can
//! still be reported.
//!
//! # What a mask is
//! `sstatus.SIE`, set and cleared without a memory of what it was. In handlers that is sound
//! because they run with no interrupt enabled in `sie`: they do not nest.
//!
//! # Two frames
//! A thread that is not running has on its stack, from low to high, s0, s1, an address to resume
//! at, and a word that fills up. A thread that called the kernel has nothing more: the call is
//! declared to the compiler to destroy the other registers. A thread that was interrupted has those
//! registers, `sepc` and `sstatus` above that, and the address leads to a few instructions that
//! restore them. A thread with floating-point state has space for it in between (see `float`). Each
//! thread resumes with the mask set. The mask ends after the call, or by `sret`: when the frame is
//! used up, so that frames cannot pile up under a burst of interrupts.
//!
//! The register tp names the processor, for threads and handlers alike. No switch saves or restores
//! it: a thread that resumes elsewhere finds there what names the other processor.
//!
//! # Several processors
//! The feature `smp` gives each processor a block of its own, at tp. The differences are in two
//! folders by the same names, `uni` and `smp`, of which the crate takes one as its module
//! `processors`: without the feature nothing of several is in the code.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "an architecture port")]

mod board;
#[cfg_attr(feature = "u54-mc", path = "clint/u54_mc.rs")]
#[cfg_attr(not(feature = "u54-mc"), path = "clint/sstc.rs")]
mod clint;
pub mod cycles;
mod fault;
mod float;
mod interrupt;
mod machine;
mod memory;
#[cfg_attr(feature = "smp", path = "smp/mod.rs")]
#[cfg_attr(not(feature = "smp"), path = "uni/mod.rs")]
mod processors;
mod registers;
mod reservation;
mod supervisor;
mod switch;
mod timer;
mod trap;
mod user;

pub use board::{Board, Controller};
pub use fault::report_fault;
pub use interrupt::Handler;
pub use machine::RiscV64;
pub use processors::exported::*;
use processors::{pieces, state};
pub use supervisor::enter_supervisor_mode;
#[doc(hidden)]
pub use taktos_arch_common::{self as common, reexports};
pub use taktos_arch_common::{Guard, Outcome64, wire_partitions as partitions};

/// Wires the processor's exceptions to a type that implements [`Upcalls`](taktos_machine::Upcalls).
/// Used once, in a board crate.
#[macro_export]
macro_rules! exceptions {
    ($upcalls:ty) => {
        /// Where the fault exceptions lead, with the registers, the cause, its value, and whether a
        /// handler ran.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_fault(
            registers: &[usize; 33],
            cause: usize,
            value: usize,
            in_handler: bool,
        ) -> ! {
            $crate::report_fault::<$upcalls>(registers, cause, value, in_handler)
        }

        $crate::common::wire_timers!($upcalls);
    };
}
