//! Owns: what the language has no words for, in instructions of AArch64.

use core::arch::asm;

/// The instruction that returns from a function.
pub const RETURN: u32 = 0xD65F_03C0;

/// Does what `f` does with `room` bytes left on the caller's stack.
pub fn with_a_short_stack(room: usize, f: extern "C" fn()) -> ! {
    // The stack's lowest page boundary is right below it: the guard is a page. SAFETY: goes down on
    // the thread's own stack; does not come back to what it clobbers.
    unsafe {
        asm!(
            "mov x10, sp",
            "and x10, x10, #-4096",
            "add x10, x10, x9",
            "mov sp, x10",
            "blr x11",
            "udf #0",
            in("x11") f,
            in("x9") room,
            options(noreturn),
        );
    }
}

/// Executes the contents of `place`.
pub fn jump(place: usize) -> ! {
    // SAFETY: nothing of it is: it faults.
    unsafe { asm!("br {}", in(reg) place, options(noreturn)) }
}

/// Executes what is no instruction.
pub fn undefined() {
    // SAFETY: faults.
    unsafe { asm!("udf #0") };
}

/// Executes an undefined instruction in a thread that may use the floating-point unit.
pub fn undefined_with_float() {
    // SAFETY: uses a register of this thread, and faults.
    unsafe {
        asm!(
            ".arch_extension simd",
            "movi v0.2d, #0",
            ".arch_extension nosimd",
            "udf #0"
        )
    };
}
