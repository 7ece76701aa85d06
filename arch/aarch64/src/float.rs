//! Owns: the floating-point and vector registers (v0–v31, FPCR, FPSR) and the thread that has them.
//!
//! A thread begins without the unit: its first floating-point instruction is trapped, the handler
//! of that gives it the unit, cleared, and repeats the instruction. From then on the thread has
//! floating-point state. When it switches away, the unit is trapped again, and space for the
//! registers is made on the thread's stack, under a frame that leads to `resume_float`. On one
//! processor (`uni`) the registers stay where they are until another thread wants the unit; on
//! several (`smp`) they are saved at once, for the thread may resume elsewhere.
//!
//! Handlers must not use the unit: it faults there, or would be the interrupted thread's.

pub(crate) use crate::processors::float::{forget, give_unit, leave_float, leave_float_in_slice};

use core::arch::asm;

/// 32 registers of sixteen bytes, FPCR and FPSR.
pub(crate) const AREA: usize = 32 * 16 + 16;
/// `CPACR_EL1.FPEN`: no trap.
pub(crate) const ENABLE: u64 = 3 << 20;

/// Stores all registers from the address in x2 on. Uses x3, x4.
macro_rules! store_registers {
    () => {
        concat!(
            $crate::registers::q0_to_q31!("stp", "x2, #"),
            "mrs x3, fpcr
             mrs x4, fpsr
             add x2, x2, #512
             stp x3, x4, [x2]"
        )
    };
}

/// Loads all registers from the stack pointer on. Uses x2 to x4.
macro_rules! load_registers {
    () => {
        concat!(
            $crate::registers::q0_to_q31!("ldp", "sp, #"),
            "add x2, sp, #512
             ldp x3, x4, [x2]
             msr fpcr, x3
             msr fpsr, x4"
        )
    };
}

/// Clears the registers: a thread that begins to use the unit finds zeroes.
macro_rules! clear_registers {
    () => {
        "msr fpcr, xzr
         msr fpsr, xzr
         .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
         movi v\\n\\().2d, #0
         .endr"
    };
}

pub(crate) use {clear_registers, load_registers, store_registers};

/// Traps the unit, which the start-up code has let through.
pub(crate) fn forbid() {
    // SAFETY: called once, before the first thread runs; nothing uses the unit before.
    unsafe {
        asm!(
            "msr cpacr_el1, xzr",
            "isb",
            options(nostack, preserves_flags)
        )
    };
}
