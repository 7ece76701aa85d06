//! Owns: the floating-point and vector registers (d0–d31, FPSCR) and the thread that has them.
//!
//! A thread begins without the unit: its first floating-point instruction is undefined, the handler
//! of that gives it the unit, cleared, and repeats the instruction. From then on the thread has
//! floating-point state. When it switches away, the unit is switched off again, and space for the
//! registers is made on the thread's stack, under a frame that leads to [`resume_float`]; but they
//! stay where they are. They are saved only when another thread wants the unit, and loaded only if
//! that happened. So
//! - a thread that never uses the unit pays one comparison and a branch not taken at each switch;
//! - a thread that is alone in using it pays for switching it off and on, not for 33 loads and
//!   stores.
//!
//! Handlers must not use the unit: it faults there, or would be the interrupted thread's.

use crate::state::{STATE, State};
use crate::switch::SYSTEM_MODE;
use aarch32_cpu::register::Cpacr;
use core::mem::offset_of;
use taktos_arch_common::with_unit;
use taktos_machine::StackRegion;

/// 32 registers of eight bytes, and FPSCR; a multiple of eight.
const AREA: usize = 32 * 8 + 8;
/// The bytes of a frame below its last word.
const REST_OF_FRAME: usize = 9 * 4;
/// `FPEXC.EN`.
const ENABLE: u32 = 1 << 30;

/// Stores all registers from the address in r2 on. Uses r3.
macro_rules! store_registers {
    () => {
        "vstmia r2!, {{d0-d15}}
         vstmia r2!, {{d16-d31}}
         vmrs r3, fpscr
         str r3, [r2]"
    };
}

// Switches the unit off and makes room for its registers. The state's address is in r12.
taktos_arch_common::leave_float!(
    [
        ".fpu neon",
        "mov r3, #0",
        "vmsr fpexc, r3",
        "str r3, [r12, #{float_in_use}]",
        "sub sp, sp, #{area}",
        "str sp, [r12, #{float_area}]",
        // One frame more, of which only the address matters.
        "movw r3, #:lower16:{resume_float}",
        "movt r3, #:upper16:{resume_float}",
        "str r3, [sp, #-4]!",
        "sub sp, sp, #{rest_of_frame}",
    ],
    [],
    rest_of_frame = const REST_OF_FRAME,
    float_area = const offset_of!(State, float_area),
);

/// Resumes a thread with floating-point state: the stack pointer is at the space for that state.
/// Keeps r0, r1 and the mask, which ends in the code that the frame proper leads to.
#[unsafe(naked)]
extern "C" fn resume_float() {
    with_unit!(
        ".fpu neon",
        "movw r12, #:lower16:{state}",
        "movt r12, #:upper16:{state}",
        "mov r3, #{enable}",
        "vmsr fpexc, r3",
        "str r3, [r12, #{float_in_use}]",
        // Are the registers still this thread's?
        "ldr r2, [r12, #{float_area}]",
        "cmp r2, sp",
        "beq 3f",
        // No. Another thread's, to be saved first?
        "cmp r2, #0",
        "beq 2f",
        store_registers!(),
        "2:",
        "mov r2, sp",
        "vldmia r2!, {{d0-d15}}",
        "vldmia r2!, {{d16-d31}}",
        "ldr r3, [r2]",
        "vmsr fpscr, r3",
        "3:",
        "mov r3, #0",
        "str r3, [r12, #{float_area}]",
        "add sp, sp, #{area}",
        // The frame proper.
        "pop {{r4-r12, pc}}",
        area = const AREA,
    )
}

/// The handler of undefined instructions. In a thread that has not used the unit it gives it the
/// unit and repeats the instruction; one that is undefined all the same comes here again, and is a
/// fault.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn _asm_undefined_handler() {
    with_unit!(
        ".fpu neon",
        "push {{r0-r3}}",
        // lr is after the instruction, which has two bytes in T32, and four in A32.
        "mrs r0, spsr",
        "tst r0, #{thumb}",
        "subeq lr, lr, #4",
        "subne lr, lr, #2",
        // Only threads may use the unit.
        "and r0, r0, #{mode_bits}",
        "cmp r0, #{system_mode}",
        "bne 9f",
        "movw r1, #:lower16:{state}",
        "movt r1, #:upper16:{state}",
        "ldr r0, [r1, #{float_in_use}]",
        "cmp r0, #0",
        "bne 9f",
        "mov r0, #{enable}",
        "vmsr fpexc, r0",
        "str r0, [r1, #{float_in_use}]",
        // The registers of the thread that had it before.
        "ldr r2, [r1, #{float_area}]",
        "cmp r2, #0",
        "beq 2f",
        store_registers!(),
        "mov r0, #0",
        "str r0, [r1, #{float_area}]",
        // A new owner finds zeroes.
        "2:",
        "mov r0, #0",
        "vmsr fpscr, r0",
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov.i32 q\\n, #0",
        ".endr",
        "pop {{r0-r3}}",
        // Again, now with the unit.
        "movs pc, lr",
        "9:",
        "pop {{r0-r3}}",
        "b {fault}",
        thumb = const 1 << 5,
        mode_bits = const 0x1F,
        system_mode = const SYSTEM_MODE,
        fault = sym crate::fault::undefined,
    )
}

/// Forgets floating-point registers with save space on `stack`: its thread begins again.
pub(crate) fn forget(stack: StackRegion) {
    STATE.forget_float(stack);
}

/// Lets the unit be switched on at all.
pub(crate) fn allow() {
    const BOTH_COPROCESSORS: u32 = 0xF << 20;
    // SAFETY: called once, before the first thread runs; opens the coprocessors 10 and 11 and
    // leaves them off.
    unsafe { Cpacr::write(Cpacr(BOTH_COPROCESSORS)) };
    aarch32_cpu::asm::isb();
}

const _: () = assert!(offset_of!(State, at_switch) == 0 && offset_of!(State, float_in_use) == 4);
