//! Owns: work that fills the floating-point registers and looks whether they stay.

use super::give_way;
use super::registers::{give_back, keep};
use core::arch::naked_asm;

/// Fills f0 to f31 and fcsr, does what is between, and looks whether they are the same.
macro_rules! with_float {
    ($($between:literal),* $(, $name:ident = sym $function:path)?) => {
        naked_asm!(
            ".option push",
            ".option arch, +d",
            keep!(),
            "mv s2, a0",
            "mv s3, a1",
            "2:",
            // A rounding mode and flags, and a different word in each register.
            "andi s4, s2, 0x7F",
            "fscsr s4",
            "mv s5, s2",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "fmv.d.x f\\n, s5",
            "addi s5, s5, 1",
            ".endr",
            $($between,)*
            "frcsr s6",
            "bne s6, s4, 3f",
            "mv s5, s2",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "fmv.x.d s6, f\\n",
            "bne s6, s5, 3f",
            "addi s5, s5, 1",
            ".endr",
            "addi s3, s3, -1",
            "bnez s3, 2b",
            "li a0, 0",
            give_back!(),
            "3:",
            "li a0, 1",
            give_back!(),
            ".option pop",
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
    with_float!("call {give_way}", give_way = sym give_way)
}
