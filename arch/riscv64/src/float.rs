//! Owns: the floating-point registers (f0–f31, fcsr) and the thread that has them.
//!
//! A thread begins without the unit: its first floating-point instruction is illegal, the handler
//! of that gives it the unit, cleared, and repeats the instruction. From then on the thread has
//! floating-point state. When it switches away, the unit is switched off again, and space for the
//! registers is made on the thread's stack, under a frame that leads to `resume_float`. Whether
//! they are put there at once depends on how many processors there are: see `uni` and `smp`.
//!
//! Handlers must not use the unit: it faults there, or would be the interrupted thread's.

pub(crate) use crate::processors::float::{forget, give_unit, leave_float, leave_float_in_slice};
use core::arch::asm;

/// 32 registers of eight bytes, and fcsr; a multiple of sixteen.
pub(crate) const AREA: usize = 32 * 8 + 16;
/// `sstatus.FS`: the unit is on, and its state is dirty.
pub(crate) const ENABLE: usize = 3 << 13;

/// The assembler knows the instructions, though the image's code is compiled without them.
macro_rules! with_float {
    () => {
        ".option push
         .option arch, +d"
    };
}

/// Stores all registers from the address in t2 on. Uses t3.
macro_rules! store_registers {
    () => {
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
         fsd f\\n, \\n * 8(t2)
         .endr
         frcsr t3
         sd t3, 256(t2)"
    };
}

/// Loads all registers from the stack pointer on. Uses t3.
macro_rules! load_registers {
    () => {
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
         fld f\\n, \\n * 8(sp)
         .endr
         ld t3, 256(sp)
         fscsr t3"
    };
}

/// A new owner finds zeroes.
macro_rules! clear_registers {
    () => {
        "fscsr zero
         .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
         fmv.d.x f\\n, zero
         .endr"
    };
}

pub(crate) use {clear_registers, load_registers, store_registers, with_float};

/// Switches the unit off, which the start-up code may have switched on.
pub(crate) fn forbid() {
    // SAFETY: called once on a processor, before its first thread runs; nothing uses the unit
    // before.
    unsafe { asm!("csrc sstatus, {}", in(reg) ENABLE, options(nomem, nostack, preserves_flags)) };
}
