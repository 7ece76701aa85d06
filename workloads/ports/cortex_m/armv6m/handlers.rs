//! Owns: the handlers of interrupts that nest, by their symbols: the table of vectors stays where
//! it is.

use crate::checks::nested::{FIRST, act, broken, take_back};
use crate::storm::NUMBER;
use core::arch::naked_asm;
use taktos_arch_cortex_m::{Level, vector};

/// From the lowest priority there is, that of the switch itself, to the kernel's level.
pub const LEVELS: [Level; 2] = [Level::Below(0xC0), Level::Kernel];

vector!(FIRST, handler);
vector!(FIRST + 1, handler);
vector!(NUMBER, take_back);

/// The table is the board's.
pub const fn use_own() {}

/// Fills the registers that a handler must keep, acts, lets time pass, and looks whether they are
/// the same.
#[unsafe(naked)]
extern "C" fn handler() {
    naked_asm!(
        "push {{r4-r7, lr}}",
        "mov r4, r8",
        "mov r5, r9",
        "mov r6, r10",
        "mov r7, r11",
        "push {{r3-r7}}",
        "mrs r0, ipsr",
        "lsls r0, r0, #8",
        ".irp n, 4,5,6,7",
        "adds r\\n, r0, #\\n",
        ".endr",
        "mov r1, r0",
        ".irp n, 8,9,10,11",
        "adds r1, #8",
        "mov r\\n, r1",
        ".endr",
        "bl {act}",
        ".rept 50",
        "nop",
        ".endr",
        "mrs r0, ipsr",
        "lsls r0, r0, #8",
        ".irp n, 4,5,6,7",
        "subs r1, r\\n, #\\n",
        "cmp r1, r0",
        "bne 2f",
        ".endr",
        ".irp n, 8,9,10,11",
        "adds r0, #8",
        "cmp r\\n, r0",
        "bne 2f",
        ".endr",
        "b 3f",
        "2:",
        "bl {broken}",
        "3:",
        "pop {{r3-r7}}",
        "mov r8, r4",
        "mov r9, r5",
        "mov r10, r6",
        "mov r11, r7",
        "pop {{r4-r7, pc}}",
        act = sym act,
        broken = sym broken,
    )
}
