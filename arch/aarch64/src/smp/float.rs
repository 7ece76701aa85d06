//! Owns: the unit on several processors: its registers are saved when their thread is switched out.
//!
//! The thread may resume on another processor. An interrupt to fetch the registers from the former
//! processor, which runs another thread by then, would cost more than the stores. A thread that
//! never uses the unit pays a branch not taken at each switch.

use crate::float::{AREA, ENABLE, clear_registers, load_registers, store_registers};
use crate::state::State;
use crate::switch::CALL_FRAME;
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_machine::StackRegion;

// Saves the registers on the thread's stack and traps the unit. The state's address is in x2.
taktos_arch_common::leave_float!(
    [
        ".arch_extension fp",
        ".arch_extension simd",
        "str xzr, [x2, #{float_in_use}]",
        // The function that is called where a slice begins.
        "mov x8, x3",
        "sub sp, sp, #{area}",
        "mov x2, sp",
        store_registers!(),
        "msr cpacr_el1, xzr",
        "isb",
        "mov x3, x8",
        // One frame more, of which only the address matters.
        "adrp x4, {resume_float}",
        "add x4, x4, :lo12:{resume_float}",
        "sub sp, sp, #{frame}",
        "str x4, [sp, #16]",
        "mrs x2, tpidr_el1",
    ],
    [],
    frame = const CALL_FRAME,
);

/// Resumes a thread with floating-point state, masked: the stack pointer is at the space for that
/// state. x0 and x1 are kept.
#[unsafe(naked)]
extern "C" fn resume_float() {
    naked_asm!(
        ".arch_extension fp",
        ".arch_extension simd",
        "mrs x6, tpidr_el1",
        "mov x5, #{enable}",
        "msr cpacr_el1, x5",
        "isb",
        "str x5, [x6, #{float_in_use}]",
        load_registers!(),
        "add sp, sp, #{area}",
        // The frame proper.
        "ldr x30, [sp, #16]",
        "ldp x19, x29, [sp], #32",
        "ret",
        enable = const ENABLE,
        area = const AREA,
        float_in_use = const offset_of!(State, float_in_use),
    )
}

/// The unit was used while it is trapped, in a thread. On the handlers' stack lie x0 to x3.
/// Gives the thread the unit and repeats the instruction.
#[unsafe(naked)]
pub(crate) extern "C" fn give_unit() {
    naked_asm!(
        ".arch_extension fp",
        ".arch_extension simd",
        "mrs x1, tpidr_el1",
        "mov x0, #{enable}",
        "msr cpacr_el1, x0",
        "isb",
        "str x0, [x1, #{float_in_use}]",
        clear_registers!(),
        "ldp x2, x3, [sp, #16]",
        "ldp x0, x1, [sp], #32",
        "eret",
        enable = const ENABLE,
        float_in_use = const offset_of!(State, float_in_use),
    )
}

/// Does nothing: if a thread begins again, there is nothing to forget, since the unit holds no
/// registers but the current thread's.
#[inline(always)]
pub(crate) fn forget(_: StackRegion) {}
