//! Owns: work that fills the core registers and the flags, and looks whether they stay.

use crate::checks::{doze, entries, give_way, interrupts, nested};
use core::arch::naked_asm;

/// Fills every register but the stack pointer, and the flags, and looks whether they stay, `steps`
/// times. The stack pointer is a multiple of eight or not, as bit 2 of the seed says: exception
/// frames differ by that.
#[unsafe(naked)]
pub extern "C" fn spin_with_registers(seed: u32, steps: u32) -> u32 {
    naked_asm!(
        "push {{r4-r7, lr}}",
        "mov r4, r8",
        "mov r5, r9",
        "mov r6, r10",
        "mov r7, r11",
        "push {{r4-r7}}",
        "mov r3, sp",
        "movs r2, #4",
        "ands r2, r0",
        "adds r2, #4",
        "subs r2, r3, r2",
        "mov sp, r2",
        "push {{r0, r1, r2, r3}}",
        "2:",
        // r0 to r12 and lr: the seed and the numbers that follow it.
        "ldr r0, [sp]",
        "mov r1, r0",
        "adds r1, #8",
        "mov r8, r1",
        "adds r1, #1",
        "mov r9, r1",
        "adds r1, #1",
        "mov r10, r1",
        "adds r1, #1",
        "mov r11, r1",
        "adds r1, #1",
        "mov r12, r1",
        "adds r1, #1",
        "mov lr, r1",
        ".irp n, 1,2,3,4,5,6,7",
        "adds r\\n, r0, #\\n",
        ".endr",
        "msr apsr, r0",
        ".rept 50",
        "nop",
        ".endr",
        "push {{r0-r7, lr}}",
        "mrs r1, apsr",
        "mov r2, r8",
        "mov r3, r9",
        "mov r4, r10",
        "mov r5, r11",
        "mov r6, r12",
        "push {{r2-r6}}",
        "add r7, sp, #56",
        "ldr r0, [r7]",
        // The four flags, and that no handler's stack is in use.
        "eors r1, r0",
        "lsrs r1, r1, #28",
        "bne 3f",
        "mrs r1, control",
        "cmp r1, #2",
        "bne 3f",
        ".irp n, 8,9,10,11,12,0,1,2,3,4,5,6,7,13",
        "pop {{r1}}",
        "subs r1, r1, r0",
        "cmp r1, #\\n",
        "bne 3f",
        ".endr",
        "ldr r1, [sp, #4]",
        "subs r1, r1, #1",
        "str r1, [sp, #4]",
        "beq 5f",
        "b 2b",
        "3:",
        "mov sp, r7",
        "movs r0, #1",
        "b 4f",
        "5:",
        "movs r0, #0",
        "4:",
        "ldr r1, [sp, #12]",
        "mov sp, r1",
        "pop {{r4-r7}}",
        "mov r8, r4",
        "mov r9, r5",
        "mov r10, r6",
        "mov r11, r7",
        "pop {{r4-r7, pc}}",
    )
}

/// Where in [`spin_in_conditions`] the conditional instructions lie, and r7 holds the stack
/// pointer.
pub const CONDITIONS_IN_BYTES: core::ops::Range<usize> = 24..24 + 16 * 16;

/// The processor has no blocks of conditional instructions: it branches.
pub const HAS_BLOCKS: bool = false;

/// Runs through branches between which interrupts come: those that are to be taken are, and the
/// others are not. r7 holds the stack pointer for the check of the frame.
#[unsafe(naked)]
pub extern "C" fn spin_in_conditions(seed: u32, steps: u32) -> u32 {
    naked_asm!(
        "push {{r4-r7, lr}}",
        "mov r6, sp",
        "movs r2, #4",
        "ands r2, r0",
        "adds r2, #4",
        "subs r2, r6, r2",
        "mov sp, r2",
        "mov r7, sp",
        "2:",
        "movs r2, #0",
        "movs r3, #0",
        "movs r4, #0",
        "movs r5, #0",
        ".rept 16",
        "cmp r0, r0",
        "beq 81f",
        "adds r3, #1",
        "81:",
        "adds r2, #1",
        // r7 is not zero.
        "cmp r7, #0",
        "bne 82f",
        "adds r5, #1",
        "82:",
        "adds r4, #1",
        ".endr",
        "orrs r3, r5",
        "bne 3f",
        "cmp r2, #16",
        "bne 3f",
        "cmp r4, #16",
        "bne 3f",
        "subs r1, r1, #1",
        "beq 5f",
        "b 2b",
        "3:",
        "movs r0, #1",
        "b 4f",
        "5:",
        "movs r0, #0",
        "4:",
        "mov sp, r6",
        "pop {{r4-r7, pc}}",
    )
}

/// Fills the registers that a call keeps, calls, and looks whether they are the same; `steps`
/// times.
macro_rules! across_a_call {
    ($function:path) => {
        naked_asm!(
            "push {{r4-r7, lr}}",
            "mov r4, r8",
            "mov r5, r9",
            "mov r6, r10",
            "mov r7, r11",
            "push {{r4-r7}}",
            "push {{r0, r1, r2}}",
            "2:",
            "ldr r0, [sp]",
            ".irp n, 4,5,6,7",
            "adds r\\n, r0, #\\n",
            ".endr",
            "mov r1, r0",
            "adds r1, #8",
            "mov r8, r1",
            "adds r1, #1",
            "mov r9, r1",
            "adds r1, #1",
            "mov r10, r1",
            "adds r1, #1",
            "mov r11, r1",
            "bl {function}",
            "ldr r0, [sp]",
            ".irp n, 4,5,6,7,8,9,10,11",
            "mov r1, r\\n",
            "subs r1, r1, r0",
            "cmp r1, #\\n",
            "bne 3f",
            ".endr",
            "mrs r1, control",
            "cmp r1, #2",
            "bne 3f",
            "ldr r1, [sp, #4]",
            "subs r1, r1, #1",
            "str r1, [sp, #4]",
            "bne 2b",
            "movs r0, #0",
            "b 4f",
            "3:",
            "movs r0, #1",
            "4:",
            "add sp, #12",
            "pop {{r4-r7}}",
            "mov r8, r4",
            "mov r9, r5",
            "mov r10, r6",
            "mov r11, r7",
            "pop {{r4-r7, pc}}",
            function = sym $function,
        )
    };
}

/// The call yields.
#[unsafe(naked)]
pub extern "C" fn yield_with_registers(seed: u32, steps: u32) -> u32 {
    across_a_call!(give_way)
}

/// The call sleeps.
#[unsafe(naked)]
pub extern "C" fn doze_with_registers(seed: u32, steps: u32) -> u32 {
    across_a_call!(doze)
}

/// The call waits for a handler.
#[unsafe(naked)]
pub extern "C" fn wait_with_registers(seed: u32, steps: u32) -> u32 {
    across_a_call!(interrupts::wait)
}

/// The call makes every kind of entry into the kernel.
#[unsafe(naked)]
pub extern "C" fn enter_with_registers(seed: u32, steps: u32) -> u32 {
    across_a_call!(entries::in_a_thread)
}

/// The call lets handlers come that nest.
#[unsafe(naked)]
pub extern "C" fn nest_with_registers(seed: u32, steps: u32) -> u32 {
    across_a_call!(nested::nest)
}
