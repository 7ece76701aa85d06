//! Owns: full registers of AArch64.

use super::GiveWay;
use core::arch::{asm, naked_asm};

/// The registers that a call keeps, onto the stack.
#[doc(hidden)]
#[macro_export]
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
/// Back from there, and the return.
#[doc(hidden)]
#[macro_export]
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
        ".macro follow low, high, rest:vararg",
        "add x\\low, x\\low, #1",
        "cmp x\\low, x\\high",
        "sub x\\low, x\\low, #1",
        "b.ne 3f",
        ".ifnb \\rest",
        "follow \\high, \\rest",
        ".endif",
        ".endm",
        // In two parts: an assembler lets macros nest 20 deep.
        "follow 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16",
        "follow 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30",
        ".purgem follow",
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
pub extern "C" fn yield_with_registers<G: GiveWay>(seed: u32, steps: u32) -> u32 {
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
        give_way = sym G::give_way,
    )
}

/// Fills v0 to v31, FPCR and FPSR, does what is between, and looks whether they are the same.
macro_rules! with_float {
    ($($between:literal),* $(, $name:ident = sym $function:path)?) => {
        naked_asm!(
            ".arch_extension fp",
            ".arch_extension simd",
            keep!(),
            "mov x19, x0",
            "mov x20, x1",
            "2:",
            // A rounding mode, a flag, and a different word in each half of each register.
            "and x21, x19, #0x00C00000",
            "msr fpcr, x21",
            "and x22, x19, #0x1F",
            "msr fpsr, x22",
            "mov x23, x19",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "add x24, x23, #1",
            "mov v\\n\\().d[0], x23",
            "mov v\\n\\().d[1], x24",
            "add x23, x23, #2",
            ".endr",
            $($between,)*
            "mrs x25, fpcr",
            "cmp x25, x21",
            "b.ne 3f",
            "mrs x25, fpsr",
            "cmp x25, x22",
            "b.ne 3f",
            "mov x23, x19",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "mov x25, v\\n\\().d[0]",
            "mov x26, v\\n\\().d[1]",
            "add x24, x23, #1",
            "cmp x25, x23",
            "ccmp x26, x24, #0, eq",
            "b.ne 3f",
            "add x23, x23, #2",
            ".endr",
            "subs x20, x20, #1",
            "b.ne 2b",
            "mov x0, #0",
            give_back!(),
            "3:",
            "mov x0, #1",
            give_back!(),
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
    let (low, high, last): (u64, u64, u64);
    // SAFETY: reads two registers of this thread.
    unsafe {
        asm!(
            ".arch_extension fp",
            ".arch_extension simd",
            "mov {0}, v0.d[0]",
            "mov {1}, v0.d[1]",
            "mov {2}, v31.d[1]",
            out(reg) low, out(reg) high, out(reg) last,
            options(nomem, nostack, preserves_flags),
        );
    }
    low | high | last == 0
}

/// Keeps out interrupts, as the kernel's mask does.
pub fn mask() {
    // SAFETY: a mask, no more.
    unsafe { asm!("msr daifset, #2", options(nostack, preserves_flags)) };
}

/// Whether the stack pointer is a thread's (`SPSel`: not zero in handlers).
pub fn is_as_it_should(in_handler: bool) -> bool {
    let selected: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, spsel", out(reg) selected, options(nomem, nostack, preserves_flags)) };
    (selected != 0) == in_handler
}
