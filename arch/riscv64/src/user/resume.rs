//! Owns: how a thread of a partition resumes. Must never know: why.
//!
//! The saved frame of such a thread leads here, masked and in the kernel's map. The stack pointer
//! is at the end of the frame, at the state's registers. All that is loaded into registers here is
//! the thread's own, or nothing.

use super::state::{OFFSET, PARTITION, PC, REGISTERS, SP, STATUS, TP};
use crate::reservation::end_reservation;
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_machine::Context;

/// Offset of the second word of a thread's message in its control block; the sender follows it.
/// Defined by the kernel.
const ARGUMENT: i32 = 56;
/// From the registers of a state back to the partition, and to the control block.
const TO_PARTITION: i32 = PARTITION as i32 - REGISTERS as i32;
const TO_BLOCK: i32 = -((OFFSET + REGISTERS) as i32);

/// After a call: a0 and a1 are its result, s0 and s1 the thread's own.
#[unsafe(naked)]
pub extern "C" fn resume() {
    naked_asm!(
        "ld t0, {pc}(sp)",
        "ld t1, {status}(sp)",
        "csrw sepc, t0",
        "csrw sstatus, t1",
        "ld a2, {argument}(sp)",
        "ld a3, {argument} + 8(sp)",
        "bnez a0, 4f",
        "2:",
        "ld t0, {partition}(sp)",
        "ld tp, {thread_word}(sp)",
        "ld t0, 0(t0)",
        "ld sp, {stack_pointer}(sp)",
        "j taktos_to_user",
        "4:",
        "sd zero, {failed}(sp)",
        "j 2b",
        pc = const PC * 8,
        status = const STATUS * 8,
        argument = const TO_BLOCK + ARGUMENT,
        failed = const TO_BLOCK + offset_of!(Context, status) as i32,
        partition = const TO_PARTITION,
        thread_word = const TP * 8,
        stack_pointer = const SP * 8,
    )
}

/// As it was interrupted.
#[unsafe(naked)]
pub extern "C" fn resume_interrupted() {
    naked_asm!(
        // Nothing is kept at the place of x0.
        end_reservation!("zero"),
        "ld t0, {pc}(sp)",
        "ld t1, {status}(sp)",
        "csrw sepc, t0",
        "csrw sstatus, t1",
        "ld t0, {partition}(sp)",
        "ld t0, 0(t0)",
        "j taktos_to_interrupted",
        pc = const PC * 8,
        status = const STATUS * 8,
        partition = const TO_PARTITION,
    )
}
