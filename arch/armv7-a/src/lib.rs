//! ARMv7-A (Cortex-A8) as a machine.
//!
//! Owns: the switch of threads, interrupts and their controller, floating-point state, memory
//! protection, faults. Must never know: the kernel, a board's devices (the board brings its clock
//! by [`Board`]).
//!
//! # Modes
//! Threads and the kernel run privileged, in system mode, on the threads' own stacks. Kernel-level
//! interrupts are IRQs; their handlers run in IRQ mode on a stack of their own. FIQs are above the
//! kernel: nothing here ever masks them once the first thread runs.
//!
//! # What a mask is
//! `CPSR.I`, set and cleared without a memory of what it was: the cheapest instructions there are.
//! That is sound in handlers too, where the interrupt controller keeps out the others: all
//! interrupts have one priority, and none is signalled until the handler in service has been ended,
//! with `CPSR.I` set.
//!
//! # Where a handler's stack is
//! In the last megabyte of the address space, to which the memory map brings it, and where no
//! thread's stack is. So one comparison of the stack pointer shows whether the caller is a handler.
//!
//! # Two frames
//! The stack of a thread that is not running holds, from low to high, r4–r11, a word for alignment
//! and an address to resume at. One `pop {r4-r12, pc}` takes them. A thread that called the kernel
//! has nothing more: the address is its caller's. A thread that was interrupted has r0–r3, r12, lr,
//! pc and CPSR above that, and the address leads to a few instructions that restore them. So each
//! path that resumes a thread treats both alike. A thread with floating-point state has room for it
//! in between (see `float`).
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "an architecture port")]

mod board;
pub mod cycles;
mod fault;
mod float;
mod interrupt;
mod machine;
mod memory;
mod state;
mod switch;
mod user;

pub use board::Board;
pub use fault::report_fault;
pub use interrupt::{Handler, INTERRUPTS};
pub use machine::ArmV7A;
use taktos_arch_common::one as processors;
#[doc(hidden)]
pub use taktos_arch_common::{self as common, reexports};
pub use taktos_arch_common::{Guard, Outcome32, TAKTOS_PROCESSOR, wire_partitions as partitions};

/// Functions that the path of an interrupt needs.
#[doc(hidden)]
pub mod entry {
    pub use crate::interrupt::dispatch;
    pub use crate::switch::preempt;
}

/// Wires the processor's exceptions to a board and to a type that implements
/// [`Upcalls`](taktos_machine::Upcalls). Used once, in a board crate.
#[macro_export]
macro_rules! exceptions {
    ($board:ty, $upcalls:ty) => {
        /// The vector table of the start-up code leads to this name.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn _asm_irq_handler() {
            $crate::interrupt_entry!($board)
        }

        /// Where the fault exceptions lead, with the registers and the kind.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_fault(registers: &[usize; 17], kind: u32) -> ! {
            $crate::report_fault::<$upcalls>(registers, kind)
        }
    };
}
