//! Owns: the unit on one processor: its registers stay in it until another thread wants it.
//!
//! They are saved only then, and loaded only if that happened. So a thread that never uses the unit
//! pays one load and a branch at each switch, and a thread that is alone in using it pays for
//! switching it off and on, not for 66 loads and stores.

use crate::float::{AREA, ENABLE, clear_registers, load_registers, store_registers, with_float};
use crate::state::{STATE, State};
use crate::switch::CALL_FRAME;
use core::mem::offset_of;
use taktos_arch_common::with_unit;
use taktos_machine::{Context, StackRegion};

// Switches the unit off and makes room for its registers.
taktos_arch_common::leave_float!(
    [
        "li t2, {enable}",
        "csrc sstatus, t2",
        "sd zero, {float_in_use}(t0)",
        "addi sp, sp, -{area}",
        "sd sp, {float_area}(t0)",
        // One frame more, of which only the address matters.
        "la t2, {resume_float}",
        "addi sp, sp, -{frame}",
        "sd t2, 16(sp)",
    ],
    [],
    enable = const ENABLE,
    frame = const CALL_FRAME,
    float_area = const offset_of!(State, float_area),
    value = const offset_of!(Context, value),
);

/// Resumes a thread with floating-point state, masked: the stack pointer is at the space for that
/// state. a0 and a1 are kept.
#[unsafe(naked)]
extern "C" fn resume_float() {
    with_unit!(
        with_float!(),
        "la t0, {state}",
        "li t1, {enable}",
        "csrs sstatus, t1",
        "sd t1, {float_in_use}(t0)",
        // Are the registers still this thread's?
        "ld t2, {float_area}(t0)",
        "beq t2, sp, 3f",
        // No. Another thread's, to be saved first?
        "beqz t2, 2f",
        store_registers!(),
        "2:",
        load_registers!(),
        "3:",
        "sd zero, {float_area}(t0)",
        "addi sp, sp, {area}",
        // The frame proper.
        "ld ra, 16(sp)",
        "ld s0, 0(sp)",
        "ld s1, 8(sp)",
        "addi sp, sp, 32",
        "ret",
        ".option pop",
        area = const AREA,
    )
}

/// Gives the interrupted thread the unit, which it has not used before. Called by the trap's code;
/// the unit stays on after `sret`.
#[unsafe(naked)]
pub(crate) extern "C" fn give_unit() {
    with_unit!(
        with_float!(),
        "la t0, {state}",
        "li t1, {enable}",
        "csrs sstatus, t1",
        "sd t1, {float_in_use}(t0)",
        // The registers of the thread that had it before.
        "ld t2, {float_area}(t0)",
        "beqz t2, 2f",
        store_registers!(),
        "sd zero, {float_area}(t0)",
        "2:",
        clear_registers!(),
        "ret",
        ".option pop",
    )
}

/// Forgets floating-point registers with save space on `stack`: its thread begins again.
pub(crate) fn forget(stack: StackRegion) {
    STATE.forget_float(stack);
}
