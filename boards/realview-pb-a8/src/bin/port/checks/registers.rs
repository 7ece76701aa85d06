//! Owns: work that fills the core registers and looks whether they stay.

use super::give_way;
use core::arch::naked_asm;

/// Fills every register but the stack pointer, and looks whether they stay, `steps` times.
#[unsafe(naked)]
pub extern "C" fn spin_with_registers(seed: u32, steps: u32) -> u32 {
    naked_asm!(
        "push {{r4-r11, lr}}",
        "push {{r0}}",
        "mov r12, r0",
        "mov r0, r1",
        // r1 to r12 and lr: the seed and the numbers that follow it.
        "mov r1, r12",
        "add r2, r1, #1",
        "add r3, r1, #2",
        "add r4, r1, #3",
        "add r5, r1, #4",
        "add r6, r1, #5",
        "add r7, r1, #6",
        "add r8, r1, #7",
        "add r9, r1, #8",
        "add r10, r1, #9",
        "add r11, r1, #10",
        "add r12, r1, #11",
        "add lr, r1, #12",
        "2:",
        ".macro follows low, high",
        "add \\low, \\low, #1",
        "cmp \\low, \\high",
        "sub \\low, \\low, #1",
        "bne 3f",
        ".endm",
        "follows r1, r2",
        "follows r2, r3",
        "follows r3, r4",
        "follows r4, r5",
        "follows r5, r6",
        "follows r6, r7",
        "follows r7, r8",
        "follows r8, r9",
        "follows r9, r10",
        "follows r10, r11",
        "follows r11, r12",
        "follows r12, lr",
        ".purgem follows",
        "subs r0, r0, #1",
        "bne 2b",
        "ldr r0, [sp]",
        "subs r0, r0, r1",
        "add sp, sp, #4",
        "pop {{r4-r11, pc}}",
        "3:",
        "mov r0, #1",
        "add sp, sp, #4",
        "pop {{r4-r11, pc}}",
    )
}

/// Fills the registers that a call keeps, yields, and looks whether they are the same.
#[unsafe(naked)]
pub extern "C" fn yield_with_registers(seed: u32, steps: u32) -> u32 {
    naked_asm!(
        "push {{r4-r12, lr}}",
        "mov r4, r0",
        "mov r5, r1",
        "2:",
        "add r6, r4, #6",
        "add r7, r4, #7",
        "add r8, r4, #8",
        "add r9, r4, #9",
        "add r10, r4, #10",
        "add r11, r4, #11",
        "bl {give_way}",
        "sub r6, r6, #6",
        "sub r7, r7, #7",
        "sub r8, r8, #8",
        "sub r9, r9, #9",
        "sub r10, r10, #10",
        "sub r11, r11, #11",
        "cmp r6, r4",
        "cmpeq r7, r4",
        "cmpeq r8, r4",
        "cmpeq r9, r4",
        "cmpeq r10, r4",
        "cmpeq r11, r4",
        "movne r0, #1",
        "popne {{r4-r12, pc}}",
        "subs r5, r5, #1",
        "bne 2b",
        "mov r0, #0",
        "pop {{r4-r12, pc}}",
        give_way = sym give_way,
    )
}
