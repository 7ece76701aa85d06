//! Owns: where exceptions lead. Must never know: what is done there.

use crate::float::give_unit;
use crate::interrupt::dispatch;
use crate::processors::entry::{fault_stack, look_again, on_fault_stack, with_choice};
use crate::registers::{x2_to_x17, x18_to_x29};
use crate::switch::preempt;
use core::arch::{asm, naked_asm};
use core::mem::offset_of;
use taktos_machine::Processor;

unsafe extern "C" {
    /// The board's, by [`exceptions!`](crate::exceptions).
    fn taktos_fault();
}

/// Makes the processor use the table below.
pub(crate) fn install() {
    // SAFETY: the table is whole and aligned; called before interrupts are let through.
    unsafe {
        asm!(
            "msr vbar_el1, {}",
            "isb",
            in(reg) table as *const () as usize,
            options(nostack),
        );
    }
}

/// The vector table (Arm ARM, D1.10.2): sixteen entries, 128 bytes apart, which begin at a multiple
/// of 2048.
#[unsafe(naked)]
#[unsafe(link_section = ".text.vectors")]
extern "C" fn table() {
    naked_asm!(
        ".p2align 11",
        "b {thread_fault}",
        ".p2align 7",
        // For the laboratory.
        ".globl \"taktos.point.interrupt\"",
        "\"taktos.point.interrupt\":",
        "b {interrupt}",
        ".rept 14",
        ".p2align 7",
        "b {fault}",
        ".endr",
        thread_fault = sym thread_fault,
        interrupt = sym interrupt,
        fault = sym fault,
    )
}

/// Keeps what a call does not keep, on the handlers' stack.
macro_rules! keep_registers {
    () => {
        concat!(
            "stp x0, x1, [sp, #-160]!\n",
            $crate::registers::x2_to_x17!("stp", "sp, #"),
            "stp x18, x30, [sp, #144]"
        )
    };
}

/// Gives the registers back, and leaves the interrupt: to the interrupted thread where the flag Z
/// is set.
macro_rules! end_interrupt {
    () => {
        concat!(
            $crate::registers::x2_to_x17!("ldp", "sp, #"),
            "ldp x18, x30, [sp, #144]
             ldp x0, x1, [sp], #160
             b.eq 1f
             b {preempt}
             1:
             eret"
        )
    };
}

pub(crate) use {end_interrupt, keep_registers};

/// An interrupt while a thread ran.
#[unsafe(naked)]
pub(crate) extern "C" fn interrupt() {
    with_choice!(
        keep_registers!(),
        "bl {dispatch}",
        // Current and heir.
        "mrs x0, tpidr_el1",
        "ldp x0, x1, [x0, #{current}]",
        "cmp x0, x1",
        look_again!(),
        end_interrupt!(),
        dispatch = sym dispatch,
        preempt = sym preempt,
        current = const offset_of!(Processor, current),
    )
}

/// An exception that a thread's instruction caused: its first use of the floating-point unit, or a
/// fault.
#[unsafe(naked)]
pub(crate) extern "C" fn thread_fault() {
    naked_asm!(
        "stp x0, x1, [sp, #-32]!",
        "stp x2, x3, [sp, #16]",
        "mrs x0, esr_el1",
        "lsr x1, x0, #26",
        "cmp x1, #{float_trap}",
        "b.ne 1f",
        "b {give_unit}",
        "1:",
        "ldp x2, x3, [sp, #16]",
        "ldp x0, x1, [sp], #32",
        "b {fault}",
        float_trap = const crate::fault::FLOAT_TRAP,
        give_unit = sym give_unit,
        fault = sym fault,
    )
}

/// Any other exception: a fault, or an interrupt that cannot be. Collects the registers; the two
/// software registers hold x0 and the stack pointer until they are stored.
#[unsafe(naked)]
pub(crate) extern "C" fn fault() {
    on_fault_stack!(
        "msr tpidr_el0, x0",
        "mov x0, sp",
        "msr tpidrro_el0, x0",
        fault_stack!(),
        "mov sp, x0",
        "sub sp, sp, #{registers}",
        x2_to_x17!("stp", "sp, #"),
        x18_to_x29!("stp", "sp, #"),
        "mrs x2, tpidr_el0",
        "stp x2, x1, [sp]",
        // The stack pointer that was selected.
        "mrs x3, spsr_el1",
        "mrs x4, sp_el0",
        "mrs x5, tpidrro_el0",
        "tst x3, #1",
        "csel x4, x4, x5, eq",
        "stp x30, x4, [sp, #240]",
        "mrs x4, elr_el1",
        "stp x4, x3, [sp, #256]",
        "mov x0, sp",
        "mrs x1, esr_el1",
        "b {report}",
        registers = const 34 * 8,
        report = sym taktos_fault,
    )
}
