//! Owns: the floating-point and vector registers (v0–v31, FPCR, FPSR) and whose they are.
//!
//! A thread begins without the unit: its first floating-point instruction is trapped, the handler of that
//! gives it the unit, cleared, and repeats the instruction. From then on the thread has floating-point state.
//! When it gives way, the unit is trapped again, and room for the registers is made on the thread's stack, under a
//! frame that leads to [`resume_float`]; but they stay where they are. They are saved only when another thread wants
//! the unit, and loaded only if that happened. So a thread that never uses the unit pays one load and a branch not
//! taken at each switch, and a thread that is alone in using it pays for the trap's switch, not for 66 registers.
//!
//! Handlers must not use the unit: it faults there, or would be the interrupted thread's.

use crate::state::{STATE, State};
use crate::switch::{CALL_FRAME, tail};
use core::arch::{asm, naked_asm};
use core::mem::offset_of;
use taktos_machine::{Context, Processor, StackRegion};

/// 32 registers of sixteen bytes, FPCR and FPSR.
const AREA: usize = 32 * 16 + 16;
/// `CPACR_EL1.FPEN`: no trap.
const ENABLE: u64 = 3 << 20;

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

/// Defines what a switch does more where the thread that gives way has floating-point state.
macro_rules! leave_float {
    ($name:ident, $ending:ident) => {
        /// Traps the unit and makes room for its registers; then ends as each switch.
        /// Entered like the tail, with the state's address in x2.
        #[unsafe(naked)]
        pub(crate) extern "C" fn $name() {
            naked_asm!(
                "msr cpacr_el1, xzr",
                "isb",
                "str xzr, [x2, #{float_in_use}]",
                "sub sp, sp, #{area}",
                "mov x4, sp",
                "str x4, [x2, #{float_area}]",
                // One frame more, of which only the address matters.
                "adrp x4, {resume_float}",
                "add x4, x4, :lo12:{resume_float}",
                "sub sp, sp, #{frame}",
                "str x4, [sp, #16]",
                tail!($ending),
                area = const AREA,
                frame = const CALL_FRAME,
                resume_float = sym resume_float,
                float_in_use = const offset_of!(State, float_in_use),
                float_area = const offset_of!(State, float_area),
                stack_pointer = const offset_of!(Context, stack_pointer),
                status = const offset_of!(Context, status),
                current = const offset_of!(Processor, current),
            )
        }
    };
}

leave_float!(leave_float, slice);
leave_float!(leave_float_in_slice, keep);

/// Where a thread with floating-point state goes on, masked: the stack pointer is at its room. x0 and x1 are kept.
#[unsafe(naked)]
extern "C" fn resume_float() {
    naked_asm!(
        ".arch_extension fp",
        ".arch_extension simd",
        "adrp x6, {state}",
        "add x6, x6, :lo12:{state}",
        "mov x5, #{enable}",
        "msr cpacr_el1, x5",
        "isb",
        "str x5, [x6, #{float_in_use}]",
        // Are the registers still this thread's?
        "ldr x2, [x6, #{float_area}]",
        "mov x5, sp",
        "cmp x2, x5",
        "b.eq 3f",
        // No. Another thread's, to be saved first?
        "cbz x2, 2f",
        store_registers!(),
        "2:",
        "ldp q0, q1, [sp, #0]",
        "ldp q2, q3, [sp, #32]",
        "ldp q4, q5, [sp, #64]",
        "ldp q6, q7, [sp, #96]",
        "ldp q8, q9, [sp, #128]",
        "ldp q10, q11, [sp, #160]",
        "ldp q12, q13, [sp, #192]",
        "ldp q14, q15, [sp, #224]",
        "ldp q16, q17, [sp, #256]",
        "ldp q18, q19, [sp, #288]",
        "ldp q20, q21, [sp, #320]",
        "ldp q22, q23, [sp, #352]",
        "ldp q24, q25, [sp, #384]",
        "ldp q26, q27, [sp, #416]",
        "ldp q28, q29, [sp, #448]",
        "ldp q30, q31, [sp, #480]",
        "add x2, sp, #512",
        "ldp x3, x4, [x2]",
        "msr fpcr, x3",
        "msr fpsr, x4",
        "3:",
        "str xzr, [x6, #{float_area}]",
        "add sp, sp, #{area}",
        // The frame proper.
        "ldr x30, [sp, #16]",
        "ldp x19, x29, [sp], #32",
        "ret",
        state = sym STATE,
        enable = const ENABLE,
        area = const AREA,
        float_in_use = const offset_of!(State, float_in_use),
        float_area = const offset_of!(State, float_area),
    )
}

/// The unit was used while it is trapped, in a thread. On the handlers' stack lie x0 to x3; x0 is the syndrome.
/// Gives the thread the unit and repeats the instruction.
#[unsafe(naked)]
pub(crate) extern "C" fn give_unit() {
    naked_asm!(
        ".arch_extension fp",
        ".arch_extension simd",
        "adrp x1, {state}",
        "add x1, x1, :lo12:{state}",
        "mov x0, #{enable}",
        "msr cpacr_el1, x0",
        "isb",
        "str x0, [x1, #{float_in_use}]",
        // The registers of the thread that had it before.
        "ldr x2, [x1, #{float_area}]",
        "cbz x2, 2f",
        "stp x4, x30, [sp, #-16]!",
        store_registers!(),
        "ldp x4, x30, [sp], #16",
        "str xzr, [x1, #{float_area}]",
        // A new owner finds zeroes.
        "2:",
        "msr fpcr, xzr",
        "msr fpsr, xzr",
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "movi v\\n\\().2d, #0",
        ".endr",
        "ldp x2, x3, [sp, #16]",
        "ldp x0, x1, [sp], #32",
        "eret",
        state = sym STATE,
        enable = const ENABLE,
        float_in_use = const offset_of!(State, float_in_use),
        float_area = const offset_of!(State, float_area),
    )
}

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

/// Forgets floating-point registers whose room lies on `stack`: its thread begins anew.
pub(crate) fn forget(stack: StackRegion) {
    let area = STATE.float_area.get();
    if (stack.base..stack.base + stack.size).contains(&area) {
        STATE.float_area.set(0);
    }
}
