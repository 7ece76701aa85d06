//! Owns: the unit on several processors: its registers are saved when their thread gives way.
//!
//! The thread may go on elsewhere, and a call to fetch them from a processor that has gone on would cost more than the
//! stores. A thread that never uses the unit pays one load and a branch at each switch.

use crate::float::{AREA, ENABLE, clear_registers, load_registers, store_registers, with_float};
use crate::state::State;
use crate::switch::{CALL_FRAME, begin_slice, switch_slice, tail};
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_machine::{Context, Processor, StackRegion};

/// Defines what a switch does more where the thread that gives way has floating-point state.
macro_rules! leave_float {
    ($name:ident $(, $begin_slice:ident, $switch_slice:path)?) => {
        /// Saves the registers on the thread's stack and switches the unit off; then ends as each switch.
        /// Entered like the tail.
        #[unsafe(naked)]
        pub(crate) extern "C" fn $name() {
            naked_asm!(
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
                $($begin_slice!(),)?
                tail!(),
                ".option pop",
                enable = const ENABLE,
                area = const AREA,
                frame = const CALL_FRAME,
                resume_float = sym resume_float,
                float_in_use = const offset_of!(State, float_in_use),
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

/// Gives the interrupted thread the unit, which it has not used before. Called by the trap's code; the unit stays on
/// behind `sret`.
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

/// Nothing is to be forgotten where a thread begins anew: the unit holds no registers but the current thread's.
#[inline(always)]
pub(crate) fn forget(_: StackRegion) {}
