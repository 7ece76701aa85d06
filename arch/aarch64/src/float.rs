//! Owns: the floating-point and vector registers (v0–v31, FPCR, FPSR) and whose they are.
//!
//! A thread begins without the unit: its first floating-point instruction is trapped, the handler of that
//! gives it the unit, cleared, and repeats the instruction. From then on the thread has floating-point state.
//! When it gives way, the unit is trapped again, and room for the registers is made on the thread's stack, under a
//! frame that leads to `resume_float`. On one processor (`uni`) the registers stay where they are until another thread
//! wants the unit; on several (`smp`) they are saved at once, for the thread may go on elsewhere.
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
        "stp q0, q1, [x2, #0]
         stp q2, q3, [x2, #32]
         stp q4, q5, [x2, #64]
         stp q6, q7, [x2, #96]
         stp q8, q9, [x2, #128]
         stp q10, q11, [x2, #160]
         stp q12, q13, [x2, #192]
         stp q14, q15, [x2, #224]
         stp q16, q17, [x2, #256]
         stp q18, q19, [x2, #288]
         stp q20, q21, [x2, #320]
         stp q22, q23, [x2, #352]
         stp q24, q25, [x2, #384]
         stp q26, q27, [x2, #416]
         stp q28, q29, [x2, #448]
         stp q30, q31, [x2, #480]
         mrs x3, fpcr
         mrs x4, fpsr
         add x2, x2, #512
         stp x3, x4, [x2]"
    };
}

/// Loads all registers from the stack pointer on. Uses x2 to x4.
macro_rules! load_registers {
    () => {
        "ldp q0, q1, [sp, #0]
         ldp q2, q3, [sp, #32]
         ldp q4, q5, [sp, #64]
         ldp q6, q7, [sp, #96]
         ldp q8, q9, [sp, #128]
         ldp q10, q11, [sp, #160]
         ldp q12, q13, [sp, #192]
         ldp q14, q15, [sp, #224]
         ldp q16, q17, [sp, #256]
         ldp q18, q19, [sp, #288]
         ldp q20, q21, [sp, #320]
         ldp q22, q23, [sp, #352]
         ldp q24, q25, [sp, #384]
         ldp q26, q27, [sp, #416]
         ldp q28, q29, [sp, #448]
         ldp q30, q31, [sp, #480]
         add x2, sp, #512
         ldp x3, x4, [x2]
         msr fpcr, x3
         msr fpsr, x4"
    };
}

/// What a thread finds that begins to use the unit: zeroes.
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
