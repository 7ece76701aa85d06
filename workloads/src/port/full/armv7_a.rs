//! Owns: full registers of ARMv7-A.

use super::GiveWay;
use core::arch::{asm, naked_asm};

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
        ".irp n, 2,3,4,5,6,7,8,9,10,11,12",
        "add r\\n, r1, #(\\n - 1)",
        ".endr",
        "add lr, r1, #12",
        "2:",
        ".macro follow low, high, rest:vararg",
        "add \\low, \\low, #1",
        "cmp \\low, \\high",
        "sub \\low, \\low, #1",
        "bne 3f",
        ".ifnb \\rest",
        "follow \\high, \\rest",
        ".endif",
        ".endm",
        "follow r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, lr",
        ".purgem follow",
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
pub extern "C" fn yield_with_registers<G: GiveWay>(seed: u32, steps: u32) -> u32 {
    naked_asm!(
        "push {{r4-r12, lr}}",
        "mov r4, r0",
        "mov r5, r1",
        "2:",
        ".irp n, 6,7,8,9,10,11",
        "add r\\n, r4, #\\n",
        ".endr",
        "bl {give_way}",
        ".irp n, 6,7,8,9,10,11",
        "sub r\\n, r\\n, #\\n",
        ".endr",
        "cmp r6, r4",
        ".irp n, 7,8,9,10,11",
        "cmpeq r\\n, r4",
        ".endr",
        "movne r0, #1",
        "popne {{r4-r12, pc}}",
        "subs r5, r5, #1",
        "bne 2b",
        "mov r0, #0",
        "pop {{r4-r12, pc}}",
        give_way = sym G::give_way,
    )
}

/// Fills d0 to d31 and FPSCR, runs r3 and looks whether they are the same; for threads with float.
macro_rules! with_float {
    ($($between:literal),* $(, $name:ident = sym $function:path)?) => {
        naked_asm!(
            ".fpu neon",
            "push {{r4-r12, lr}}",
            "mov r4, r0",
            "mov r5, r1",
            "2:",
            // A rounding mode, and a different word in each half of each register.
            "lsr r6, r4, #6",
            "and r6, r6, #0x00C00000",
            "vmsr fpscr, r6",
            "mov r7, r4",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "add r8, r7, #1",
            "vmov d\\n, r7, r8",
            "add r7, r7, #2",
            ".endr",
            $($between,)*
            "vmrs r9, fpscr",
            "cmp r9, r6",
            "bne 3f",
            "mov r7, r4",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "vmov r9, r10, d\\n",
            "add r8, r7, #1",
            "cmp r9, r7",
            "cmpeq r10, r8",
            "bne 3f",
            "add r7, r7, #2",
            ".endr",
            "subs r5, r5, #1",
            "bne 2b",
            "mov r0, #0",
            "pop {{r4-r12, pc}}",
            "3:",
            "mov r0, #1",
            "pop {{r4-r12, pc}}",
            $($name = sym $function)?
        )
    };
}

/// Fills the floating-point registers, and looks whether they stay, `steps` times.
#[unsafe(naked)]
pub extern "C" fn spin_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("nop")
}

/// Fills the floating-point registers, switches away, and checks whether they stay, `steps` times.
#[unsafe(naked)]
pub extern "C" fn yield_with_float<G: GiveWay>(seed: u32, steps: u32) -> u32 {
    with_float!("bl {give_way}", give_way = sym G::give_way)
}

/// Whether floating-point registers are zero.
pub fn float_is_clear() -> bool {
    let (low, high, last): (u32, u32, u32);
    // SAFETY: reads two registers of this thread.
    unsafe {
        asm!(
            ".fpu neon",
            "vmov {0}, {1}, d0",
            "vmov.32 {2}, d31[1]",
            ".fpu none",
            out(reg) low, out(reg) high, out(reg) last,
            options(nomem, nostack, preserves_flags),
        );
    }
    low | high | last == 0
}

/// Keeps out interrupts, as the kernel's mask does.
pub fn mask() {
    // SAFETY: a mask, no more.
    unsafe { asm!("cpsid i", options(nostack, preserves_flags)) };
}

/// Whether a thread is in the mode for threads (system mode), and fast interrupts are never masked.
pub fn is_as_it_should(in_handler: bool) -> bool {
    const FAST: u32 = 1 << 6;
    const SYSTEM_MODE: u32 = 0x1F;
    const MODE: u32 = 0x1F;
    let status: u32;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, cpsr", out(reg) status, options(nomem, nostack, preserves_flags)) };
    status & FAST == 0 && (in_handler || status & MODE == SYSTEM_MODE)
}
