//! Owns: work that fills the core registers and looks whether they stay.

use super::give_way;
use core::arch::naked_asm;

/// The registers that a call keeps, onto the stack and back.
macro_rules! keep {
    () => {
        "stp x29, x30, [sp, #-96]!
         stp x19, x20, [sp, #16]
         stp x21, x22, [sp, #32]
         stp x23, x24, [sp, #48]
         stp x25, x26, [sp, #64]
         stp x27, x28, [sp, #80]"
    };
}
macro_rules! give_back {
    () => {
        "ldp x19, x20, [sp, #16]
         ldp x21, x22, [sp, #32]
         ldp x23, x24, [sp, #48]
         ldp x25, x26, [sp, #64]
         ldp x27, x28, [sp, #80]
         ldp x29, x30, [sp], #96
         ret"
    };
}

pub(super) use {give_back, keep};

/// Fills every register but the stack pointer, and looks whether they stay, `steps` times.
#[unsafe(naked)]
pub extern "C" fn spin_with_registers(seed: u32, steps: u32) -> u32 {
    naked_asm!(
        keep!(),
        "stp x0, xzr, [sp, #-16]!",
        "mov x30, x0",
        "mov x0, x1",
        // x1 to x30: the seed and the numbers that follow it.
        "mov x1, x30",
        ".irp n, 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30",
        "add x\\n, x1, #(\\n - 1)",
        ".endr",
        "2:",
        ".macro follows low, high",
        "add x\\low, x\\low, #1",
        "cmp x\\low, x\\high",
        "sub x\\low, x\\low, #1",
        "b.ne 3f",
        ".endm",
        "follows 1, 2",
        "follows 2, 3",
        "follows 3, 4",
        "follows 4, 5",
        "follows 5, 6",
        "follows 6, 7",
        "follows 7, 8",
        "follows 8, 9",
        "follows 9, 10",
        "follows 10, 11",
        "follows 11, 12",
        "follows 12, 13",
        "follows 13, 14",
        "follows 14, 15",
        "follows 15, 16",
        "follows 16, 17",
        "follows 17, 18",
        "follows 18, 19",
        "follows 19, 20",
        "follows 20, 21",
        "follows 21, 22",
        "follows 22, 23",
        "follows 23, 24",
        "follows 24, 25",
        "follows 25, 26",
        "follows 26, 27",
        "follows 27, 28",
        "follows 28, 29",
        "follows 29, 30",
        ".purgem follows",
        "subs x0, x0, #1",
        "b.ne 2b",
        "ldr x0, [sp], #16",
        "subs x0, x0, x1",
        give_back!(),
        "3:",
        "mov x0, #1",
        "add sp, sp, #16",
        give_back!(),
    )
}

/// Fills the registers that a call keeps, yields, and looks whether they are the same.
#[unsafe(naked)]
pub extern "C" fn yield_with_registers(seed: u32, steps: u32) -> u32 {
    naked_asm!(
        keep!(),
        "stp x0, x1, [sp, #-16]!",
        "2:",
        "ldr x0, [sp]",
        ".irp n, 19,20,21,22,23,24,25,26,27,28,29",
        "add x\\n, x0, #\\n",
        ".endr",
        "bl {give_way}",
        "ldp x0, x1, [sp]",
        ".irp n, 19,20,21,22,23,24,25,26,27,28,29",
        "sub x\\n, x\\n, #\\n",
        "cmp x\\n, x0",
        "b.ne 3f",
        ".endr",
        "subs x1, x1, #1",
        "str x1, [sp, #8]",
        "b.ne 2b",
        "mov x0, #0",
        "add sp, sp, #16",
        give_back!(),
        "3:",
        "mov x0, #1",
        "add sp, sp, #16",
        give_back!(),
        give_way = sym give_way,
    )
}
