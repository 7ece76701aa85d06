//! Owns: work that fills the floating-point registers and looks whether they stay.

use super::give_way;
use super::registers::{give_back, keep};
use core::arch::naked_asm;

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

#[unsafe(naked)]
pub extern "C" fn spin_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("nop")
}

#[unsafe(naked)]
pub extern "C" fn yield_with_float(seed: u32, steps: u32) -> u32 {
    with_float!("bl {give_way}", give_way = sym give_way)
}
