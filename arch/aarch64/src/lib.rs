//! AArch64 (Armv8-A, EL1) as a machine.
//!
//! Owns: the switch of threads, interrupts and their controller, the generic timers, floating-point
//! state, memory protection, faults. Must never know: the kernel, a board's devices.
//!
//! # Stack pointers
//! Threads and the kernel run at EL1 on `SP_EL0`, the threads' own stacks. An exception selects
//! `SP_EL1`, the handlers' stack, by itself. So `SPSel` shows whether the caller is a handler, and
//! a thread that has used up its stack can still be reported.
//!
//! # What a mask is
//! `PSTATE.I`, set and cleared without a memory of what it was. That is sound in handlers too,
//! where the interrupt controller keeps out the others: all interrupts have one priority, and none
//! is signalled until the handler in service has been ended, with `PSTATE.I` set. Fast interrupts
//! (FIQ) are not used and stay masked.
//!
//! # Two frames
//! A thread that is not running has on its stack, from low to high, x19, x29, an address to resume
//! at, and a word that fills up. A thread that called the kernel has nothing more: the call is
//! declared to the compiler to destroy the other registers. A thread that was interrupted has those
//! registers, `ELR` and `SPSR` above that, and the address leads to a few instructions that restore
//! them. A thread with floating-point state has space for it in between (see `float`). Each thread
//! resumes with the mask set. The mask ends after the call, or by `eret`: when the frame is used
//! up, so that frames cannot pile up under a burst of interrupts.
//!
//! # Several processors
//! With the feature `smp` the machine has as many as its [`Board`] says; without it, the code has
//! no instruction for that. The differences are in two folders by the same names, `uni` and `smp`,
//! of which the crate takes one as its module `processors`. `TPIDR_EL1` leads to each processor's
//! own block, which begins with the running thread. The one lock is taken after the mask is set,
//! and released before the mask ends. A switch releases it in its common tail, when the thread that
//! switches away is whole on its stack and the one that resumes is the current one.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "an architecture port")]

mod board;
pub mod cycles;
mod enter;
mod fault;
mod first_map;
mod float;
mod interrupt;
mod machine;
mod memory;
#[cfg_attr(feature = "smp", path = "smp/mod.rs")]
#[cfg_attr(not(feature = "smp"), path = "uni/mod.rs")]
mod processors;
mod registers;
mod switch;
mod timer;
mod user;
mod vectors;

pub use board::{Board, Others};
pub use fault::report_fault;
pub use first_map::first_map;
pub use interrupt::{Handler, INTERRUPTS};
pub use machine::AArch64;
pub use processors::exported::*;
use processors::{pieces, state};
#[doc(hidden)]
pub use taktos_arch_common::{self as common, reexports};
pub use taktos_arch_common::{Guard, Outcome64, wire_partitions as partitions};

/// Wires the processor's exceptions to a type that implements
/// [`Upcalls`](taktos_machine::Upcalls). Used once, in a board crate.
#[macro_export]
macro_rules! exceptions {
    ($upcalls:ty) => {
        /// Where the fault exceptions lead, with the registers and the exception's syndrome.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_fault(registers: &[usize; 34], syndrome: usize) -> ! {
            $crate::report_fault::<$upcalls>(registers, syndrome)
        }

        $crate::common::wire_timers!($upcalls);
    };
}
