//! Owns: the unit on one processor: its registers stay in it until another thread wants it.
//!
//! They are saved only then, and loaded only if that happened. So a thread that never uses the unit pays one load and a
//! branch at each switch, and a thread that is alone in using it pays for switching it off and on, not for 66 loads and
//! stores.

use crate::float::{AREA, ENABLE, clear_registers, load_registers, store_registers, with_float};
use crate::state::{STATE, State};
use crate::switch::{CALL_FRAME, begin_slice, switch_slice, tail};
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_machine::{Context, Processor, StackRegion};

/// Defines what a switch does more where the thread that gives way has floating-point state.
macro_rules! leave_float {
    ($name:ident $(, $begin_slice:ident, $switch_slice:path)?) => {
        /// Switches the unit off and makes room for its registers; then ends as each switch.
        /// Entered like the tail.
        #[unsafe(naked)]
        pub(crate) extern "C" fn $name() {
            naked_asm!(
                "li t2, {enable}",
                "csrc sstatus, t2",
                "sd zero, {float_in_use}(t0)",
                "addi sp, sp, -{area}",
                "sd sp, {float_area}(t0)",
                // One frame more, of which only the address matters.
                "la t2, {resume_float}",
                "addi sp, sp, -{frame}",
                "sd t2, 16(sp)",
                $($begin_slice!(),)?
                tail!(),
                enable = const ENABLE,
                area = const AREA,
                frame = const CALL_FRAME,
                resume_float = sym resume_float,
                float_in_use = const offset_of!(State, float_in_use),
                float_area = const offset_of!(State, float_area),
                stack_pointer = const offset_of!(Context, stack_pointer),
                status = const offset_of!(Context, status),
                value = const offset_of!(Context, value),
                current = const offset_of!(Processor, current),
                $(switch_slice = sym $switch_slice,)?
            )
        }
    };
}

leave_float!(leave_float, begin_slice, switch_slice);
leave_float!(leave_float_in_slice);

/// Where a thread with floating-point state goes on, masked: the stack pointer is at its room. a0 and a1 are kept.
#[unsafe(naked)]
extern "C" fn resume_float() {
    naked_asm!(
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
        state = sym STATE,
        enable = const ENABLE,
        area = const AREA,
        float_in_use = const offset_of!(State, float_in_use),
        float_area = const offset_of!(State, float_area),
    )
}

/// Gives the interrupted thread the unit, which it has not used before. Called by the trap's code; the unit stays on
/// behind `sret`.
#[unsafe(naked)]
pub(crate) extern "C" fn give_unit() {
    naked_asm!(
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
        state = sym STATE,
        enable = const ENABLE,
        float_in_use = const offset_of!(State, float_in_use),
        float_area = const offset_of!(State, float_area),
    )
}

/// Forgets floating-point registers whose room lies on `stack`: its thread begins anew.
pub(crate) fn forget(stack: StackRegion) {
    let area = STATE.float_area.get();
    if (stack.base..stack.base + stack.size).contains(&area) {
        STATE.float_area.set(0);
    }
}
