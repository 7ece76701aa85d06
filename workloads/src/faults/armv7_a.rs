//! Owns: what the language has no words for, in instructions of ARMv7-A.

use core::arch::asm;

/// The instruction that returns from a function.
pub const RETURN: u32 = 0xE12F_FF1E;

/// Does what `f` does with `room` bytes left on the caller's stack.
pub fn with_a_short_stack(room: usize, f: extern "C" fn()) -> ! {
    // The stack's lowest page boundary is right below it: the guard is a page. SAFETY: goes down on
    // the thread's own stack; does not come back to what it clobbers.
    unsafe {
        asm!(
            "bic sp, sp, #0xFF0",
            "bic sp, sp, #0x00F",
            "add sp, sp, {room}",
            "blx {f}",
            "udf #0",
            f = in(reg) f,
            room = in(reg) room,
            options(noreturn),
        );
    }
}

/// Executes the contents of `place`.
pub fn jump(place: usize) -> ! {
    // SAFETY: nothing of it is: it faults.
    unsafe { asm!("bx {}", in(reg) place, options(noreturn)) }
}

/// Executes what is no instruction.
pub fn undefined() {
    // SAFETY: faults.
    unsafe { asm!("udf #0") };
}

/// Executes an undefined instruction in a thread that may use the floating-point unit.
pub fn undefined_with_float() {
    // SAFETY: uses a register of this thread, and faults.
    unsafe { asm!(".fpu neon", "vmov.i32 q0, #1", ".fpu none", "udf #0") };
}
