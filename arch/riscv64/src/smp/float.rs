//! Owns: the unit on several processors: its registers are saved when their thread is switched out.
//!
//! The thread may resume on another processor. A call to fetch the registers from the former
//! processor, which runs another thread by then, would cost more than the stores. A thread that
//! never uses the unit pays one load and a branch at each switch.

use crate::float::{AREA, ENABLE, clear_registers, load_registers, store_registers, with_float};
use crate::state::State;
use crate::switch::CALL_FRAME;
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_machine::{Context, StackRegion};

// Saves the registers on the thread's stack and switches the unit off.
taktos_arch_common::leave_float!(
    [
        with_float!(),
        "addi sp, sp, -{area}",
        "mv t2, sp",
        store_registers!(),
        "li t2, {enable}",
        "csrc sstatus, t2",
        "sd zero, {float_in_use}(tp)",
        // One frame more, of which only the address matters.
        "la t2, {resume_float}",
        "addi sp, sp, -{frame}",
        "sd t2, 16(sp)",
    ],
    [".option pop"],
    enable = const ENABLE,
    frame = const CALL_FRAME,
    value = const offset_of!(Context, value),
);

/// Resumes a thread with floating-point state, masked: the stack pointer is at the space for that
/// state. a0 and a1 are kept.
#[unsafe(naked)]
extern "C" fn resume_float() {
    naked_asm!(
        with_float!(),
        "li t1, {enable}",
        "csrs sstatus, t1",
        "sd t1, {float_in_use}(tp)",
        load_registers!(),
        "addi sp, sp, {area}",
        // The frame proper.
        "ld ra, 16(sp)",
        "ld s0, 0(sp)",
        "ld s1, 8(sp)",
        "addi sp, sp, 32",
        "ret",
        ".option pop",
        enable = const ENABLE,
        area = const AREA,
        float_in_use = const offset_of!(State, float_in_use),
    )
}

/// Gives the interrupted thread the unit, which it has not used before. Called by the trap's code;
/// the unit stays on after `sret`.
#[unsafe(naked)]
pub(crate) extern "C" fn give_unit() {
    naked_asm!(
        with_float!(),
        "li t1, {enable}",
        "csrs sstatus, t1",
        "sd t1, {float_in_use}(tp)",
        clear_registers!(),
        "ret",
        ".option pop",
        enable = const ENABLE,
        float_in_use = const offset_of!(State, float_in_use),
    )
}

/// Does nothing: if a thread begins again, there is nothing to forget, since the unit holds no
/// registers but the current thread's.
#[inline(always)]
pub(crate) fn forget(_: StackRegion) {}
