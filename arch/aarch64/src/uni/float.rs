//! Owns: the unit on one processor: its registers stay in it until another thread wants it.
//!
//! They are saved only then, and loaded only if that happened. So a thread that never uses the unit
//! pays one load and a branch not taken at each switch, and a thread that is alone in using it pays
//! for the trap's switch, not for 66 registers.

use crate::float::{AREA, clear_registers, load_registers, store_registers};
use crate::state::{STATE, State};
use crate::switch::CALL_FRAME;
use core::mem::offset_of;
use taktos_arch_common::with_unit;
use taktos_machine::StackRegion;

// Traps the unit and makes room for its registers. The state's address is in x2.
taktos_arch_common::leave_float!(
    [
        "msr cpacr_el1, xzr",
        "isb",
        "str xzr, [x2, #{float_in_use}]",
        "sub sp, sp, #{area}",
        "mov x4, sp",
        "str x4, [x2, #{float_area}]",
        // One frame more, of which only the address matters.
        "adrp x4, {resume_float}",
        "add x4, x4, :lo12:{resume_float}",
        "sub sp, sp, #{frame}",
        "str x4, [sp, #16]",
    ],
    [],
    frame = const CALL_FRAME,
    float_area = const offset_of!(State, float_area),
);

/// Resumes a thread with floating-point state, masked: the stack pointer is at the space for that
/// state. x0 and x1 are kept.
#[unsafe(naked)]
extern "C" fn resume_float() {
    with_unit!(
        ".arch_extension fp",
        ".arch_extension simd",
        "adrp x6, {state}",
        "add x6, x6, :lo12:{state}",
        "mov x5, #{enable}",
        "msr cpacr_el1, x5",
        "isb",
        "str x5, [x6, #{float_in_use}]",
        // Are the registers still this thread's?
        "ldr x2, [x6, #{float_area}]",
        "mov x5, sp",
        "cmp x2, x5",
        "b.eq 3f",
        // No. Another thread's, to be saved first?
        "cbz x2, 2f",
        store_registers!(),
        "2:",
        load_registers!(),
        "3:",
        "str xzr, [x6, #{float_area}]",
        "add sp, sp, #{area}",
        // The frame proper.
        "ldr x30, [sp, #16]",
        "ldp x19, x29, [sp], #32",
        "ret",
        area = const AREA,
    )
}

/// The unit was used while it is trapped, in a thread. On the handlers' stack lie x0 to x3; x0 is
/// the syndrome. Gives the thread the unit and repeats the instruction.
#[unsafe(naked)]
pub(crate) extern "C" fn give_unit() {
    with_unit!(
        ".arch_extension fp",
        ".arch_extension simd",
        "adrp x1, {state}",
        "add x1, x1, :lo12:{state}",
        "mov x0, #{enable}",
        "msr cpacr_el1, x0",
        "isb",
        "str x0, [x1, #{float_in_use}]",
        // The registers of the thread that had it before.
        "ldr x2, [x1, #{float_area}]",
        "cbz x2, 2f",
        "stp x4, x30, [sp, #-16]!",
        store_registers!(),
        "ldp x4, x30, [sp], #16",
        "str xzr, [x1, #{float_area}]",
        // A new owner finds zeroes.
        "2:",
        clear_registers!(),
        "ldp x2, x3, [sp, #16]",
        "ldp x0, x1, [sp], #32",
        "eret",
    )
}

/// Forgets floating-point registers with save space on `stack`: its thread begins again.
pub(crate) fn forget(stack: StackRegion) {
    STATE.forget_float(stack);
}
